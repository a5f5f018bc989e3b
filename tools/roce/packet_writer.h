// SPDX-License-Identifier: BSD-3-Clause
// Packets to frames. All frames of one queue pair share what stands below the transport headers;
// with headers-only frames that is written once and patched for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/roce/host_port.h"
#include "tools/roce/packet.h"

namespace weir::roce {

struct Written {
    std::uint16_t length = 0;    // on the wire
    std::uint16_t readable = 0;  // in the caller's room
};

class PacketWriter {
  public:
    PacketWriter() = default;
    PacketWriter(const HostConfig& host, const QpConfig& config);

    // Headers alone, all but payload, pad and ICRC; kHeadersBytesMax of room.
    Written write_headers(const Packet& packet, std::span<std::uint8_t> room) const;

    // All of it; kFrameBytesMax of room.
    static Written write_whole(const HostConfig& host, const QpConfig& config, const Packet& packet,
                               std::span<std::uint8_t> room);

  private:
    // Ethernet, tag, IPv6, UDP, and BTH up to its partition key.
    static constexpr std::size_t kSharedBytesMax =
        kEthernetBytes + kVlanTagBytes + kIpv6Bytes + kUdpBytes + 4;

    std::array<std::uint8_t, kSharedBytesMax> shared_{};
    std::uint32_t checksum_ = 0;  // of the IPv4 header without TOS and length, not folded
    std::uint8_t ip_offset_ = 0;
    bool ipv6_ = false;
};

}  // namespace weir::roce
