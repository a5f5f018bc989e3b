// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.h"

#include <cctype>
#include <charconv>
#include <limits>
#include <span>

namespace weir {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

// One kind of quantity: what may be written, and what people write instead (lower case).
struct Kind {
    std::string_view noun;     // "'x' is no <noun>"
    std::string_view example;  // "write one like <example>"
    std::string_view smallest;
    std::span<const Unit> units;  // ascending
    std::span<const Unit> habits;
    std::string_view missing;  // the unit that is proposed when there is none
    std::uint64_t value_max;
};

constexpr std::uint64_t kU64Max = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kI64Max = std::numeric_limits<std::int64_t>::max();

constexpr Unit kRateUnits[] = {
    {"K", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}, {"T", 1'000'000'000'000}};
constexpr Unit kRateHabits[] = {{"k", 1'000},
                                {"kbps", 1'000},
                                {"kbit", 1'000},
                                {"kb/s", 1'000},
                                {"m", 1'000'000},
                                {"mbps", 1'000'000},
                                {"mbit", 1'000'000},
                                {"mb/s", 1'000'000},
                                {"mbit/s", 1'000'000},
                                {"g", 1'000'000'000},
                                {"gb", 1'000'000'000},
                                {"gbe", 1'000'000'000},
                                {"gbps", 1'000'000'000},
                                {"gbit", 1'000'000'000},
                                {"gb/s", 1'000'000'000},
                                {"gbit/s", 1'000'000'000},
                                {"t", 1'000'000'000'000},
                                {"tbps", 1'000'000'000'000}};
constexpr Kind kRate{"rate", "25G", "bits per second", kRateUnits, kRateHabits, "G", kU64Max};

constexpr Unit kByteUnits[] = {{"B", 1},           {"KB", 1'000},     {"KiB", 1u << 10},
                               {"MB", 1'000'000},  {"MiB", 1u << 20}, {"GB", 1'000'000'000},
                               {"GiB", 1ull << 30}};
constexpr Unit kByteHabits[] = {{"b", 1},
                                {"byte", 1},
                                {"bytes", 1},
                                {"k", 1'000},
                                {"kb", 1'000},
                                {"ki", 1u << 10},
                                {"kib", 1u << 10},
                                {"m", 1'000'000},
                                {"mb", 1'000'000},
                                {"mi", 1u << 20},
                                {"mib", 1u << 20},
                                {"g", 1'000'000'000},
                                {"gb", 1'000'000'000},
                                {"gi", 1ull << 30},
                                {"gib", 1ull << 30}};
constexpr Kind kBytes{"size", "400KB or 16MiB", "bytes", kByteUnits, kByteHabits, "B", kU64Max};

constexpr std::uint64_t kSecondPs = 1'000'000'000'000;
constexpr Unit kTimeUnits[] = {
    {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", kSecondPs}};
constexpr Unit kTimeHabits[] = {{"nsec", 1'000},
                                {"usec", 1'000'000},
                                {"\xc2\xb5s", 1'000'000},  // the micro sign in UTF-8
                                {"msec", 1'000'000'000},
                                {"sec", kSecondPs},
                                {"secs", kSecondPs},
                                {"second", kSecondPs},
                                {"seconds", kSecondPs},
                                {"m", 60 * kSecondPs},
                                {"min", 60 * kSecondPs},
                                {"minute", 60 * kSecondPs},
                                {"minutes", 60 * kSecondPs},
                                {"h", 3'600 * kSecondPs},
                                {"hour", 3'600 * kSecondPs},
                                {"hours", 3'600 * kSecondPs},
                                {"d", 86'400 * kSecondPs}};
constexpr Kind kTime{"time", "100us or 300s", "picoseconds", kTimeUnits, kTimeHabits, "s", kI64Max};

constexpr Unit kLengthUnits[] = {{"m", 1'000}, {"km", 1'000'000}};
constexpr Unit kLengthHabits[] = {
    {"meter", 1'000}, {"meters", 1'000}, {"metre", 1'000}, {"metres", 1'000}};
constexpr Kind kLength{"length",      "5m or 2km", "millimetres", kLengthUnits,
                       kLengthHabits, "m",         kU64Max};

constexpr Unit kShareUnits[] = {{"%", 10'000}};
constexpr Unit kShareHabits[] = {{"percent", 10'000}, {"pct", 10'000}};
constexpr Kind kShare{"percentage", "5%", "millionths", kShareUnits, kShareHabits, "%", 1'000'000};

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
    for (const Unit& unit : units) {
        if (unit.name == name) return &unit;
    }
    return nullptr;
}

// "2.5" as 25 / 10^1.
struct Decimal {
    std::uint64_t digits = 0;
    std::uint64_t scale = 1;
    bool fits = true;
};

// Fractions have at most six digits, so that fraction * factor stays below 2^64.
constexpr std::uint64_t kScaleMax = 1'000'000;

// Reads digits[.digits] off the front of `text`; nothing when it does not begin with one.
std::optional<Decimal> take_decimal(std::string_view& text) {
    Decimal number;
    bool point = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '.' && !point && at > 0) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') break;
        std::uint64_t next = 0;
        if (__builtin_mul_overflow(number.digits, 10u, &next) ||
            __builtin_add_overflow(next, static_cast<unsigned>(c - '0'), &next) ||
            (point && number.scale == kScaleMax)) {
            number.fits = false;
            continue;
        }
        number.digits = next;
        if (point) number.scale *= 10;
    }
    if (at == 0 || text[at - 1] == '.') return std::nullopt;
    text.remove_prefix(at);
    return number;
}

// digits * factor / scale, when that is whole and fits.
std::optional<std::uint64_t> multiply(const Decimal& number, std::uint64_t factor) {
    const std::uint64_t whole = number.digits / number.scale;
    const std::uint64_t part = number.digits % number.scale * factor;  // < 10^6 * 10^12
    std::uint64_t value = 0;
    if (__builtin_mul_overflow(whole, factor, &value) ||
        __builtin_add_overflow(value, part / number.scale, &value)) {
        return std::nullopt;
    }
    return value;
}

// The largest unit that divides the value.
std::string format_quantity(std::uint64_t value, const Kind& kind) {
    const Unit* best = kind.units.data();
    for (const Unit& unit : kind.units) {
        if (value != 0 && value % unit.factor == 0) best = &unit;
    }
    return std::to_string(value / best->factor) + std::string(best->name);
}

// 12'500 of 10'000 is "1.25".
std::string with_fraction(std::uint64_t value, std::uint64_t one) {
    std::string out = std::to_string(value / one);
    if (value % one == 0) return out;
    std::string fraction = std::to_string(one + value % one).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return out + "." + fraction;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

Reading<std::uint64_t> no_unit(std::string_view text, const Decimal& number, const Kind& kind) {
    const std::string start = quoted(text) + " has no unit; write ";
    // Nobody means a million gigabits: that is bits per second already.
    if (&kind == &kRate && number.fits && number.scale == 1 && number.digits >= 1'000'000) {
        return Reading<std::uint64_t>::bad(start + format_rate({number.digits}));
    }
    return Reading<std::uint64_t>::bad(start + std::string(text) + std::string(kind.missing));
}

Reading<std::uint64_t> unknown_unit(std::string_view text, const Decimal& number,
                                    std::string_view unit, const Kind& kind) {
    const std::string start = quoted(text) + " has the unknown unit " + quoted(unit) + "; write ";
    const Unit* habit = find_unit(kind.habits, lower(unit));
    if (habit != nullptr && number.fits && number.digits % number.scale == 0) {
        const std::optional<std::uint64_t> value = multiply(number, habit->factor);
        if (value) return Reading<std::uint64_t>::bad(start + format_quantity(*value, kind));
    }
    return Reading<std::uint64_t>::bad(start + "one like " + std::string(kind.example));
}

Reading<std::uint64_t> parse_quantity(std::string_view text, const Kind& kind) {
    using Result = Reading<std::uint64_t>;
    std::string_view rest = text;
    const std::optional<Decimal> number = take_decimal(rest);
    if (!number) {
        return Result::bad(quoted(text) + " is no " + std::string(kind.noun) + "; write one like " +
                           std::string(kind.example));
    }
    if (rest.empty()) return no_unit(text, *number, kind);
    const std::string_view name = rest.substr(rest.find_first_not_of(' ') == std::string_view::npos
                                                  ? rest.size()
                                                  : rest.find_first_not_of(' '));
    const Unit* unit = find_unit(kind.units, name);
    if (unit == nullptr) return unknown_unit(text, *number, name, kind);
    if (name.size() != rest.size()) {
        return Result::bad(quoted(text) + " has a space; write " +
                           std::string(text.substr(0, text.size() - rest.size())) +
                           std::string(name));
    }
    if (number->fits && number->digits % number->scale * unit->factor % number->scale != 0) {
        return Result::bad(quoted(text) + " is no whole number of " + std::string(kind.smallest));
    }
    const std::optional<std::uint64_t> value =
        number->fits ? multiply(*number, unit->factor) : std::nullopt;
    if (!value || *value > kind.value_max) {
        return Result::bad(quoted(text) + " has too many digits or is too large");
    }
    return Result::good(*value);
}

}  // namespace

Reading<BitRate> parse_rate(std::string_view text) {
    const Reading<std::uint64_t> bps = parse_quantity(text, kRate);
    if (bps) return Reading<BitRate>::good({*bps});
    return Reading<BitRate>::bad(bps.problem);
}

Reading<Bytes> parse_bytes(std::string_view text) {
    return parse_quantity(text, kBytes);
}

Reading<Interval> parse_interval(std::string_view text) {
    const Reading<std::uint64_t> ps = parse_quantity(text, kTime);
    if (ps) return Reading<Interval>::good({static_cast<std::int64_t>(*ps)});
    return Reading<Interval>::bad(ps.problem);
}

Reading<Length> parse_length(std::string_view text) {
    const Reading<std::uint64_t> mm = parse_quantity(text, kLength);
    if (mm) return Reading<Length>::good({*mm});
    return Reading<Length>::bad(mm.problem);
}

Reading<Probability> parse_probability(std::string_view text) {
    const Reading<std::uint64_t> share = parse_quantity(text, kShare);
    if (share) return Reading<Probability>::good({static_cast<std::uint32_t>(*share)});
    return Reading<Probability>::bad(share.problem);
}

Reading<std::uint64_t> parse_number(std::string_view text, std::uint64_t first,
                                    std::uint64_t last) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && end == text.data() + text.size() && error == std::errc{} &&
        value >= first && value <= last) {
        return Reading<std::uint64_t>::good(value);
    }
    const bool number =
        !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return Reading<std::uint64_t>::bad(
        quoted(text) + (number ? " is out of range" : " is no whole number") + "; write " +
        std::to_string(first) + " to " + std::to_string(last));
}

std::string format_rate(BitRate rate) {
    if (rate.bps % 1'000 != 0) {
        const std::string thousandths = std::to_string(1'000 + rate.bps % 1'000).substr(1);
        return std::to_string(rate.bps / 1'000) + "." + thousandths + "K";
    }
    return format_quantity(rate.bps, kRate);
}

std::string format_bytes(Bytes bytes) {
    return format_quantity(bytes, kBytes);
}

std::string format_interval(Interval interval) {
    return format_quantity(static_cast<std::uint64_t>(interval.ps), kTime);
}

// Metres with what is left of them.
std::string format_length(Length length) {
    if (length.mm % 1'000 == 0) return format_quantity(length.mm, kLength);
    return with_fraction(length.mm, 1'000) + "m";
}

std::string format_probability(Probability probability) {
    return with_fraction(probability.millionths, 10'000) + "%";
}

}  // namespace weir
