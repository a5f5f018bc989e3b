// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/host_node.h"

#include <algorithm>

#include "dataplane/core/plain_roce.h"

namespace weir::lab {

namespace {

// A request or a READ response; not an ACK or CNP, and not a frame of the port itself.
bool carries_data(const Frame& frame) {
    if (!is_plain_roce(frame)) return false;
    switch (static_cast<roce::Opcode>(frame.data[plain::kBth])) {
        case roce::Opcode::Acknowledge:
        case roce::Opcode::AtomicAcknowledge:
        case roce::Opcode::ReadRequest:
        case roce::Opcode::CongestionNotification:
            return false;
        default:
            return true;
    }
}

}  // namespace

void HostNode::arrive(World& world, PortId, Frame frame) {
    world.note_received(frame);
    port_.receive(world.now, {&frame, 1});
    world.pool.give(frame.handle);
    if (!port_.completions().empty() && take_completions_) take_completions_();
    pump(world);
}

void HostNode::sent(World& world, PortId) {
    pump(world);
}

void HostNode::wake(World& world, std::uint16_t) {
    if (!waking_ || wakes_at_ != world.now) return;  // asked again since, for an earlier instant
    waking_ = false;
    pump(world);
}

void HostNode::link_changed(World& world, PortId, bool up) {
    up_ = up;
    if (up) pump(world);
}

void HostNode::pump(World& world) {
    if (!up_) return;
    while (send_one(world)) {
    }
    // Timers may have ended requests.
    if (!port_.completions().empty() && take_completions_) take_completions_();
    ask_for_wake(world);
}

bool HostNode::send_one(World& world) {
    if (device_.free_at > world.now) return false;
    Frame frame = world.pool.take(0, kHeaderBytesMax);
    const auto out = port_.next(world.now, {frame.data, kHeaderBytesMax});
    if (!out) {
        world.pool.give(frame.handle);
        return false;
    }
    frame.length = out->length;
    frame.readable = out->readable;
    const bool data = out->qp != 0 && carries_data(frame);
    world.name_frame(frame, data ? flow_of(world, out->qp) : kNoFlow, out->priority);
    device_.send(world, frame);
    return true;
}

void HostNode::ask_for_wake(World& world) {
    const auto deadline = port_.next_deadline();
    if (!deadline) return;
    Time at = *deadline < world.now ? world.now : *deadline;
    if (at < device_.free_at) at = device_.free_at;
    if (waking_ && wakes_at_ <= at) return;
    waking_ = true;
    wakes_at_ = at;
    world.events.push(at, {id_, 0, EventKind::Wake});
}

std::uint32_t HostNode::flow_of(World& world, roce::QpNumber qp) {
    const std::size_t index = qp - roce::kQpNumberFirst;
    if (index >= flows_.size()) flows_.resize(index + 1, kNoFlow);
    if (flows_[index] == kNoFlow) {
        flows_[index] = static_cast<std::uint32_t>(world.flows.size());
        world.flows.emplace_back();
    }
    return flows_[index];
}

}  // namespace weir::lab
