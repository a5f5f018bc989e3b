// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml_value.h"

#include <utility>

namespace weir {
namespace {

std::string_view kind_name(Document::Kind kind) {
    switch (kind) {
        case Document::Kind::Null:
            return "nothing";
        case Document::Kind::Scalar:
            return "a single value";
        case Document::Kind::List:
            return "a list";
        case Document::Kind::Map:
            return "a map";
    }
    return "";
}

}  // namespace

std::string Value::path() const {
    std::string out;
    for (const Value* at = this; at->parent != nullptr; at = at->parent) {
        const std::string part = at->key.empty() ? "[" + std::to_string(at->index) + "]"
                                 : at->parent->parent == nullptr ? std::string(at->key)
                                                                 : "." + std::string(at->key);
        out.insert(0, part);
    }
    return out;
}

void Value::problem_at(Mark mark, std::string text) const {
    source.problems.add({source.file, mark, path(), std::move(text)});
}

bool Value::expect_scalar() const {
    if (kind() == Document::Kind::Scalar) return true;
    if (is_null()) {
        problem("has no value");
    } else {
        problem("is " + std::string(kind_name(kind())) + "; write a single value");
    }
    return false;
}

bool Value::expect_list() const {
    if (kind() == Document::Kind::List) return true;
    const std::string example = kind() == Document::Kind::Scalar
                                    ? "[" + std::string(text()) + "]"
                                    : "[a, b], or lines that begin with '- '";
    problem("is " + std::string(kind_name(kind())) + "; write a list: " + example);
    return false;
}

bool Value::expect_map() const {
    if (kind() == Document::Kind::Map) return true;
    problem("is " + std::string(kind_name(kind())) +
            "; write a map: {key: value}, or lines of key: value");
    return false;
}

std::string_view unknown_key(const Value& map, Document::Node key,
                             std::span<const std::string_view> known) {
    const std::string_view text = map.source.document.text(key);
    map.problem_at(map.source.document.mark(key),
                   "unknown key '" + std::string(text) + "'; " + suggestion(text, known));
    return nearest_word(text, known);
}

void duplicate_key(const Value& map, Document::Node key) {
    const Document& document = map.source.document;
    const std::string_view text = document.text(key);
    Document::Node first = document.first_child(map.node);
    while (document.text(first) != text) first = document.next(document.next(first));
    map.problem_at(document.mark(key), "the key '" + std::string(text) + "' is already in line " +
                                           std::to_string(document.mark(first).line) +
                                           "; keep one of the two");
}

void missing_key(const Value& map, std::string_view key, std::string_view write) {
    map.problem("the key '" + std::string(key) + "' is missing; write " + std::string(write));
}

}  // namespace weir
