// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/flow_cache.h"
#include "dataplane/core/plain_roce.h"
#include "dataplane/core/tables.h"

namespace weir {

// Of a plain RoCEv2 frame.
template <bool UseQp>
[[nodiscard]] inline FlowKey key_of(const std::uint8_t* data) {
    FlowKey key{load_64(data + plain::kIp + 12), load_32(data + plain::kUdp)};
    // Four bytes from the one before the QP, of which that is masked off.
    if constexpr (UseQp) {
        key.l4 |= std::uint64_t{load_32(data + plain::kBth + kBthDestQpOffset - 1) & ~0xffu} << 32;
    }
    return key;
}

[[nodiscard]] inline FlowKey key_of(const Tables& tables, const std::uint8_t* data) {
    return tables.key_dest_qp ? key_of<true>(data) : key_of<false>(data);
}

}  // namespace weir
