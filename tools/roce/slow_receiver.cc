// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/slow_receiver.h"

namespace weir::roce {
namespace {

constexpr std::uint64_t kUnitsPerByte = 8'000'000'000'000;

}  // namespace

SlowReceiver::Level SlowReceiver::level_of(std::uint64_t bytes) {
    return Level{bytes} * kUnitsPerByte;
}

void SlowReceiver::settle(Held& held, Time now) const {
    const Interval passed = now - held.since;
    held.since = now;
    if (held.level == 0) return;
    const Level drained = Level{static_cast<std::uint64_t>(passed.ps)} * config_.drain_bps;
    const bool empty = config_.drain_bps == 0 || drained >= held.level;
    held.level = empty ? 0 : held.level - drained;
}

void SlowReceiver::change(Time now, const ReceiverConfig& config) {
    for (Held& held : held_) settle(held, now);
    config_ = config;
    for (unsigned p = 0; p < kPriorities; ++p) {
        settle(held_[p], now);
        judge(held_[p], now, static_cast<Priority>(p));
    }
}

bool SlowReceiver::admit(Time now, Priority priority, std::uint32_t bytes) {
    if (config_.drain_bps == 0) return true;
    Held& held = held_[priority];
    settle(held, now);
    const Level level = held.level + level_of(bytes);
    if (config_.capacity_bytes != 0 && level > level_of(config_.capacity_bytes)) return false;
    held.level = level;
    judge(held, now, priority);
    return true;
}

// Pauses above XOFF, resumes at XON; when that will be is known, as the drain is steady.
void SlowReceiver::judge(Held& held, Time now, Priority priority) {
    const auto bit = static_cast<std::uint8_t>(1u << priority);
    if ((lossless_ & bit) == 0) return;
    const bool above_xoff = config_.xoff_bytes != 0 && held.level > level_of(config_.xoff_bytes);
    if (!held.paused && above_xoff) {
        held.paused = true;
        held.told = false;
        watched_ |= bit;
    }
    if (!held.paused) return;
    const Level xon = level_of(config_.xon_bytes);
    held.resume_at = now;
    if (held.level > xon) {
        const Level wait = (held.level - xon + config_.drain_bps - 1) / config_.drain_bps;
        held.resume_at = now + Interval{static_cast<std::int64_t>(wait)};
    }
}

std::uint64_t SlowReceiver::held_bytes(Time now, Priority priority) const {
    Held held = held_[priority];
    settle(held, now);
    return static_cast<std::uint64_t>((held.level + kUnitsPerByte - 1) / kUnitsPerByte);
}

std::optional<PfcTimes> SlowReceiver::pause_due(Time now) {
    PfcTimes times;
    for (unsigned p = 0; p < kPriorities; ++p) {
        if ((watched_ >> p & 1) == 0) continue;
        Held& held = held_[p];
        const bool over = held.resume_at <= now;
        // Whoever was never told of the pause need not hear of its end.
        if (over && held.told) times.enabled |= static_cast<std::uint8_t>(1u << p);
        if (over) {
            held.paused = held.told = false;
            watched_ &= static_cast<std::uint8_t>(~(1u << p));
        } else if (!held.told || held.refresh_at <= now) {
            times.enabled |= static_cast<std::uint8_t>(1u << p);
            times.quanta[p] = config_.pause_quanta;
            held.told = true;
            held.refresh_at = now + pause_interval(config_.pause_quanta, speed_bps_) / 2;
        }
    }
    return times.enabled == 0 ? std::nullopt : std::optional(times);
}

std::optional<Time> SlowReceiver::deadline() const {
    std::optional<Time> first;
    for (unsigned p = 0; p < kPriorities; ++p) {
        if ((watched_ >> p & 1) == 0) continue;
        const Held& held = held_[p];
        Time at = held.told && held.refresh_at < held.resume_at ? held.refresh_at : held.resume_at;
        if (!held.told) at = held.since;
        if (!first || at < *first) first = at;
    }
    return first;
}

}  // namespace weir::roce
