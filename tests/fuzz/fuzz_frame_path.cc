// SPDX-License-Identifier: BSD-3-Clause
// Any frames on any ports of a switch with bridged and routed ports: nothing is read outside a
// frame, and every frame leaves the switch once: sent, freed or multiplied.
//
// The input is a list of turns: a byte of what happens (see Turn), a length of two bytes, and the
// bytes of one frame.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <unordered_map>
#include <vector>

#include "config/compile.h"
#include "config/load.h"
#include "dataplane/core/check.h"
#include "dataplane/core/shard.h"

namespace weir {

namespace {

constexpr PortId kPorts = 4;

constexpr const char* kConfiguration = R"(
switch: {name: fuzz}
ports:
  - {name: a, device: "net_null0", vlan: {native: 1, tagged: [5]}}
  - {name: b, device: "net_null1", speed: 1G}
  - {name: c, device: "net_null2", addresses: [10.0.0.254/24, "fd00::fe/64"]}
  - {name: d, device: "net_null3", addresses: [10.1.0.1/24, "fd01::1/64"], speed: 1G}
routes:
  - {prefix: 10.2.0.0/16, via: [10.1.0.2, 10.1.0.3]}
  - {prefix: 10.3.0.0/16, blackhole: true}
  - {prefix: "fd02::/16", via: ["fd01::2", "fd01::3"]}
neighbors:
  - {address: 10.1.0.2, mac: "02:00:00:00:01:02"}
  - {address: "fd01::2", mac: "02:00:00:00:01:02"}
)";

struct Turn {
    explicit Turn(std::uint8_t byte)
        : port(byte & 3),
          second_passes((byte & 4) != 0),
          link_flips((byte & 8) != 0),
          frames_stay((byte & 16) != 0) {}

