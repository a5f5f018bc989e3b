// SPDX-License-Identifier: BSD-3-Clause
// Time is a parameter of the core, never read by it: the worker reads the clock once per turn, the
// lab moves it by events. Picoseconds, so that serialisation at 100 Gb/s (80 ps a byte) is exact.
#pragma once

#include <compare>
#include <cstdint>

namespace weir {

// A span of time; may be negative.
struct Interval {
    std::int64_t ps = 0;

    [[nodiscard]] static constexpr Interval picoseconds(std::int64_t n) { return {n}; }
    [[nodiscard]] static constexpr Interval nanoseconds(std::int64_t n) { return {n * 1'000}; }
    [[nodiscard]] static constexpr Interval microseconds(std::int64_t n) { return {n * 1'000'000}; }
    [[nodiscard]] static constexpr Interval milliseconds(std::int64_t n) {
        return {n * 1'000'000'000};
    }
    [[nodiscard]] static constexpr Interval seconds(std::int64_t n) {
        return {n * 1'000'000'000'000};
    }

    friend constexpr auto operator<=>(Interval, Interval) = default;
    friend constexpr Interval operator+(Interval a, Interval b) { return {a.ps + b.ps}; }
    friend constexpr Interval operator-(Interval a, Interval b) { return {a.ps - b.ps}; }
    friend constexpr Interval operator*(Interval a, std::int64_t n) { return {a.ps * n}; }
    friend constexpr Interval operator/(Interval a, std::int64_t n) { return {a.ps / n}; }
};

// An instant on the switch's own monotonic clock. It wraps after 213 days, so order is the sign of
// the difference (as TCP compares sequence numbers): right for instants less than 106 days apart.
struct Time {
    std::uint64_t ps = 0;

    friend constexpr bool operator==(Time, Time) = default;
    friend constexpr Interval operator-(Time a, Time b) {
        return {static_cast<std::int64_t>(a.ps - b.ps)};
    }
    friend constexpr Time operator+(Time t, Interval d) {
        return {t.ps + static_cast<std::uint64_t>(d.ps)};
    }
    friend constexpr Time operator-(Time t, Interval d) {
        return {t.ps - static_cast<std::uint64_t>(d.ps)};
    }
    friend constexpr bool operator<(Time a, Time b) { return (a - b).ps < 0; }
    friend constexpr bool operator>(Time a, Time b) { return b < a; }
    friend constexpr bool operator<=(Time a, Time b) { return !(b < a); }
    friend constexpr bool operator>=(Time a, Time b) { return !(a < b); }
};

}  // namespace weir
