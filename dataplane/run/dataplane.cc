// SPDX-License-Identifier: BSD-3-Clause
// Setting up and taking down; what happens in between is in port_state.cc and worker.cc.
#include "dataplane/run/dataplane.h"

#include <algorithm>
#include <functional>

#include <rte_launch.h>
#include <rte_lcore.h>

#include "dataplane/run/dataplane_sizes.h"
#include "dataplane/run/reaction.h"

namespace weir {

namespace {

int run_worker(void* worker) {
    static_cast<Worker*>(worker)->run();
    return 0;
}

SetupProblem no_memory(const std::string& whose) {
    return {.text = "no memory for " + whose + ": write a larger eal: [-m ...]", .path = "eal"};
}

std::string device_path(std::size_t port) {
    return "ports[" + std::to_string(port) + "].device";
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

SetupProblem Dataplane::open(const DataplaneOptions& options) {
    SetupProblem problem = start_environment(options);
    if (problem.text.empty()) problem = open_pool(options);
    if (problem.text.empty()) problem = make_workers();
    for (const SwitchOptions& one : options.switches) {
        if (!problem.text.empty()) break;
        held_frames_ =
            queued_share_of(options, switches_.size(), pool_.frames() - frames_of_ports(options));
        problem = open_switch(one);
    }
    if (problem.text.empty()) share_frames(options);
    if (problem.text.empty()) problem = check_rings();
    return problem;
}

SetupProblem Dataplane::start_environment(const DataplaneOptions& options) {
    remove_stale_eal_files();
    EalRequest request;
    request.words = options.eal;
    request.worker_cores = cores_of(options);
    request.pci_devices = pci_devices_of(options);
    request.memory_mebibytes = memory_mebibytes_of(options);
    eal_ = plan_eal(request, this_machine());
    warnings_ = eal_.warnings;
    if (!eal_.problem.empty()) return {.text = eal_.problem, .path = eal_.problem_path};
    const std::string problem = start_eal(eal_);
    if (!problem.empty()) return {.text = problem, .path = "eal"};
    eal_started_ = true;
    return check_cores(request);
}

SetupProblem Dataplane::check_cores(const EalRequest& request) {
    lcores_ = worker_lcores();
    cores_ = eal_.worker_cores;
    if (cores_.empty()) {  // the user's choice
        for (const unsigned lcore : lcores_) {
            cores_.push_back(static_cast<unsigned>(rte_lcore_to_cpu_id(static_cast<int>(lcore))));
        }
    }
    if (lcores_.empty()) {
        return {.text =
                    "eal: the core options leave no core for a worker: leave them out, or "
                    "name two cores",
                .path = "eal"};
    }
    for (const unsigned core : request.worker_cores) {
        if (std::count(cores_.begin(), cores_.end(), core) != 0) continue;
        return {.text = "workers: core " + std::to_string(core) +
                        " is not among EAL's worker cores (" + core_list_text(cores_) +
                        "): leave out eal's core options",
                .path = "workers.cores"};
    }
    return {};
}

SetupProblem Dataplane::open_pool(const DataplaneOptions& options) {
    const std::uint32_t in_devices = frames_of_ports(options);
    if (options.frames != 0 && options.frames < in_devices + kQueuedFramesMin) {
        return {.text = "frames: " + std::to_string(options.frames) +
                        " are too few, the devices' rings hold up to " +
                        std::to_string(in_devices) + ": write at least " +
                        std::to_string(in_devices + kQueuedFramesMin),
                .path = "frames"};
    }
    FramePoolOptions pool;
    pool.frame_bytes_max = frame_bytes_max_of(options);
    pool.frames = options.frames != 0 ? options.frames : in_devices + queued_frames_of(options);
    if (options.frames == 0) pool.frames_min = in_devices + kQueuedFramesMin;
    // The pool may take what there is, except for what everything else needs.
    HugeBlock others(other_bytes_of(options));
    if (others.bytes().empty()) return no_memory("the switches");
    const std::string problem = pool_.open(pool);
    others = {};
    if (!problem.empty()) return {.text = problem, .path = "eal"};
    if (pool_.frames() < pool.frames) {
        warnings_.push_back("frames: memory holds " + std::to_string(pool_.frames()) + " of " +
                            std::to_string(pool.frames) + " buffers: write eal: [-m " +
                            std::to_string(memory_mebibytes_of(options)) + "] for all");
    }
    return {};
}

SetupProblem Dataplane::make_workers() {
    clock_ = std::make_unique<Clock>();
    quiescent_ = std::make_unique<QuiescentState>(static_cast<unsigned>(cores_.size()));
    for (unsigned i = 0; i < cores_.size(); ++i) {
        const WorkerOptions options{
            .index = i, .core = cores_[i], .yields_when_idle = eal_.shares_cores};
        workers_.push_back(make_huge<Worker>(options, *clock_, *quiescent_, pool_.pool()));
        if (!workers_.back()) return no_memory("the workers");
    }
    return {};
}

SetupProblem Dataplane::open_switch(const SwitchOptions& options) {
    switches_.push_back(std::make_unique<SwitchRecord>(*quiescent_));
    SwitchRecord& record = *switches_.back();
    record.name = options.name;
    SetupProblem problem = open_ports(options, record);
    if (problem.text.empty()) problem = make_shards(options, record);
    return problem;
}

SetupProblem Dataplane::open_ports(const SwitchOptions& options, SwitchRecord& record) {
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
        if (!problem.empty())
            return {problem, switches() - 1, device_path(record.ports.size() - 1)};
    }
    return {};
}

SetupProblem Dataplane::make_shards(const SwitchOptions& options, SwitchRecord& record) {
    const std::size_t shards = std::max<std::size_t>(options.cores.size(), 1);
    const std::string problem = record.rings.open(static_cast<unsigned>(shards), pool_.frames());
    if (!problem.empty()) return {problem, switches() - 1, "workers.cores"};
    for (unsigned i = 0; i < shards; ++i) {
        ShardRecord& made = record.shards.emplace_back();
        const ShardOptions shard{.id = static_cast<ShardId>(i),
                                 .shards = static_cast<ShardId>(shards),
                                 .ports = record.port_count(),
                                 .frames_max = pool_.frames(),
                                 .seed = seed_of(options.name, i),
                                 .session_seed = clock_->wall_nanoseconds(clock_->now()) + i,
                                 .held_frames = held_frames_,
                                 .notice_sequence = clock_->wall_nanoseconds(clock_->now()),
                                 .path_rules = kPathRulesMax};
        made.memory = HugeBlock(Shard::memory_bytes(shard));
        if (!made.memory.bytes().empty()) {
            made.shard = make_huge<Shard>(shard, record.condition, made.memory.bytes());
        }
        if (!made.shard) return no_memory("switch " + options.name);
        const auto core = options.cores.empty()
                              ? cores_.begin()
                              : std::find(cores_.begin(), cores_.end(), options.cores[i]);
        made.worker = static_cast<unsigned>(core - cores_.begin());
        made.seat = workers_[made.worker]->add_seat(seat_of(i, record));
    }
    return {};
}

void Dataplane::share_frames(const DataplaneOptions& options) {
    const std::uint32_t queued = pool_.frames() - frames_of_ports(options);
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        switches_[i]->queued_frames = queued_share_of(options, i, queued);
        DataplaneOptions alone;
        alone.switches = {options.switches[i]};
        switches_[i]->device_frames = frames_of_ports(alone);
    }
}

Seat Dataplane::seat_of(unsigned shard, SwitchRecord& record) const {
    Seat seat;
    seat.shard = record.shards[shard].shard.get();
    seat.publisher = &record.publisher;
    seat.rings = record.rings.shards() > 1 ? &record.rings : nullptr;
    seat.switch_index = static_cast<std::uint16_t>(switches() - 1);
    for (PortId port = 0; port < record.port_count(); ++port) {
        const PortRecord& opened = record.ports[port];
        if (opened.options.shard != shard) continue;
        PolledPort& polled = seat.ports.emplace_back();
        polled.ethdev = opened.device.ethdev;
        polled.port = port;
        polled.rx_ring = opened.device.rx_ring;
        seat.send_devices[port] = opened.device.ethdev;
    }
    return seat;
}

// Every ring: device has its two ends.
SetupProblem Dataplane::check_rings() const {
    for (unsigned index = 0; index < switches(); ++index) {
        const std::vector<PortRecord>& ports = switches_[index]->ports;
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (!is_ring(ports[i].options.device) || ring_peer(ports[i]) != nullptr) continue;
            return {"port " + ports[i].options.name + ": " + ports[i].options.device +
                        " has one end only: write it as the device of a second port",
                    index, device_path(i)};
        }
    }
    return {};
}

