// SPDX-License-Identifier: BSD-3-Clause
// Setting up and taking down; what happens in between is in port_state.cc and worker.cc.
#include "dataplane/run/dataplane.h"

#include <algorithm>
#include <functional>

#include <rte_launch.h>
#include <rte_lcore.h>

#include "dataplane/run/dataplane_sizes.h"

namespace weir {

namespace {

int run_worker(void* worker) {
    static_cast<Worker*>(worker)->run();
    return 0;
}

// Draws differ between switches and shards, and are the same in every run.
std::uint64_t seed_of(const std::string& name, std::size_t shard) {
    return std::hash<std::string>()(name) + shard;
}

// The cores that the switches name, each once.
std::vector<unsigned> cores_of(const DataplaneOptions& options) {
    std::vector<unsigned> cores;
    for (const SwitchOptions& one : options.switches) {
        for (const unsigned core : one.cores) {
            if (std::count(cores.begin(), cores.end(), core) == 0) cores.push_back(core);
        }
    }
    return cores;
}

}  // namespace

std::string Dataplane::open(const DataplaneOptions& options) {
    std::string problem = start_environment(options);
    if (problem.empty()) problem = open_pool(options);
    if (problem.empty()) problem = make_workers();
    for (const SwitchOptions& one : options.switches) {
        if (problem.empty()) problem = open_switch(one);
    }
    if (problem.empty()) problem = links_.unjoined();
    return problem;
}

std::string Dataplane::start_environment(const DataplaneOptions& options) {
    remove_stale_eal_files();
    EalRequest request;
    request.words = options.eal;
    request.worker_cores = cores_of(options);
    request.pci_devices = pci_devices_of(options);
    request.memory_mebibytes = memory_mebibytes_of(options);
    eal_ = plan_eal(request, this_machine());
    warnings_ = eal_.warnings;
    if (!eal_.problem.empty()) return eal_.problem;
    const std::string problem = start_eal(eal_);
    if (!problem.empty()) return problem;
    eal_started_ = true;
    lcores_ = worker_lcores();
    cores_ = eal_.worker_cores;
    if (cores_.empty()) {
        for (const unsigned lcore : lcores_) {
            cores_.push_back(static_cast<unsigned>(rte_lcore_to_cpu_id(static_cast<int>(lcore))));
        }
    }
    if (lcores_.empty()) {
        return "eal: the core options leave no core for a worker: leave them out, or name two";
    }
    for (const unsigned core : request.worker_cores) {
        if (std::count(cores_.begin(), cores_.end(), core) == 0) {
            return "workers: core " + std::to_string(core) + " is not among EAL's worker cores (" +
                   core_list_text(cores_) + "): leave out eal's core options";
        }
    }
    return {};
}

std::string Dataplane::open_pool(const DataplaneOptions& options) {
    FramePoolOptions pool;
    pool.frame_bytes_max = frame_bytes_max_of(options);
    pool.frames = options.frames != 0 ? options.frames : frames_of_ports(options) + kQueuedFrames;
    if (options.frames == 0) pool.frames_min = frames_of_ports(options) + kQueuedFramesMin;
    std::string problem = pool_.open(pool);
    if (problem.empty() && pool_.frames() < pool.frames) {
        warnings_.push_back("frames: memory holds " + std::to_string(pool_.frames()) + " of " +
                            std::to_string(pool.frames) + " buffers: write eal: [-m " +
                            std::to_string(memory_mebibytes_of(options)) + "] for all");
    }
    return problem;
}

std::string Dataplane::make_workers() {
    clock_ = std::make_unique<Clock>();
    quiescent_ = std::make_unique<QuiescentState>(static_cast<unsigned>(cores_.size()));
    for (unsigned i = 0; i < cores_.size(); ++i) {
        const WorkerOptions options{
            .index = i, .core = cores_[i], .yields_when_idle = eal_.shares_cores};
        workers_.push_back(make_huge<Worker>(options, *clock_, *quiescent_, pool_.pool()));
        if (!workers_.back()) return "no memory for the workers: write a larger eal: [-m ...]";
    }
    return {};
}

std::string Dataplane::open_switch(const SwitchOptions& options) {
    switches_.push_back(std::make_unique<SwitchRecord>(*quiescent_));
    SwitchRecord& record = *switches_.back();
    record.name = options.name;
    std::string problem = open_ports(options, record);
    if (problem.empty()) problem = make_shards(options, record);
    return problem;
}

std::string Dataplane::open_ports(const SwitchOptions& options, SwitchRecord& record) {
    for (const PortOptions& port : options.ports) {
        PortRecord& opened = record.ports.emplace_back();
        opened.options = port;
        const DeviceRequest request{.port = port.name,
                                    .device = port.device,
                                    .frame_bytes_max = port.frame_bytes_max,
                                    .fallback_mac = mac_from_text(options.name + "/" + port.name),
                                    .pool = pool_.pool()};
        const std::string problem = is_ring(port.device)
                                        ? links_.open_end(request, opened.device, warnings_)
                                        : open_device(request, opened.device, warnings_);
        if (!problem.empty()) return problem;
    }
    return {};
}

std::string Dataplane::make_shards(const SwitchOptions& options, SwitchRecord& record) {
    const std::size_t shards = std::max<std::size_t>(options.cores.size(), 1);
    const std::string problem = record.rings.open(static_cast<unsigned>(shards), pool_.frames());
    if (!problem.empty()) return problem;
    for (std::size_t i = 0; i < shards; ++i) {
        ShardRecord& made = record.shards.emplace_back();
        const ShardOptions shard_options{.id = static_cast<ShardId>(i),
                                         .shards = static_cast<ShardId>(shards),
                                         .ports = static_cast<std::uint16_t>(record.ports.size()),
                                         .frames_max = pool_.frames(),
                                         .seed = seed_of(options.name, i)};
        made.memory = HugeBlock(Shard::memory_bytes(shard_options));
        if (!made.memory.bytes().empty()) {
            made.shard = make_huge<Shard>(shard_options, record.condition, made.memory.bytes());
        }
        if (!made.shard) return "no memory for the switch: write a larger eal: [-m ...]";
        const auto core = options.cores.empty()
                              ? cores_.begin()
                              : std::find(cores_.begin(), cores_.end(), options.cores[i]);
        made.worker = static_cast<unsigned>(core - cores_.begin());
        Seat seat;
        seat.shard = made.shard.get();
        seat.publisher = &record.publisher;
        seat.rings = shards > 1 ? &record.rings : nullptr;
        seat.switch_index = static_cast<std::uint16_t>(switches_.size() - 1);
        for (PortId port = 0; port < record.ports.size(); ++port) {
            const PortRecord& opened = record.ports[port];
            if (opened.options.shard != i) continue;
            seat.ports.push_back({.ethdev = opened.device.ethdev, .port = port});
            seat.send_devices[port] = opened.device.ethdev;
        }
        made.seat = workers_[made.worker]->add_seat(std::move(seat));
    }
    return {};
}

std::string Dataplane::start() {
    poll();
    for (unsigned i = 0; i < workers_.size(); ++i) {
        Worker& worker = *workers_[i];
        if (worker.seats() == 0) continue;
        worker.set_running();
        if (rte_eal_remote_launch(run_worker, &worker, lcores_[i]) != 0) {
            worker.set_stopped();
            return "worker " + std::to_string(i) + " does not start";
        }
    }
    running_ = true;
    return {};
}

void Dataplane::stop() {
    for (const auto& worker : workers_) worker->stop();
    for (unsigned i = 0; i < workers_.size(); ++i) {
        rte_eal_wait_lcore(lcores_[i]);
        WEIR_CHECK(!workers_[i]->running());
    }
    running_ = false;
    for (const auto& record : switches_) {
        for (const ShardRecord& shard : record->shards) {
            workers_[shard.worker]->release_frames(clock_->now(), shard.seat);
        }
    }
}

void Dataplane::close_devices() {
    for (const auto& record : switches_) {
        for (PortRecord& port : record->ports) close_device(port.device);
    }
    links_.close();
}

unsigned Dataplane::close() {
    if (!eal_started_) return 0;
    if (running_) stop();
    close_devices();
    const unsigned lost = pool_.in_use();
    workers_.clear();
    switches_.clear();
    quiescent_.reset();
    pool_.close();
    end_eal(eal_);
    eal_started_ = false;
    return lost;
}

}  // namespace weir
