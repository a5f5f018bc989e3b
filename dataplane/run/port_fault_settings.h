// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/time.h"

namespace weir {

inline constexpr std::uint32_t kFaultShares = 1'000'000;

struct PortFaultSettings {
    std::uint32_t loss_ppm = 0;     // frames lost, of 1,000,000
    std::uint32_t corrupt_ppm = 0;  // frames with one bit turned over behind their first 64 bytes
                                    // (of shorter ones, in the last byte): a wrong ICRC
    Interval delay{};
    std::uint64_t seed = 1;
    bool silent = false;  // all frames are lost, those that leave too, and the link stays up

    [[nodiscard]] bool any() const {
        return silent || loss_ppm != 0 || corrupt_ppm != 0 || delay.ps != 0;
    }
    bool operator==(const PortFaultSettings&) const = default;
};

}  // namespace weir
