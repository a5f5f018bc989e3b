// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says about its network interfaces, for devices that sit on one.
#pragma once

#include <optional>
#include <string>

namespace weir {

[[nodiscard]] bool host_interface_exists(const std::string& name);

// Both are empty when the interface is not in this network namespace (any more).
[[nodiscard]] std::optional<unsigned> host_interface_mtu(unsigned index);
// Administratively up and with a carrier: a veth has none when its peer is down.
[[nodiscard]] std::optional<bool> host_interface_running(unsigned index);

}  // namespace weir
