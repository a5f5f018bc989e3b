// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dataplane/core/event.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/plain_roce.h"
#include "tools/lab/cable.h"
#include "tools/lab/event_queue.h"
#include "tools/lab/frame_pool.h"

namespace weir::lab {

// What is seen of one flow (a queue pair's data in one direction) where it leaves and where it
// ends.
struct FlowTrack {
    std::uint64_t sent = 0;      // frames, repeats included: the number of the newest
    std::uint64_t received = 0;  // frames
    std::uint64_t newest = 0;    // number of the newest received
    std::uint64_t late = 0;      // received behind a newer one, or twice
    Time last_received{};
    Interval outage{};  // the longest silence that a fault began
};

// What a switch said about its links, and when.
struct TimelineEntry {
    std::uint32_t node = 0;
    weir::Event event;
};

// What all nodes of one run share.
struct World {
    Time now{};
    EventQueue events;
    FramePool pool;
    std::vector<Cable> cables;
    // Folded over everything that arrives anywhere: two runs with the same hash did the same.
    std::uint64_t hash = 0;
    std::uint64_t packet_hops = 0;  // switches that the data frames passed which hosts received
    std::uint64_t happenings = 0;
    std::uint64_t faults = 0;  // links cut and restored so far
    Time last_fault{};
    std::vector<FlowTrack> flows;
    std::vector<TimelineEntry> timeline;  // the first kTimelineMax
    static constexpr std::size_t kTimelineMax = 10'000;
    std::uint8_t lossless_priorities = 0;  // bit p: no switch may drop frames of priority p

    static constexpr std::uint8_t kHostTtl = 64;  // that hosts send with

    // What had passed a link before it was cut still arrives: a silence that begins within this
    // time is the cut's.
    static constexpr Interval kInFlight = Interval::microseconds(100);

    // Names a frame that leaves a host.
    void name_frame(const Frame& frame, std::uint32_t flow, Priority priority) {
        Slot& slot = FramePool::slot_of(frame);
        slot.flow = flow;
        slot.lossless = ((lossless_priorities >> priority) & 1) != 0;
        if (flow != kNoFlow) slot.number = ++flows[flow].sent;
    }
    // Notes a frame that has reached its host.
    void note_received(const Frame& frame) {
        const Slot& slot = FramePool::slot_of(frame);
        if (slot.flow == kNoFlow) return;
        FlowTrack& flow = flows[slot.flow];
        ++flow.received;
        // Each switch took one off. Counted here, so that no switch need look at the slot.
        packet_hops += kHostTtl - frame.data[plain::kIp + 8];
        if (slot.number <= flow.newest) {
            ++flow.late;
        } else {
            flow.newest = slot.number;
        }
        if (faults != 0 && flow.received > 1 && flow.last_received <= last_fault + kInFlight) {
            flow.outage = std::max(flow.outage, now - flow.last_received);
        }
        flow.last_received = now;
    }
};

// One thing with ports: a switch or a host.
class Node {
  public:
    explicit Node(std::string name) : name_(std::move(name)) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    virtual ~Node() = default;

    // Before anything happens: what the port sends goes out on this cable.
    virtual void connect(PortId port, CableId out) = 0;
    // The frame is the node's from now on.
    virtual void arrive(World& world, PortId port, Frame frame) = 0;
    // The device of `port` has put its frame on the wire and can take another one.
    virtual void sent(World& world, PortId port) = 0;
    // An instant that the node asked for; `port` says which part of it.
    virtual void wake(World& world, std::uint16_t part) = 0;
    virtual void link_changed(World& world, PortId port, bool up) = 0;
    // Frames in the node's hands.
    [[nodiscard]] virtual std::uint64_t frames_held() const = 0;

    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    std::string name_;
};

// A port's device: it takes one frame and is busy until that frame's last bit has left.
struct Device {
    CableId cable = kNoCable;  // that it sends on
    bool busy = false;         // there will be an EventKind::Sent
    Time free_at{};

    // Puts a frame on the wire. The device is not free before free_at; whoever has more to send
    // asks for the event.
    void send(World& world, const Frame& frame) {
        Cable& out = world.cables[cable];
        free_at = world.now + out.serialise(frame.length);
        if (out.put(free_at, frame)) {
            world.events.push(out.oldest().arrives, {cable, 0, EventKind::Arrive});
        }
    }
    // Asks to be called when the device is free, if it is not; true: it is.
    [[nodiscard]] bool free_now(World& world, NodeId node, PortId port) {
        if (busy) return false;
        if (free_at <= world.now) return true;
        busy = true;
        world.events.push(free_at, {node, port, EventKind::Sent});
        return false;
    }
};

}  // namespace weir::lab
