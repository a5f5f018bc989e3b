// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/pfc.h"

#include <algorithm>

#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

// Behind the EtherType: opcode 2, class enable vector 2, eight times of 2 bytes each.
constexpr std::uint16_t kOpcodeBytes = 2;
constexpr std::uint16_t kPfcBytes = kOpcodeBytes + 2 + 2 * kPriorities;
constexpr std::uint16_t kPauseBytes = kOpcodeBytes + 2;

}  // namespace

void write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes> bytes, MacAddress source,
                     const PfcTimes& times) {
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    std::uint8_t* at = bytes.data();
    write_mac(at, kPfcDestination);
    write_mac(at + kMacBytes, source);
    write_be16(at + 12, kEtherTypeMacControl);
    write_be16(at + kEthernetBytes, kOpcodePfc);
    write_be16(at + kEthernetBytes + kOpcodeBytes, times.enabled);
    std::uint8_t* quanta = at + kEthernetBytes + kOpcodeBytes + 2;
    for (unsigned i = 0; i < kPriorities; ++i) write_be16(quanta + 2 * i, times.quanta[i]);
}

MacControlKind read_mac_control(const Frame& frame, std::uint16_t l3_offset, PfcTimes& times) {
    if (l3_offset + kOpcodeBytes > frame.readable) return MacControlKind::Truncated;
    const std::uint8_t* at = frame.data + l3_offset;
    const std::uint16_t opcode = read_be16(at);
    if (opcode == kOpcodePause) {
        return l3_offset + kPauseBytes > frame.readable ? MacControlKind::Truncated
                                                        : MacControlKind::Pause;
    }
    if (opcode != kOpcodePfc) return MacControlKind::UnknownOpcode;
    if (l3_offset + kPfcBytes > frame.readable) return MacControlKind::Truncated;
    // The vector's upper byte is reserved: sent as 0, ignored here (802.1Q table 36-2).
    times.enabled = static_cast<std::uint8_t>(read_be16(at + kOpcodeBytes));
    for (unsigned i = 0; i < kPriorities; ++i) {
        times.quanta[i] = read_be16(at + kOpcodeBytes + 2 + 2 * i);
    }
    return MacControlKind::Pfc;
}

}  // namespace weir
