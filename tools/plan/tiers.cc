// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/tiers.h"

#include <algorithm>

namespace weir::plan {

namespace {

std::uint64_t key_of(NodeId from, NodeId to) {
    return (std::uint64_t{from} << 32) | to;
}

}  // namespace

Tiers::Tiers(const Topology& topology)
    : topology_(topology),
      peers_(topology.switches()),
      tier_(topology.switches(), kNone),
      pod_(topology.switches(), kNone),
      index_(topology.switches(), kNone) {
    find_bundles();
    for (unsigned i = 0; i < topology.hosts(); ++i) {
        tier_[topology.leaf_of(topology.host(i)).node] = 0;
    }
    for (NodeId node = 0; node < topology.switches(); ++node) {
        if (tier_[node] != 0) continue;
        index_[node] = static_cast<std::uint32_t>(leaves_.lower.size());
        leaves_.lower.push_back(node);
    }
    for (unsigned tier = 1; tier <= 2; ++tier) {
        for (NodeId node = 0; node < topology.switches(); ++node) {
            if (tier_[node] != tier - 1) continue;
            for (const NodeId peer : peers_[node]) tier_[peer] = std::min(tier_[peer], tier);
        }
    }
    kind_ = find_two() ? Kind::Two : find_three() ? Kind::Three : Kind::Other;
}

const std::vector<Hop>& Tiers::bundle(NodeId from, NodeId to) const {
    static const std::vector<Hop> none;
    const auto found = bundles_.find(key_of(from, to));
    return found == bundles_.end() ? none : found->second;
}

void Tiers::find_bundles() {
    for (std::uint32_t link = 0; link < topology_.links().size(); ++link) {
        const NodeId a = topology_.links()[link].a.node;
        const NodeId b = topology_.links()[link].b.node;
        if (!topology_.is_switch(a) || !topology_.is_switch(b)) continue;
        std::vector<Hop>& there = bundles_[key_of(a, b)];
        if (there.empty()) {
            peers_[a].push_back(b);
            peers_[b].push_back(a);
        }
        there.push_back(2 * link);
        bundles_[key_of(b, a)].push_back(2 * link + 1);
    }
}

bool Tiers::equal_links(NodeId node, const std::vector<NodeId>& uppers) const {
    const auto rates = [&](NodeId upper) {
        std::vector<std::uint64_t> all;
        for (const Hop hop : bundle(node, upper)) all.push_back(rate_of(topology_, hop));
        std::sort(all.begin(), all.end());
        return all;
    };
    return std::all_of(uppers.begin(), uppers.end(),
                       [&](NodeId upper) { return rates(upper) == rates(uppers.front()); });
}

bool Tiers::find_two() {
    for (NodeId node = 0; node < topology_.switches(); ++node) {
        if (tier_[node] > 1) return false;
        for (const NodeId peer : peers_[node]) {
            if (tier_[peer] == tier_[node]) return false;
        }
    }
    for (NodeId node = 0; node < topology_.switches(); ++node) {
        if (tier_[node] == 0) continue;
        index_[node] = static_cast<std::uint32_t>(leaves_.upper.size());
        leaves_.upper.push_back(node);
    }
    leaves_.uniform = std::all_of(leaves_.lower.begin(), leaves_.lower.end(),
                                  [&](NodeId leaf) { return equal_links(leaf, leaves_.upper); });
    return !leaves_.upper.empty();
}

// Pods are the parts of the fabric without its cores; every edge switch of a pod is joined with
// every aggregation switch of it and with no other.
bool Tiers::find_three() {
    std::vector<NodeId> cores;
    std::vector<std::vector<NodeId>> aggregation;  // by pod
    for (NodeId node = 0; node < topology_.switches(); ++node) {
        if (tier_[node] > 2) return false;
        for (const NodeId peer : peers_[node]) {
            if (tier_[peer] == tier_[node] || tier_[peer] > 2) return false;
        }
        if (tier_[node] == 2) cores.push_back(node);
        if (tier_[node] != 0) continue;
        std::vector<NodeId> above = peers_[node];
        std::sort(above.begin(), above.end());
        const auto pod = std::find(aggregation.begin(), aggregation.end(), above);
        pod_[node] = static_cast<std::uint32_t>(pod - aggregation.begin());
        if (pod == aggregation.end()) aggregation.push_back(above);
        leaves_.uniform = leaves_.uniform && equal_links(node, above);
    }
    pods_ = static_cast<unsigned>(aggregation.size());
    for (std::uint32_t pod = 0; pod < pods_; ++pod) {
        if (aggregation[pod].size() != aggregation[0].size()) return false;
        for (const NodeId node : aggregation[pod]) {
            if (pod_[node] != kNone) return false;  // in two pods
            pod_[node] = pod;
        }
    }
    return !cores.empty() && find_planes(cores);
}

// A plane is an aggregation switch of each pod and the cores that join exactly these.
bool Tiers::find_planes(const std::vector<NodeId>& cores) {
    for (const NodeId core : cores) {
        std::vector<NodeId> below(pods_, kNone);
        for (const NodeId peer : peers_[core]) {
            if (tier_[peer] != 1 || below[pod_[peer]] != kNone) return false;
            below[pod_[peer]] = peer;
        }
        auto plane = std::find_if(planes_.begin(), planes_.end(),
                                  [&](const Stage& known) { return known.lower == below; });
        if (plane == planes_.end()) {
            if (std::find(below.begin(), below.end(), kNone) != below.end()) return false;
            planes_.push_back({.lower = below});
            plane = planes_.end() - 1;
        }
        index_[core] = static_cast<std::uint32_t>(plane->upper.size());
        plane->upper.push_back(core);
    }
    for (std::uint32_t p = 0; p < planes_.size(); ++p) {
        Stage& plane = planes_[p];
        leaves_.upper.push_back(p);
        for (const NodeId node : plane.lower) {
            if (index_[node] != kNone) return false;  // in two planes
            index_[node] = p;
            plane.uniform = plane.uniform && equal_links(node, plane.upper);
        }
    }
    const auto aggregations = std::count(tier_.begin(), tier_.end(), 1u);
    return static_cast<std::size_t>(aggregations) == planes_.size() * pods_;
}

}  // namespace weir::plan
