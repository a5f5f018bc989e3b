// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include "dataplane/core/icmp.h"
#include "dataplane/core/icmpv6.h"
#include "dataplane/core/own_frame.h"
#include "dataplane/core/port_address.h"

namespace weir {

namespace {

constexpr std::uint16_t kIcmpHeaderBytes = 8;
constexpr std::uint8_t kErrorTtl = 64;
constexpr std::uint16_t kDontFragment = 0x4000;

static_assert(kEthernetBytes + kIpv4BytesMin + kIcmpHeaderBytes + kIcmpQuoteBytesMax <=
              kOwnFrameBytesMax);
static_assert(kEthernetBytes + kIpv6Bytes + kIcmpHeaderBytes + kIcmpv6QuoteBytesMax <=
              kOwnFrameBytesMax);

// The first eight bytes of the message without the checksum.
struct Message {
    std::uint8_t type = 0;
    std::uint8_t code = 0;
    std::uint32_t rest = 0;
};

// The same in ICMP (RFC 792, RFC 1812 5.2.7.1) and ICMPv6 (RFC 4443 sections 3.1 to 3.3).
struct Messages {
    Message v4;
    Message v6;
};

Messages messages_of(IcmpError error) {
    switch (error) {
        case IcmpError::TimeExceeded:
            return {{11, 0, 0}, {3, 0, 0}};
        case IcmpError::NetUnreachable:
            return {{3, 0, 0}, {1, 0, 0}};
        case IcmpError::HostUnreachable:
            return {{3, 1, 0}, {1, 3, 0}};
        case IcmpError::PortUnreachable:
            return {{3, 3, 0}, {1, 4, 0}};
    }
    return {};
}

// Destination unreachable, source quench, redirect, time exceeded, parameter problem.
bool is_error_type(std::uint8_t type) {
    return (type >= 3 && type <= 5) || type == 11 || type == 12;
}

// An address that an answer can be sent to (RFC 1812 4.3.2.7).
bool is_host_v4(const Tables& tables, PortId port, const IpAddress& address) {
    const std::uint8_t first = static_cast<std::uint8_t>(address.v4_value() >> 24);
    if (first == 0 || first == 127 || first >= 224) return false;
    return address_facing(tables, port, address) == nullptr ||
           may_be_neighbor(tables, port, address);
}

bool is_host_v6(const IpAddress& address) {
    return !address.is_multicast() && !(address.high == 0 && address.low <= 1);
}

// RFC 1812 4.3.2.7: what no error is sent about.
bool may_report_v4(const Tables& tables, const Frame& frame) {
    const std::uint16_t offset = l3_offset(frame);
    const std::uint8_t* ip = frame.data + offset;
    if ((read_be16(ip + 6) & 0x1fff) != 0) return false;  // a later fragment
    if (read_8(ip + 16) >= 224) return false;
    if (!is_host_v4(tables, frame.in_port, read_ipv4(ip + 12))) return false;
    if (read_8(ip + 9) != kProtocolIcmp) return true;
    const unsigned type_at = offset + (read_8(ip) & 0x0fu) * 4u;
    return type_at < frame.readable && !is_error_type(frame.data[type_at]);
}

constexpr unsigned kExtensionHeadersMax = 4;  // one of each kind below

// The protocol behind the extension headers that are known to be skippable (RFC 8200 section 4),
// and where it begins; nothing if that cannot be told.
struct Upper {
    std::uint8_t protocol = 0;
    unsigned offset = 0;
};

std::optional<Upper> upper_layer(const Frame& frame) {
    const unsigned start = l3_offset(frame);
    Upper upper{frame.data[start + 6], start + kIpv6Bytes};
    for (unsigned i = 0; i <= kExtensionHeadersMax; ++i) {
        const bool fragment = upper.protocol == kProtocolIpv6Fragment;
        const bool options = upper.protocol == 0 || upper.protocol == 43 || upper.protocol == 60;
        if (!fragment && !options) return upper;
        if (upper.offset + 8 > frame.readable) return std::nullopt;
        const std::uint8_t* at = frame.data + upper.offset;
        if (fragment && (read_be16(at + 2) & 0xfff8) != 0) return std::nullopt;
        upper.protocol = at[0];
        upper.offset += fragment ? 8u : (at[1] + 1u) * 8u;
    }
    return std::nullopt;
}

// RFC 4443 2.4 e. Types below 128 are errors; 137 is a redirect.
bool may_report_v6(const Frame& frame) {
    const std::uint8_t* ip = frame.data + l3_offset(frame);
    if (!is_host_v6(read_ipv6(ip + 8)) || read_ipv6(ip + 24).is_multicast()) return false;
    const std::optional<Upper> upper = upper_layer(frame);
    if (!upper) return false;
    if (upper->protocol != kProtocolIcmpv6) return true;
    if (upper->offset >= frame.readable) return false;
    return frame.data[upper->offset] >= 128 && frame.data[upper->offset] != 137;
}

// A frame sent to a group of MACs is not reported about, whatever its IP destination.
bool may_report(const ShardState& state, const Frame& frame) {
    if ((frame.data[0] & 1) != 0 || frame.in_port >= state.tables->ports.size()) return false;
    if (state.tables->ports[frame.in_port].shard != state.id) return false;
    if ((frame.flags & frame_flags::kIpv4) != 0) return may_report_v4(*state.tables, frame);
    return (frame.flags & frame_flags::kIpv6) != 0 && may_report_v6(frame);
}

void write_message(std::uint8_t* at, const Message& message) {
    at[0] = message.type;
    at[1] = message.code;
    write_be32(at + 4, message.rest);
}

// The bytes of the frame from its IP header on that are quoted.
std::span<const std::uint8_t> quote_of(const Frame& frame, unsigned ip_bytes, unsigned most) {
    const std::uint16_t offset = l3_offset(frame);
    const unsigned bytes = std::min({ip_bytes, most, unsigned{frame.readable} - offset});
    return {frame.data + offset, bytes};
}

EthernetHeader back_to_sender(const ShardState& state, const Frame& frame, std::uint16_t type) {
    return {read_mac(frame.data + kMacBytes), state.tables->ports[frame.in_port].mac, type};
}

void write_ipv4_header(std::uint8_t* ip, unsigned bytes, const IpAddress& source,
                       const IpAddress& destination) {
    ip[0] = 0x45;
    ip[1] = kControlTrafficClass;
    write_be16(ip + 2, static_cast<std::uint16_t>(bytes));
    write_be16(ip + 6, kDontFragment);  // so the identification may be 0 (RFC 6864 4.1)
    ip[8] = kErrorTtl;
    ip[9] = kProtocolIcmp;
    write_be32(ip + 12, source.v4_value());
    write_be32(ip + 16, destination.v4_value());
    write_be16(ip + 10, checksum_of(checksum_sum(ip, kIpv4BytesMin)));
}

void report_v4(const ShardState& state, const Frame& frame, const Message& message, Effects& out) {
    const std::uint8_t* about = frame.data + l3_offset(frame);
    const IpAddress destination = read_ipv4(about + 12);
    const IpAddress source = source_for(*state.tables, frame.in_port, destination);
    if (source.v4_value() == 0) return;  // the port has no IPv4 address to speak from
    const auto quote = quote_of(frame, read_be16(about + 2), kIcmpQuoteBytesMax);
    const auto bytes = static_cast<std::uint16_t>(kIcmpHeaderBytes + quote.size());
    OwnFrame& own = add_own_frame(out, frame.in_port, back_to_sender(state, frame, kEtherTypeIpv4),
                                  static_cast<std::uint16_t>(kIpv4BytesMin + bytes));
    std::uint8_t* ip = own.bytes.data() + kEthernetBytes;
    std::uint8_t* icmp = ip + kIpv4BytesMin;
    write_ipv4_header(ip, unsigned{kIpv4BytesMin} + bytes, source, destination);
    write_message(icmp, message);
    std::copy(quote.begin(), quote.end(), icmp + kIcmpHeaderBytes);
    write_be16(icmp + 2, checksum_of(checksum_sum(icmp, bytes)));
}

void report_v6(const ShardState& state, const Frame& frame, const Message& message, Effects& out) {
    const std::uint8_t* about = frame.data + l3_offset(frame);
    const IpAddress destination = read_ipv6(about + 8);
    const IpAddress source = source_for(*state.tables, frame.in_port, destination);
    const unsigned whole = unsigned{kIpv6Bytes} + read_be16(about + 4);
    const auto quote = quote_of(frame, whole, kIcmpv6QuoteBytesMax);
    const auto bytes = static_cast<std::uint16_t>(kIcmpHeaderBytes + quote.size());
    OwnFrame& own = add_own_frame(out, frame.in_port, back_to_sender(state, frame, kEtherTypeIpv6),
                                  static_cast<std::uint16_t>(kIpv6Bytes + bytes));
    std::uint8_t* ip = own.bytes.data() + kEthernetBytes;
    write_message(ip + kIpv6Bytes, message);
    std::copy(quote.begin(), quote.end(), ip + kIpv6Bytes + kIcmpHeaderBytes);
    finish_icmpv6(ip, {source, destination, kErrorTtl}, bytes);
}

void report(ShardState& state, Time now, const Frame& frame, const Messages& messages,
            Effects& out) {
    if (out.own.room() == 0 || !may_report(state, frame)) return;
    if (!state.icmp_errors.take(now, kIcmpErrorInterval, kIcmpErrorBurst)) return;
    if ((frame.flags & frame_flags::kIpv4) != 0) return report_v4(state, frame, messages.v4, out);
    report_v6(state, frame, messages.v6, out);
}

}  // namespace

void icmp_error(ShardState& state, Time now, const Frame& frame, IcmpError error, Effects& out) {
    report(state, now, frame, messages_of(error), out);
}

void icmp_too_big(ShardState& state, Time now, const Frame& frame, std::uint16_t mtu,
                  Effects& out) {
    report(state, now, frame, {{3, 4, mtu}, {2, 0, mtu}}, out);
}

}  // namespace weir
