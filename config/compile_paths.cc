// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile_paths.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "config/path_resolver.h"
#include "dataplane/core/check.h"

namespace weir {
namespace {

PathMatch match_of(const PathSettings& path) {
    if (path.ingress) return PathMatch::Ingress;
    if (path.dest_qp) return PathMatch::DestQp;
    return path.source_port ? PathMatch::SourcePort : PathMatch::Flow;
}

using IngressKey = std::pair<std::uint32_t, IpPrefix>;

IngressKey ingress_key(const PathRule& rule) {
    return {rule.detail, {rule.destination, rule.prefix_length}};
}

std::uint64_t hash_of(const PathRule& rule) {
    return path_hash(path_pair_hash(rule.source, rule.destination), rule.match, rule.detail);
}

class PathCompiler {
  public:
    PathCompiler(const Settings& settings, const PortIndex& ports, const CompiledTables* previous,
                 CompiledTables& out)
        : settings_(settings),
          ports_(ports),
          resolver_(settings, ports),
          previous_(previous),
          out_(out) {}

    void compile(const GatewayOf& gateway_of) {
        number_rules();
        for (std::size_t i = 0; i < numbers_.size(); ++i) add_path(i, gateway_of);
        add_buckets();
        add_ingress();
    }

    // Whether every rule and its path are as before.
    [[nodiscard]] bool same_as_before() const {
        if (previous_ == nullptr) return out_.path_rules.empty();
        if (previous_->path_rules.size() != out_.path_rules.size()) return false;
        for (std::size_t i = 0; i < out_.path_rules.size(); ++i) {
            const PathRule& before = previous_->path_rules[i];
            const PathRule& now = out_.path_rules[i];
            const auto same = [](const NextHop& a, const NextHop& b) {
                return a.gateway == b.gateway && a.port == b.port;
            };
            if (before.match != now.match || before.born != now.born) return false;
            const auto path =
                std::span(previous_->path_hops).subspan(before.first_hop, before.hop_count);
            const auto next = std::span(out_.path_hops).subspan(now.first_hop, now.hop_count);
            if (!std::equal(path.begin(), path.end(), next.begin(), next.end(), same)) return false;
        }
        return true;
    }

  private:
    [[nodiscard]] PathRule key_of(const PathSettings& path) const {
        PathRule rule;
        rule.match = match_of(path);
        rule.source = path.source.value_or(IpAddress{});
        rule.destination = path.destination.address;
        rule.prefix_length = path.destination.length;
        if (path.ingress) rule.detail = ports_.by_name(*path.ingress);
        if (path.source_port) rule.detail = *path.source_port;
        if (path.dest_qp) rule.detail = *path.dest_qp;
        return rule;
    }

    // Those that were there before keep their numbers, the others fill the gaps.
    void number_rules() {
        numbers_.assign(settings_.path_count(), kNoPathRule);
        const std::size_t before = previous_ == nullptr ? 0 : previous_->path_rules.size();
        out_.path_rules.resize(std::max(before, numbers_.size()));
        const auto known = ingress_before();
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            PathRule rule = key_of(settings_.path(i));
            numbers_[i] = number_before(rule, known);
            if (numbers_[i] == kNoPathRule) continue;
            rule.born = previous_->path_rules[numbers_[i]].born;
            out_.path_rules[numbers_[i]] = rule;
        }
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (numbers_[i] != kNoPathRule) continue;
            while (out_.path_rules[next].match != PathMatch::None) ++next;
            numbers_[i] = next;
            out_.path_rules[next] = key_of(settings_.path(i));
            out_.path_rules[next].born = out_.tables.generation;
        }
        while (!out_.path_rules.empty() && out_.path_rules.back().match == PathMatch::None) {
            out_.path_rules.pop_back();
        }
        WEIR_CHECK(out_.path_rules.size() <= kPathRulesMax);
    }

    [[nodiscard]] std::map<IngressKey, std::uint32_t> ingress_before() const {
        std::map<IngressKey, std::uint32_t> known;
        if (previous_ == nullptr) return known;
        for (std::uint32_t i = 0; i < previous_->path_rules.size(); ++i) {
            const PathRule& rule = previous_->path_rules[i];
            if (rule.match == PathMatch::Ingress) known.emplace(ingress_key(rule), i);
        }
        return known;
    }

    [[nodiscard]] std::uint32_t number_before(
        const PathRule& rule, const std::map<IngressKey, std::uint32_t>& known) const {
        if (previous_ == nullptr) return kNoPathRule;
        if (rule.match != PathMatch::Ingress) {
            return previous_->tables.paths.find(rule.source, rule.destination, rule.match,
                                                rule.detail);
        }
        const auto found = known.find(ingress_key(rule));
        return found == known.end() ? kNoPathRule : found->second;
    }

