// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a MAC control frame: the decoder stays within them, and what it reads is what stands
// there. The first byte of the input: bit 0 an 802.1Q tag, the others how much longer the frame is
// than what can be read of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/core/check.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/pfc.h"
#include "dataplane/core/wire.h"

namespace weir {
namespace {

// Behind the EtherType: opcode, enable vector, eight times; 802.3 31B.1: opcode, one time.
void check_kind(MacControlKind kind, const std::vector<std::uint8_t>& bytes, std::size_t at) {
    const std::size_t left = bytes.size() > at ? bytes.size() - at : 0;
    const bool has_opcode = left >= 2;
    const std::uint16_t opcode = has_opcode ? read_be16(bytes.data() + at) : std::uint16_t{0};
    const std::size_t needed = opcode == kOpcodePfc ? 20 : opcode == kOpcodePause ? 4 : 2;
    WEIR_CHECK((kind == MacControlKind::Truncated) == (left < needed));
    if (kind == MacControlKind::Pfc) WEIR_CHECK(opcode == kOpcodePfc);
    if (kind == MacControlKind::Pause) WEIR_CHECK(opcode == kOpcodePause);
    if (kind == MacControlKind::UnknownOpcode) {
        WEIR_CHECK(opcode != kOpcodePfc && opcode != kOpcodePause);
    }
}

// What was read, written again, stands as it stood; the reserved byte of the vector is 0 then.
void check_times(const PfcTimes& times, const std::vector<std::uint8_t>& bytes, std::size_t at) {
    std::vector<std::uint8_t> frame(kPfcFrameBytes);
    write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(frame), MacAddress{1}, times);
    WEIR_CHECK(std::equal(frame.begin() + 17, frame.begin() + 34,
                          bytes.begin() + static_cast<std::ptrdiff_t>(at) + 3));
    WEIR_CHECK(frame[16] == 0);
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weir::MacControlKind;
    if (size < 1 || size - 1 > weir::kFrameBytesMax) return 0;
    std::vector<std::uint8_t> bytes(data + 1, data + size);
    bytes.shrink_to_fit();
    const auto offset = static_cast<std::uint16_t>((data[0] & 1) != 0 ? 18 : 14);
    weir::Frame frame;
    frame.data = bytes.data();
    frame.readable = static_cast<std::uint16_t>(bytes.size());
    frame.length = static_cast<std::uint16_t>(
        std::min<std::size_t>(bytes.size() + data[0] / 2, weir::kFrameBytesMax));
    weir::PfcTimes times;
    const MacControlKind kind = weir::read_mac_control(frame, offset, times);
    weir::check_kind(kind, bytes, offset);
    if (kind == MacControlKind::Pfc) weir::check_times(times, bytes, offset);
    return 0;
}
