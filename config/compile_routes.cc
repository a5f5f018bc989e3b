// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile_routes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "config/compile_paths.h"
#include "config/stable_indexes.h"
#include "dataplane/core/check.h"

namespace weir {
namespace {

// A prefix on its way into a trie. Of two equal ones the lower rank wins.
struct RankedPrefix {
    IpPrefix prefix;
    std::uint32_t route;
    enum class Rank : std::uint8_t { Local, SubnetEnd, Connected, Configured } rank;
};
using Rank = RankedPrefix::Rank;

class RouteCompiler {
  public:
    RouteCompiler(const PortIndex& index, const CompiledTables* previous, bool notices,
                  CompiledTables& out)
        : index_(index),
          gateways_(previous != nullptr ? &previous->gateway_indexes : nullptr,
                    out.tables.generation, 0, kGatewaysMax),
          groups_(previous != nullptr ? &previous->group_indexes : nullptr, out.tables.generation,
                  1, kDestinationGroupsMax),
          notices_(notices),
          out_(out) {
        out_.routes.push_back({});  // kNoRouteIndex
    }

    void add_own_addresses(const Settings& settings) {
        for (std::size_t i = 0; i < settings.ports.size(); ++i) {
            if (!settings.ports[i].routed()) continue;
            for (const IpPrefix& own : *settings.ports[i].addresses) {
                if (!own.address.is_link_local()) add_own_address(static_cast<PortId>(i), own);
            }
        }
    }

    void add_configured(const Settings& settings) {
        for (const RouteSettings& route : settings.routes) {
            const Selector selector = route.selector.value_or(settings.selector);
            add(route.prefix, route.blackhole ? blackhole() : next_hops(route.via, selector),
                Rank::Configured);
        }
    }

    // The peers of links are neighbors that are asked for, known or not, as gateways are.
    void add_peers(const std::vector<PortSettings>& ports) {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const auto& link = ports[i].link;
            if (!link) continue;
            out_.links.resize(kPortsMax);
            out_.links[i] = {.peer = link->peer,
                             .session = {.desired_min_tx = link->desired_min_tx,
                                         .required_min_rx = link->required_min_rx,
                                         .detect_mult = link->detect_mult,
                                         .passive = link->passive},
                             .hold_down = link->hold_down,
                             .damping = link->damping,
                             .gateway = gateways_.index_of({static_cast<PortId>(i), link->peer}),
                             .watched = true,
                             .required = link->required};
        }
    }

    void add_paths(const Settings& settings, const CompiledTables* previous) {
        const GatewayOf gateway_of = [this](PortId port, const IpAddress& address) {
            return gateways_.index_of({port, address});
        };
        compile_paths(settings, index_, gateway_of, previous, out_);
    }

    void finish() {
        std::sort(prefixes_.begin(), prefixes_.end(),
                  [](const RankedPrefix& a, const RankedPrefix& b) {
                      return std::tie(a.prefix, a.rank) < std::tie(b.prefix, b.rank);
                  });
        const auto same = std::unique(
            prefixes_.begin(), prefixes_.end(),
            [](const RankedPrefix& a, const RankedPrefix& b) { return a.prefix == b.prefix; });
        prefixes_.erase(same, prefixes_.end());
        if (notices_) split_by_prefix();
        WEIR_CHECK(out_.routes.size() <= kRoutesMax);
        out_.prefixes.reserve(prefixes_.size());
        for (const RankedPrefix& ranked : prefixes_) {
            out_.prefixes.push_back({ranked.prefix.address, ranked.prefix.length, ranked.route});
        }
        out_.ipv4_routes = build(true);
        out_.ipv6_routes = build(false);
        finish_gateways();
        out_.group_indexes = groups_.finish();
    }

  private:
    void finish_gateways() {
        out_.gateway_indexes = gateways_.finish();
        out_.gateways.resize(out_.gateway_indexes.keys.size());
        for (std::size_t i = 0; i < out_.gateways.size(); ++i) {
            const auto& key = out_.gateway_indexes.keys[i];
            if (key) out_.gateways[i] = {key->second, key->first};
        }
    }

