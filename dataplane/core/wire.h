// SPDX-License-Identifier: BSD-3-Clause
// Readers and writers of wire bytes with explicit byte order. The caller has checked the bounds;
// one load each.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "dataplane/core/types.h"

namespace weir {

static_assert(std::endian::native == std::endian::little, "readers swap bytes");

// As it stands on the wire, for comparison with wire_16() and with each other.
[[nodiscard]] inline std::uint16_t load_16(const std::uint8_t* at) {
    std::uint16_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return v;
}

[[nodiscard]] inline std::uint32_t load_32(const std::uint8_t* at) {
    std::uint32_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return v;
}

[[nodiscard]] inline std::uint64_t load_64(const std::uint8_t* at) {
    std::uint64_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return v;
}

[[nodiscard]] constexpr std::uint16_t wire_16(std::uint16_t v) {
    return __builtin_bswap16(v);
}

[[nodiscard]] inline std::uint8_t read_8(const std::uint8_t* at) {
    return *at;
}

[[nodiscard]] inline std::uint16_t read_be16(const std::uint8_t* at) {
    std::uint16_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return __builtin_bswap16(v);
}

[[nodiscard]] inline std::uint32_t read_be24(const std::uint8_t* at) {
    return (std::uint32_t{at[0]} << 16) | (std::uint32_t{at[1]} << 8) | at[2];
}

[[nodiscard]] inline std::uint32_t read_be32(const std::uint8_t* at) {
    std::uint32_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return __builtin_bswap32(v);
}

[[nodiscard]] inline std::uint64_t read_be64(const std::uint8_t* at) {
    std::uint64_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return __builtin_bswap64(v);
}

inline void write_be16(std::uint8_t* at, std::uint16_t v) {
    v = __builtin_bswap16(v);
    std::memcpy(at, &v, sizeof v);
}

inline void write_be32(std::uint8_t* at, std::uint32_t v) {
    v = __builtin_bswap32(v);
    std::memcpy(at, &v, sizeof v);
}

inline void write_be64(std::uint8_t* at, std::uint64_t v) {
    v = __builtin_bswap64(v);
    std::memcpy(at, &v, sizeof v);
}

[[nodiscard]] inline MacAddress read_mac(const std::uint8_t* at) {
    return {(std::uint64_t{read_be16(at)} << 32) | read_be32(at + 2)};
}

inline void write_mac(std::uint8_t* at, MacAddress mac) {
    write_be16(at, static_cast<std::uint16_t>(mac.value >> 32));
    write_be32(at + 2, static_cast<std::uint32_t>(mac.value));
}

[[nodiscard]] inline IpAddress read_ipv4(const std::uint8_t* at) {
    return IpAddress::v4(read_be32(at));
}

[[nodiscard]] inline IpAddress read_ipv6(const std::uint8_t* at) {
    return {read_be64(at), read_be64(at + 8)};
}

inline void write_ipv6(std::uint8_t* at, IpAddress address) {
    write_be64(at, address.high);
    write_be64(at + 8, address.low);
}

}  // namespace weir
