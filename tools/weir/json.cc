// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/json.h"

#include <array>
#include <cstdio>

namespace weir {
namespace {

// Bytes of the UTF-8 sequence that begins `text`; 0 when there is none (RFC 3629 section 4).
std::size_t sequence_bytes(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    const unsigned second = byte(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second > 0x9f;
    const bool beyond = first == 0xf4 && second > 0x8f;
    return overlong || surrogate || beyond ? 0 : bytes;
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const char c = text[0];
        const std::size_t bytes = sequence_bytes(text);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x",
                          static_cast<unsigned>(static_cast<unsigned char>(c)));
            out += escape.data();
        } else if (bytes == 0) {
            out += "\\ufffd";
        } else {
            out += text.substr(0, bytes);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return out + '"';
}

void JsonLine::add_name(std::string_view name) {
    if (!members_.empty()) members_ += ',';
    members_ += json_string(name) + ':';
}

JsonLine& JsonLine::add(std::string_view name, std::string_view text) {
    add_name(name);
    members_ += json_string(text);
    return *this;
}

JsonLine& JsonLine::add(std::string_view name, std::uint64_t number) {
    add_name(name);
    members_ += std::to_string(number);
    return *this;
}

}  // namespace weir
