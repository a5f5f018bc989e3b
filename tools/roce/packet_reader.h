// SPDX-License-Identifier: BSD-3-Clause
// Frames to packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/roce/host_port.h"
#include "tools/roce/packet.h"

namespace weir::roce {

enum class PacketError : std::uint8_t { None, NotForUs, Malformed, IcrcWrong };

// Of a frame that may lack everything behind its transport headers.
[[nodiscard]] PacketError read_headers(const HostConfig& host, std::span<const std::uint8_t> bytes,
                                       Packet& packet);

// Of a whole frame, with its ICRC; the payload points into `bytes`.
[[nodiscard]] PacketError read_whole(const HostConfig& host, std::span<const std::uint8_t> bytes,
                                     Packet& packet);

}  // namespace weir::roce
