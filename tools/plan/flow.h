// SPDX-License-Identifier: BSD-3-Clause
// What a plan is about: flows, and the ways that they take.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/lab/topology.h"

namespace weir::plan {

using lab::NodeId;
using lab::Topology;

// One direction of a link: 2 * link from its end a, 2 * link + 1 from its end b.
using Hop = std::uint32_t;

inline constexpr std::uint32_t kNone = 0xffff'ffff;
inline constexpr unsigned kHopsMax = 6;  // between switches; three tiers need four

struct Flow {
    NodeId source = 0;           // a host
    NodeId destination = 0;      // a host; or a leaf: all that the source sends behind it
    std::uint64_t rate_bps = 0;  // what it can send at most while its phase lasts
    std::uint32_t job = 0;
    std::uint32_t phase = 0;        // phases of one job never overlap
    std::uint16_t source_port = 0;  // 0: every queue pair between the two
};

// The hops from the source's leaf to the destination's; empty where both are one.
struct Way {
    std::array<Hop, kHopsMax> hop{};
    std::uint8_t hops = 0;

    void add(Hop next) { hop[hops++] = next; }
    [[nodiscard]] std::span<const Hop> all() const { return {hop.data(), hops}; }
    [[nodiscard]] bool empty() const { return hops == 0; }
    bool operator==(const Way& other) const {
        return hops == other.hops && std::equal(hop.begin(), hop.begin() + hops, other.hop.begin());
    }
};

// First the way without failures. The way around a failure next to the leaves (`lower`) leaves the
// source's leaf by another port; the one around a failure above (`upper`, three tiers) by the same.
// Where parallel links lead down, the switch above takes another of them (`side`) and tells nobody.
struct Ways {
    Way primary;
    Way lower;
    Way upper;
    std::array<Hop, 2> side{kNone, kNone};  // of the last hop of `primary`, and of the one before
};

inline NodeId from_of(const Topology& topology, Hop hop) {
    const lab::Link& link = topology.links()[hop / 2];
    return hop % 2 == 0 ? link.a.node : link.b.node;
}
inline NodeId to_of(const Topology& topology, Hop hop) {
    const lab::Link& link = topology.links()[hop / 2];
    return hop % 2 == 0 ? link.b.node : link.a.node;
}
inline PortId port_of(const Topology& topology, Hop hop) {
    const lab::Link& link = topology.links()[hop / 2];
    return hop % 2 == 0 ? link.a.port : link.b.port;
}
inline Hop hop_of(const Topology& topology, NodeId node, PortId port) {
    const std::uint32_t link = topology.links_of(node)[port];
    const lab::Link& ends = topology.links()[link];
    return 2 * link + (ends.a.node == node && ends.a.port == port ? 0 : 1);
}
inline std::uint64_t rate_of(const Topology& topology, Hop hop) {
    return topology.links()[hop / 2].options.rate.bps();
}
// The switch that a host hangs on; of a leaf, itself.
inline NodeId leaf_of(const Topology& topology, NodeId node) {
    return topology.is_switch(node) ? node : topology.leaf_of(node).node;
}

}  // namespace weir::plan
