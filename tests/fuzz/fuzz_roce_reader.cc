// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a RoCEv2 frame: the reader stays within them, and what it accepts can be written
// and is read again as the same.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/core/check.h"
#include "tools/roce/frame_reader.h"
#include "tools/roce/frame_writer.h"

namespace weir::roce {

namespace {

void check_written_again(const Reading& reading) {
    std::vector<std::uint8_t> bytes(frame_bytes(reading.frame));
    WEIR_CHECK(write_frame(reading.frame, bytes) == bytes.size());
    Reading again;
    WEIR_CHECK(read_frame(bytes, again) == ReadError::None);
    WEIR_CHECK(again.icrc_right);
    WEIR_CHECK(again.frame.bth == reading.frame.bth);
    WEIR_CHECK(again.frame.source == reading.frame.source);
    WEIR_CHECK(again.frame.destination == reading.frame.destination);
    WEIR_CHECK(again.frame.vlan == reading.frame.vlan);
    WEIR_CHECK(again.frame.payload.size() == reading.frame.payload.size());
}

}  // namespace

}  // namespace weir::roce

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weir::roce::ReadError;
    weir::roce::Reading reading;
    const ReadError error = weir::roce::read_frame(std::span(data, size), reading);
    WEIR_CHECK(to_string(error)[0] != '\0');
    if (error != ReadError::None) return 0;
    const std::span<const std::uint8_t> payload = reading.frame.payload;
    if (!payload.empty()) {
        WEIR_CHECK(payload.data() >= data);
        WEIR_CHECK(payload.data() + payload.size() + 4 <= data + size);
    }
    WEIR_CHECK(reading.ip_offset + reading.trailer_bytes <= size);
    weir::roce::check_written_again(reading);
    return 0;
}
