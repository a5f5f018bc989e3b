// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace weir {

// What a piece of text means, or one clause that says why it means nothing and what to write.
template <typename T>
struct Reading {
    std::optional<T> value;
    std::string problem;

    [[nodiscard]] static Reading good(T value) { return {std::move(value), {}}; }
    [[nodiscard]] static Reading bad(std::string problem) {
        return {std::nullopt, std::move(problem)};
    }
    explicit operator bool() const { return value.has_value(); }
    [[nodiscard]] const T& operator*() const { return *value; }
    [[nodiscard]] const T* operator->() const { return &*value; }
};

}  // namespace weir
