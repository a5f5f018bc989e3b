// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame: the parser stays within them, changes none, and what it says of them holds.
// The first byte of the input says how many bytes the frame is longer than what can be read of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/core/check.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/parse.h"

namespace weir {

namespace {

void check_offsets(const Frame& frame, const Parsed& parsed) {
    const bool ip = parsed.kind == FrameKind::Ipv4 || parsed.kind == FrameKind::Ipv6;
    if (parsed.kind == FrameKind::Malformed) {
        WEIR_CHECK(!drop_reason_text(parsed.error).empty());
        WEIR_CHECK(!parsed.roce);
        return;
    }
    WEIR_CHECK(parsed.l3_offset <= frame.readable);
    WEIR_CHECK(ip == ((frame.flags & (frame_flags::kIpv4 | frame_flags::kIpv6)) != 0));
    if (ip) {
        WEIR_CHECK(parsed.l4_offset >= parsed.l3_offset + 20);
        WEIR_CHECK(parsed.l4_offset <= frame.readable);
    }
    if (parsed.ports != 0) WEIR_CHECK(ip && !parsed.fragment);
    if (parsed.roce) {
        // UDP header and BTH can be read without another look at the length.
        WEIR_CHECK(parsed.l4_offset + 8 + 12 <= frame.readable);
        WEIR_CHECK((parsed.ports & 0xffff) == 4791);
    }
    WEIR_CHECK(parsed.dest_qp < 1u << 24);
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weir::Frame;
    using weir::Parsed;
    if (size < 1 || size - 1 > weir::kFrameBytesMax) return 0;
    std::vector<std::uint8_t> bytes(data + 1, data + size);
    const std::vector<std::uint8_t> before = bytes;
    bytes.shrink_to_fit();
    Frame frame;
    frame.data = bytes.data();
    frame.readable = static_cast<std::uint16_t>(bytes.size());
    frame.length = static_cast<std::uint16_t>(
        std::min<std::size_t>(bytes.size() + data[0], weir::kFrameBytesMax));
    const Parsed parsed = weir::parse(frame);
    WEIR_CHECK(bytes == before);
    weir::check_offsets(frame, parsed);
    // Nothing is left over from the frame before: a second look says the same.
    const Parsed again = weir::parse(frame);
    WEIR_CHECK(again.kind == parsed.kind && again.ports == parsed.ports &&
               again.l4_offset == parsed.l4_offset && again.roce == parsed.roce);
    return 0;
}
