// SPDX-License-Identifier: BSD-3-Clause
// A shard with tables compiled from YAML, and a device on each port that takes what it is offered.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/compile.h"
#include "dataplane/core/shard.h"

namespace weir {

using Octets = std::vector<std::uint8_t>;

inline constexpr MacAddress kPortMacs{0x0200'0000'0000};  // port n has this + n

class SwitchRig {
  public:
    // `adjust` may change the compiled tables before the shard sees them.
    using Adjust = std::function<void(CompiledTables&)>;
    explicit SwitchRig(const std::string& yaml, const Adjust& adjust = {});

    // One burst of frames arrives on a port. Each is copied into a buffer of just its size behind
    // the headroom, so that a sanitizer sees any read beyond it.
    void receive(PortId port, const std::vector<Octets>& burst);

    // What the port sends now, until it offers no more; each frame is let go by the device at once.
    [[nodiscard]] std::vector<Octets> sent(PortId port);

    // Offers up to `room` frames and takes the first `taken` of them.
    [[nodiscard]] std::vector<Octets> offer_and_take(PortId port, unsigned room, unsigned taken);

    void tick();
    void force_pause(PortId port, std::uint8_t priorities);
    void guard_ring(PortId port, std::uint32_t frames);
    void pass(Interval span) { now = now + span; }
    void set_up(PortId port, bool up);
    // What the worker does at the start of each turn.
    void reroute();
    [[nodiscard]] Condition& condition() { return condition_; }
    // Compiles anew and lets the shard adopt it.
    void reload(const std::string& yaml, const Adjust& adjust = {});

    [[nodiscard]] std::uint64_t drops(PortId port, DropReason reason) const;
    [[nodiscard]] std::uint64_t all_drops() const;
    [[nodiscard]] const PriorityGroup& group(PortId port, Priority priority) const {
        return shard->state().buffer.group(group_of(port, priority));
    }
    // Frames that were received or made and have neither been sent nor freed.
    [[nodiscard]] std::size_t frames_inside() const { return frames_.size(); }

    Time now{1'000'000'000'000};
    std::unique_ptr<Shard> shard;
    std::unique_ptr<Effects> effects = std::make_unique<Effects>();
    std::vector<Event> events;         // all so far
    std::vector<FloodRequest> floods;  // of the last call; their copies have been queued
    std::vector<ShardMessage> messages;

  private:
    struct AlignedFree {
        void operator()(std::byte* memory) const {
            ::operator delete[](memory, std::align_val_t{Arena::kAlign});
        }
    };

    [[nodiscard]] Frame make(std::span<const std::uint8_t> bytes);
    void let_go(void* handle);
    void take_effects();

    std::unique_ptr<const CompiledTables> tables_;
    std::unique_ptr<const CompiledTables> tables_before_;
    Condition condition_;
    std::unique_ptr<std::byte[], AlignedFree> memory_;
    std::unordered_map<void*, std::unique_ptr<std::uint8_t[]>> frames_;  // by handle
};

// Frames for tests, with right lengths and IPv4 checksum.
struct UdpFrame {
    MacAddress destination = kPortMacs;
    MacAddress source{0x0a00'0000'0001};
    std::uint32_t from = 0x0a01'0002;  // 10.1.0.2
    std::uint32_t to = 0x0a02'0002;    // 10.2.0.2
    std::uint16_t source_port = 49'152;
    std::uint16_t destination_port = 4791;
    std::uint32_t dest_qp = 0x11;
    std::uint8_t dscp = 26;  // priority 3
    std::uint8_t ecn = 2;    // ECT(0)
    std::uint8_t ttl = 64;
    std::uint16_t bytes = 100;  // of the whole frame, untagged
    int tci = -1;               // an 802.1Q tag, which adds four bytes
};
[[nodiscard]] Octets udp(const UdpFrame& fields);

[[nodiscard]] bool ipv4_checksum_is_right(const Octets& frame);

}  // namespace weir
