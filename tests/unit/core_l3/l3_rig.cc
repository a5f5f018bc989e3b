// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/core_l3/l3_rig.h"

#include <cctype>

#include <gtest/gtest.h>

namespace weir {

namespace {

constexpr unsigned kPorts = 3;

void lay_out(ShardState& state, Arena& arena, std::uint32_t neighbors_max) {
    state.counters = arena.take<PortCounters>(kPorts);
    state.gateway_neighbors = arena.take<std::uint32_t>(kGatewaysMax);
    state.macs.lay_out(arena, 64);
    state.neighbors.lay_out(arena, neighbors_max, kPendingFramesMax);
    state.egress.lay_out(arena, kPorts, 1024);
    state.pauses = arena.take<PortPause>(kPorts);
    state.buffer.lay_out(arena, kPorts, 0, nullptr);
}

unsigned digit(char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : std::tolower(c) - 'a' + 10);
}

}  // namespace

Octets octets(std::string_view hex) {
    Octets bytes;
    unsigned high = 16;
    for (const char c : hex) {
        if (std::isxdigit(static_cast<unsigned char>(c)) == 0) continue;
        if (high == 16) {
            high = digit(c);
        } else {
            bytes.push_back(static_cast<std::uint8_t>(high * 16 + digit(c)));
            high = 16;
        }
    }
    return bytes;
}

L3Rig::L3Rig(std::uint32_t neighbors_max) {
    Arena counting{{}};
    ShardState counted;
    lay_out(counted, counting, neighbors_max);
    std::size_t room = counting.used_bytes() + Arena::kAlign;
    memory_ = std::make_unique<std::byte[]>(room);
    void* at = memory_.get();
    std::align(Arena::kAlign, counting.used_bytes(), at, room);
    Arena arena{{static_cast<std::byte*>(at), counting.used_bytes()}};
    lay_out(state, arena, neighbors_max);

    addresses = {{IpAddress::v4(0xc000'0201), 96 + 24},
                 {{0x2001'0db8'0000'000a, 1}, 64},
                 {IpAddress::v4(0xc633'6401), 96 + 24},
                 {{0x2001'0db8'0000'000b, 1}, 64},
                 {IpAddress::v4(0xcb00'7101), 96 + 24}};
    for (PortId port = 0; port < kPorts; ++port) {
        ports[port].mode = PortMode::Routed;
        ports[port].mac = {kPort0Mac.value + port};
        ports[port].first_address = 2u * port;
        ports[port].address_count = port < 2 ? 2 : 1;
        state.ports_up.add(port);
    }
    ports[2].shard = 1;
    tables.queue_bytes_max = kPoolBytes;
    tables.shared_pool_bytes = kPoolBytes;
    tables.groups = groups_;
    tables.egress = egress_;
    state.buffer.adopt(groups_, kPoolBytes, [](GroupId) {});
    state.tables = &tables;
    state.condition = &condition;
    refresh_tables();
}

void L3Rig::refresh_tables() {
    tables.ports = ports;
    tables.addresses = addresses;
    tables.gateways = gateways;
    tables.static_neighbors = static_neighbors;
}

Frame& L3Rig::frame(Octets bytes, PortId in_port) {
    Held& held = held_.emplace_back(Held{std::move(bytes), {}});
    held.frame.data = held.bytes.data();
    held.frame.handle = &held;
    held.frame.length = static_cast<std::uint16_t>(held.bytes.size());
    held.frame.readable = held.frame.length;
    held.frame.in_port = in_port;
    return held.frame;
}

Octets L3Rig::bytes_of(const Frame& frame) const {
    return {frame.data, frame.data + frame.readable};
}

Octets L3Rig::sent(PortId port) {
    Frame frame;
    return state.egress.queues().pop(port, frame) ? bytes_of(frame) : Octets{};
}

Octets L3Rig::only_own(PortId port) {
    EXPECT_EQ(out.own.size(), 1u);
    if (out.own.size() != 1) return {};
    const OwnFrame& own = out.own.all()[0];
    EXPECT_EQ(own.out_port, port);
    EXPECT_EQ(own.priority, kOwnAnswerPriority);
    return {own.bytes.begin(), own.bytes.begin() + own.length};
}

std::uint64_t L3Rig::drops(PortId port, DropReason reason) const {
    return state.counters[port].drops[static_cast<unsigned>(reason)].read();
}

void L3Rig::clear() const {
    effects->freed.clear();
    effects->own.clear();
    effects->events.clear();
}

std::uint32_t L3Rig::slot_of(const IpAddress& address, PortId port) const {
    return state.neighbors.find(port, address);
}

NeighborState L3Rig::state_of(const IpAddress& address, PortId port) const {
    const std::uint32_t slot = slot_of(address, port);
    return slot == kNoNeighbor ? NeighborState::Free : state.neighbors.at(slot).state;
}

void L3Rig::add_gateway(const IpAddress& address, PortId port) {
    gateways.push_back({address, port});
    refresh_tables();
}

}  // namespace weir
