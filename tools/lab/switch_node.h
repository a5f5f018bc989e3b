// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/compile.h"
#include "config/notice_key.h"
#include "dataplane/core/shard.h"
#include "tools/lab/node.h"

namespace weir::lab {

struct SwitchOptions {
    unsigned shards = 1;
    std::uint32_t frames_max = 65'536;  // that all queues of a shard hold together
    std::uint64_t seed = 1;             // of marks, and of the order in which shards take turns
    // Between two shards: a frame or a release is seen after a draw below this.
    Interval hand_off_max = Interval::microseconds(2);
};

// A switch: the core's shards with tables compiled from YAML, and a device per port. Does what the
// worker does (dataplane/run/worker.cc), on events instead of in turns.
class SwitchNode final : public Node {
  public:
    SwitchNode(NodeId id, std::string name, std::unique_ptr<const CompiledTables> tables,
               const SwitchOptions& options);

    void connect(PortId port, CableId out) override { devices_[port].cable = out; }
    // All connected ports are up and the tables adopted.
    void start(World& world);

    void arrive(World& world, PortId port, Frame frame) override;
    void sent(World& world, PortId port) override;
    void wake(World& world, std::uint16_t part) override;
    void link_changed(World& world, PortId port, bool up) override;
    [[nodiscard]] std::uint64_t frames_held() const override { return frames_held_; }

    // The worker of a shard is away: what arrives waits in the RX rings.
    void stall(World& world, ShardId shard, Interval span);
    // New tables, as a reload would bring them.
    void adopt(World& world, std::unique_ptr<const CompiledTables> tables);

    [[nodiscard]] unsigned shards() const { return static_cast<unsigned>(shards_.size()); }
    [[nodiscard]] const Shard& shard(ShardId shard) const { return *shards_[shard].shard; }
    [[nodiscard]] const Shard& owner(PortId port) const {
        return *shards_[tables_->ports[port].shard].shard;
    }
    [[nodiscard]] const Condition& condition() const { return condition_; }
    [[nodiscard]] Condition& condition() { return condition_; }
    [[nodiscard]] const CompiledTables& tables() const { return *tables_; }
    [[nodiscard]] PortId ports() const { return static_cast<PortId>(devices_.size()); }
    [[nodiscard]] const Device& device(PortId port) const { return devices_[port]; }
    [[nodiscard]] std::uint64_t drops(DropReason reason) const;
    // Frames with data of a lossless priority that this switch let go of without sending them.
    [[nodiscard]] std::uint64_t lossless_freed() const { return lossless_freed_; }
    // Frames that the core holds but has in no queue: on their way between shards.
    template <typename Visit>
    void for_each_handed_off(Visit visit) const {
        for (const Seat& seat : shards_) {
            for (const Frame& frame : seat.handed_off) visit(frame);
        }
    }
    // Frames that the core has not seen yet.
    [[nodiscard]] std::uint64_t frames_in_rx_rings() const {
        std::uint64_t frames = 0;
        for (const Seat& seat : shards_) frames += seat.rx_ring.size();
        return frames;
    }

  private:
    struct AlignedFree {
        void operator()(std::byte* memory) const {
            ::operator delete[](memory, std::align_val_t{Arena::kAlign});
        }
    };
    struct Arrived {
        PortId port = kNoPort;
        Frame frame;
    };
    // A shard and what waits for its worker.
    struct Seat {
        std::unique_ptr<std::byte[], AlignedFree> memory;
        std::unique_ptr<Shard> shard;
        std::unique_ptr<Effects> effects;
        std::deque<Arrived> rx_ring;  // while stalled
        std::deque<Frame> handed_off;
        std::deque<ShardMessage> messages;
        Time wakes_at{};
        Time stalled_until{};
        Interval stalled_for{};  // that the shard has not been told of
        bool waking = false;     // there will be an event at wakes_at
    };

    void wake_at(World& world, ShardId shard, Time at);
    void take_turn(World& world, ShardId shard);
    void take_rings(World& world, ShardId shard);
    void settle(World& world, ShardId shard);
    void reroute(World& world, ShardId shard);
    void take_effects(World& world, ShardId shard);
    void take_own(World& world, ShardId shard);
    void send_notices(World& world, ShardId shard);
    void check_notices(World& world, ShardId shard);
    void take_key();
    void note_events(World& world, ShardId shard);
    void flood(World& world, ShardId shard, const FloodRequest& request);
    void hand_off(World& world, ShardId from);
    [[nodiscard]] Time soon(const World& world);
    void free_frames(World& world, ShardId shard);
    void send_all(World& world, ShardId shard);
    bool send_one(World& world, ShardId shard, PortId port);
    void wait_for_pause(World& world, ShardId shard, PortId port);
    void nudge_owner(World& world, const Frame& sent, ShardId by);
    void look_at_deadline(World& world, ShardId shard);
    [[nodiscard]] bool stalled(const World& world, ShardId shard) const {
        return shards_[shard].stalled_until > world.now;
    }

    NodeId id_;
    SwitchOptions options_;
    std::unique_ptr<const CompiledTables> tables_;
    std::unique_ptr<const CompiledTables> tables_before_;  // frames may still refer to them
    std::optional<NoticeKey> notice_key_;                  // of tables_, if they have one
    Condition condition_;
    std::vector<Seat> shards_;
    std::vector<Device> devices_;
    // Ports that could send if their shard offered something; of the others an event is on its way.
    PortSet free_;
    std::vector<std::uint16_t>
        refused_;                // by port: the queues that waited when nothing was offered
    std::vector<Time> retries_;  // by port: when it will be looked at again all the same
    Prng prng_;
    std::uint64_t frames_held_ = 0;
    std::uint64_t lossless_freed_ = 0;
};

}  // namespace weir::lab
