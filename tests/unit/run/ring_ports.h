// SPDX-License-Identifier: BSD-3-Clause
// A switch on ring ports: the test is at the other end of every port's rings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <rte_ring.h>

#include "config/compile.h"
#include "dataplane/io/device.h"
#include "dataplane/io/frame_pool.h"
#include "dataplane/run/huge_memory.h"
#include "dataplane/run/worker.h"

namespace weir {

class RingPort {
  public:
    // `frames`: how many the port's device takes before the test collects some.
    RingPort(const std::string& name, FramePool& pool, unsigned frames);
    ~RingPort();
    RingPort(const RingPort&) = delete;
    RingPort& operator=(const RingPort&) = delete;

    [[nodiscard]] std::uint16_t ethdev() const { return device_.ethdev; }
    [[nodiscard]] const rte_ring* rx_ring() const { return arriving_; }
    // Gives the port a frame to receive; false when its ring is full.
    [[nodiscard]] bool deliver(rte_mbuf* mbuf);
    // Takes the oldest frame that the port has sent, or null.
    [[nodiscard]] rte_mbuf* collect();

  private:
    rte_ring* arriving_;
    rte_ring* leaving_;
    Device device_;
};

struct RigOptions {
    unsigned ports = 2;
    unsigned shards = 1;
    std::uint32_t frames = 4095;  // mbufs
    unsigned device_frames = 255;
    std::uint32_t hand_off_frames = 4095;
    std::uint32_t rx_guard_frames = 0;  // with it, priority 3 is lossless
};

// A bridge: port i belongs to shard i % shards, shard i to worker i.
class Rig {
  public:
    explicit Rig(const RigOptions& options);
    ~Rig();
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    [[nodiscard]] RingPort& port(PortId port) { return *ports_[port]; }
    [[nodiscard]] Worker& worker(unsigned index) { return *workers_[index]; }
    [[nodiscard]] Shard& shard(ShardId id) { return *shards_[id]; }
    [[nodiscard]] Condition& condition() { return condition_; }
    [[nodiscard]] FramePool& pool() { return pool_; }
    [[nodiscard]] Publisher& publisher() { return publisher_; }
    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] std::uint64_t drops(PortId port, DropReason reason) const;

    // One turn of each worker, one after the other, on this thread.
    void turn();
    // Workers on threads of their own, until stop().
    void start();
    void stop();
    // Frees what the shards hold; the pool should then be as full as at the start.
    void release();

    // A frame of `length` bytes that carries `number`; the hosts' MACs are 02::host.
    [[nodiscard]] rte_mbuf* frame(std::uint8_t source, std::uint8_t destination,
                                  std::uint32_t number, std::uint16_t length = 64);
    [[nodiscard]] static std::uint32_t number_of(const rte_mbuf* mbuf);

  private:
    void publish(const RigOptions& options);
    void seat_shards(const RigOptions& options);

    struct Owned {
        std::unique_ptr<const CompiledTables> compiled;
        Tables tables;
        std::vector<BufferProfile> groups;
        std::vector<EgressTable> egress;
        std::vector<PortTable> ports;
    };

    FramePool pool_;
    Clock clock_;
    QuiescentState quiescent_;
    Publisher publisher_;
    Condition condition_;
    ShardRings rings_;
    std::vector<std::unique_ptr<RingPort>> ports_;
    std::vector<HugeBlock> memory_;
    std::vector<HugePointer<Shard>> shards_;
    std::vector<HugePointer<Worker>> workers_;
    std::vector<std::thread> threads_;
};

inline constexpr std::uint8_t kBroadcastHost = 0xff;

}  // namespace weir
