// SPDX-License-Identifier: BSD-3-Clause
// Routes, and what must be next to us: gateways and configured neighbors.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "config/validate.h"
#include "config/validation.h"

namespace weir {
namespace {

std::string via_path(std::size_t route, std::size_t index) {
    return item_path("routes", route, ".via") + "[" + std::to_string(index) + "]";
}

std::string connected_subnets(const Validation& validation) {
    constexpr std::size_t kShownMax = 4;
    std::string out;
    for (const Subnet& subnet :
         validation.ports.subnets().first(std::min(kShownMax, validation.ports.subnets().size()))) {
        out += (out.empty() ? "" : ", ") + format(subnet.prefix) + " (" +
               validation.port_name(subnet.port) + ")";
    }
    if (validation.ports.subnets().size() > kShownMax) out += ", ...";
    return out.empty() ? "none" : out;
}

bool is_own_link_local(const Settings& settings, PortId port, const IpAddress& address) {
    const auto& own = settings.ports[port].addresses;
    return own && std::any_of(own->begin(), own->end(),
                              [&](const IpPrefix& prefix) { return prefix.address == address; });
}

// What a prefix of a route cannot be; empty: it can.
std::string why_no_route(const Validation& validation, const IpPrefix& prefix) {
    const std::string text = format(prefix);
    if (network_of(prefix) != prefix) {
        return text + " has bits behind its length; write " + format(network_of(prefix));
    }
    if (prefix.written_length() != 0 && prefix.address.is_multicast()) {
        return text + " is multicast, which is not routed";
    }
    if (prefix.written_length() != 0 && prefix.address.is_link_local()) {
        return text + " is link-local, which is never routed";
    }
    if (!validation.ports_read()) return {};
    const std::span<const Subnet> subnets = validation.ports.subnets();
    const auto subnet =
        std::lower_bound(subnets.begin(), subnets.end(), prefix,
                         [](const Subnet& a, const IpPrefix& b) { return a.prefix < b; });
    if (subnet != subnets.end() && subnet->prefix == prefix) {
        return text + " is the subnet of port " + validation.port_name(subnet->port) +
               ", which needs no route";
    }
    if (prefix.length == 128 && validation.ports.owner_of(prefix.address) != kNoPort) {
        return text + " is the switch's own address, on port " +
               validation.port_name(validation.ports.owner_of(prefix.address));
    }
    const Subnet* around = validation.ports.subnet_of(prefix.address);
    if (prefix.is_v4() && prefix.length == 128 && around != nullptr &&
        around->prefix.length < 127 &&
        (prefix.address == around->prefix.address || prefix.address == last_of(around->prefix))) {
        return text + " is no host: the first and the last address of " + format(around->prefix) +
               " are the subnet's own";
    }
    return {};
}

void check_gateway(Validation& validation, std::size_t route, std::size_t index) {
    const RouteSettings& settings = validation.settings.routes[route];
    const GatewayAddress& gateway = settings.via[index];
    const bool twice =
        std::find(settings.via.begin(), settings.via.begin() + static_cast<long>(index), gateway) !=
        settings.via.begin() + static_cast<long>(index);
    if (twice) {
        validation.add(via_path(route, index), format(gateway.address) + " is listed twice");
    } else if (gateway.address.is_v4() != settings.prefix.is_v4()) {
        const bool v4 = settings.prefix.is_v4();
        validation.add(via_path(route, index), format(gateway.address) + " is no gateway for " +
                                                   format(settings.prefix) + "; write an " +
                                                   (v4 ? "IPv4" : "IPv6") + " address");
    } else if (validation.ports_read()) {
        // The good case builds no path: there are ten thousand routes.
        const PortId port = validation.ports.port_of(gateway.address, gateway.port);
        const Subnet* subnet = validation.ports.subnet_of(gateway.address);
        const bool plain = gateway.port.empty() && subnet != nullptr && port == subnet->port &&
                           gateway.address != subnet->prefix.address &&
                           gateway.address != last_of(subnet->prefix) &&
                           validation.ports.owner_of(gateway.address) == kNoPort;
        if (!plain) {
            check_next_to_us(validation, via_path(route, index), gateway.address, gateway.port);
        }
    }
}

void check_route(Validation& validation, std::size_t route) {
    const RouteSettings& settings = validation.settings.routes[route];
    if (settings.blackhole && !settings.via.empty()) {
        validation.add(item_path("routes", route), "has both via and blackhole; keep one");
    }
    if (!settings.blackhole && settings.via.empty()) {
        validation.add(item_path("routes", route),
                       "has neither gateways nor a blackhole; write via: [GATEWAY] or "
                       "blackhole: true");
    }
    if (settings.via.size() > kNextHopsMax) {
        validation.add(item_path("routes", route, ".via"), std::to_string(settings.via.size()) +
                                                               " gateways; at most " +
                                                               std::to_string(kNextHopsMax));
        return;
    }
    for (std::size_t i = 0; i < settings.via.size(); ++i) check_gateway(validation, route, i);
}

void check_gateway_count(Validation& validation) {
    std::set<std::pair<IpAddress, std::string_view>> gateways;
    for (const RouteSettings& route : validation.settings.routes) {
        for (const GatewayAddress& gateway : route.via) {
            gateways.emplace(gateway.address, gateway.port);
        }
    }
    // A link's peer takes a gateway's place.
    for (const PortSettings& port : validation.settings.ports) {
        if (!port.link) continue;
        gateways.emplace(port.link->peer, port.link->peer.is_link_local()
                                              ? std::string_view(port.name)
                                              : std::string_view());
    }
    if (gateways.size() <= kGatewaysConfiguredMax) return;
    validation.add("routes", std::to_string(gateways.size()) + " different gateways; at most " +
                                 std::to_string(kGatewaysConfiguredMax));
}

}  // namespace

void validate_routes(Validation& validation) {
    const std::vector<RouteSettings>& routes = validation.settings.routes;
    if (routes.size() > kRoutesConfiguredMax) {
        validation.add("routes", std::to_string(routes.size()) + " routes; at most " +
                                     std::to_string(kRoutesConfiguredMax));
        return;
    }
    std::vector<std::pair<IpPrefix, std::size_t>> by_prefix;
    by_prefix.reserve(routes.size());
    for (std::size_t i = 0; i < routes.size(); ++i) {
        if (validation.misread("routes", i)) continue;
        const std::string problem = why_no_route(validation, routes[i].prefix);
        if (!problem.empty()) validation.add(item_path("routes", i, ".prefix"), problem);
        by_prefix.emplace_back(routes[i].prefix, i);
        check_route(validation, i);
    }
    std::sort(by_prefix.begin(), by_prefix.end());
    for (std::size_t i = 1; i < by_prefix.size(); ++i) {
        if (by_prefix[i].first != by_prefix[i - 1].first) continue;
        validation.add(item_path("routes", by_prefix[i].second, ".prefix"),
                       format(by_prefix[i].first) + " is already routes[" +
                           std::to_string(by_prefix[i - 1].second) + "]; list all gateways there");
    }
    check_gateway_count(validation);
}

void validate_neighbors(Validation& validation) {
    const std::vector<NeighborSettings>& neighbors = validation.settings.neighbors;
    if (neighbors.size() > kStaticNeighborsMax) {
        validation.add("neighbors", std::to_string(neighbors.size()) + " neighbors; at most " +
                                        std::to_string(kStaticNeighborsMax));
    }
    std::map<std::pair<IpAddress, std::string_view>, std::size_t> seen;
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
        if (validation.misread("neighbors", i)) continue;
        const NeighborSettings& neighbor = neighbors[i];
        check_unicast(validation, item_path("neighbors", i, ".mac"), neighbor.mac);
        // Only a link-local address may be behind several ports.
        const std::string_view port =
            neighbor.address.is_link_local() ? std::string_view(neighbor.port) : "";
        const auto [first, is_new] = seen.emplace(std::pair{neighbor.address, port}, i);
        if (!is_new) {
            validation.add(item_path("neighbors", i, ".address"),
                           format(neighbor.address) + " is already neighbors[" +
                               std::to_string(first->second) + "]");
        } else if (validation.ports_read()) {
            check_next_to_us(validation, item_path("neighbors", i, ".address"), neighbor.address,
                             neighbor.port);
        }
    }
}

