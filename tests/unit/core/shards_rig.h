// SPDX-License-Identifier: BSD-3-Clause
// One switch of several shards, ports dealt to them in turn. What they hand to one another waits in
// rings until the test takes it out.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {

inline constexpr const char* kFourPorts = R"(
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
inline constexpr unsigned kPorts = 4;

// Port n belongs to shard n modulo `shards`. Hand-offs wait in rings until a shard takes them.
class ShardsRig {
  public:
    ShardsRig(unsigned shards, const std::function<void(CompiledTables&)>& adjust,
              const char* yaml = kFourPorts) {
        Problems problems;
        const auto loaded = load_text("rig.yaml", yaml, problems);
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
    [[nodiscard]] Shard& shard(unsigned id) { return *shards_[id]; }
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
    // How many calls it took.
    unsigned reroute(unsigned shard) {
        for (unsigned calls = 1;; ++calls) {
            const bool more = shards_[shard]->reroute(now, *effects_);
            carry_out(*shards_[shard]);
            if (!more) return calls;
        }
    }
    [[nodiscard]] Condition& condition() { return condition_; }
    void settle(unsigned shard) {
        shards_[shard]->settle(now, *effects_);
        carry_out(*shards_[shard]);
    }
    void guard_ring(PortId port, std::uint32_t frames) {
        of(port).guard_ring(now, port, frames, *effects_);
        carry_out(of(port));
    }
    // Of each shard a turn in which nothing arrives.
    void tick() {
        for (auto& shard : shards_) {
            shard->settle(now, *effects_);
            carry_out(*shard);
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

}  // namespace weir