    // Peers lose prefixes one by one: each has a route of its own, though equal to others but for
    // its group.
    void split_by_prefix() {
        for (RankedPrefix& ranked : prefixes_) {
            Route route = out_.routes[ranked.route];
            if (route.kind != RouteKind::NextHops && route.kind != RouteKind::Connected) continue;
            const DestinationPrefix prefix{ranked.prefix.address, ranked.prefix.length};
            route.group = groups_.index_of(prefix);
            ranked.route = push(route);
        }
    }

    void add(const IpPrefix& prefix, std::uint32_t route, Rank rank) {
        prefixes_.push_back({prefix, route, rank});
    }

    void add_own_address(PortId port, const IpPrefix& own) {
        add({own.address, 128}, of_port(RouteKind::Local, port), Rank::Local);
        add(network_of(own), of_port(RouteKind::Connected, port), Rank::Connected);
        // A /31 or /32 has hosts only (RFC 3021).
        if (!own.is_v4() || own.length > 126) return;
        add({first_of(own), 128}, blackhole(), Rank::SubnetEnd);
        add({last_of(own), 128}, blackhole(), Rank::SubnetEnd);
    }

    // Equal routes are one: ten thousand prefixes behind eight sets of uplinks are eight routes,
    // which stay in L1.
    std::uint32_t of_port(RouteKind kind, PortId port) {
        const auto [at, is_new] = port_routes_.emplace(std::pair{kind, port}, 0u);
        if (is_new) at->second = push({.port = port, .kind = kind});
        return at->second;
    }

    std::uint32_t blackhole() { return of_port(RouteKind::Blackhole, kNoPort); }

    std::uint32_t next_hops(const std::vector<GatewayAddress>& via, Selector selector) {
        std::vector<std::uint32_t> members;
        members.reserve(via.size());
        for (const GatewayAddress& gateway : via) {
            const PortId port = index_.port_of(gateway.address, gateway.port);
            members.push_back(gateways_.index_of({port, gateway.address}));
            member_ports_[members.back()] = port;
        }
        const auto [at, is_new] = next_hop_routes_.emplace(std::pair{selector, members}, 0u);
        if (!is_new) return at->second;
        const auto first = static_cast<std::uint32_t>(out_.next_hops.size());
        for (const std::uint32_t member : members) {
            out_.next_hops.push_back({member, member_ports_[member]});
        }
        at->second = push({.first = first,
                           .count = static_cast<std::uint16_t>(members.size()),
                           .kind = RouteKind::NextHops,
                           .selector = selector});
        return at->second;
    }

    std::uint32_t push(const Route& route) {
        out_.routes.push_back(route);
        return static_cast<std::uint32_t>(out_.routes.size() - 1);
    }

    [[nodiscard]] OwnedRouteTrie build(bool v4) const {
        std::vector<TriePrefix> selected;
        selected.reserve(prefixes_.size());
        for (const RankedPrefix& ranked : prefixes_) {
            if (ranked.prefix.is_v4() != v4) continue;
            selected.push_back({ranked.prefix.address, ranked.prefix.length, ranked.route});
        }
        return build_route_trie(selected);
    }

    const PortIndex& index_;
    IndexCompiler<std::pair<PortId, IpAddress>> gateways_;
    IndexCompiler<DestinationPrefix> groups_;
    bool notices_;
    CompiledTables& out_;
    std::vector<RankedPrefix> prefixes_;
    std::map<std::pair<RouteKind, PortId>, std::uint32_t> port_routes_;
    std::map<std::pair<Selector, std::vector<std::uint32_t>>, std::uint32_t> next_hop_routes_;
    std::map<std::uint32_t, PortId> member_ports_;
};

}  // namespace

void compile_routes(const Settings& settings, const PortIndex& index,
                    const CompiledTables* previous, CompiledTables& out) {
    RouteCompiler compiler(index, previous, settings.notices.has_value(), out);
    compiler.add_own_addresses(settings);
    compiler.add_configured(settings);
    compiler.add_peers(settings.ports);
    compiler.add_paths(settings, previous);
    compiler.finish();
}

}  // namespace weir