std::vector<std::string> Dataplane::measure_reaction() {
    struct Core {
        const Clock* clock;
        Interval absence;
    };
    std::vector<Core> cores(workers_.size(), Core{clock_.get(), {}});
    for (std::size_t i = 0; i < cores.size(); ++i) {
        const auto look = [](void* argument) {
            auto* core = static_cast<Core*>(argument);
            core->absence = longest_absence(*core->clock, kReactionSpan);
            return 0;
        };
        if (rte_eal_remote_launch(look, &cores[i], lcores_[i]) != 0) return {};
    }
    for (std::size_t i = 0; i < cores.size(); ++i) rte_eal_wait_lcore(lcores_[i]);
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        note_reaction(static_cast<unsigned>(i), cores[i].absence, warnings);
    }
    return warnings;
}

// A switch reacts as its slowest worker does.
void Dataplane::note_reaction(unsigned worker, Interval absence,
                              std::vector<std::string>& warnings) {
    unsigned ports = 0;
    for (unsigned seat = 0; seat < workers_[worker]->seats(); ++seat) {
        ports += static_cast<unsigned>(workers_[worker]->seat(seat).ports.size());
    }
    const Interval reaction = reaction_of(absence, ports);
    for (const auto& record : switches_) {
        for (const ShardRecord& shard : record->shards) {
            if (shard.worker != worker) continue;
            record->reaction = std::max(record->reaction.value_or(reaction), reaction);
        }
    }
    if (reaction < kReactionDefault || absence * 2 < kReactionDefault) return;
    warnings.push_back("core " + std::to_string(cores_[worker]) + " was away from its worker for " +
                       std::to_string(absence.ps / 1'000'000) +
                       " us at the start: headrooms cover 100 us; give the worker a core of its "
                       "own, or write buffer.reaction");
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
