// SPDX-License-Identifier: BSD-3-Clause
// Sessions of ports.
#include "config/units.h"
#include "config/validation.h"

namespace weir {
namespace {

// Shorter ones are shorter than a worker's turn; RFC 5880 counts in microseconds.
constexpr Interval kIntervalMin = Interval::microseconds(50);
constexpr Interval kIntervalMax = Interval::seconds(60);
constexpr Interval kHoldDownMax = Interval::seconds(3'600);
constexpr Interval kDampingMin = Interval::milliseconds(10);
constexpr Interval kDampingMax = Interval::seconds(3'600);

void check_tx_or_rx(Validation& validation, const std::string& path, Interval value) {
    check_interval(validation, path.c_str(), value, kIntervalMin, kIntervalMax);
    if (value.ps % Interval::microseconds(1).ps == 0) return;
    validation.add(path, format_interval(value) + " is no whole number of microseconds");
}

void check_peer(Validation& validation, const std::string& path, PortId port,
                const LinkSettings& link) {
    const std::string& name = validation.settings.ports[port].name;
    if (!link.peer.is_link_local()) {
        const PortId behind = validation.ports.port_of(link.peer, {});
        if (behind != kNoPort && behind != port) {
            validation.add(path, format(link.peer) + " is behind port " +
                                     validation.port_name(behind) + ", not behind this one");
            return;
        }
    }
    check_next_to_us(validation, path, link.peer, link.peer.is_link_local() ? name : "");
}

void check_link(Validation& validation, PortId port, const LinkSettings& link) {
    const std::string path = item_path("ports", port, ".link");
    if (!validation.settings.ports[port].routed()) {
        validation.add(path, "a session needs a routed port; give it addresses, or leave link out");
        return;
    }
    check_peer(validation, path + ".peer", port, link);
    check_tx_or_rx(validation, path + ".desired_min_tx", link.desired_min_tx);
    check_tx_or_rx(validation, path + ".required_min_rx", link.required_min_rx);
    check_interval(validation, (path + ".hold_down").c_str(), link.hold_down, {}, kHoldDownMax);
    if (link.damping.ps == 0) return;
    check_interval(validation, (path + ".damping").c_str(), link.damping, kDampingMin, kDampingMax);
}

}  // namespace

void validate_links(Validation& validation) {
    if (!validation.ports_read()) return;
    for (std::size_t i = 0; i < validation.settings.ports.size(); ++i) {
        const auto& link = validation.settings.ports[i].link;
        if (link) check_link(validation, static_cast<PortId>(i), *link);
    }
}

}  // namespace weir
