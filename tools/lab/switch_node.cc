// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/switch_node.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "dataplane/core/own_datagram.h"
#include "dataplane/core/plain_roce.h"

namespace weir::lab {

namespace {

// wake() parts: below this a shard, from here on a port whose pause or shaper is over.
constexpr std::uint16_t kPortPart = 0x100;

// The second hook makes a frame of a lossless flow lossy; its DSCP (untagged IPv4) says so.
bool is_lossless(const World& world, Slot& slot) {
    const unsigned priority = slot.bytes()[kEthernetBytes + 1] >> 5;
    return ((world.lossless_priorities >> priority) & 1) != 0;
}

}  // namespace

SwitchNode::SwitchNode(NodeId id, std::string name, std::unique_ptr<const CompiledTables> tables,
                       const SwitchOptions& options)
    : Node(std::move(name)),
      id_(id),
      options_(options),
      tables_(std::move(tables)),
      shards_(options.shards),
      prng_(options.seed) {
    PortId ports = 0;
    for (PortId port = 0; port < kPortsMax; ++port) {
        if (tables_->ports[port].mode != PortMode::Absent) ports = static_cast<PortId>(port + 1);
    }
    devices_.resize(ports);
    refused_.resize(ports);
    retries_.resize(ports);
    // Room for the destinations of a reload, which keeps indexes of two before.
    const auto destination_groups =
        static_cast<std::uint32_t>(3 * tables_->destination_groups.size() + 64);
    for (unsigned i = 0; i < options.shards; ++i) {
        const ShardOptions shard{
            .id = static_cast<ShardId>(i),
            .shards = static_cast<ShardId>(options.shards),
            .ports = ports,
            .frames_max = options.frames_max,
            .seed = options.seed + i,
            .path_rules = static_cast<std::uint32_t>(tables_->path_rules.size()),
            .destination_groups = destination_groups};
        const std::size_t bytes = Shard::memory_bytes(shard);
        Seat& seat = shards_[i];
        seat.memory.reset(new (std::align_val_t{Arena::kAlign}) std::byte[bytes]);
        seat.shard =
            std::make_unique<Shard>(shard, condition_, std::span{seat.memory.get(), bytes});
        seat.effects = std::make_unique<Effects>();
    }
}

void SwitchNode::take_key() {
    notice_key_.reset();
    if (tables_->tables.notices.enabled) notice_key_.emplace(tables_->tables.notices.key);
}

void SwitchNode::start(World& world) {
    take_key();
    for (PortId port = 0; port < ports(); ++port) {
        if (devices_[port].cable == kNoCable) continue;
        condition_.set_port_up(port, true);
        free_.add(port);
    }
    for (ShardId shard = 0; shard < shards_.size(); ++shard) {
        shards_[shard].shard->adopt(world.now, tables_->tables, *shards_[shard].effects);
        settle(world, shard);
    }
}

void SwitchNode::arrive(World& world, PortId port, Frame frame) {
    ++frames_held_;
    const ShardId owner = tables_->ports[port].shard;
    if (stalled(world, owner)) [[unlikely]] {
        shards_[owner].rx_ring.push_back({port, frame});
        return;
    }
    // Data starts no timer by itself: a pause or an ARP request that it causes is an own frame.
    const bool plain = is_plain_roce(frame);
    if (!plain) refused_[port] = 0;  // a pause may have ended
    shards_[owner].shard->receive(world.now, port, {&frame, 1}, *shards_[owner].effects);
    if (plain && shards_[owner].effects->own.empty()) [[likely]] {
        take_effects(world, owner);
        send_all(world, owner);
        return;
    }
    settle(world, owner);
}

void SwitchNode::sent(World& world, PortId port) {
    devices_[port].busy = false;
    free_.add(port);
    const ShardId owner = tables_->ports[port].shard;
    if (!stalled(world, owner)) settle(world, owner);
}

void SwitchNode::wake(World& world, std::uint16_t part) {
    if (part >= kPortPart) {
        const auto port = static_cast<PortId>(part - kPortPart);
        if (retries_[port] != world.now) return;  // asked for again since, for another instant
        retries_[port] = Time{};
        refused_[port] = 0;
        const ShardId owner = tables_->ports[port].shard;
        if (!stalled(world, owner)) settle(world, owner);
        return;
    }
    Seat& seat = shards_[part];
    if (!seat.waking || seat.wakes_at != world.now) return;
    seat.waking = false;
    const auto shard = static_cast<ShardId>(part);
    if (stalled(world, shard)) return wake_at(world, shard, seat.stalled_until);
    take_turn(world, shard);
}

void SwitchNode::wake_at(World& world, ShardId shard, Time at) {
    Seat& seat = shards_[shard];
    at = std::max(at, world.now, [](Time a, Time b) { return a < b; });
    if (seat.waking && seat.wakes_at <= at) return;
    seat.waking = true;
    seat.wakes_at = at;
    world.events.push(at, {id_, shard, EventKind::Wake});
}

// As the worker's turn: what others have let go of, all that has arrived, timers, then sending.
void SwitchNode::take_turn(World& world, ShardId shard) {
    shards_[shard].shard->settle(world.now, *shards_[shard].effects);
    reroute(world, shard);
    take_effects(world, shard);
    take_rings(world, shard);
    if (shards_[shard].stalled_for > Interval{}) {
        shards_[shard].shard->stalled(world.now, std::exchange(shards_[shard].stalled_for, {}));
    }
    shards_[shard].shard->tick(world.now, *shards_[shard].effects);
    take_effects(world, shard);
    reroute(world, shard);
    settle(world, shard);
}

void SwitchNode::reroute(World& world, ShardId shard) {
    Seat& seat = shards_[shard];
    while (seat.shard->reroute(world.now, *seat.effects)) take_effects(world, shard);
}

void SwitchNode::take_rings(World& world, ShardId shard) {
    Seat& seat = shards_[shard];
    std::array<Frame, kBurstMax> burst;
    while (!seat.rx_ring.empty()) {
        const PortId port = seat.rx_ring.front().port;
        std::size_t count = 0;
        while (count < kBurstMax && !seat.rx_ring.empty() && seat.rx_ring.front().port == port) {
            burst[count++] = seat.rx_ring.front().frame;
            seat.rx_ring.pop_front();
        }
        refused_[port] = 0;
        seat.shard->receive(world.now, port, {burst.data(), count}, *seat.effects);
        take_effects(world, shard);
    }
    for (; !seat.messages.empty(); seat.messages.pop_front()) {
        seat.shard->hear(world.now, seat.messages.front());
    }
    while (!seat.handed_off.empty()) {
        std::size_t count = 0;
        while (count < kBurstMax && !seat.handed_off.empty()) {
            burst[count++] = seat.handed_off.front();
            seat.handed_off.pop_front();
        }
        seat.shard->enqueue(world.now, {burst.data(), count}, *seat.effects);
        take_effects(world, shard);
    }
}

// Ends every event: what the shard wants done is done, and every free device has a frame if there
// is one for it.
void SwitchNode::settle(World& world, ShardId shard) {
    take_effects(world, shard);
    send_all(world, shard);
    look_at_deadline(world, shard);
}

void SwitchNode::take_effects(World& world, ShardId shard) {
    Effects& effects = *shards_[shard].effects;
    if (!effects.freed.empty()) free_frames(world, shard);
    if (!effects.own.empty()) [[unlikely]]
        take_own(world, shard);
    if (!effects.notices.empty()) [[unlikely]]
        send_notices(world, shard);
    if (!effects.heard_notices.empty()) [[unlikely]]
        check_notices(world, shard);
    if (!effects.floods.empty()) [[unlikely]] {
        const std::vector<FloodRequest> floods(effects.floods.all().begin(),
                                               effects.floods.all().end());
        effects.floods.clear();
        for (const FloodRequest& request : floods) flood(world, shard, request);
    }
    if (shards_.size() > 1) hand_off(world, shard);
    effects.messages.clear();
    if (!effects.events.empty()) [[unlikely]]
        note_events(world, shard);
}

void SwitchNode::note_events(World& world, ShardId shard) {
    auto& events = shards_[shard].effects->events;
    for (const Event& event : events.all()) {
        const bool about_links = event.kind >= weir::EventKind::NoticeHeardLost ||
                                 event.kind <= weir::EventKind::LinkDown;
        if (!about_links || world.timeline.size() == World::kTimelineMax) continue;
        world.timeline.push_back({id_, event});
    }
    events.clear();
}

void SwitchNode::free_frames(World& world, ShardId shard) {
    auto& freed = shards_[shard].effects->freed;
    for (void* handle : freed.all()) {
        Slot& slot = *static_cast<Slot*>(handle);
        if (slot.flow != kNoFlow && slot.lossless && is_lossless(world, slot)) ++lossless_freed_;
        world.pool.give(handle);
    }
    frames_held_ -= freed.size();
    freed.clear();
}

void SwitchNode::take_own(World& world, ShardId shard) {
    Seat& seat = shards_[shard];
    for (const OwnFrame& own : seat.effects->own.all()) {
        Frame frame = world.pool.take(own.length, own.length);
        std::memcpy(frame.data, own.bytes.data(), own.length);
        frame.out_port = own.out_port;
        frame.priority = own.priority;
        ++frames_held_;
        seat.shard->originate(frame, *seat.effects);
    }
    seat.effects->own.clear();
    if (!seat.effects->freed.empty()) free_frames(world, shard);
}

void SwitchNode::send_notices(World& world, ShardId shard) {
    Seat& seat = shards_[shard];
    for (UnsignedNotice& notice : seat.effects->notices.all()) {
        notice_key_->sign(notice.payload());
        finish_datagram(notice.bytes.data());
        Frame frame = world.pool.take(notice.length(), notice.length());
        std::memcpy(frame.data, notice.bytes.data(), notice.length());
        frame.out_port = notice.out_port;
        frame.priority = kOwnControlPriority;
        ++frames_held_;
        seat.shard->originate(frame, *seat.effects);
    }
    seat.effects->notices.clear();
    if (!seat.effects->freed.empty()) free_frames(world, shard);
}

void SwitchNode::check_notices(World& world, ShardId shard) {
    Seat& seat = shards_[shard];
    const std::vector<HeardNotice> heard(seat.effects->heard_notices.all().begin(),
                                         seat.effects->heard_notices.all().end());
    seat.effects->heard_notices.clear();
    for (const HeardNotice& notice : heard) {
        const bool authentic = notice_key_->is_signed(notice.payload);
        seat.shard->hear_notice(world.now, notice, authentic, *seat.effects);
        world.pool.give(notice.frame.handle);
        --frames_held_;
    }
}

// Every port gets a copy; the original is done with.
void SwitchNode::flood(World& world, ShardId shard, const FloodRequest& request) {
    Seat& seat = shards_[shard];
    request.ports.for_each([&](PortId port) {
        const Frame bytes = world.pool.take(request.frame.length, request.frame.readable);
        std::memcpy(bytes.data, request.frame.data, request.frame.readable);
        Frame copy = request.frame;
        copy.data = bytes.data;
        copy.handle = bytes.handle;
        copy.out_port = port;
        ++frames_held_;
        const ShardId owner = tables_->ports[port].shard;
        if (owner != shard) {
            shards_[owner].handed_off.push_back(copy);
            wake_at(world, owner, world.now);
            return;
        }
        seat.shard->enqueue(world.now, {&copy, 1}, *seat.effects);
        if (!seat.effects->freed.empty()) free_frames(world, shard);
    });
    world.pool.give(request.frame.handle);
    --frames_held_;
}

void SwitchNode::hand_off(World& world, ShardId from) {
    Effects& effects = *shards_[from].effects;
    for (ShardId to = 0; to < shards_.size(); ++to) {
        if (to == from) continue;
        Seat& seat = shards_[to];
        auto& frames = effects.hand_offs[to];
        if (frames.empty() && effects.messages.empty()) continue;
        for (const Frame& frame : frames.all()) seat.handed_off.push_back(frame);
        for (const ShardMessage& news : effects.messages.all()) seat.messages.push_back(news);
        frames.clear();
        wake_at(world, to, soon(world));
    }
}

// When another worker has come round to its rings.
Time SwitchNode::soon(const World& world) {
    const auto span = static_cast<std::uint32_t>(options_.hand_off_max.ps);
    return world.now + Interval::picoseconds(prng_.below(span));
}

void SwitchNode::send_all(World& world, ShardId shard) {
    Seat& seat = shards_[shard];
    for (bool more = true; more;) {
        more = false;
        const PortSet ready = seat.shard->backlog() & free_;
        if (ready.empty()) return;
        ready.for_each([&](PortId port) {
            if (tables_->ports[port].shard == shard) more |= send_one(world, shard, port);
        });
    }
}

// True if a frame has gone: its release may have made new ones.
bool SwitchNode::send_one(World& world, ShardId shard, PortId port) {
    Seat& seat = shards_[shard];
    Device& device = devices_[port];
    const std::uint16_t waiting = seat.shard->egress().queues().waiting(port);
    if (waiting == refused_[port]) return false;
    if (!device.free_now(world, id_, port)) {
        free_.remove(port);
        return false;
    }
    const std::span<const Frame> offered = seat.shard->offer(world.now, port, 1);
    if (offered.empty()) {
        refused_[port] = waiting;
        wait_for_pause(world, shard, port);
        return false;
    }
    const Frame frame = offered.front();
    seat.shard->commit(world.now, port, 1, *seat.effects);
    refused_[port] = 0;
    --frames_held_;
    device.send(world, frame);
    if (shards_.size() > 1) nudge_owner(world, frame, shard);
    take_effects(world, shard);
    return true;
}

// Nothing may leave the port now, though frames wait: looks again when the first pause ends by
// itself, or the shaper's debt is paid.
void SwitchNode::wait_for_pause(World& world, ShardId shard, PortId port) {
    const Shard& owner = *shards_[shard].shard;
    const PortPause& pause = owner.state().pauses[port];
    Time again{};
    const auto earlier = [&](Time at) {
        if (at > world.now && (again == Time{} || at < again)) again = at;
    };
    for (Priority priority = 0; priority < kPriorities; ++priority) {
        if (((pause.peer_paused >> priority) & 1) != 0) earlier(pause.peer_pause_ends[priority]);
    }
    if (tables_->egress[port].shaper_ps_per_byte_q16 != 0) {
        earlier(owner.egress().sends_again(port));
    }
    if (again == Time{}) return;
    if (retries_[port] > world.now && retries_[port] <= again) return;
    retries_[port] = again;
    world.events.push(again, {id_, static_cast<std::uint16_t>(kPortPart + port), EventKind::Wake});
}

// The shard that owns the ingress port settles the bytes when its worker comes round.
void SwitchNode::nudge_owner(World& world, const Frame& sent, ShardId by) {
    if ((sent.flags & frame_flags::kOwn) != 0) return;
    const ShardId owner = tables_->ports[sent.in_port].shard;
    if (owner != by) wake_at(world, owner, soon(world));
}

void SwitchNode::look_at_deadline(World& world, ShardId shard) {
    const Shard& owner = *shards_[shard].shard;
    Time next = owner.next_deadline();
    const ShardState& state = owner.state();
    if (!state.pausing_ports.empty()) [[unlikely]] {
        state.pausing_ports.for_each([&](PortId port) {
            const Time refresh = state.pauses[port].refresh_at;
            if (refresh < next) next = refresh;
        });
    }
    wake_at(world, shard, next);
}

void SwitchNode::link_changed(World& world, PortId port, bool up) {
    condition_.set_port_up(port, up);
    refused_[port] = 0;
    for (ShardId shard = 0; shard < shards_.size(); ++shard) {
        Seat& seat = shards_[shard];
        seat.shard->link_changed(world.now, port, up, *seat.effects);
        reroute(world, shard);
        settle(world, shard);
        // What is queued for a port that is down is let go a burst at a time.
        while (!up && seat.shard->backlog().has(port)) {
            seat.shard->tick(world.now, *seat.effects);
            settle(world, shard);
        }
    }
}

void SwitchNode::stall(World& world, ShardId shard, Interval span) {
    shards_[shard].stalled_for = span;
    shards_[shard].stalled_until = world.now + span;
    wake_at(world, shard, shards_[shard].stalled_until);
}

void SwitchNode::adopt(World& world, std::unique_ptr<const CompiledTables> tables) {
    tables_before_ = std::move(tables_);
    tables_ = std::move(tables);
    take_key();
    std::fill(refused_.begin(), refused_.end(), std::uint16_t{0});
    for (ShardId shard = 0; shard < shards_.size(); ++shard) {
        shards_[shard].shard->adopt(world.now, tables_->tables, *shards_[shard].effects);
        settle(world, shard);
    }
}

std::uint64_t SwitchNode::drops(DropReason reason) const {
    std::uint64_t sum = 0;
    for (const Seat& seat : shards_) {
        for (PortId port = 0; port < ports(); ++port) {
            sum += seat.shard->counters(port).drops[static_cast<unsigned>(reason)].read();
        }
    }
    return sum;
}

}  // namespace weir::lab