    PortId port;
    bool second_passes;
    bool link_flips;   // of `port`
    bool frames_stay;  // no port sends after this turn
};

std::unique_ptr<const CompiledTables> make_tables() {
    Problems problems;
    const std::unique_ptr<const Loaded> loaded = load_text("fuzz", kConfiguration, problems);
    WEIR_CHECK(loaded != nullptr);
    PortFacts facts;
    for (PortId port = 0; port < kPorts; ++port) {
        facts.ports.push_back({.mac = {0x0200'0000'0000u + port}});
    }
    return compile(loaded->settings, facts, nullptr);
}

// Given to one shard after the other: to get megabytes anew for each input would be most of the
// time.
std::span<std::byte> shard_memory(std::size_t bytes) {
    static const std::span<std::byte> kMemory{
        new (std::align_val_t{Arena::kAlign}) std::byte[bytes], bytes};
    return kMemory;
}

// Does what a worker does, with the frames on the heap, where a sanitizer sees their ends.
class Bench {
  public:
    Bench() {
        static const std::unique_ptr<const CompiledTables> kTables = make_tables();
        const ShardOptions options{.ports = kPorts, .frames_max = 1'024};
        for (PortId port = 0; port < kPorts; ++port) condition_.set_port_up(port, true);
        shard_ = std::make_unique<Shard>(options, condition_,
                                         shard_memory(Shard::memory_bytes(options)));
        shard_->adopt(now_, kTables->tables, *effects_);
        act();
    }

    void take(const Turn& turn, std::span<const std::uint8_t> bytes) {
        if (turn.second_passes) pass_second();
        if (turn.link_flips) set_link(turn.port, !up_[turn.port]);
        Frame frame = make(bytes);
        now_ = now_ + Interval::nanoseconds(100);
        shard_->receive(now_, turn.port, std::span{&frame, 1}, *effects_);
        act();
        if (!turn.frames_stay) send_all();
    }

    // All links up, and time passes until nothing waits for a neighbor or the shaper any more.
    void finish() {
        for (PortId port = 0; port < kPorts; ++port) set_link(port, true);
        constexpr int kSecondsMax = 600;
        for (int second = 0; second < kSecondsMax && !held_.empty(); ++second) {
            pass_second();
            send_all();
        }
        WEIR_CHECK(held_.empty());
    }

  private:
    Frame make(std::span<const std::uint8_t> bytes) {
        // The frame ends where the memory ends; in front is what the switch may write to.
        auto memory = std::make_unique<std::uint8_t[]>(kFrameHeadroomBytes + bytes.size());
        std::uint8_t* data = memory.get() + kFrameHeadroomBytes;
        std::copy(bytes.begin(), bytes.end(), data);
        const auto length = static_cast<std::uint16_t>(bytes.size());
        const Frame frame{
            .data = data, .handle = memory.get(), .length = length, .readable = length};
        held_.emplace(frame.handle, std::move(memory));
        return frame;
    }

    void release(void* handle) { WEIR_CHECK(held_.erase(handle) == 1); }

    // Until the effects of the effects are done too.
    void act() {
        for (int rounds = 0; acted_once(); ++rounds) WEIR_CHECK(rounds < 8);
    }

    bool acted_once() {
        const auto now = std::make_unique<Effects>(*effects_);
        for (auto& hand_off : effects_->hand_offs) WEIR_CHECK(hand_off.empty());
        effects_->freed.clear();
        effects_->floods.clear();
        effects_->own.clear();
        effects_->messages.clear();
        effects_->events.clear();
        for (void* handle : now->freed.all()) release(handle);
        for (const FloodRequest& flood : now->floods.all()) multiply(flood);
        for (const OwnFrame& own : now->own.all()) {
            Frame frame = make(std::span{own.bytes}.first(own.length));
            frame.out_port = own.out_port;
            frame.priority = own.priority;
            shard_->originate(frame, *effects_);
        }
        return !effects_->freed.empty() || !effects_->floods.empty() || !effects_->own.empty();
    }

    void multiply(const FloodRequest& flood) {
        flood.ports.for_each([&](PortId port) {
            Frame copy = make({flood.frame.data, flood.frame.length});
            std::uint8_t* const data = copy.data;
            void* const handle = copy.handle;
            copy = flood.frame;
            copy.data = data;
            copy.handle = handle;
            copy.out_port = port;
            shard_->enqueue(now_, std::span{&copy, 1}, *effects_);
        });
        release(flood.frame.handle);
    }

    void send_all() {
        const PortSet backlog = shard_->backlog();
        backlog.for_each([&](PortId port) {
            const std::span<const Frame> offered = shard_->offer(now_, port, kBurstMax);
            std::vector<void*> sent;
            for (const Frame& frame : offered) {
                WEIR_CHECK(frame.length > 0 && frame.readable == frame.length);
                WEIR_CHECK(held_.contains(frame.handle));
                sent.push_back(frame.handle);
            }
            shard_->commit(now_, port, static_cast<unsigned>(sent.size()), *effects_);
            for (void* handle : sent) release(handle);
        });
        act();
    }

    void pass_second() {
        now_ = now_ + Interval::seconds(1);
        shard_->tick(now_, *effects_);
        act();
    }

    void set_link(PortId port, bool up) {
        if (up_[port] == up) return;
        up_[port] = up;
        condition_.set_port_up(port, up);
        shard_->link_changed(now_, port, up, *effects_);
        act();
    }

    Condition condition_;
    std::unique_ptr<Shard> shard_;
    std::unique_ptr<Effects> effects_ = std::make_unique<Effects>();
    std::unordered_map<void*, std::unique_ptr<std::uint8_t[]>> held_;
    std::array<bool, kPorts> up_{true, true, true, true};
    Time now_;
};

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::span<const std::uint8_t> rest{data, size};
    weir::Bench bench;
    while (rest.size() > 3) {
        const weir::Turn turn{rest[0]};
        const std::size_t claimed = static_cast<std::size_t>(rest[1]) << 8 | rest[2];
        rest = rest.subspan(3);
        const std::size_t length =
            std::min({claimed, rest.size(), std::size_t{weir::kFrameBytesMax}});
        bench.take(turn, rest.first(length));
        rest = rest.subspan(length);
    }
    bench.finish();
    return 0;
}
