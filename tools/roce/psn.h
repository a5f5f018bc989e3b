// SPDX-License-Identifier: BSD-3-Clause
// Packet sequence numbers. On the wire they have 24 bits; inside, an end point counts in 64 and
// never wraps.
#pragma once

#include <cstdint>

#include "tools/roce/wire.h"

namespace weir::roce {

using Sequence = std::uint64_t;

// Where a queue pair starts that sends this PSN first: far enough from 0 to look back half a turn.
[[nodiscard]] constexpr Sequence first_sequence(std::uint32_t psn) {
    return (Sequence{1} << 24) + (psn & kPsnMask);
}

[[nodiscard]] constexpr std::uint32_t psn_of(Sequence sequence) {
    return static_cast<std::uint32_t>(sequence) & kPsnMask;
}

// The sequence with this PSN that is nearest to `reference`: from 2^23 behind it to 2^23 - 1
// before it.
[[nodiscard]] constexpr Sequence sequence_of(std::uint32_t psn, Sequence reference) {
    const std::uint32_t ahead = (psn - psn_of(reference) + (1u << 23)) & kPsnMask;
    return reference + ahead - (Sequence{1} << 23);
}

}  // namespace weir::roce