    void add_path(std::size_t index, const GatewayOf& gateway_of) {
        const PathSettings& path = settings_.path(index);
        PathRule& rule = out_.path_rules[numbers_[index]];
        const std::size_t route = resolver_.route_of(path.destination);
        rule.first_hop = static_cast<std::uint32_t>(out_.path_hops.size());
        rule.hop_count = static_cast<std::uint8_t>(path.via.size());
        for (const PathHopSettings& via : path.via) {
            const Reading<PathHop> hop = resolver_.hop(via, route);
            WEIR_CHECK(hop && hop->port != kNoPort);
            out_.path_hops.push_back({gateway_of(hop->port, hop->gateway), hop->port});
        }
    }

    // At most half full; twice as many in the unlikely case that a rule finds no place.
    void add_buckets() {
        std::size_t rules = 0;
        for (const PathRule& rule : out_.path_rules) {
            ++out_.tables.paths.count[static_cast<std::uint8_t>(rule.match)];
            rules += rule.match > PathMatch::Ingress ? 1 : 0;
        }
        if (rules == 0) return;
        std::size_t buckets =
            std::bit_ceil((2 * rules + kPathSlotsPerBucket - 1) / kPathSlotsPerBucket);
        while (!fill_buckets(buckets)) buckets *= 2;
        out_.tables.paths.bucket_mask = static_cast<std::uint32_t>(buckets - 1);
    }

    [[nodiscard]] bool fill_buckets(std::size_t buckets) {
        WEIR_CHECK(buckets <= kPathRulesMax);
        out_.path_buckets.assign(buckets + kPathBucketsMax - 1, PathBucket{});
        for (std::uint32_t i = 0; i < out_.path_rules.size(); ++i) {
            const PathRule& rule = out_.path_rules[i];
            if (rule.match <= PathMatch::Ingress) continue;
            const std::uint64_t hash = hash_of(rule);
            PathBucket* bucket = &out_.path_buckets[hash & (buckets - 1)];
            const auto taken = [bucket](unsigned slot) {
                return bucket[slot / kPathSlotsPerBucket].slots[slot % kPathSlotsPerBucket] != 0;
            };
            unsigned slot = 0;
            while (slot < kPathBucketsMax * kPathSlotsPerBucket && taken(slot)) ++slot;
            if (slot == kPathBucketsMax * kPathSlotsPerBucket) return false;
            bucket[slot / kPathSlotsPerBucket].slots[slot % kPathSlotsPerBucket] =
                (hash & 0xffff'ffff'0000'0000) | (i + 1);
        }
        return true;
    }

    void add_ingress() {
        std::map<std::pair<std::uint32_t, bool>, std::vector<TriePrefix>> prefixes;
        for (std::uint32_t i = 0; i < out_.path_rules.size(); ++i) {
            const PathRule& rule = out_.path_rules[i];
            if (rule.match != PathMatch::Ingress) continue;
            prefixes[{rule.detail, rule.destination.is_v4()}].push_back(
                {rule.destination, rule.prefix_length, i + 1});
        }
        if (prefixes.empty()) return;
        out_.ingress_paths.resize(kPortsMax);
        for (const auto& [key, list] : prefixes) {
            const RouteTrie trie = out_.ingress_tries.emplace_back(build_route_trie(list)).view();
            IngressPaths& paths = out_.ingress_paths[key.first];
            (key.second ? paths.ipv4 : paths.ipv6) = trie;
        }
    }

    const Settings& settings_;
    const PortIndex& ports_;
    const PathResolver resolver_;
    const CompiledTables* previous_;
    CompiledTables& out_;
    std::vector<std::uint32_t> numbers_;  // by place in the file
};

bool selects_by(const CompiledTables& compiled, Selector selector) {
    return std::any_of(compiled.routes.begin(), compiled.routes.end(), [=](const Route& route) {
        return route.kind == RouteKind::NextHops && route.selector == selector;
    });
}

}  // namespace

void compile_paths(const Settings& settings, const PortIndex& ports, const GatewayOf& gateway_of,
                   const CompiledTables* previous, CompiledTables& out) {
    PathCompiler compiler(settings, ports, previous, out);
    compiler.compile(gateway_of);
    Tables& tables = out.tables;
    tables.paths.buckets = out.path_buckets;
    tables.paths.rules = out.path_rules;
    tables.paths.hops = out.path_hops;
    tables.paths.ingress = out.ingress_paths;
    tables.plan =
        (previous == nullptr ? 0 : previous->tables.plan) + (compiler.same_as_before() ? 0 : 1);
    const PlanSettings plan = settings.plan_in_use();
    tables.move_gap = plan.move == PathMove::Now ? Interval{} : plan.gap;
    tables.flowlet_gap = settings.flowlet.gap;
    tables.measures_loads = selects_by(out, Selector::Adaptive);
    // One more time after the last rule is gone: its flows move at a gap, too.
    const bool had_paths = previous != nullptr && !previous->path_rules.empty();
    tables.tracks_flows = !out.path_rules.empty() || had_paths || tables.measures_loads ||
                          selects_by(out, Selector::Flowlet) || selects_by(out, Selector::Spray);
    tables.key_dest_qp = settings.hash.dest_qp || tables.paths.has(PathMatch::DestQp);
}

}  // namespace weir
