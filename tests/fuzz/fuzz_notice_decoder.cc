// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a failure notice: the decoder stays within them, and what it accepts, written again,
// stands as it stood.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/core/check.h"
#include "dataplane/core/notice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    bytes.shrink_to_fit();
    weir::NoticeHeader header;
    if (weir::read_notice(bytes, header) != weir::NoticeError::None) return 0;
    std::vector<weir::DestinationPrefix> prefixes;
    weir::for_each_prefix(bytes, header,
                          [&](const weir::DestinationPrefix& p) { prefixes.push_back(p); });
    WEIR_CHECK(prefixes.size() == std::size_t{header.ipv4_prefixes} + header.ipv6_prefixes);
    // An IPv4-mapped prefix among those of IPv6 would be written as what it maps.
    for (std::size_t i = header.ipv4_prefixes; i < prefixes.size(); ++i) {
        if (weir::notice_bytes_of(prefixes[i]) == weir::kNoticeIpv4PrefixBytes) return 0;
    }
    std::vector<std::uint8_t> again(weir::kNoticeBytesMax);
    again.resize(weir::write_notice(again, header, prefixes));
    WEIR_CHECK(again.size() == bytes.size());
    bytes[2] = bytes[3] = 0;  // reserved
    std::fill(bytes.end() - weir::kNoticeMacBytes, bytes.end(), std::uint8_t{0});
    WEIR_CHECK(again == bytes);
    return 0;
}
