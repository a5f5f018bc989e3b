// SPDX-License-Identifier: BSD-3-Clause
// What a port's `device:` string names.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

enum class DeviceKind : std::uint8_t { Pci, Virtual, Ring };

struct DeviceName {
    DeviceKind kind = DeviceKind::Virtual;
    std::string name;       // "0000:03:00.0" | "net_af_packet0" | the ring's NAME
    std::string arguments;  // what follows the first comma
    std::string problem;    // empty: the string can be understood
};

[[nodiscard]] DeviceName parse_device(const std::string& device);

// The value of `key=` among comma-separated arguments; empty when it is not there.
[[nodiscard]] std::string device_argument(const std::string& arguments, const std::string& key);

}  // namespace weir
