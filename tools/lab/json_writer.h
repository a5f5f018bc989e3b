// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace weir::lab {

// Writes JSON in the order of its calls; objects and lists are closed by whoever opened them.
class JsonWriter {
  public:
    JsonWriter& open(char bracket) {
        separate();
        text_ += bracket;
        first_ = true;
        return *this;
    }
    JsonWriter& open(std::string_view name, char bracket) {
        key(name);
        text_ += bracket;
        first_ = true;
        return *this;
    }
    JsonWriter& close(char bracket) {
        text_ += bracket;
        first_ = false;
        return *this;
    }
    template <typename T>
    JsonWriter& add(std::string_view name, const T& value) {
        key(name);
        put(value);
        return *this;
    }
    template <typename T>
    JsonWriter& item(const T& value) {
        separate();
        put(value);
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    void separate() {
        if (!first_) text_ += ',';
        first_ = false;
    }
    void key(std::string_view name) {
        separate();
        put(name);
        text_ += ':';
    }
    template <typename T>
    void put(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            text_ += value ? "true" : "false";
        } else if constexpr (std::is_floating_point_v<T>) {
            put_real(value);
        } else if constexpr (std::is_arithmetic_v<T>) {
            text_ += std::to_string(value);
        } else {
            put_text(value);
        }
    }
    void put_real(double value) {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%.9g", std::isfinite(value) ? value : 0);
        text_ += text.data();
    }
    void put_text(std::string_view value) {
        text_ += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') text_ += '\\';
            // Names and reasons are this project's own words: nothing below a space is in them.
            text_ += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
        text_ += '"';
    }

    std::string text_;
    bool first_ = true;
};

}  // namespace weir::lab
