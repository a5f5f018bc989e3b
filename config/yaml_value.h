// SPDX-License-Identifier: BSD-3-Clause
// From nodes of a Document to fields of Settings: each map of the file has a table of its keys.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/nearest.h"
#include "config/problem.h"
#include "config/reading.h"

namespace weir {

// A node with the way to it, which becomes text only when there is a problem.
struct Value {
    struct Source {
        const std::string& file;
        const Document& document;
        Problems& problems;
    };

    const Source& source;
    Document::Node node = Document::kNone;
    const Value* parent = nullptr;
    std::string_view key;     // in a map
    std::uint32_t index = 0;  // in a list (key is empty)

    [[nodiscard]] Document::Kind kind() const { return source.document.kind(node); }
    [[nodiscard]] std::string_view text() const { return source.document.text(node); }
    [[nodiscard]] std::string path() const;
    void problem(std::string text) const {
        problem_at(source.document.mark(node), std::move(text));
    }
    void problem_at(Mark mark, std::string text) const;

    // Null: the key is there without a value; lists and maps are then empty.
    [[nodiscard]] bool is_null() const { return kind() == Document::Kind::Null; }
    // A single word or number; otherwise a problem and false.
    [[nodiscard]] bool expect_scalar() const;
    [[nodiscard]] bool expect_list() const;
    [[nodiscard]] bool expect_map() const;
};

// One key of the map that fills a T.
template <typename T>
struct Field {
    std::string_view key;
    void (*read)(const Value& value, T& target);
    std::string_view required;  // what to write when the key is missing; empty: optional
};

inline constexpr std::size_t kFieldsMax = 32;

// Takes what a parse function found, or makes its problem one of the file.
template <typename T, typename Target>
void take(const Value& value, const Reading<T>& reading, Target& target) {
    if (reading) {
        target = static_cast<T>(*reading);
    } else {
        value.problem(reading.problem);
    }
}

// Calls visit(Value) for each item of a list.
template <typename Visit>
void for_each_item(const Value& list, Visit visit) {
    if (list.is_null() || !list.expect_list()) return;
    const Document& document = list.source.document;
    std::uint32_t index = 0;
    for (Document::Node node = document.first_child(list.node); node != Document::kNone;
         node = document.next(node)) {
        visit(Value{list.source, node, &list, {}, index++});
    }
}

// Appends one T per item of a list, filled in by `read`.
template <typename T>
void read_list(const Value& list, std::vector<T>& target, void (*read)(const Value&, T&)) {
    for_each_item(list, [&](const Value& item) { read(item, target.emplace_back()); });
}

// Calls visit(key node, Value) for each pair of a map.
template <typename Visit>
void for_each_pair(const Value& map, Visit visit) {
    if (map.is_null() || !map.expect_map()) return;
    const Document& document = map.source.document;
    for (Document::Node key = document.first_child(map.node); key != Document::kNone;) {
        const Document::Node node = document.next(key);
        visit(key, Value{map.source, node, &map, document.text(key), 0});
        key = document.next(node);
    }
}

// Says that `key` is not known, with the nearest of `known`; returns that one, or nothing.
std::string_view unknown_key(const Value& map, Document::Node key,
                             std::span<const std::string_view> known);
void duplicate_key(const Value& map, Document::Node key);
void missing_key(const Value& map, std::string_view key, std::string_view write);

// Fills `target` from a map by the table of its keys.
template <typename T, std::size_t N>
void read_map(const Value& map, const std::array<Field<T>, N>& fields, T& target) {
    static_assert(N <= kFieldsMax);
    std::bitset<kFieldsMax> seen;
    std::string_view misspelt;  // is not missing as well
    for_each_pair(map, [&](Document::Node key, const Value& value) {
        std::size_t at = 0;
        while (at < N && fields[at].key != value.key) ++at;
        if (at == N) {
            std::array<std::string_view, N> known;
            for (std::size_t i = 0; i < N; ++i) known[i] = fields[i].key;
            misspelt = unknown_key(map, key, known);
        } else if (seen[at]) {
            duplicate_key(map, key);
        } else {
            seen.set(at);
            fields[at].read(value, target);
        }
    });
    if (map.kind() != Document::Kind::Map && !map.is_null()) return;  // already a problem
    for (std::size_t i = 0; i < N; ++i) {
        if (!seen[i] && !fields[i].required.empty() && fields[i].key != misspelt) {
            missing_key(map, fields[i].key, fields[i].required);
        }
    }
}

}  // namespace weir
