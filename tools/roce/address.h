// SPDX-License-Identifier: BSD-3-Clause
// Text forms of the addresses in a frame.
#pragma once

#include <optional>
#include <string>

#include "tools/roce/frame.h"

namespace weir::roce {

std::optional<MacAddress> parse_mac(const std::string& text);
std::optional<IpAddress> parse_ip(const std::string& text);

std::string to_string(const MacAddress& mac);
std::string to_string(const IpAddress& ip);

}  // namespace weir::roce
