// SPDX-License-Identifier: BSD-3-Clause
// One switch of several shards: bytes stay on the account of the shard that received a frame, and
// another one lets go of them.
#include <deque>
#include <map>
#include <memory>
#include <new>

#include <gtest/gtest.h>

#include "config/load.h"
#include "dataplane/core/pfc.h"
#include "dataplane/core/prng.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kFourPorts = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
  - { name: p2, device: "net_null2" }
  - { name: p3, device: "net_null3" }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2] }
neighbors:
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
)";
constexpr unsigned kPorts = 4;

// Port n belongs to shard n modulo `shards`. Hand-offs wait in rings until a shard takes them.
class ShardsRig {
  public:
    ShardsRig(unsigned shards, const std::function<void(CompiledTables&)>& adjust) {
        Problems problems;
        const auto loaded = load_text("rig.yaml", kFourPorts, problems);
        PortFacts facts;
        facts.shards = shards;
        for (unsigned port = 0; port < kPorts; ++port) {
            facts.ports.push_back({.mac = {kPortMacs.value + port}, .speed_bps = 100'000'000'000});
        }
        tables_ = compile(loaded->settings, facts, nullptr);
        adjust(const_cast<CompiledTables&>(*tables_));
        for (PortId port = 0; port < kPorts; ++port) condition_.set_port_up(port, true);
        for (unsigned id = 0; id < shards; ++id) {
            const ShardOptions options{.id = static_cast<ShardId>(id),
                                       .shards = static_cast<ShardId>(shards),
                                       .ports = kPorts,
                                       .frames_max = 4'096};
            const std::size_t bytes = Shard::memory_bytes(options);
            memory_.emplace_back(new (std::align_val_t{64}) std::byte[bytes]);
            shards_.push_back(
                std::make_unique<Shard>(options, condition_, std::span{memory_[id].get(), bytes}));
        }
        for (auto& shard : shards_) {
            shard->adopt(now, tables_->tables, *effects_);
            carry_out(*shard);
        }
    }

    [[nodiscard]] Shard& of(PortId port) { return *shards_[port % shards_.size()]; }
    [[nodiscard]] const PriorityGroup& group(PortId port, Priority priority) {
        return of(port).state().buffer.group(group_of(port, priority));
    }
    void receive(PortId port, const std::vector<Octets>& burst) {
        std::vector<Frame> frames;
        for (const Octets& bytes : burst) frames.push_back(make(bytes));
        of(port).receive(now, port, frames, *effects_);
        carry_out(of(port));
    }
    // Up to `frames` frames wait for the shard; how many it took.
    std::size_t hand_over(unsigned shard, unsigned frames) {
        std::vector<Frame> burst;
        for (auto& [way, ring] : rings_) {
            if (way.second != shard) continue;
            for (; burst.size() < frames && !ring.empty(); ring.pop_front()) {
                burst.push_back(ring.front());
            }
        }
        if (burst.empty()) return 0;
        shards_[shard]->enqueue(now, burst, *effects_);
        carry_out(*shards_[shard]);
        return burst.size();
    }
    std::size_t send(PortId port, unsigned frames) {
        const std::span<const Frame> offered = of(port).offer(now, port, frames);
        std::vector<void*> handles;
        for (const Frame& frame : offered) {
            handles.push_back(frame.handle);
            if (frame.length == 60) ++pfc_frames[port];
        }
        of(port).commit(now, port, static_cast<unsigned>(handles.size()), *effects_);
        for (void* handle : handles) let_go(handle);
        carry_out(of(port));
        return handles.size();
    }
    void settle(unsigned shard) {
        shards_[shard]->settle(now, *effects_);
        carry_out(*shards_[shard]);
    }
    void tick() {
        for (auto& shard : shards_) {
            shard->tick(now, *effects_);
            carry_out(*shard);
        }
    }
    [[nodiscard]] std::uint64_t drops(PortId port, DropReason reason) {
        std::uint64_t sum = 0;
        for (auto& shard : shards_) {
            sum += shard->counters(port).drops[static_cast<unsigned>(reason)].read();
        }
        return sum;
    }
    // What all shards together believe to hold, and what is really there.
    [[nodiscard]] std::size_t frames_inside() const { return frames_.size(); }

    Time now{1'000'000'000'000};
    std::map<PortId, std::uint64_t> pfc_frames;  // sent

  private:
    struct AlignedFree {
        void operator()(std::byte* memory) const {
            ::operator delete[](memory, std::align_val_t{64});
        }
    };

    Frame make(std::span<const std::uint8_t> bytes) {
        auto memory = std::make_unique<std::uint8_t[]>(kFrameHeadroomBytes + bytes.size());
        void* handle = memory.get();
        std::uint8_t* data = memory.get() + kFrameHeadroomBytes;
        std::copy(bytes.begin(), bytes.end(), data);
        frames_.emplace(handle, std::move(memory));
        const auto length = static_cast<std::uint16_t>(bytes.size());
        return {.data = data, .handle = handle, .length = length, .readable = length};
    }
    void let_go(void* handle) {
        ASSERT_EQ(frames_.erase(handle), 1u) << "a frame was let go twice";
    }
    void hand_off(const Shard& from, PortId to, const Frame& frame) {
        rings_[{from.id(), to % static_cast<unsigned>(shards_.size())}].push_back(frame);
    }
    void carry_out(Shard& shard) {
        for (void* handle : effects_->freed.all()) let_go(handle);
        effects_->freed.clear();
        for (auto& burst : effects_->hand_offs) {
            for (const Frame& frame : burst.all()) hand_off(shard, frame.out_port, frame);
            burst.clear();
        }
        const std::vector<FloodRequest> floods(effects_->floods.all().begin(),
                                               effects_->floods.all().end());
        effects_->floods.clear();
        for (const FloodRequest& flood : floods) {
            flood.ports.for_each([&](PortId port) {
                Frame copy = make({flood.frame.data, flood.frame.length});
                Frame frame = flood.frame;
                frame.data = copy.data;
                frame.handle = copy.handle;
                frame.out_port = port;
                hand_off(shard, port, frame);
            });
            let_go(flood.frame.handle);
        }
        for (const ShardMessage& news : effects_->messages.all()) {
            for (auto& other : shards_) {
                if (other->id() != shard.id()) other->hear(now, news);
            }
        }
        effects_->messages.clear();
        const std::vector<OwnFrame> own(effects_->own.all().begin(), effects_->own.all().end());
        effects_->own.clear();
        effects_->events.clear();
        for (const OwnFrame& frame : own) {
            Frame made = make(std::span{frame.bytes}.first(frame.length));
            made.out_port = frame.out_port;
            made.priority = frame.priority;
            shard.originate(made, *effects_);
        }
        for (void* handle : effects_->freed.all()) let_go(handle);
        effects_->freed.clear();
    }

    std::unique_ptr<Effects> effects_ = std::make_unique<Effects>();
    std::unique_ptr<const CompiledTables> tables_;
    Condition condition_;
    std::vector<std::unique_ptr<std::byte[], AlignedFree>> memory_;
    std::vector<std::unique_ptr<Shard>> shards_;
    std::map<std::pair<unsigned, unsigned>, std::deque<Frame>> rings_;
    std::map<void*, std::unique_ptr<std::uint8_t[]>> frames_;
};

void make_lossless(CompiledTables& tables) {
    for (PortId port = 0; port < kPorts; ++port) {
        tables.ports[port].pfc_priorities = 1u << 3;
        tables.groups[group_of(port, 3)] = {.headroom_bytes = 3'000,
                                            .xon_offset_bytes = 2'000,
                                            .shared_limit_bytes = 5'000,
                                            .dynamic = false,
                                            .lossless = true};
    }
}

Octets routed(std::uint16_t bytes = 1'000) {
    return udp({.bytes = bytes});
}

// Five frames reach the threshold of shard 0's group while they wait in shard 1. It sends two:
// 3,000 are left, 2,000 below the threshold. The next turn of shard 0 begins with that, and
// resumes.
TEST(Shards, ATurnBeginsWithWhatOthersHaveSent) {
    ShardsRig rig(2, make_lossless);
    rig.receive(0, std::vector<Octets>(5, routed()));
    EXPECT_EQ(rig.hand_over(1, 32), 5u);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.send(0, 32), 1u);  // the pause
    EXPECT_EQ(rig.send(1, 1), 1u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 4'000u);
    EXPECT_EQ(rig.group(0, 3).frames, 4u);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.send(1, 1), 1u);
    EXPECT_EQ(rig.group(0, 3).held(), 4'000u) << "shard 0 has not looked";
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 3'000u);
    EXPECT_FALSE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.send(0, 32), 1u);  // the resume
    EXPECT_EQ(rig.pfc_frames[0], 2u);
}

// A pool of 10,000 bytes and alpha 1 for two groups in two shards: the first stops at half; the
// second sees 5,000 in use and stops at half of the rest.
TEST(Shards, ThePoolIsOne) {
    ShardsRig rig(2, [](CompiledTables& tables) { tables.tables.shared_pool_bytes = 10'000; });
    rig.receive(0, std::vector<Octets>(10, routed(500)));
    rig.receive(0, std::vector<Octets>(10, routed(500)));
    EXPECT_EQ(rig.group(0, 3).held(), 5'000u);
    rig.receive(
        1, std::vector<Octets>(
               20, udp({.destination = {kPortMacs.value + 1}, .from = 0x0a03'0002, .bytes = 500})));
    EXPECT_EQ(rig.group(1, 3).held(), 2'500u);
    EXPECT_EQ(rig.drops(0, DropReason::SharedBufferFull), 10u);
    EXPECT_EQ(rig.drops(1, DropReason::SharedBufferFull), 15u);
}

// The stormed queue is shard 1's. Shard 0 learns of it and drops what would go there before it is
// held; what was on its way is dropped over there.
TEST(Shards, AStormIsKnownToAll) {
    ShardsRig rig(2, [](CompiledTables& tables) {
        make_lossless(tables);
        tables.ports[1].speed_bps = 1'000'000'000;  // 62,500 quanta of 512 ns: 32 ms
        tables.tables.watchdog.enabled = true;
    });
    const auto pause = [&] {
        Octets bytes(60);
        write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(bytes), {1},
                        {0x08, {0, 0, 0, 62'500, 0, 0, 0, 0}});
        rig.receive(1, {bytes});
    };
    rig.receive(0, {routed()});
    EXPECT_EQ(rig.hand_over(1, 32), 1u);
    rig.receive(0, {routed()});  // stays in the ring
    for (int i = 0; i <= 20; ++i) {
        pause();
        rig.tick();
        rig.now = rig.now + Interval::milliseconds(10);
    }
    EXPECT_EQ(rig.of(1).counters(1).storms_detected[3].read(), 1u);
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 1u);
    EXPECT_EQ(rig.hand_over(1, 32), 1u);
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 2u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    rig.of(0).clear_watermarks();
    rig.receive(0, std::vector<Octets>(20, routed()));
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 22u);
    EXPECT_EQ(rig.group(0, 3).shared_bytes_max, 0u);
    EXPECT_EQ(rig.of(0).counters(1).storm_drops[3].read(), 20u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

// Random bursts, hand-offs, partial sending and settling: what a group holds is never less than
// what is really there, and in the end every account is closed to the byte and the frame.
class ManyShards : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyShards, NoByteIsLostOrCountedTwice) {
    Prng prng(GetParam());
    const unsigned shards = 2 + prng.below(3);
    ShardsRig rig(shards, [&](CompiledTables& tables) {
        make_lossless(tables);
        tables.tables.shared_pool_bytes = 60'000;
        tables.tables.queue_bytes_max = 20'000;
    });
    for (unsigned step = 0; step < 4'000; ++step) {
        const auto port = static_cast<PortId>(prng.below(kPorts));
        std::vector<Octets> burst;
        for (unsigned n = prng.below(33); n > 0; --n) {
            UdpFrame fields{.destination = {kPortMacs.value + port},
                            .source = {0x0a00'0000'0000u + port},
                            .from = 0x0a03'0002,
                            .dscp = static_cast<std::uint8_t>(prng.below(64)),
                            .bytes = static_cast<std::uint16_t>(70 + prng.below(900))};
            if (port >= 2) fields.destination = {0x0a00'0000'0000u + prng.below(kPorts)};
            burst.push_back(udp(fields));
        }
        rig.receive(port, burst);
        for (unsigned n = prng.below(3); n > 0; --n) rig.hand_over(prng.below(shards), 32);
        for (unsigned n = prng.below(4); n > 0; --n) {
            rig.send(static_cast<PortId>(prng.below(kPorts)), prng.below(33));
        }
        if (prng.below(2) == 0) rig.settle(prng.below(shards));
        std::uint64_t held = 0;
        for (PortId p = 0; p < kPorts; ++p) {
            for (Priority q = 0; q < kPriorities; ++q) held += rig.group(p, q).frames;
        }
        ASSERT_LE(rig.frames_inside(), held + 4 * 2 * 1'092) << "own frames are on no account";
    }
    for (int i = 0; i < 2'000; ++i) {
        for (unsigned shard = 0; shard < shards; ++shard) rig.hand_over(shard, 32);
        for (PortId port = 0; port < kPorts; ++port) rig.send(port, 32);
    }
    EXPECT_EQ(rig.frames_inside(), 0u);
    for (unsigned shard = 0; shard < shards; ++shard) rig.settle(shard);
    for (PortId port = 0; port < kPorts; ++port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            const PriorityGroup& group = rig.group(port, priority);
            EXPECT_EQ(group.held(), 0u);
            EXPECT_EQ(group.frames, 0u);
            EXPECT_FALSE(group.paused);
        }
        EXPECT_EQ(rig.of(port).state().buffer.shared_used_bytes(), 0u);
        EXPECT_EQ(rig.of(port).state().buffer.frames_used(), 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ManyShards, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace weir
