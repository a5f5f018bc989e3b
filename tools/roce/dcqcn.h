// SPDX-License-Identifier: BSD-3-Clause
// DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015): the
// sender's rate. All of it is integer, so that a run repeats on every compiler.
//
// Timers are not events: each call first catches up with what has expired until `now`, in order of
// time. Nothing has to wake an idle queue pair.
#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/core/time.h"

namespace weir::roce {

// alpha and g are fractions of 2^20: with g = 1/256 a step is 4096 units, and a rate of 2^40 b/s
// times alpha still fits 64 bits.
inline constexpr std::uint32_t kAlphaOne = 1u << 20;

enum class CnpReaction : std::uint8_t {
    // The paper: a CNP raises alpha and cuts the rate at once, and restarts the timers. One that
    // comes sooner after a cut than the decrease interval waits for its end.
    AtOnce,
    // NICs and HPCC's simulator: timers run from the first CNP on; an expiry of the alpha timer
    // raises alpha, and one of the decrease timer cuts the rate, if a CNP came since the last.
    OnTick,
};

struct DcqcnParameters {
    std::uint64_t line_rate_bps = 100'000'000'000;
    std::uint64_t rate_bps_min = 100'000'000;
    std::uint64_t additive_bps = 40'000'000;  // R_AI
    std::uint64_t hyper_bps = 400'000'000;    // R_HAI
    std::uint32_t g = kAlphaOne / 256;
    CnpReaction reaction = CnpReaction::AtOnce;
    // Every cut sets the target to the rate before it. Without, a cut that follows another with no
    // increase between them leaves the target (HPCC's CLAMP_TARGET_RATE 0).
    bool clamp_target = true;
    unsigned fast_recovery_steps = 5;
    Interval alpha_interval = Interval::microseconds(55);
    Interval decrease_interval = Interval::microseconds(50);  // between two cuts, at least
    Interval increase_interval = Interval::microseconds(55);
    std::uint64_t increase_bytes = 10'000'000;  // the byte counter; 0: none
};

// The sets of the paper and of HPCC's simulator, for a port of this speed.
DcqcnParameters dcqcn_paper(std::uint64_t line_rate_bps);
DcqcnParameters dcqcn_hpcc(std::uint64_t line_rate_bps);
DcqcnParameters dcqcn_hpcc_paper(std::uint64_t line_rate_bps);

// The reaction point of one queue pair.
class RateControl {
  public:
    explicit RateControl(const DcqcnParameters& parameters)
        : rate_bps_(parameters.line_rate_bps), target_bps_(parameters.line_rate_bps) {}

    void cnp_heard(Time now, const DcqcnParameters& parameters);
    void sent(Time now, std::uint32_t bytes, const DcqcnParameters& parameters);
    // Takes all steps that were due until `now`, the ones at `now` included.
    void advance(Time now, const DcqcnParameters& parameters);

    [[nodiscard]] std::uint64_t rate_bps() const { return rate_bps_; }
    [[nodiscard]] std::uint64_t target_bps() const { return target_bps_; }
    [[nodiscard]] std::uint32_t alpha() const { return alpha_; }

  private:
    void start(Time now, const DcqcnParameters& parameters);
    void alpha_due(const DcqcnParameters& parameters);
    void cut_due(const DcqcnParameters& parameters);
    void increase_due(const DcqcnParameters& parameters);
    void cut(Time at, const DcqcnParameters& parameters);
    void raise_alpha(const DcqcnParameters& parameters);
    void decay_alpha(const DcqcnParameters& parameters);
    void increase(const DcqcnParameters& parameters);
    // Timers whose expiry would change nothing are moved on behind `now` in one step.
    void skip_idle(Time now, const DcqcnParameters& parameters);

    std::uint64_t rate_bps_;
    std::uint64_t target_bps_;
    std::uint64_t bytes_since_step_ = 0;
    Time alpha_at_{};
    Time cut_at_{};
    Time increase_at_{};
    std::uint32_t alpha_ = kAlphaOne;
    std::uint32_t timer_steps_ = 0;  // increases since the last cut
    std::uint32_t byte_steps_ = 0;
    bool running_ = false;  // a CNP was heard: the timers run
    bool alpha_wanted_ = false;
    bool cut_wanted_ = false;
};

// The notification point of one queue pair: at most one CNP per interval.
class CnpLimit {
  public:
    // A frame marked CE arrived; true if it is to be answered with a CNP.
    [[nodiscard]] bool marked(Time now, Interval interval) {
        if (last_ && now - *last_ < interval) return false;
        last_ = now;
        return true;
    }

    // The interval begins when the CNP leaves.
    void sent(Time now) { last_ = now; }

  private:
    std::optional<Time> last_;
};

}  // namespace weir::roce
