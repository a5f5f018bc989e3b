// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/emit.h"

#include <algorithm>
#include <unordered_map>

namespace weir::plan {

namespace {

constexpr std::uint8_t kHostBits = 128;

// What tells the flows of one switch apart: both hosts and the source port, or port of entry and
// leaf.
struct Key {
    NodeId at = 0;
    std::uint32_t from = 0;
    NodeId to = 0;
    std::uint16_t source_port = 0;
    bool operator==(const Key&) const = default;
};

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::uint64_t x = (std::uint64_t{key.at} << 32 | key.from) * 0x9e37'79b9'7f4a'7c15u;
        x ^= (std::uint64_t{key.to} << 16 | key.source_port) + (x >> 29);
        return x * 0xbf58'476d'1ce4'e5b9u;
    }
};

class Emission {
  public:
    Emission(const Input& input, const Tiers& tiers)
        : topology_(input.topology), tiers_(tiers), names_(input) {
        for (NodeId node = 0; node < topology_.switches(); ++node) {
            files_.push_back({topology_.name(node), input.move, input.gap, {}});
        }
    }

    void add(const Flow& flow, const Ways& ways) {
        add_way(flow, ways.primary, ways.side);
        add_way(flow, ways.upper, {kNone, kNone});
        add_way(flow, ways.lower, {kNone, kNone});
    }

    [[nodiscard]] std::vector<PlanFile> files() && { return std::move(files_); }

  private:
    void add_way(const Flow& flow, const Way& way, const std::array<Hop, 2>& side) {
        for (unsigned k = 0; k < way.hops; ++k) {
            const Hop hop = way.hop[k];
            const NodeId at = from_of(topology_, hop);
            const bool down = tiers_.kind() != Tiers::Kind::Other && 2 * k >= way.hops;
            if (down && tiers_.bundle(at, to_of(topology_, hop)).size() == 1) continue;
            const std::uint32_t ingress = k == 0 ? kNone : way.hop[k - 1];
            PlanRule& rule = rule_of(flow, at, ingress);
            add_port(rule, at, hop);
            const unsigned from_end = way.hops - 1u - k;
            if (from_end < 2 && side[from_end] != kNone) add_port(rule, at, side[from_end]);
        }
    }

    void add_port(PlanRule& rule, NodeId at, Hop hop) {
        const std::string name = names_.port(at, port_of(topology_, hop));
        if (std::find(rule.via.begin(), rule.via.end(), name) == rule.via.end()) {
            rule.via.push_back(name);
        }
    }

    [[nodiscard]] PlanRule& rule_of(const Flow& flow, NodeId at, std::uint32_t ingress) {
        const bool whole = topology_.is_switch(flow.destination);
        const Key key{at, whole ? (ingress == kNone ? flow.source : ingress) : flow.source,
                      flow.destination, flow.source_port};
        std::vector<PlanRule>& rules = files_[at].rules;
        const auto [known, is_new] = known_.try_emplace(key, rules.size());
        if (!is_new) return rules[known->second];
        PlanRule& rule = rules.emplace_back();
        rule.source_port = flow.source_port;
        if (whole) {
            const lab::Link::End port = ingress == kNone
                                            ? topology_.leaf_of(flow.source)
                                            : lab::Link::End{at, port_of(topology_, ingress ^ 1)};
            rule.ingress = names_.port(at, port.port);
            rule.destination = names_.prefix(flow.destination);
        } else {
            rule.source = names_.address(flow.source);
            rule.destination = IpPrefix{names_.address(flow.destination), kHostBits};
        }
        return rule;
    }

    const Topology& topology_;
    const Tiers& tiers_;
    Names names_;
    std::vector<PlanFile> files_;
    std::unordered_map<Key, std::size_t, KeyHash> known_;
};

}  // namespace

std::vector<PlanFile> plan_files(const Input& input, const Tiers& tiers,
                                 std::span<const Flow> flows, std::span<const Ways> ways) {
    Emission emission(input, tiers);
    for (std::size_t i = 0; i < flows.size(); ++i) emission.add(flows[i], ways[i]);
    return std::move(emission).files();
}

}  // namespace weir::plan
