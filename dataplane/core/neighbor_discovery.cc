// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/neighbor_discovery.h"

#include "dataplane/core/icmpv6.h"
#include "dataplane/core/own_frame.h"
#include "dataplane/core/resolve.h"

namespace weir {

namespace {

constexpr std::uint8_t kRouterSolicitation = 133;
constexpr std::uint8_t kSolicitation = 135;
constexpr std::uint8_t kAdvertisement = 136;
constexpr std::uint8_t kRedirect = 137;

// Type, code, checksum, flags, target (RFC 4861 4.3, 4.4); then options in units of 8 bytes.
constexpr std::uint16_t kMessageBytesMin = 24;
constexpr std::uint16_t kMacOptionBytes = 8;
constexpr std::uint8_t kSourceMacOption = 1;
constexpr std::uint8_t kTargetMacOption = 2;
constexpr std::uint8_t kFlagRouter = 0x80;
constexpr std::uint8_t kFlagSolicited = 0x40;
constexpr std::uint8_t kFlagOverride = 0x20;
constexpr std::uint8_t kHopLimit = 255;  // nothing from behind a router has it (RFC 4861 3.1)

constexpr IpAddress kUnspecified{};
constexpr IpAddress kAllNodes{0xff02'0000'0000'0000, 1};

struct Discovery {
    IpAddress source;
    IpAddress destination;
    IpAddress target;
    MacAddress mac;  // from the option that goes with the type; zero: not given
    std::uint8_t type = 0;
    std::uint8_t flags = 0;
};

// Walks the options; every one is at least 8 bytes, so the loop ends. False: malformed.
bool read_options(const std::uint8_t* at, const std::uint8_t* end, Discovery& heard) {
    const std::uint8_t wanted = heard.type == kSolicitation ? kSourceMacOption : kTargetMacOption;
    while (at < end) {
        if (end - at < 2) return false;
        const std::ptrdiff_t bytes = std::ptrdiff_t{at[1]} * 8;
        if (bytes == 0 || bytes > end - at) return false;
        if (at[0] == wanted && bytes == kMacOptionBytes) heard.mac = read_mac(at + 2);
        at += bytes;
    }
    return true;
}

// RFC 4861 7.1.1.
bool is_valid_solicitation(const Discovery& heard) {
    if (heard.target.is_multicast()) return false;
    if (heard.source != kUnspecified) return true;
    return heard.mac.is_zero() && heard.destination == solicited_node_of(heard.target);
}

// RFC 4861 7.1.2.
bool is_valid_advertisement(const Discovery& heard) {
    if (heard.target.is_multicast()) return false;
    return !heard.destination.is_multicast() || (heard.flags & kFlagSolicited) == 0;
}

// Reads a solicitation or advertisement; false: malformed.
bool read_discovery(const Frame& frame, const Parsed& parsed, Discovery& heard) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const std::uint8_t* message = frame.data + parsed.l4_offset;
    const unsigned end = icmpv6_end(ip, parsed.l4_offset);
    if (end > frame.readable || end - parsed.l4_offset < kMessageBytesMin) return false;
    if (parsed.ttl != kHopLimit || message[1] != 0) return false;
    if (icmpv6_checksum(ip, static_cast<std::uint16_t>(end - parsed.l4_offset)) != 0) return false;
    heard.source = read_ipv6(ip + 8);
    heard.destination = read_ipv6(ip + 24);
    heard.type = message[0];
    heard.flags = message[4];
    heard.target = read_ipv6(message + 8);
    if (!read_options(message + kMessageBytesMin, frame.data + end, heard)) return false;
    if (heard.mac.is_group()) return false;
    return heard.type == kSolicitation ? is_valid_solicitation(heard)
                                       : is_valid_advertisement(heard);
}

struct MessageFields {
    std::uint8_t type;
    std::uint8_t flags;
    std::uint8_t option;
    MacAddress option_mac;
    IpAddress target;
};

void write_message(std::uint8_t* at, const MessageFields& fields) {
    at[0] = fields.type;
    at[4] = fields.flags;
    write_ipv6(at + 8, fields.target);
    at[kMessageBytesMin] = fields.option;
    at[kMessageBytesMin + 1] = 1;
    write_mac(at + kMessageBytesMin + 2, fields.option_mac);
}

constexpr std::uint16_t kOwnMessageBytes = kMessageBytesMin + kMacOptionBytes;

void add_message(Effects& out, PortId port, const EthernetHeader& ethernet, const Icmpv6Ends& ends,
                 const MessageFields& fields) {
    OwnFrame& own = add_own_frame(out, port, ethernet, kIpv6Bytes + kOwnMessageBytes);
    std::uint8_t* ip = own.bytes.data() + kEthernetBytes;
    write_message(ip + kIpv6Bytes, fields);
    finish_icmpv6(ip, ends, kOwnMessageBytes);
}

// An address that is still being checked for duplicates cannot be answered: everybody is told.
void advertise(const ShardState& state, const Frame& frame, const Discovery& heard, Effects& out) {
    if (out.own.room() == 0) return;
    const MacAddress own = state.tables->ports[frame.in_port].mac;
    const bool checking = heard.source == kUnspecified;
    const IpAddress destination = checking ? kAllNodes : heard.source;
    const MacAddress asker = heard.mac.is_zero() ? read_mac(frame.data + kMacBytes) : heard.mac;
    const auto flags =
        static_cast<std::uint8_t>(kFlagRouter | kFlagOverride | (checking ? 0 : kFlagSolicited));
    add_message(out, frame.in_port,
                {checking ? multicast_mac_of(kAllNodes) : asker, own, kEtherTypeIpv6},
                {heard.target, destination, kHopLimit},
                {kAdvertisement, flags, kTargetMacOption, own, heard.target});
}

// RFC 4861 7.2.3.
void solicitation_heard(ShardState& state, Time now, const Frame& frame, const Discovery& heard,
                        Effects& out) {
    const PortId port = frame.in_port;
    if (!is_address_of(*state.tables, port, heard.target)) return;
    if (heard.source == kUnspecified) return advertise(state, frame, heard, out);
    if (!may_be_neighbor(*state.tables, port, heard.source)) return;
    if (!heard.mac.is_zero()) {
        const std::uint32_t slot = state.neighbors.find_or_add(port, heard.source);
        if (slot != kNoNeighbor && !knows_mac(state.neighbors.at(slot), heard.mac)) {
            neighbor_claimed(state, now, slot, heard.mac, out);
        }
    }
    advertise(state, frame, heard, out);
}

// RFC 4861 7.2.5. An advertisement without a MAC says that the known one is right.
void advertisement_heard(ShardState& state, Time now, PortId port, const Discovery& heard,
                         Effects& out) {
    const std::uint32_t slot = state.neighbors.find(port, heard.target);
    if (slot == kNoNeighbor) return;
    const Neighbor& neighbor = state.neighbors.at(slot);
    if (heard.mac.is_zero() && !neighbor.resolved()) return;
    const MacAddress mac = heard.mac.is_zero() ? read_mac(neighbor.rewrite.data()) : heard.mac;
    const bool same = knows_mac(neighbor, mac);
    if (neighbor.resolved() && !same && (heard.flags & kFlagOverride) == 0) {
        // Somebody else claims the address without insisting: who is right shows a probe.
        if (neighbor.state == NeighborState::Reachable) probe_neighbor(state, now, slot);
        return;
    }
    if ((heard.flags & kFlagSolicited) != 0) return neighbor_heard(state, now, slot, mac, out);
    if (!same) neighbor_claimed(state, now, slot, mac, out);
}

}  // namespace

bool is_neighbor_discovery(const Frame& frame, const Parsed& parsed) {
    if (parsed.kind != FrameKind::Ipv6 || parsed.protocol != kProtocolIcmpv6) return false;
    if (parsed.l4_offset >= frame.readable) return false;
    const std::uint8_t type = frame.data[parsed.l4_offset];
    return type >= kRouterSolicitation && type <= kRedirect;
}

void neighbor_discovery_heard(ShardState& state, Time now, Frame& frame, const Parsed& parsed,
                              Effects& out) {
    const PortId port = frame.in_port;
    const MacAddress destination = read_mac(frame.data);
    if (!destination.is_group() && destination != state.tables->ports[port].mac) {
        return drop(state, port, DropReason::DestinationMacNotOurs, frame, out);
    }
    const std::uint8_t type = frame.data[parsed.l4_offset];
    if (type == kSolicitation || type == kAdvertisement) {
        Discovery heard;
        if (!read_discovery(frame, parsed, heard)) {
            return drop(state, port, DropReason::NeighborDiscoveryMalformed, frame, out);
        }
        if (type == kSolicitation) {
            solicitation_heard(state, now, frame, heard, out);
        } else {
            advertisement_heard(state, now, port, heard, out);
        }
    }
    drop(state, port, DropReason::ControlConsumed, frame, out);
}

void send_neighbor_solicitation(const ShardState& state, const Neighbor& neighbor, Effects& out) {
    const MacAddress own = state.tables->ports[neighbor.port].mac;
    const IpAddress group = solicited_node_of(neighbor.address);
    const bool known = neighbor.resolved();
    const MacAddress mac = known ? read_mac(neighbor.rewrite.data()) : multicast_mac_of(group);
    const IpAddress source = source_for(*state.tables, neighbor.port, neighbor.address);
    add_message(out, neighbor.port, {mac, own, kEtherTypeIpv6},
                {source, known ? neighbor.address : group, kHopLimit},
                {kSolicitation, 0, kSourceMacOption, own, neighbor.address});
}

}  // namespace weir
