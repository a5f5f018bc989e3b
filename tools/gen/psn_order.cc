// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/psn_order.h"

#include "tools/roce/wire.h"

namespace weir::gen {
namespace {

constexpr std::uint32_t kHalfOfPsns = 1u << 23;

// Of two numbers that wrap, the one less than half the circle ahead is the newer one.
std::uint32_t ahead_of(std::uint32_t psn, std::uint32_t reference) {
    return (psn - reference) & roce::kPsnMask;
}

}  // namespace

Arrival PsnOrder::arrived(std::uint32_t psn) {
    if (!started_) {
        started_ = true;
        first_ = newest_ = psn;
        come_.set(psn % kWindow);
        return Arrival::InOrder;
    }
    const std::uint32_t ahead = ahead_of(psn, newest_);
    if (ahead != 0 && ahead < kHalfOfPsns) {
        move_window(psn, ahead);
        return ahead == 1 ? Arrival::InOrder : Arrival::AfterGap;
    }
    const std::uint32_t behind = ahead_of(newest_, psn);
    // Before the first: lost or not, it was never expected.
    if (behind >= kWindow || behind >= span_) return Arrival::Stale;
    if (come_.test(psn % kWindow)) return Arrival::Duplicate;
    come_.set(psn % kWindow);
    --missing_;
    return Arrival::Late;
}

void PsnOrder::move_window(std::uint32_t psn, std::uint32_t ahead) {
    if (ahead >= kWindow) {
        come_.reset();
    } else {
        for (std::uint32_t i = 1; i <= ahead; ++i) come_.reset((newest_ + i) % kWindow);
    }
    come_.set(psn % kWindow);
    missing_ += ahead - 1;
    span_ += ahead;
    newest_ = psn;
}

}  // namespace weir::gen
