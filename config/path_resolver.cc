// SPDX-License-Identifier: BSD-3-Clause
#include "config/path_resolver.h"

#include <algorithm>

namespace weir {

PathResolver::PathResolver(const Settings& settings, const PortIndex& ports)
    : settings_(settings), ports_(ports) {
    hops_.reserve(settings.routes.size());
    for (std::size_t i = 0; i < settings.routes.size(); ++i) {
        const RouteSettings& route = settings.routes[i];
        known_.push_back({route.prefix, i});
        lengths_.set(route.prefix.length);
        auto& hops = hops_.emplace_back();
        for (const GatewayAddress& gateway : route.via) {
            hops.push_back({ports.port_of(gateway.address, gateway.port), gateway.address});
        }
    }
    std::sort(known_.begin(), known_.end(),
              [](const Known& a, const Known& b) { return a.prefix < b.prefix; });
}

std::size_t PathResolver::route_around(const IpPrefix& destination) const {
    const unsigned shortest = destination.is_v4() ? kV4PrefixOffset : 0;
    for (unsigned length = destination.length + 1u; length-- > shortest;) {
        if (!lengths_.test(length)) continue;
        const IpPrefix wider = network_of({destination.address, static_cast<std::uint8_t>(length)});
        const auto at =
            std::lower_bound(known_.begin(), known_.end(), wider,
                             [](const Known& a, const IpPrefix& b) { return a.prefix < b; });
        if (at != known_.end() && at->prefix == wider) return at->route;
    }
    return kNoRouteSettings;
}

std::size_t PathResolver::route_of(const IpPrefix& destination) const {
    const std::size_t around = route_around(destination);
    if (around != kNoRouteSettings) return around;
    const auto at =
        std::lower_bound(known_.begin(), known_.end(), destination,
                         [](const Known& a, const IpPrefix& b) { return a.prefix < b; });
    const bool inside = at != known_.end() && at->prefix.is_v4() == destination.is_v4() &&
                        contains(destination, at->prefix.address);
    return inside ? at->route : kNoRouteSettings;
}

Reading<PathHop> PathResolver::hop(const PathHopSettings& via, std::size_t route) const {
    const auto bad = [](std::string why) { return Reading<PathHop>::bad(std::move(why)); };
    if (via.port.empty() && !via.gateway) {
        return bad("names no way; write {port: PORT} or {gateway: ADDRESS}");
    }
    const PortId port = via.port.empty() ? kNoPort : ports_.by_name(via.port);
    if (!via.port.empty() && port == kNoPort) return bad("there is no port " + via.port);
    if (via.gateway) {
        return Reading<PathHop>::good({ports_.port_of(*via.gateway, via.port), *via.gateway});
    }
    const auto& hops = hops_[route];
    const auto on_port = [port](const PathHop& hop) { return hop.port == port; };
    const auto at = std::find_if(hops.begin(), hops.end(), on_port);
    const std::string prefix = format(settings_.routes[route].prefix);
    if (at == hops.end()) {
        return bad("the route " + prefix + " has no gateway on port " + via.port);
    }
    if (std::find_if(at + 1, hops.end(), on_port) != hops.end()) {
        return bad("the route " + prefix + " has several gateways on port " + via.port +
                   "; write {gateway: ADDRESS}");
    }
    return Reading<PathHop>::good(*at);
}

}  // namespace weir
