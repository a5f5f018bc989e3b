// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/run/ring_ports.h"

#include <gtest/gtest.h>
#include <rte_eth_ring.h>
#include <rte_lcore.h>

#include "dataplane/core/wire.h"
#include "dataplane/io/mbuf_frames.h"

namespace weir {

RingPort::RingPort(const std::string& name, FramePool& pool, unsigned frames) {
    constexpr unsigned kFlags = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ;
    arriving_ = rte_ring_create((name + "_in").c_str(), frames, SOCKET_ID_ANY, kFlags);
    leaving_ = rte_ring_create((name + "_out").c_str(), frames, SOCKET_ID_ANY, kFlags);
    WEIR_CHECK(arriving_ != nullptr && leaving_ != nullptr);
    const int ethdev = rte_eth_from_rings(name.c_str(), &arriving_, 1, &leaving_, 1, 0);
    WEIR_CHECK(ethdev >= 0);
    device_.ethdev = static_cast<std::uint16_t>(ethdev);
    device_.bus_name = "net_ring_" + name;
    DeviceRequest request;
    request.port = name;
    request.frame_bytes_max = kFrameBytesDefault;
    request.fallback_mac = mac_from_text(name);
    request.pool = pool.pool();
    std::vector<std::string> warnings;
    EXPECT_EQ(start_device(request, device_, warnings), "");
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(device_.facts.mac, request.fallback_mac);
    EXPECT_EQ(device_.facts.frame_bytes_max, kFrameBytesDefault);
}

RingPort::~RingPort() {
    close_device(device_);
    rte_ring_free(arriving_);
    rte_ring_free(leaving_);
}

bool RingPort::deliver(rte_mbuf* mbuf) {
    gave_away(mbuf);
    return rte_ring_sp_enqueue(arriving_, mbuf) == 0;
}

rte_mbuf* RingPort::collect() {
    void* mbuf = nullptr;
    if (rte_ring_sc_dequeue(leaving_, &mbuf) != 0) return nullptr;
    took_over(mbuf);
    return static_cast<rte_mbuf*>(mbuf);
}

Rig::Rig(const RigOptions& options) : quiescent_(options.shards), publisher_(quiescent_) {
    FramePoolOptions pool;
    pool.frames = options.frames;
    pool.frame_bytes_max = kFrameBytesDefault;
    EXPECT_EQ(pool_.open(pool), "");
    EXPECT_EQ(rings_.open(options.shards, options.hand_off_frames), "");
    for (unsigned i = 0; i < options.ports; ++i) {
        ports_.push_back(
            std::make_unique<RingPort>("p" + std::to_string(i), pool_, options.device_frames));
        condition_.set_port_up(static_cast<PortId>(i), true);
    }
    seat_shards(options);
    publish(options);
}

void Rig::seat_shards(const RigOptions& options) {
    for (unsigned i = 0; i < options.shards; ++i) {
        const ShardOptions shard{.id = static_cast<ShardId>(i),
                                 .shards = static_cast<ShardId>(options.shards),
                                 .ports = static_cast<std::uint16_t>(options.ports),
                                 .frames_max = options.frames,
                                 .seed = 1,
                                 .path_rules = 1'024};
        memory_.emplace_back(Shard::memory_bytes(shard));
        shards_.push_back(make_huge<Shard>(shard, condition_, memory_.back().bytes()));
        const WorkerOptions worker{.index = i, .core = 0, .yields_when_idle = true};
        workers_.push_back(make_huge<Worker>(worker, clock_, quiescent_, pool_.pool()));
        Seat seat;
        seat.shard = shards_.back().get();
        seat.publisher = &publisher_;
        seat.rings = options.shards > 1 ? &rings_ : nullptr;
        for (PortId port = static_cast<PortId>(i); port < options.ports;
             port = static_cast<PortId>(port + options.shards)) {
            PolledPort& polled = seat.ports.emplace_back();
            polled.ethdev = ports_[port]->ethdev();
            polled.port = port;
            polled.rx_ring = ports_[port]->rx_ring();
            seat.send_devices[port] = polled.ethdev;
        }
        EXPECT_EQ(workers_.back()->add_seat(std::move(seat)), 0u);
    }
}

void Rig::publish(const RigOptions& options) {
    Settings settings;
    settings.switch_.name = "rig";
    for (unsigned i = 0; i < options.ports; ++i) {
        PortSettings port;
        port.name = "p" + std::to_string(i);
        settings.ports.push_back(port);
    }
    PortFacts facts;
    facts.shards = options.shards;
    auto owned = std::make_unique<Owned>();
    owned->compiled = compile(settings, facts, nullptr);
    owned->tables = owned->compiled->tables;
    owned->groups.resize(kPortsMax * kPriorities);
    owned->egress.resize(kPortsMax);
    owned->tables.groups = owned->groups;
    owned->tables.egress = owned->egress;
    owned->tables.shared_pool_bytes = 64u << 20;
    owned->ports = owned->compiled->ports;
    owned->tables.ports = owned->ports;
    owned->tables.rx_guard_frames = options.rx_guard_frames;
    if (options.rx_guard_frames != 0) {
        for (PortTable& port : owned->ports) port.pfc_priorities = 1u << 3;
    }
    const Tables& tables = owned->tables;
    publisher_.publish(std::move(owned), tables);
}

Rig::~Rig() {
    stop();
    workers_.clear();
    ports_.clear();
}

std::uint64_t Rig::drops(PortId port, DropReason reason) const {
    std::uint64_t frames = 0;
    for (const auto& shard : shards_) {
        frames += shard->counters(port).drops[static_cast<unsigned>(reason)].read();
    }
    return frames;
}

void Rig::turn() {
    for (const auto& worker : workers_) worker->turn(clock_.now());
}

void Rig::start() {
    for (const auto& worker : workers_) {
        worker->set_running();
        threads_.emplace_back([one = worker.get()] {
            WEIR_CHECK(rte_thread_register() == 0);  // mempool caches are by lcore
            one->run();
            rte_thread_unregister();
        });
    }
}

void Rig::stop() {
    for (const auto& worker : workers_) worker->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

void Rig::release() {
    for (const auto& worker : workers_) worker->release_frames(clock_.now(), 0);
}

rte_mbuf* Rig::frame(std::uint8_t source, std::uint8_t destination, std::uint32_t number,
                     std::uint16_t length) {
    rte_mbuf* mbuf = nullptr;
    if (!take_mbufs(pool_.pool(), {&mbuf, 1})) return nullptr;
    auto* bytes = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(mbuf, length));
    std::memset(bytes, 0, length);
    const auto mac = [](std::uint8_t host) {
        return host == kBroadcastHost ? kBroadcastMac : MacAddress{0x0200'0000'0000u | host};
    };
    write_mac(bytes, mac(destination));
    write_mac(bytes + 6, mac(source));
    write_be16(bytes + 12, 0x88b5);  // IEEE 802 local experimental
    write_be32(bytes + 14, number);
    return mbuf;
}

std::uint32_t Rig::number_of(const rte_mbuf* mbuf) {
    return read_be32(rte_pktmbuf_mtod(mbuf, const std::uint8_t*) + 14);
}

}  // namespace weir
