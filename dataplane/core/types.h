// SPDX-License-Identifier: BSD-3-Clause
// The small words of the core: ports, priorities, addresses.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "dataplane/core/limits.h"

namespace weir {

using PortId = std::uint16_t;   // index of a port in its switch, 0..kPortsMax-1
using ShardId = std::uint8_t;   // index of a shard in its switch
using Priority = std::uint8_t;  // 802.1p class 0..7
using VlanId = std::uint16_t;   // 1..4094
using Bytes = std::uint64_t;

inline constexpr PortId kNoPort = 0xffff;
// Of frames that this switch makes: those that other switches wait for (PFC, BFD, notices), and
// answers (ARP, neighbor discovery, ICMP errors). Each kind has an egress queue of its own.
inline constexpr Priority kOwnControlPriority = 7;
inline constexpr Priority kOwnAnswerPriority = 6;

// Sets of priorities are bytes: bit p for priority p.
[[nodiscard]] constexpr std::uint8_t bit_of(Priority priority) {
    return static_cast<std::uint8_t>(1u << priority);
}

// Calls visit(Priority) for each bit.
template <typename Visit>
constexpr void for_each_priority(std::uint8_t bits, Visit visit) {
    for (Priority priority = 0; priority < kPriorities; ++priority) {
        if (((bits >> priority) & 1) != 0) visit(priority);
    }
}

// An IEEE 802 MAC address as a number: the first byte on the wire is bits 47..40.
struct MacAddress {
    std::uint64_t value = 0;

    [[nodiscard]] constexpr bool is_group() const { return ((value >> 40) & 1) != 0; }
    [[nodiscard]] constexpr bool is_zero() const { return value == 0; }
    friend constexpr auto operator<=>(MacAddress, MacAddress) = default;
};

inline constexpr MacAddress kBroadcastMac{0xffff'ffff'ffff};

// An IPv6 address, or an IPv4 one as ::ffff:a.b.c.d (RFC 4291 2.5.5.2), in host order.
struct IpAddress {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    [[nodiscard]] static constexpr IpAddress v4(std::uint32_t address) {
        return {0, 0xffff'0000'0000ull | address};
    }
    [[nodiscard]] constexpr bool is_v4() const { return high == 0 && (low >> 32) == 0xffff; }
    [[nodiscard]] constexpr std::uint32_t v4_value() const {
        return static_cast<std::uint32_t>(low);
    }
    [[nodiscard]] constexpr bool is_link_local() const { return (high >> 54) == (0xfe80u >> 6); }
    [[nodiscard]] constexpr bool is_multicast() const {
        return is_v4() ? (low & 0xf000'0000u) == 0xe000'0000u : (high >> 56) == 0xff;
    }
    friend constexpr auto operator<=>(IpAddress, IpAddress) = default;
};

// A fixed bit set of ports: look-ups are a few ANDs, no allocation.
struct PortSet {
    static constexpr unsigned kWords = kPortsMax / 64;
    std::array<std::uint64_t, kWords> words{};

    [[nodiscard]] constexpr bool has(PortId port) const {
        return ((words[port / 64] >> (port % 64)) & 1) != 0;
    }
    constexpr void add(PortId port) { words[port / 64] |= std::uint64_t{1} << (port % 64); }
    constexpr void remove(PortId port) { words[port / 64] &= ~(std::uint64_t{1} << (port % 64)); }
    [[nodiscard]] constexpr unsigned size() const {
        unsigned n = 0;
        for (const std::uint64_t word : words) n += static_cast<unsigned>(std::popcount(word));
        return n;
    }
    [[nodiscard]] constexpr bool empty() const {
        std::uint64_t any = 0;
        for (const std::uint64_t word : words) any |= word;
        return any == 0;
    }
    friend constexpr PortSet operator&(PortSet a, const PortSet& b) {
        for (unsigned i = 0; i < kWords; ++i) a.words[i] &= b.words[i];
        return a;
    }
    friend constexpr PortSet operator|(PortSet a, const PortSet& b) {
        for (unsigned i = 0; i < kWords; ++i) a.words[i] |= b.words[i];
        return a;
    }
    // The members of a that are not in b.
    friend constexpr PortSet operator-(PortSet a, const PortSet& b) {
        for (unsigned i = 0; i < kWords; ++i) a.words[i] &= ~b.words[i];
        return a;
    }
    friend constexpr bool operator==(const PortSet&, const PortSet&) = default;

    // Calls visit(PortId) for each member, in ascending order.
    template <typename Visit>
    constexpr void for_each(Visit visit) const {
        for (unsigned i = 0; i < kWords; ++i) {
            for (std::uint64_t word = words[i]; word != 0; word &= word - 1) {
                visit(static_cast<PortId>(i * 64 + static_cast<unsigned>(std::countr_zero(word))));
            }
        }
    }
};

}  // namespace weir
