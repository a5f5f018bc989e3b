// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/cable.h"

namespace weir::lab {

void Cable::set_loss(std::uint32_t loss_per_4g) {
    options_.loss_per_4g = loss_per_4g;
    unreliable_ = (options_.loss_per_4g | options_.corruption_per_4g) != 0 || !up_;
}

void Cable::set_up(bool up) {
    up_ = up;
    set_loss(options_.loss_per_4g);
    if (up) return;
    for (std::uint64_t i = first_; i != behind_; ++i) {
        ring_[i & (ring_.size() - 1)].fate = InFlight::Fate::Cut;
    }
}

InFlight::Fate Cable::draw_fate() {
    if (!up_) return InFlight::Fate::Cut;
    const auto draw = static_cast<std::uint32_t>(prng_.next() >> 32);
    if (draw < options_.loss_per_4g) return InFlight::Fate::Lost;
    // The same draw decides both: they exclude each other.
    if (draw - options_.loss_per_4g < options_.corruption_per_4g) return InFlight::Fate::Corrupted;
    return InFlight::Fate::Arrives;
}

void Cable::count(InFlight::Fate fate) {
    switch (fate) {
        case InFlight::Fate::Arrives:
            return;
        case InFlight::Fate::Lost:
            ++counts_.lost;
            return;
        case InFlight::Fate::Corrupted:
            ++counts_.corrupted;
            return;
        case InFlight::Fate::Cut:
            ++counts_.cut;
            return;
    }
}

void Cable::grow() {
    std::vector<InFlight> larger(ring_.size() * 2);
    for (std::uint64_t i = first_; i != behind_; ++i) {
        larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
    }
    ring_ = std::move(larger);
}

}  // namespace weir::lab
