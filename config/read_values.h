// SPDX-License-Identifier: BSD-3-Clause
// Single values and the small maps that several parts of the file have.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "config/reading.h"
#include "config/units.h"
#include "config/yaml_value.h"

namespace weir {

inline void read_text(const Value& value, std::string& target) {
    if (value.expect_scalar()) target = value.text();
}

inline void read_bool(const Value& value, bool& target) {
    if (!value.expect_scalar()) return;
    if (value.text() == "true" || value.text() == "false") {
        target = value.text() == "true";
    } else {
        value.problem("'" + std::string(value.text()) + "' is neither true nor false");
    }
}

template <typename T>
void read_number(const Value& value, std::uint64_t first, std::uint64_t last, T& target) {
    if (!value.expect_scalar()) return;
    const Reading<std::uint64_t> number = parse_number(value.text(), first, last);
    if (number) {
        target = static_cast<T>(*number);
    } else {
        value.problem(number.problem);
    }
}

template <typename T, typename Target>
void read_parsed(const Value& value, Reading<T> (*parse)(std::string_view), Target& target) {
    if (value.expect_scalar()) take(value, parse(value.text()), target);
}

// `{3: ..., 4: ...}`: one T for each key, which is a number 0..key_max, filled in by read(value,
// T&).
template <typename T, typename Read>
void for_each_number(const Value& map, unsigned key_max, std::map<unsigned, T>& target, Read read) {
    for_each_pair(map, [&](Document::Node key, const Value& value) {
        const Reading<std::uint64_t> number = parse_number(value.key, 0, key_max);
        if (!number) {
            map.problem_at(map.source.document.mark(key), number.problem);
            return;
        }
        const auto [at, is_new] = target.try_emplace(static_cast<unsigned>(*number));
        if (is_new) {
            read(value, at->second);
        } else {
            duplicate_key(map, key);
        }
    });
}

}  // namespace weir
