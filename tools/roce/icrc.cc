// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/icrc.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <zlib.h>

#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

// In place of the local route header of native InfiniBand, which RoCEv2 does not have.
constexpr std::size_t kRouteHeaderBytes = 8;
constexpr std::size_t kHeaderBytesMax = kRouteHeaderBytes + kIpv4BytesMax + kUdpBytes + kBthBytes;
static_assert(kIpv6Bytes <= kIpv4BytesMax);

std::size_t ip_header_bytes(std::span<const std::uint8_t> packet) {
    if (packet.empty()) return 0;
    const unsigned version = packet[0] >> 4;
    if (version == 6) return kIpv6Bytes;
    const std::size_t bytes = 4 * std::size_t{packet[0] & 0x0fu};
    return version == 4 && bytes >= kIpv4Bytes ? bytes : 0;
}

void mask(std::span<std::uint8_t> headers, std::size_t offset, std::size_t count) {
    std::ranges::fill(headers.subspan(offset, count), std::uint8_t{0xff});
}

void mask_variant_fields(std::span<std::uint8_t> headers, std::size_t ip_bytes) {
    if (headers[0] >> 4 == 4) {
        mask(headers, 1, 1);   // TOS
        mask(headers, 8, 1);   // TTL
        mask(headers, 10, 2);  // checksum
    } else {
        headers[0] |= 0x0f;   // traffic class, upper half
        mask(headers, 1, 3);  // traffic class, lower half, and flow label
        mask(headers, 7, 1);  // hop limit
    }
    mask(headers, ip_bytes + 6, 2);              // UDP checksum
    mask(headers, ip_bytes + kUdpBytes + 4, 1);  // FECN, BECN
}

std::uint32_t crc(std::uint32_t start, std::span<const std::uint8_t> bytes) {
    return static_cast<std::uint32_t>(crc32_z(start, bytes.data(), bytes.size()));
}

}  // namespace

std::optional<std::uint32_t> icrc(std::span<const std::uint8_t> packet) {
    const std::size_t ip_bytes = ip_header_bytes(packet);
    const std::size_t header_bytes = ip_bytes + kUdpBytes + kBthBytes;
    if (ip_bytes == 0 || packet.size() < header_bytes) return std::nullopt;

    std::array<std::uint8_t, kHeaderBytesMax> copy;
    std::ranges::fill(copy, std::uint8_t{0xff});
    const std::span<std::uint8_t> headers =
        std::span(copy).subspan(kRouteHeaderBytes, header_bytes);
    std::ranges::copy(packet.first(header_bytes), headers.begin());
    mask_variant_fields(headers, ip_bytes);

    const std::uint32_t of_headers =
        crc(0, std::span(copy).first(kRouteHeaderBytes + header_bytes));
    const std::span<const std::uint8_t> rest = packet.subspan(header_bytes);
    // zlib takes a null pointer as "give me the initial value", so an empty rest must not reach it.
    return rest.empty() ? of_headers : crc(of_headers, rest);
}

}  // namespace weir::roce
