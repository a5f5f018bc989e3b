// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC: a checksum over what no switch on the way may change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace weir::roce {

// `packet` starts at the IP header and ends right before the ICRC. The value is put on the wire
// with its low byte first. Empty if the bytes do not hold IPv4 or IPv6, UDP and BTH headers.
std::optional<std::uint32_t> icrc(std::span<const std::uint8_t> packet);

}  // namespace weir::roce
