// SPDX-License-Identifier: BSD-3-Clause
// The typed words of a command: what the placeholders of the command table stand for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/address_text.h"
#include "config/reading.h"
#include "dataplane/core/types.h"

namespace weir {

enum class ValueKind : std::uint8_t {
    Keyword,
    Port,
    Switch,
    Address,
    Prefix,
    Mac,
    Number,
    Alpha,
    Size,
    Time,
    Rate,
    Share,
    Text,
};

// What a placeholder of the command table (PORT, IP ...) accepts.
struct Placeholder {
    std::string_view name;
    ValueKind kind;
    std::uint64_t min;  // Number only
    std::uint64_t max;
    std::string_view help;
};

[[nodiscard]] const Placeholder* find_placeholder(std::string_view name);

// The names that an operator may use right now.
struct Names {
    std::vector<std::pair<PortId, std::string>> ports;
    std::vector<std::string> switches;
};

// One word of a line as it was understood.
struct Value {
    std::string text;
    IpPrefix prefix{};  // Prefix; Address: all 128 bits
    MacAddress mac{};   // Mac
    // Number; Size: bytes; Time: ps; Rate: bit/s; Share: millionths; Alpha: n, in two's complement
    std::uint64_t number = 0;
    PortId port = kNoPort;  // Port
    ValueKind kind = ValueKind::Keyword;

    [[nodiscard]] static Value of(ValueKind kind, const std::string& text) {
        Value value;
        value.text = text;
        value.kind = kind;
        return value;
    }
};

using ReadValue = Reading<Value>;

[[nodiscard]] ReadValue read_value(const Placeholder& placeholder, const std::string& word,
                                   const Names& names);

}  // namespace weir
