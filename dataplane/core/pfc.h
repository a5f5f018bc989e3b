// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames (802.3 annex 31B and 31D, 802.1Q clause 36): priority-based flow control and
// PAUSE.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/frame.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

inline constexpr MacAddress kPfcDestination{0x0180'c200'0001};
inline constexpr std::uint16_t kOpcodePause = 0x0001;  // 802.3x: all traffic of the link
inline constexpr std::uint16_t kOpcodePfc = 0x0101;
inline constexpr std::uint16_t kPauseQuantaMax = 65'535;
inline constexpr unsigned kQuantumBits = 512;
inline constexpr std::uint16_t kPfcFrameBytes = kEthernetFrameBytesMin;

// A quantum is 512 bit times at the port's speed; e.g. 5.12 ns at 100 Gb/s.
[[nodiscard]] constexpr Interval pause_interval(std::uint16_t quanta, std::uint64_t speed_bps) {
    __extension__ using Wide = unsigned __int128;
    const Wide bit_picoseconds = Wide{quanta} * kQuantumBits * 1'000'000'000'000u;
    return {static_cast<std::int64_t>(bit_picoseconds / speed_bps)};
}

// The eight pause times of one PFC frame. Class i counts only if bit i of `enabled` is set.
struct PfcTimes {
    std::uint8_t enabled = 0;
    std::array<std::uint16_t, kPriorities> quanta{};
};

// Writes a PFC frame, padded to 60 B, without FCS.
void write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes> bytes, MacAddress source,
                     const PfcTimes& times);

enum class MacControlKind : std::uint8_t {
    Truncated,  // too short for its opcode
    UnknownOpcode,
    Pause,  // 802.3x
    Pfc,
};

// Reads a frame whose EtherType (at l3_offset - 2) is 0x8808; `times` is set for Pfc.
[[nodiscard]] MacControlKind read_mac_control(const Frame& frame, std::uint16_t l3_offset,
                                              PfcTimes& times);

}  // namespace weir
