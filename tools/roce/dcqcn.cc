// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/dcqcn.h"

#include <algorithm>

namespace weir::roce {
namespace {

// The first instant of the grid `at`, `at` + `step`, ... that is later than `now`.
Time after(Time now, Time at, Interval step) {
    if (at > now || step.ps <= 0) return at;
    return at + step * ((now - at).ps / step.ps + 1);
}

DcqcnParameters hpcc(std::uint64_t line_rate_bps) {
    return {.line_rate_bps = line_rate_bps,
            .additive_bps = line_rate_bps / 25 * 5 / 1000,  // 5 * BW/25 Mb/s, BW in Gb/s
            .hyper_bps = line_rate_bps / 25 * 50 / 1000,
            .reaction = CnpReaction::OnTick,
            .clamp_target = false,
            .fast_recovery_steps = 1,
            .increase_bytes = 0};
}

}  // namespace

DcqcnParameters dcqcn_paper(std::uint64_t line_rate_bps) {
    return {.line_rate_bps = line_rate_bps,
            .additive_bps = line_rate_bps / 1000,  // 40 Mb/s at 40 Gb/s
            .hyper_bps = line_rate_bps / 100};
}

DcqcnParameters dcqcn_hpcc(std::uint64_t line_rate_bps) {
    DcqcnParameters set = hpcc(line_rate_bps);
    set.alpha_interval = Interval::microseconds(1);
    set.decrease_interval = Interval::microseconds(4);
    set.increase_interval = Interval::microseconds(300);
    return set;
}

DcqcnParameters dcqcn_hpcc_paper(std::uint64_t line_rate_bps) {
    DcqcnParameters set = hpcc(line_rate_bps);
    set.alpha_interval = Interval::microseconds(50);
    set.decrease_interval = Interval::microseconds(50);
    set.increase_interval = Interval::microseconds(55);
    return set;
}

void RateControl::cnp_heard(Time now, const DcqcnParameters& parameters) {
    advance(now, parameters);
    const bool first = !running_;
    if (first) start(now, parameters);
    cut_wanted_ = true;
    if (parameters.reaction == CnpReaction::AtOnce) {
        if (first || now >= cut_at_) cut(now, parameters);
    } else if (!first) {
        alpha_wanted_ = true;  // the first only starts the timers: alpha is 1 as it is
    }
}

void RateControl::start(Time now, const DcqcnParameters& parameters) {
    running_ = true;
    alpha_ = kAlphaOne;
    alpha_at_ = now + parameters.alpha_interval;
    cut_at_ = now + parameters.decrease_interval;
    increase_at_ = now + parameters.increase_interval;
}

void RateControl::sent(Time now, std::uint32_t bytes, const DcqcnParameters& parameters) {
    if (!running_) return;
    advance(now, parameters);
    if (parameters.increase_bytes == 0) return;
    bytes_since_step_ += bytes;
    while (bytes_since_step_ >= parameters.increase_bytes) {
        bytes_since_step_ -= parameters.increase_bytes;
        increase(parameters);
        ++byte_steps_;
    }
}

void RateControl::advance(Time now, const DcqcnParameters& parameters) {
    if (!running_) return;
    skip_idle(now, parameters);
    // At one instant alpha comes first, then the cut, which restarts the timer of increases.
    for (;;) {
        const Time cut_at = cut_wanted_ ? cut_at_ : now + Interval{1};
        if (alpha_at_ <= now && alpha_at_ <= cut_at && alpha_at_ <= increase_at_) {
            alpha_due(parameters);
        } else if (cut_at <= now && cut_at <= increase_at_) {
            cut_due(parameters);
        } else if (increase_at_ <= now) {
            increase_due(parameters);
        } else {
            return;
        }
        skip_idle(now, parameters);
    }
}

void RateControl::skip_idle(Time now, const DcqcnParameters& parameters) {
    if (alpha_ == 0 && !alpha_wanted_) alpha_at_ = after(now, alpha_at_, parameters.alpha_interval);
    if (rate_bps_ == parameters.line_rate_bps && target_bps_ == parameters.line_rate_bps) {
        increase_at_ = after(now, increase_at_, parameters.increase_interval);
    }
    if (parameters.reaction == CnpReaction::OnTick && !cut_wanted_) {
        cut_at_ = after(now, cut_at_, parameters.decrease_interval);
    }
}

void RateControl::alpha_due(const DcqcnParameters& parameters) {
    alpha_wanted_ ? raise_alpha(parameters) : decay_alpha(parameters);
    alpha_wanted_ = false;
    alpha_at_ = alpha_at_ + parameters.alpha_interval;
}

void RateControl::cut_due(const DcqcnParameters& parameters) {
    cut(cut_at_, parameters);
}

void RateControl::increase_due(const DcqcnParameters& parameters) {
    increase(parameters);
    ++timer_steps_;
    increase_at_ = increase_at_ + parameters.increase_interval;
}

void RateControl::cut(Time at, const DcqcnParameters& parameters) {
    if (parameters.reaction == CnpReaction::AtOnce) {
        raise_alpha(parameters);
        alpha_at_ = at + parameters.alpha_interval;
    }
    if (parameters.clamp_target || timer_steps_ + byte_steps_ != 0) target_bps_ = rate_bps_;
    rate_bps_ -= rate_bps_ * alpha_ / kAlphaOne / 2;
    rate_bps_ = std::max(rate_bps_, parameters.rate_bps_min);
    timer_steps_ = 0;
    byte_steps_ = 0;
    bytes_since_step_ = 0;
    increase_at_ = at + parameters.increase_interval;
    cut_at_ = at + parameters.decrease_interval;
    cut_wanted_ = false;
}

void RateControl::raise_alpha(const DcqcnParameters& parameters) {
    decay_alpha(parameters);
    alpha_ += parameters.g;
}

// Rounded so that alpha gets to 0 and, raised for ever, to 1.
void RateControl::decay_alpha(const DcqcnParameters& parameters) {
    const std::uint64_t product = std::uint64_t{alpha_} * parameters.g;
    alpha_ -= static_cast<std::uint32_t>((product + kAlphaOne - 1) / kAlphaOne);
}

// Algorithm 1 of the paper; rounded up, so that the rate does reach its target.
void RateControl::increase(const DcqcnParameters& parameters) {
    const unsigned steps = parameters.fast_recovery_steps;
    const bool counts_bytes = parameters.increase_bytes != 0;
    const std::uint32_t fewest = counts_bytes ? std::min(timer_steps_, byte_steps_) : timer_steps_;
    if (std::max(timer_steps_, byte_steps_) >= steps) {
        target_bps_ += fewest > steps ? parameters.hyper_bps : parameters.additive_bps;
        target_bps_ = std::min(target_bps_, parameters.line_rate_bps);
    }
    rate_bps_ = (rate_bps_ + target_bps_ + 1) / 2;
}

}  // namespace weir::roce
