// SPDX-License-Identifier: BSD-3-Clause
// A RoCEv2 frame as fields; frame_writer.h and frame_reader.h turn it into wire bytes and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tools/roce/wire.h"

namespace weir::roce {

struct MacAddress {
    std::array<std::uint8_t, 6> bytes{};

    bool operator==(const MacAddress&) const = default;
};

struct IpAddress {
    std::array<std::uint8_t, 16> bytes{};  // IPv4: the first four, the others zero
    bool ipv6 = false;

    auto operator<=>(const IpAddress&) const = default;

    std::span<const std::uint8_t> wire() const { return std::span(bytes).first(ipv6 ? 16 : 4); }
};

struct VlanTag {
    std::uint16_t vid = 0;
    std::uint8_t pcp = 0;
    bool drop_eligible = false;

    bool operator==(const VlanTag&) const = default;
};

struct Bth {
    Opcode opcode = Opcode::SendOnly;
    bool solicited_event = false;
    bool migration_request = false;
    std::uint16_t partition_key = kDefaultPartitionKey;
    bool fecn = false;
    bool becn = false;
    std::uint8_t reserved = 0;  // the six bits after BECN: some NICs do set them
    std::uint32_t destination_qp = 0;
    bool ack_request = false;
    std::uint32_t psn = 0;

    bool operator==(const Bth&) const = default;
};

struct Deth {
    std::uint32_t queue_key = 0;
    std::uint32_t source_qp = 0;

    bool operator==(const Deth&) const = default;
};

struct Reth {
    std::uint64_t address = 0;
    std::uint32_t remote_key = 0;
    std::uint32_t length_bytes = 0;

    bool operator==(const Reth&) const = default;
};

struct AtomicEth {
    std::uint64_t address = 0;
    std::uint32_t remote_key = 0;
    std::uint64_t swap_or_add = 0;
    std::uint64_t compare = 0;

    bool operator==(const AtomicEth&) const = default;
};

struct Aeth {
    std::uint8_t syndrome = kSyndromeAck;
    std::uint32_t msn = 0;

    bool operator==(const Aeth&) const = default;
};

// Of the extended headers, those count that the opcode asks for (extended_headers()).
struct Frame {
    MacAddress destination_mac{};
    MacAddress source_mac{};
    std::optional<VlanTag> vlan{};

    IpAddress source{};  // decides between IPv4 and IPv6; the destination is of the same kind
    IpAddress destination{};
    std::uint8_t dscp = 0;
    std::uint8_t ecn = 0;
    std::uint8_t hop_limit = 64;       // IPv4: TTL
    std::uint16_t identification = 0;  // IPv4
    bool dont_fragment = true;         // IPv4
    std::uint32_t flow_label = 0;      // IPv6
    std::uint16_t source_port = kSourcePortFirst;
    std::uint16_t udp_checksum = 0;  // as it stands on the wire; the ICRC protects more

    Bth bth{};
    Deth deth{};
    Reth reth{};
    AtomicEth atomic_eth{};
    Aeth aeth{};
    std::uint64_t atomic_original = 0;
    std::uint32_t immediate = 0;
    std::span<const std::uint8_t> payload{};  // without pad
};

// Codepoints of the ECN field.
inline constexpr std::uint8_t kEcnNotCapable = 0;
inline constexpr std::uint8_t kEcnCapable1 = 1;
inline constexpr std::uint8_t kEcnCapable0 = 2;
inline constexpr std::uint8_t kEcnCongestion = 3;

constexpr std::size_t pad_bytes(std::size_t payload_bytes) {
    return (4 - payload_bytes % 4) % 4;
}

}  // namespace weir::roce
