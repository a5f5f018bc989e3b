// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sim/paced_host.h"

#include <cstring>

#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"
#include "tools/lab/wire_address.h"
#include "tools/roce/frame_writer.h"

namespace weir::lab {

PacedHost::PacedHost(const Topology& topology, const Addressing& addressing, NodeId id)
    : Node(topology.name(id)),
      id_(id),
      address_(addressing.host(id)),
      mac_(Addressing::host_mac(id)),
      gateway_(Addressing::mac(topology, topology.leaf_of(id))),
      speed_bps_(topology.links()[topology.links_of(id)[0]].options.rate.bps()) {}

std::vector<std::uint8_t> PacedHost::headers_of(const Flow& flow, const PacedHost& host) {
    roce::Frame frame;
    frame.destination_mac = wire_mac(host.gateway_);
    frame.source_mac = wire_mac(host.mac_);
    frame.source = wire_ip(host.address_);
    frame.destination = wire_ip(flow.to);
    frame.dscp = flow.dscp;
    frame.ecn = roce::kEcnCapable0;
    frame.source_port = flow.source_port;
    frame.bth.destination_qp = flow.dest_qp;
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4. What is left is a multiple of 4: no pad.
    const std::vector<std::uint8_t> payload(flow.bytes - 58u);
    frame.payload = payload;
    std::vector<std::uint8_t> bytes(flow.bytes);
    EXPECT_EQ(roce::write_frame(frame, bytes), flow.bytes);
    bytes.resize(std::min<std::size_t>(bytes.size(), kHeaderBytesMax));
    return bytes;
}

std::uint32_t PacedHost::add(World& world, const Flow& flow) {
    const auto number = static_cast<std::uint32_t>(world.flows.size());
    world.flows.emplace_back();
    flows_.push_back({flow, number, flow.start, headers_of(flow, *this)});
    world.events.push(flow.start, {id_, 0, EventKind::Wake});
    return number;
}

void PacedHost::arrive(World& world, PortId, Frame frame) {
    world.note_received(frame);
    if (read_be16(frame.data + 12) == kEtherTypeMacControl) {
        obey(world, frame);
    } else {
        ++received_;
        received_marked_ += (frame.data[15] & 3) == 3 ? 1 : 0;
        last_received_ = world.now;
    }
    world.pool.give(frame.handle);
    pump(world);
}

void PacedHost::obey(World& world, const Frame& frame) {
    PfcTimes times;
    if (!obeys_pfc) return;
    if (read_mac_control(frame, kEthernetBytes, times) != MacControlKind::Pfc) return;
    for (Priority p = 0; p < kPriorities; ++p) {
        if (((times.enabled >> p) & 1) == 0) continue;
        pauses_ += times.quanta[p] != 0 ? 1 : 0;
        paused_until_[p] = world.now + pause_interval(times.quanta[p], speed_bps_);
    }
}

PacedHost::Sending* PacedHost::due(World& world, Time& later) {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        const std::size_t at = (turn_ + i) % flows_.size();
        Sending& flow = flows_[at];
        if (flow.flow.frames == 0) continue;
        Time ready = flow.next;
        const Time pause = paused_until_[flow.flow.dscp >> 3];
        if (pause > ready) ready = pause;
        if (ready <= world.now) {
            turn_ = at + 1;
            return &flow;
        }
        if (later == Time{} || ready < later) later = ready;
    }
    return nullptr;
}

// One wake at a time waits in the queue, or it would grow with every frame that comes meanwhile.
void PacedHost::wake_at(World& world, Time at) {
    if (waking_ && wakes_at_ <= at && wakes_at_ > world.now) return;
    waking_ = true;
    wakes_at_ = at;
    world.events.push(at, {id_, 0, EventKind::Wake});
}

void PacedHost::pump(World& world) {
    if (!up_ || flows_.empty() || !device_.free_now(world, id_, 0)) return;
    Time later{};
    Sending* flow = due(world, later);
    if (flow == nullptr) {
        if (later != Time{}) wake_at(world, later);
        return;
    }
    const auto readable = static_cast<std::uint16_t>(flow->headers.size());
    Frame frame = world.pool.take(flow->flow.bytes, readable);
    std::memcpy(frame.data, flow->headers.data(), readable);
    world.name_frame(frame, flow->number, flow->flow.dscp >> 3);
    --flow->flow.frames;
    flow->next = world.now + flow->flow.gap;
    device_.send(world, frame);
    static_cast<void>(device_.free_now(world, id_, 0));  // asks for the event
}

void PacedHost::sent(World& world, PortId) {
    device_.busy = false;
    pump(world);
}

void PacedHost::wake(World& world, std::uint16_t) {
    pump(world);
}

void PacedHost::link_changed(World& world, PortId, bool up) {
    up_ = up;
    pump(world);
}

bool PacedHost::done() const {
    for (const Sending& flow : flows_) {
        if (flow.flow.frames != 0) return false;
    }
    return true;
}

PacedFabric::PacedFabric(const Topology& topology, FabricOptions options) {
    Problems problems;
    const auto make = [this](const Fabric& made_for, NodeId id) {
        auto made = std::make_unique<PacedHost>(made_for.topology(), made_for.addressing(), id);
        hosts.push_back(made.get());
        return made;
    };
    fabric = Fabric::build(topology, options, make, problems);
    if (fabric == nullptr) ADD_FAILURE() << problems.text();
}

void make_lossless(CompiledTables& tables, const Lossless& lossless) {
    tables.tables.shared_pool_bytes = lossless.pool_bytes;
    for (PortTable& port : tables.ports) port.pfc_priorities = lossless.priorities;
    for (std::size_t group = 0; group < tables.groups.size(); ++group) {
        if (((lossless.priorities >> (group % kPriorities)) & 1) == 0) continue;
        tables.groups[group] = {.headroom_bytes = lossless.headroom_bytes,
                                .xon_offset_bytes = lossless.xon_offset_bytes,
                                .alpha_log2 = lossless.alpha_log2,
                                .lossless = true};
    }
}

}  // namespace weir::lab
