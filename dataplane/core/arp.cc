// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/arp.h"

#include <cstring>

#include "dataplane/core/own_frame.h"
#include "dataplane/core/port_address.h"
#include "dataplane/core/resolve.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

// RFC 826: hardware type, protocol type, address lengths, operation, then two pairs of addresses.
constexpr std::uint16_t kArpBytes = 28;
constexpr std::uint64_t kEthernetIpv4 = 0x0001'0800'0604;  // the first six bytes
constexpr std::uint16_t kRequest = 1;
constexpr std::uint16_t kReply = 2;

struct Arp {
    std::uint16_t operation = 0;
    MacAddress sender_mac;
    IpAddress sender;
    IpAddress target;
};

bool read_arp(const Frame& frame, std::uint16_t offset, Arp& arp) {
    if (offset + kArpBytes > frame.readable) return false;
    const std::uint8_t* at = frame.data + offset;
    if (read_be64(at) >> 16 != kEthernetIpv4) return false;
    arp.operation = read_be16(at + 6);
    arp.sender_mac = read_mac(at + 8);
    arp.sender = read_ipv4(at + 14);
    arp.target = read_ipv4(at + 24);
    return !arp.sender_mac.is_group() && !arp.sender_mac.is_zero();
}

struct ArpFields {
    std::uint16_t operation;
    MacAddress sender_mac;
    IpAddress sender;
    MacAddress target_mac;
    IpAddress target;
};

void write_arp(std::uint8_t* at, const ArpFields& arp) {
    write_be16(at, static_cast<std::uint16_t>(kEthernetIpv4 >> 32));
    write_be32(at + 2, static_cast<std::uint32_t>(kEthernetIpv4));
    write_be16(at + 6, arp.operation);
    write_mac(at + 8, arp.sender_mac);
    write_be32(at + 14, arp.sender.v4_value());
    write_mac(at + 18, arp.target_mac);
    write_be32(at + 24, arp.target.v4_value());
}

// RFC 826's "merge": a sender that is known is updated, whatever the frame was about; one that is
// not is added if it asks for us, as we shall have to answer it. kNoNeighbor: neither.
std::uint32_t slot_of_sender(ShardState& state, PortId port, const Arp& arp, bool asks_us) {
    if (!may_be_neighbor(*state.tables, port, arp.sender)) return kNoNeighbor;
    return asks_us ? state.neighbors.find_or_add(port, arp.sender)
                   : state.neighbors.find(port, arp.sender);
}

// The frame goes back with the answer; what stood behind the request is not sent back.
void turn_into_reply(const ShardState& state, Frame& frame, std::uint16_t offset, const Arp& arp) {
    const MacAddress own = state.tables->ports[frame.in_port].mac;
    write_mac(frame.data, arp.sender_mac);
    write_mac(frame.data + kMacBytes, own);
    write_arp(frame.data + offset, {kReply, own, arp.target, arp.sender_mac, arp.sender});
    const unsigned end = unsigned{offset} + kArpBytes;
    std::memset(frame.data + end, 0, frame.readable - end);
    frame.out_port = frame.in_port;
    frame.priority = kOwnAnswerPriority;
}

}  // namespace

void arp_heard(ShardState& state, Time now, Frame& frame, const Parsed& parsed, Effects& out) {
    const PortId port = frame.in_port;
    const MacAddress destination = read_mac(frame.data);
    if (!destination.is_group() && destination != state.tables->ports[port].mac) {
        return drop(state, port, DropReason::DestinationMacNotOurs, frame, out);
    }
    Arp arp;
    if (!read_arp(frame, parsed.l3_offset, arp)) {
        return drop(state, port, DropReason::ArpMalformed, frame, out);
    }
    const bool asks_us =
        arp.operation == kRequest && is_address_of(*state.tables, port, arp.target);
    if (arp.operation == kRequest || arp.operation == kReply) {
        const std::uint32_t slot = slot_of_sender(state, port, arp, asks_us);
        if (slot != kNoNeighbor) neighbor_heard(state, now, slot, arp.sender_mac, out);
    }
    // 0.0.0.0 asks whether the address is free (RFC 5227 2.1.1): it is not.
    const bool probe = arp.sender == IpAddress::v4(0);
    if (!asks_us || !(probe || may_be_neighbor(*state.tables, port, arp.sender))) {
        return drop(state, port, DropReason::ControlConsumed, frame, out);
    }
    turn_into_reply(state, frame, parsed.l3_offset, arp);
    send_own(state, frame, out);
}

void send_arp_request(const ShardState& state, const Neighbor& neighbor, Effects& out) {
    const MacAddress own = state.tables->ports[neighbor.port].mac;
    const MacAddress known = neighbor.resolved() ? read_mac(neighbor.rewrite.data()) : MacAddress{};
    const MacAddress destination = neighbor.resolved() ? known : kBroadcastMac;
    OwnFrame& request =
        add_own_frame(out, neighbor.port, {destination, own, kEtherTypeArp}, kArpBytes);
    write_arp(request.bytes.data() + kEthernetBytes,
              {kRequest, own, source_for(*state.tables, neighbor.port, neighbor.address), known,
               neighbor.address});
}

}  // namespace weir
