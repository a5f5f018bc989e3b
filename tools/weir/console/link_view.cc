// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/link_view.h"

#include <array>

namespace weir {

LinkView link_view(const Link& link, Time now, PortId port, Interval half_life) {
    LinkView view;
    view.port = port;
    view.use = link.use;
    view.counters = link.counters;
    if (!link.watched) return view;
    view.watched = true;
    view.peer = link.peer;
    view.state = link.session.state();
    view.peer_state = link.session.peer_state();
    view.diagnostic = link.session.diagnostic();
    view.peer_diagnostic = link.session.peer_diagnostic();
    view.last_down = link.last_down;
    view.last_peer_down = link.last_peer_down;
    view.discriminator = link.session.discriminator();
    view.peer_discriminator = link.session.peer_discriminator();
    view.polling = link.session.polling();
    view.tx_interval = link.session.tx_interval();
    view.detection_time = link.session.detection_time();
    view.arrivals = link.arrivals.count();
    view.arrival_min = link.arrivals.min();
    view.arrival_p50 = link.arrivals.quantile(500);
    view.arrival_p99 = link.arrivals.quantile(990);
    view.arrival_max = link.arrivals.max();
    view.last_outage = link.last_outage;
    if (link.was_up && view.state != SessionState::Up) view.down_for = now - link.down_at;
    if (link.use == LinkUse::HeldDown) view.held_for = link.usable_from - now;
    if (half_life.ps != 0) view.penalty = link.damping.penalty(now, half_life);
    return view;
}

std::string_view link_use_text(LinkUse use) {
    static constexpr std::array<std::string_view, 5> kTexts = {
        "usable", "down by operator", "never up", "session down", "held down"};
    return kTexts[static_cast<std::size_t>(use)];
}

}  // namespace weir