bool check_next_to_us(Validation& validation, std::string_view path, const IpAddress& address,
                      std::string_view port_name) {
    const auto refuse = [&](const std::string& why) {
        validation.add(std::string(path), format(address) + why);
        return false;
    };
    if (!port_name.empty() && !check_port_exists(validation, path, port_name)) return false;
    const PortId port = validation.ports.port_of(address, port_name);
    if (address.is_link_local()) {
        if (port == kNoPort) {
            return refuse(" is link-local and needs its port; write " + format(address) +
                          "%PORT in a route, or port: PORT");
        }
        if (!validation.settings.ports[port].routed()) {
            return refuse(" is behind port " + std::string(port_name) +
                          ", which is not routed; give it addresses");
        }
        if (is_own_link_local(validation.settings, port, address)) {
            return refuse(" is the switch's own address, on port " + std::string(port_name));
        }
        return true;
    }
    const PortId owner = validation.ports.owner_of(address);
    if (owner != kNoPort) {
        return refuse(" is the switch's own address, on port " + validation.port_name(owner) +
                      "; frames would come back to it");
    }
    const Subnet* subnet = validation.ports.subnet_of(address);
    if (subnet == nullptr) {
        return refuse(" is in no connected subnet; there are: " + connected_subnets(validation));
    }
    if (port != subnet->port) {
        return refuse(" is in " + format(subnet->prefix) + " of port " +
                      validation.port_name(subnet->port) + ", not behind " +
                      std::string(port_name));
    }
    const bool has_ends = subnet->prefix.length < 127;
    if (has_ends && address == subnet->prefix.address) {
        return refuse(" is the subnet " + format(subnet->prefix) + " itself, not a host in it");
    }
    if (has_ends && address.is_v4() && address == last_of(subnet->prefix)) {
        return refuse(" is the broadcast address of " + format(subnet->prefix));
    }
    return true;
}

}  // namespace weir
