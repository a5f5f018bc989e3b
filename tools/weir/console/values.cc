// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "config/address_text.h"
#include "config/settings.h"
#include "config/units.h"

namespace weir {
namespace {

constexpr std::array kPlaceholders = {
    Placeholder{"PORT", ValueKind::Port, 0, 0, "number or name of a port"},
    Placeholder{"SWITCH", ValueKind::Switch, 0, 0, "name of a switch of this process"},
    Placeholder{"IP", ValueKind::Address, 0, 0, "IPv4 or IPv6 address"},
    Placeholder{"PREFIX", ValueKind::Prefix, 0, 0, "IPv4 or IPv6 prefix, or one address"},
    Placeholder{"MAC", ValueKind::Mac, 0, 0, "MAC address as 02:00:00:00:00:01"},
    Placeholder{"VLAN", ValueKind::Number, 1, 4094, "VLAN, 1 to 4094"},
    Placeholder{"UDP", ValueKind::Number, 0, 65'535, "UDP port, 0 to 65535"},
    Placeholder{"QP", ValueKind::Number, 0, 0xff'ffff, "destination queue pair, 0 to 16777215"},
    Placeholder{"DSCP", ValueKind::Number, 0, 63, "DSCP, 0 to 63"},
    Placeholder{"PCP", ValueKind::Number, 0, 7, "802.1p priority of the tag, 0 to 7"},
    Placeholder{"PRIORITY", ValueKind::Number, 0, 7, "priority, 0 to 7"},
    Placeholder{"RULE", ValueKind::Number, 0, kPathRulesMax - 1, "number of a rule, 0 to 63999"},
    Placeholder{"WEIGHT", ValueKind::Number, 1, kWeightMax, "weight, 1 to 100"},
    Placeholder{"ALPHA", ValueKind::Alpha, 0, 0, "alpha: the n of 2^n, -8 (1/256) to 7 (128)"},
    Placeholder{"SIZE", ValueKind::Size, 0, 0, "bytes as 400KB or 16MiB"},
    Placeholder{"TIME", ValueKind::Time, 0, 0, "time as 100us or 200ms"},
    Placeholder{"RATE", ValueKind::Rate, 0, 0, "bits per second as 25G"},
    Placeholder{"SHARE", ValueKind::Share, 0, 0, "percentage as 5%"},
    Placeholder{"FILE", ValueKind::Text, 0, 0, "name of a file"},
    Placeholder{"WORD", ValueKind::Text, 0, 0, "first word of a command"},
};

// Names in an error line: enough to see the pattern, not 256 of them.
constexpr std::size_t kNamesShown = 8;

std::optional<std::uint64_t> read_number(const std::string& word) {
    const bool hex = word.size() > 2 && word[0] == '0' && (word[1] | 0x20) == 'x';
    const char* first = word.data() + (hex ? 2 : 0);
    const char* last = word.data() + word.size();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(first, last, number, hex ? 16 : 10);
    if (error != std::errc() || end != last || first == last) return std::nullopt;
    return number;
}

ReadValue read_port(const std::string& word, const Names& names) {
    Value value = Value::of(ValueKind::Port, word);
    const auto number = read_number(word);
    for (const auto& [id, name] : names.ports) {
        if (number && *number == id) value.port = id;
    }
    // A name goes before a number: a port may be called 7.
    for (const auto& [id, name] : names.ports) {
        if (name == word) value.port = id;
    }
    if (value.port != kNoPort) return ReadValue::good(value);
    std::string problem = "no port " + word + "; ports are";
    for (std::size_t i = 0; i < std::min(names.ports.size(), kNamesShown); ++i) {
        problem += (i == 0 ? " " : ", ") + std::to_string(names.ports[i].first) + " (" +
                   names.ports[i].second + ")";
    }
    if (names.ports.size() > kNamesShown) problem += " ...";
    if (names.ports.empty()) problem = "no port " + word + ": this switch has none";
    return ReadValue::bad(problem);
}

ReadValue read_switch(const std::string& word, const Names& names) {
    if (std::find(names.switches.begin(), names.switches.end(), word) != names.switches.end()) {
        return ReadValue::good(Value::of(ValueKind::Switch, word));
    }
    std::string problem = "no switch " + word + "; switches are";
    for (std::size_t i = 0; i < std::min(names.switches.size(), kNamesShown); ++i) {
        problem += (i == 0 ? " " : ", ") + names.switches[i];
    }
    if (names.switches.size() > kNamesShown) problem += " ...";
    return ReadValue::bad(problem);
}

ReadValue read_prefix(const std::string& word) {
    Value value = Value::of(ValueKind::Prefix, word);
    if (word.find('/') == std::string::npos) {
        const auto address = parse_ip(word);
        if (!address) return ReadValue::bad(address.problem);
        value.prefix = {*address, 128};
        return ReadValue::good(value);
    }
    const auto prefix = parse_prefix(word);
    if (!prefix) return ReadValue::bad(prefix.problem);
    value.prefix = network_of(*prefix);
    return ReadValue::good(value);
}

ReadValue read_address(const std::string& word) {
    const auto address = parse_ip(word);
    if (!address) return ReadValue::bad(address.problem);
    Value value = Value::of(ValueKind::Address, word);
    value.prefix = {*address, 128};
    return ReadValue::good(value);
}

ReadValue read_mac_word(const std::string& word) {
    const auto mac = parse_mac(word);
    if (!mac) return ReadValue::bad(mac.problem);
    Value value = Value::of(ValueKind::Mac, word);
    value.mac = *mac;
    return ReadValue::good(value);
}

ReadValue read_number_word(const Placeholder& placeholder, const std::string& word) {
    const auto number = read_number(word);
    if (!number || *number < placeholder.min || *number > placeholder.max) {
        return ReadValue::bad("'" + word + "' is no " + std::string(placeholder.help));
    }
    Value value = Value::of(ValueKind::Number, word);
    value.number = *number;
    return ReadValue::good(value);
}

ReadValue read_alpha(const Placeholder& placeholder, const std::string& word) {
    int n = 0;
    const char* last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, n);
    if (error != std::errc() || end != last || n < kAlphaMin || n > kAlphaMax) {
        return ReadValue::bad("'" + word + "' is no " + std::string(placeholder.help));
    }
    Value value = Value::of(ValueKind::Alpha, word);
    value.number = static_cast<std::uint64_t>(std::int64_t{n});
    return ReadValue::good(value);
}

// A quantity with its unit; `number_of` takes the number out of what `parse` made of the word.
template <typename Parse, typename NumberOf>
ReadValue read_quantity(ValueKind kind, const std::string& word, Parse parse, NumberOf number_of) {
    const auto parsed = parse(word);
    if (!parsed) return ReadValue::bad(parsed.problem);
    Value value = Value::of(kind, word);
    value.number = number_of(*parsed);
    return ReadValue::good(value);
}

}  // namespace

const Placeholder* find_placeholder(std::string_view name) {
    const auto* found =
        std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                     [name](const Placeholder& placeholder) { return placeholder.name == name; });
    return found == kPlaceholders.end() ? nullptr : found;
}

ReadValue read_value(const Placeholder& placeholder, const std::string& word, const Names& names) {
    switch (placeholder.kind) {
        case ValueKind::Port:
            return read_port(word, names);
        case ValueKind::Switch:
            return read_switch(word, names);
        case ValueKind::Address:
            return read_address(word);
        case ValueKind::Prefix:
            return read_prefix(word);
        case ValueKind::Mac:
            return read_mac_word(word);
        case ValueKind::Number:
            return read_number_word(placeholder, word);
        case ValueKind::Alpha:
            return read_alpha(placeholder, word);
        case ValueKind::Size:
            return read_quantity(placeholder.kind, word, parse_bytes, [](Bytes b) { return b; });
        case ValueKind::Time:
            return read_quantity(placeholder.kind, word, parse_interval, [](Interval interval) {
                return static_cast<std::uint64_t>(interval.ps);
            });
        case ValueKind::Rate:
            return read_quantity(placeholder.kind, word, parse_rate,
                                 [](BitRate rate) { return rate.bps; });
        case ValueKind::Share:
            return read_quantity(placeholder.kind, word, parse_probability,
                                 [](Probability share) { return share.millionths; });
        case ValueKind::Text:
        case ValueKind::Keyword:
            break;
    }
    return ReadValue::good(Value::of(placeholder.kind, word));
}

}  // namespace weir
