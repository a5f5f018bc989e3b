// SPDX-License-Identifier: BSD-3-Clause
// Addresses as people write them, in files and on the console.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/reading.h"
#include "dataplane/core/types.h"

namespace weir {

inline constexpr std::uint8_t kV4PrefixOffset = 96;  // ::ffff:0:0/96 holds IPv4

// An address with the number of its leading bits that count. IPv4 lengths are 96 + the usual, as in
// PortAddress. Host bits may be set (an own address with its subnet).
struct IpPrefix {
    IpAddress address;
    std::uint8_t length = 0;

    [[nodiscard]] constexpr bool is_v4() const { return address.is_v4(); }
    // 24 of 10.0.0.0/24.
    [[nodiscard]] constexpr unsigned written_length() const {
        return is_v4() ? length - kV4PrefixOffset : length;
    }
    friend constexpr auto operator<=>(const IpPrefix&, const IpPrefix&) = default;
};

// The first and the last address that share the leading `length` bits of `address`.
[[nodiscard]] IpAddress first_of(const IpPrefix& prefix);
[[nodiscard]] IpAddress last_of(const IpPrefix& prefix);
// The prefix with its host bits cleared.
[[nodiscard]] IpPrefix network_of(const IpPrefix& prefix);
[[nodiscard]] bool contains(const IpPrefix& prefix, const IpAddress& address);

// "02:00:00:00:00:01" (also with '-').
[[nodiscard]] Reading<MacAddress> parse_mac(std::string_view text);
// "10.0.0.1" or "fd00::1". Mapped IPv4 (::ffff:10.0.0.1) is refused: there is one way to write it.
[[nodiscard]] Reading<IpAddress> parse_ip(std::string_view text);
// "10.0.0.0/24" or "fd00::/64".
[[nodiscard]] Reading<IpPrefix> parse_prefix(std::string_view text);

[[nodiscard]] std::string format(MacAddress mac);
[[nodiscard]] std::string format(const IpAddress& address);
[[nodiscard]] std::string format(const IpPrefix& prefix);

}  // namespace weir
