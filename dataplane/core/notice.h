// SPDX-License-Identifier: BSD-3-Clause
// Failure notices on the wire (docs/wire_formats.md): which destinations the sender cannot reach
// any more, or can again. The payload of a UDP datagram between the two ends of a link.
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/types.h"
#include "dataplane/core/wire.h"

namespace weir {

inline constexpr std::uint16_t kNoticePort = 1022;  // RFC 4727 section 5: experiments
inline constexpr std::uint8_t kNoticeVersion = 1;
inline constexpr std::uint8_t kNoticeHopLimit = 255;  // sent and checked, RFC 5082 section 3
inline constexpr unsigned kNoticeHeaderBytes = 32;
inline constexpr unsigned kNoticeIpv4PrefixBytes = 1 + 4;
inline constexpr unsigned kNoticeIpv6PrefixBytes = 1 + 16;
// HMAC-SHA-256, its first 16 bytes (RFC 2104 section 5), over all that stands before it.
inline constexpr unsigned kNoticeMacBytes = 16;
// 256 IPv4 prefixes. With IPv6 headers 14 + 4 + 40 + 8 + 32 + 1,280 + 16 = 1,394: no notice is
// longer than an Ethernet frame of 1,500 + 18 bytes.
inline constexpr unsigned kNoticePrefixesBytesMax = 256 * kNoticeIpv4PrefixBytes;
inline constexpr unsigned kNoticeBytesMax =
    kNoticeHeaderBytes + kNoticePrefixesBytesMax + kNoticeMacBytes;
// The most that one notice may carry.
inline constexpr unsigned kNoticePrefixesMax = kNoticePrefixesBytesMax / kNoticeIpv4PrefixBytes;

enum class NoticeKind : std::uint8_t { Lost = 1, Restored = 2 };

struct NoticeHeader {
    std::uint64_t origin = 0;    // names the switch that says so
    std::uint64_t sequence = 0;  // grows with every notice that goes over a link
    // Those of the BFD session over the link: new ones with every start of either end, so that no
    // notice from before is taken for a new one.
    std::uint32_t sender_discriminator = 0;
    std::uint32_t receiver_discriminator = 0;
    std::uint16_t ipv4_prefixes = 0;
    std::uint16_t ipv6_prefixes = 0;
    NoticeKind kind = NoticeKind::Lost;
};

enum class NoticeError : std::uint8_t {
    None,
    Truncated,  // shorter than a header and the authentication
    VersionUnknown,
    KindUnknown,
    LengthWrong,    // not as long as its counts say
    PrefixInvalid,  // longer than its address, or with bits behind its length
};

// A destination as tables hold it. IPv4 lengths are 96 + the usual.
struct DestinationPrefix {
    IpAddress address;
    std::uint8_t length = 0;

    friend constexpr auto operator<=>(const DestinationPrefix&, const DestinationPrefix&) = default;
};

// Reads and checks all but the authentication. `payload` is the whole UDP payload.
[[nodiscard]] NoticeError read_notice(std::span<const std::uint8_t> payload, NoticeHeader& header);

// Calls visit(DestinationPrefix) for each prefix of a payload that read_notice() found right.
template <typename Visit>
void for_each_prefix(std::span<const std::uint8_t> payload, const NoticeHeader& header,
                     Visit visit) {
    const std::uint8_t* at = payload.data() + kNoticeHeaderBytes;
    for (unsigned i = 0; i < header.ipv4_prefixes; ++i, at += kNoticeIpv4PrefixBytes) {
        visit(DestinationPrefix{read_ipv4(at + 1), static_cast<std::uint8_t>(96 + at[0])});
    }
    for (unsigned i = 0; i < header.ipv6_prefixes; ++i, at += kNoticeIpv6PrefixBytes) {
        visit(DestinationPrefix{read_ipv6(at + 1), at[0]});
    }
}

[[nodiscard]] constexpr unsigned notice_bytes(const NoticeHeader& header) {
    return kNoticeHeaderBytes + header.ipv4_prefixes * kNoticeIpv4PrefixBytes +
           header.ipv6_prefixes * kNoticeIpv6PrefixBytes + kNoticeMacBytes;
}

[[nodiscard]] constexpr unsigned notice_bytes_of(const DestinationPrefix& prefix) {
    return prefix.address.is_v4() && prefix.length >= 96 ? kNoticeIpv4PrefixBytes
                                                         : kNoticeIpv6PrefixBytes;
}

// Writes a notice of these prefixes (at most kNoticePrefixesBytesMax bytes of them) with zeros for
// its authentication; header's counts are set here. How many bytes it has.
unsigned write_notice(std::span<std::uint8_t> payload, NoticeHeader& header,
                      std::span<const DestinationPrefix> prefixes);

}  // namespace weir
