// SPDX-License-Identifier: BSD-3-Clause
// A router with four uplinks (ports 1..4, gateways 10.3.N.2) towards 10.2.0.0/16, frames from port
// 0 or 5, and whatever the test adds to its file.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/core/switch_rig.h"

namespace weir {

inline std::string four_uplinks(const std::string& more, const std::string& route = "") {
    std::string yaml = R"(
switch: { name: rig }
hash: { seed: 5 }
ports:
  - { name: down0, device: "net_null0", addresses: [10.1.0.1/24, "2001:db8:1::1/64"] }
)";
    std::string via;
    std::string neighbors;
    for (unsigned n = 1; n <= 4; ++n) {
        const std::string i = std::to_string(n);
        yaml.append("  - { name: up").append(i).append(", device: \"net_null").append(i);
        yaml.append("\", addresses: [10.3.").append(i).append(".1/24, \"2001:db8:3").append(i);
        yaml.append("::1/64\"] }\n");
        via.append(n == 1 ? "10.3." : ", 10.3.").append(i).append(".2");
        for (const std::string& address : {"10.3." + i + ".2", "\"2001:db8:3" + i + "::2\""}) {
            neighbors.append("  - { address: ").append(address);
            neighbors.append(", mac: \"0a:00:00:00:03:0").append(i).append("\" }\n");
        }
    }
    yaml += "  - { name: down5, device: \"net_null5\", addresses: [10.5.0.1/24] }\n";
    yaml += "routes:\n  - { prefix: 10.2.0.0/16, via: [" + via + "]" + route + " }\n";
    yaml += "  - { prefix: \"2001:db8:2::/64\", via: [\"2001:db8:31::2\", \"2001:db8:32::2\"] }\n";
    return yaml + "neighbors:\n" + neighbors + more;
}

// The only port that sends now, and how many frames; kNoPort: none or several do.
struct Left {
    PortId port = kNoPort;
    std::size_t frames = 0;
    bool operator==(const Left&) const = default;
};

inline Left left_by(SwitchRig& rig) {
    Left left;
    unsigned ports = 0;
    for (PortId port = 1; port <= 4; ++port) {
        const std::size_t frames = rig.sent(port).size();
        if (frames == 0) continue;
        ++ports;
        left = {port, frames};
    }
    return ports == 1 ? left : Left{kNoPort, ports};
}

// The port that one frame leaves by.
inline PortId way_of(SwitchRig& rig, const UdpFrame& fields, PortId in = 0) {
    UdpFrame frame = fields;
    frame.destination = {kPortMacs.value + in};
    rig.receive(in, {udp(frame)});
    return left_by(rig).port;
}

}  // namespace weir
