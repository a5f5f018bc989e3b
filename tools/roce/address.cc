// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/address.h"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <arpa/inet.h>

namespace weir::roce {
namespace {

constexpr std::size_t kMacTextLength = 17;
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::optional<std::uint8_t> hex_digit(char c) {
    const std::size_t value =
        kHexDigits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    if (value == std::string_view::npos) return std::nullopt;
    return static_cast<std::uint8_t>(value);
}

}  // namespace

std::optional<MacAddress> parse_mac(const std::string& text) {
    if (text.size() != kMacTextLength) return std::nullopt;
    MacAddress mac{};
    for (std::size_t i = 0; i < mac.bytes.size(); ++i) {
        const auto high = hex_digit(text[3 * i]);
        const auto low = hex_digit(text[3 * i + 1]);
        if (!high || !low) return std::nullopt;
        if (i > 0 && text[3 * i - 1] != ':') return std::nullopt;
        mac.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
    }
    return mac;
}

std::optional<IpAddress> parse_ip(const std::string& text) {
    IpAddress ip;
    if (inet_pton(AF_INET, text.c_str(), ip.bytes.data()) == 1) return ip;
    ip.ipv6 = true;
    if (inet_pton(AF_INET6, text.c_str(), ip.bytes.data()) == 1) return ip;
    return std::nullopt;
}

std::string to_string(const MacAddress& mac) {
    std::string text;
    for (const std::uint8_t byte : mac.bytes) {
        if (!text.empty()) text += ':';
        text += kHexDigits[byte >> 4];
        text += kHexDigits[byte & 0x0f];
    }
    return text;
}

std::string to_string(const IpAddress& ip) {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(ip.ipv6 ? AF_INET6 : AF_INET, ip.bytes.data(), text, sizeof(text));
    return text;
}

}  // namespace weir::roce
