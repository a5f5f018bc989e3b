// SPDX-License-Identifier: BSD-3-Clause
#include "config/address_text.h"

#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>

#include <arpa/inet.h>

namespace weir {
namespace {

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

// A 128-bit mask of `length` leading ones.
IpAddress mask(unsigned length) {
    const auto ones = [](unsigned n) {
        return n == 0 ? std::uint64_t{0} : ~std::uint64_t{0} << (64 - n);
    };
    return length <= 64 ? IpAddress{ones(length), 0}
                        : IpAddress{~std::uint64_t{0}, ones(length - 64)};
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const int lower = std::tolower(static_cast<unsigned char>(c));
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// inet_pton() wants an end mark; INET6_ADDRSTRLEN (46) bounds every spelling.
using AddressText = std::array<char, INET6_ADDRSTRLEN + 1>;

bool copy_text(std::string_view text, AddressText& out) {
    if (text.empty() || text.size() >= out.size() || text.find('\0') != text.npos) return false;
    std::memcpy(out.data(), text.data(), text.size());
    out[text.size()] = '\0';
    return true;
}

std::uint64_t read_word(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word = (word << 8) | bytes[i];
    return word;
}

// "255.255.255.0" for people who write masks: its length, or -1.
int mask_length(std::string_view text) {
    const Reading<IpAddress> parsed = parse_ip(text);
    if (!parsed || !parsed->is_v4()) return -1;
    const std::uint32_t bits = parsed->v4_value();
    const int ones = std::countl_one(bits);
    return ones + std::countr_zero(bits) == 32 || ones == 32 ? ones : -1;
}

}  // namespace

IpAddress first_of(const IpPrefix& prefix) {
    const IpAddress m = mask(prefix.length);
    return {prefix.address.high & m.high, prefix.address.low & m.low};
}

IpAddress last_of(const IpPrefix& prefix) {
    const IpAddress m = mask(prefix.length);
    return {prefix.address.high | ~m.high, prefix.address.low | ~m.low};
}

IpPrefix network_of(const IpPrefix& prefix) {
    return {first_of(prefix), prefix.length};
}

bool contains(const IpPrefix& prefix, const IpAddress& address) {
    return prefix.is_v4() == address.is_v4() &&
           first_of({address, prefix.length}) == first_of(prefix);
}

Reading<MacAddress> parse_mac(std::string_view text) {
    const auto bad = [&] {
        return Reading<MacAddress>::bad(quoted(text) +
                                        " is no MAC address; write one like 02:00:00:00:00:01");
    };
    if (text.size() != 17) return bad();
    MacAddress mac;
    for (unsigned i = 0; i < text.size(); ++i) {
        if (i % 3 == 2) {
            if (text[i] != text[2] || (text[i] != ':' && text[i] != '-')) return bad();
            continue;
        }
        const int digit = hex_digit(text[i]);
        if (digit < 0) return bad();
        mac.value = (mac.value << 4) | static_cast<unsigned>(digit);
    }
    return Reading<MacAddress>::good(mac);
}

Reading<IpAddress> parse_ip(std::string_view text) {
    AddressText copy{};
    std::array<std::uint8_t, 16> bytes{};
    if (copy_text(text, copy)) {
        if (inet_pton(AF_INET, copy.data(), bytes.data()) == 1) {
            return Reading<IpAddress>::good(
                IpAddress::v4(static_cast<std::uint32_t>(read_word(bytes.data()) >> 32)));
        }
        if (inet_pton(AF_INET6, copy.data(), bytes.data()) == 1) {
            const IpAddress address{read_word(bytes.data()), read_word(bytes.data() + 8)};
            if (address.is_v4()) {
                return Reading<IpAddress>::bad(quoted(text) + " is an IPv4 address; write " +
                                               format(address));
            }
            return Reading<IpAddress>::good(address);
        }
    }
    if (text.find('/') != text.npos && parse_prefix(text)) {
        return Reading<IpAddress>::bad(quoted(text) + " has a prefix length; write " +
                                       std::string(text.substr(0, text.find('/'))));
    }
    return Reading<IpAddress>::bad(quoted(text) +
                                   " is no IP address; write one like 10.0.0.1 or fd00::1");
}

Reading<IpPrefix> parse_prefix(std::string_view text) {
    const std::size_t slash = text.find('/');
    const Reading<IpAddress> address = parse_ip(text.substr(0, slash));
    if (!address) {
        if (slash != text.npos && text.substr(0, slash).find(':') != text.npos) {
            return Reading<IpPrefix>::bad(address.problem);
        }
        return Reading<IpPrefix>::bad(quoted(text) +
                                      " is no prefix; write one like 10.0.0.0/24 or fd00::/64");
    }
    const unsigned length_max = address->is_v4() ? 32 : 128;
    if (slash == text.npos) {
        return Reading<IpPrefix>::bad(quoted(text) + " has no prefix length; write " +
                                      std::string(text) + "/" + std::to_string(length_max) +
                                      " for this one address");
    }
    const std::string_view digits = text.substr(slash + 1);
    unsigned length = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (digits.empty() || end != digits.data() + digits.size() || error != std::errc{} ||
        length > length_max) {
        const int from_mask = mask_length(digits);
        const std::string start = quoted(text) + " has the prefix length '" + std::string(digits);
        if (from_mask >= 0 && address->is_v4()) {
            return Reading<IpPrefix>::bad(start + "'; write " + format(*address) + "/" +
                                          std::to_string(from_mask));
        }
        return Reading<IpPrefix>::bad(start + "'; write /0 to /" + std::to_string(length_max));
    }
    const unsigned offset = address->is_v4() ? kV4PrefixOffset : 0u;
    return Reading<IpPrefix>::good({*address, static_cast<std::uint8_t>(length + offset)});
}

std::string format(MacAddress mac) {
    std::array<char, 18> text{};
    const auto byte = [&](unsigned i) {
        return static_cast<unsigned>(mac.value >> (40 - 8 * i)) & 0xffu;
    };
    std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", byte(0), byte(1),
                  byte(2), byte(3), byte(4), byte(5));
    return text.data();
}

std::string format(const IpAddress& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    std::array<std::uint8_t, 16> bytes{};
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(address.high >> (56 - 8 * i));
        bytes[8 + i] = static_cast<std::uint8_t>(address.low >> (56 - 8 * i));
    }
    if (address.is_v4()) {
        inet_ntop(AF_INET, bytes.data() + 12, text.data(), text.size());
    } else {
        inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
    }
    return text.data();
}

std::string format(const IpPrefix& prefix) {
    return format(prefix.address) + "/" + std::to_string(prefix.written_length());
}

}  // namespace weir
