// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile_routes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "config/compile_paths.h"
#include "dataplane/core/check.h"

namespace weir {
namespace {

// Hands out gateway indexes: the one of the previous tables, or one that is free for long enough.
class GatewayIndexes {
  public:
    GatewayIndexes(const CompiledTables* previous, std::uint64_t generation)
        : generation_(generation) {
        if (previous == nullptr) return;
        previous_ = previous->gateways;
        gateways_.resize(previous_.size());
        freed_ = previous->gateway_freed;
        for (std::uint32_t i = 0; i < previous_.size(); ++i) {
            if (previous_[i].port != kNoPort) {
                known_.emplace(std::pair{previous_[i].port, previous_[i].address}, i);
            } else if (freed_[i] + 1 < generation) {
                // Frames in hand-off rings may carry an index over one reload, not over two.
                reusable_.push_back(i);
            }
        }
        std::reverse(reusable_.begin(), reusable_.end());  // the lowest is taken first
    }

    [[nodiscard]] std::uint32_t index_of(PortId port, const IpAddress& address) {
        WEIR_CHECK(port != kNoPort);
        const auto [at, is_new] = known_.emplace(std::pair{port, address}, kUnset);
        if (is_new) at->second = take_index();
        gateways_[at->second] = {address, port};
        return at->second;
    }

    void finish(CompiledTables& out) {
        for (std::uint32_t i = 0; i < previous_.size(); ++i) {
            if (previous_[i].port != kNoPort && gateways_[i].port == kNoPort) {
                freed_[i] = generation_;
            }
        }
        out.gateways = std::move(gateways_);
        out.gateway_freed = std::move(freed_);
    }

  private:
    static constexpr std::uint32_t kUnset = 0xffff'ffff;

    [[nodiscard]] std::uint32_t take_index() {
        if (!reusable_.empty()) {
            const std::uint32_t index = reusable_.back();
            reusable_.pop_back();
            return index;
        }
        // kGatewaysConfiguredMax leaves room for the sets of two reloads before.
        WEIR_CHECK(gateways_.size() < kGatewaysMax);
        gateways_.emplace_back();
        freed_.push_back(0);
        return static_cast<std::uint32_t>(gateways_.size() - 1);
    }

    std::uint64_t generation_;
    std::vector<Gateway> previous_;
    std::vector<Gateway> gateways_;
    std::vector<std::uint64_t> freed_;
    std::vector<std::uint32_t> reusable_;
    std::map<std::pair<PortId, IpAddress>, std::uint32_t> known_;
};

// A prefix on its way into a trie. Of two equal ones the lower rank wins.
struct RankedPrefix {
    IpPrefix prefix;
    std::uint32_t route;
    enum class Rank : std::uint8_t { Local, SubnetEnd, Connected, Configured } rank;
};
using Rank = RankedPrefix::Rank;

class RouteCompiler {
  public:
    RouteCompiler(const PortIndex& index, const CompiledTables* previous, CompiledTables& out)
        : index_(index), gateways_(previous, out.tables.generation), out_(out) {
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
            configured_.push_back(route.blackhole ? blackhole() : next_hops(route.via, selector));
            add(route.prefix, configured_.back(), Rank::Configured);
        }
    }

    void add_paths(const Settings& settings, const CompiledTables* previous) {
        const GatewayOf gateway_of = [this](PortId port, const IpAddress& address) {
            return gateways_.index_of(port, address);
        };
        compile_paths(settings, index_, configured_, gateway_of, previous, out_);
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
        WEIR_CHECK(out_.routes.size() <= kRoutesMax);
        out_.prefixes.reserve(prefixes_.size());
        for (const RankedPrefix& ranked : prefixes_) {
            out_.prefixes.push_back({ranked.prefix.address, ranked.prefix.length, ranked.route});
        }
        out_.ipv4_routes = build(true);
        out_.ipv6_routes = build(false);
        gateways_.finish(out_);
    }

  private:
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
            members.push_back(gateways_.index_of(port, gateway.address));
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
    GatewayIndexes gateways_;
    CompiledTables& out_;
    std::vector<RankedPrefix> prefixes_;
    std::map<std::pair<RouteKind, PortId>, std::uint32_t> port_routes_;
    std::map<std::pair<Selector, std::vector<std::uint32_t>>, std::uint32_t> next_hop_routes_;
    std::vector<std::uint32_t> configured_;  // by place in Settings::routes
    std::map<std::uint32_t, PortId> member_ports_;
};

}  // namespace

void compile_routes(const Settings& settings, const PortIndex& index,
                    const CompiledTables* previous, CompiledTables& out) {
    RouteCompiler compiler(index, previous, out);
    compiler.add_own_addresses(settings);
    compiler.add_configured(settings);
    compiler.add_paths(settings, previous);
    compiler.finish();
}

}  // namespace weir
