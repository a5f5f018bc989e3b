// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/path_table.h"

namespace weir {

namespace {

bool is_rule_of(const PathRule& rule, const PathFlow& flow, PathMatch match, std::uint32_t detail) {
    return rule.match == match && rule.detail == detail && rule.source == flow.source &&
           rule.destination == flow.destination;
}

}  // namespace

std::uint32_t PathTable::find_hashed(std::uint64_t hash, const PathFlow& flow, PathMatch match,
                                     std::uint32_t detail) const {
    const PathBucket* bucket = &buckets[hash & bucket_mask];
    for (unsigned i = 0; i < kPathBucketsMax; ++i, ++bucket) {
        for (const std::uint64_t slot : bucket->slots) {
            if (slot == 0) return kNoPathRule;
            if ((slot ^ hash) >> 32 != 0) continue;
            const std::uint32_t number = static_cast<std::uint32_t>(slot) - 1;
            if (is_rule_of(rules[number], flow, match, detail)) return number;
        }
    }
    return kNoPathRule;
}

std::uint32_t PathTable::find(const IpAddress& source, const IpAddress& destination,
                              PathMatch match, std::uint32_t detail) const {
    if (buckets.empty()) return kNoPathRule;
    PathFlow flow;
    flow.source = source;
    flow.destination = destination;
    return find_hashed(path_hash(path_pair_hash(source, destination), match, detail), flow, match,
                       detail);
}

std::uint32_t PathTable::find(PortId in_port, const PathFlow& flow) const {
    if (!buckets.empty()) {
        const std::uint64_t pair = path_pair_hash(flow.source, flow.destination);
        const auto look_up = [&](PathMatch match, std::uint32_t detail) {
            return has(match) ? find_hashed(path_hash(pair, match, detail), flow, match, detail)
                              : kNoPathRule;
        };
        std::uint32_t number = kNoPathRule;
        if (flow.has_qp) number = look_up(PathMatch::DestQp, flow.dest_qp);
        if (number == kNoPathRule && flow.has_ports) {
            number = look_up(PathMatch::SourcePort, flow.source_port);
        }
        if (number == kNoPathRule) number = look_up(PathMatch::Flow, 0);
        if (number != kNoPathRule) return number;
    }
    return ingress.empty() ? kNoPathRule : find_ingress(in_port, flow.destination);
}

std::uint32_t PathTable::find_ingress(PortId in_port, const IpAddress& destination) const {
    const IngressPaths& paths = ingress[in_port];
    const bool v4 = destination.is_v4();
    const RouteTrie& trie = v4 ? paths.ipv4 : paths.ipv6;
    if (trie.root.empty()) return kNoPathRule;
    // A trie of IPv4 prefixes has them left-aligned.
    return v4 ? trie.find(std::uint64_t{destination.v4_value()} << 32, 0) - 1
              : trie.find(destination.high, destination.low) - 1;
}

}  // namespace weir
