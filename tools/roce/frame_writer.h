// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/roce/frame.h"

namespace weir::roce {

// Bytes that write_frame needs for this frame, Ethernet padding included.
std::size_t frame_bytes(const Frame& frame);

// Writes Ethernet header to ICRC, right lengths and checksums included, padded with zeros to the
// 60 bytes that Ethernet asks for. Returns the bytes written; 0 if `out` is too small or a field
// cannot be put on the wire (payload over kPayloadBytesMax, addresses of two kinds).
std::size_t write_frame(const Frame& frame, std::span<std::uint8_t> out);

}  // namespace weir::roce
