// SPDX-License-Identifier: BSD-3-Clause
// NSLB path tables (network-scale load balance): rules that give single flows, or what comes by one
// port for one prefix, a path of their own. Immutable; built by config/compile_paths.
//
// Flow rules stand in a hash table of buckets that fill one cache line each; a slot is a part of
// the hash and the number of the rule, which fills one line too. So a look-up for one kind of rule
// is two lines, however many rules there are. IPv4 addresses are mapped (RFC 4291 2.5.5.2): the
// line of a rule holds two IPv6 addresses as well, and one table serves both families.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "dataplane/core/counter.h"
#include "dataplane/core/mix.h"
#include "dataplane/core/route_trie.h"
#include "dataplane/core/types.h"

namespace weir {

// One way on: a gateway and the port behind which it is.
struct NextHop {
    std::uint32_t gateway = 0;  // index into Tables::gateways
    PortId port = kNoPort;
};

// What a rule matches. The later in this list, the more a flow rule says about the flow.
enum class PathMatch : std::uint8_t {
    None,        // the number is free
    Ingress,     // ingress port, destination prefix
    Flow,        // source, destination
    SourcePort,  // source, destination, UDP source port
    DestQp,      // source, destination, destination QP of RoCEv2
};
inline constexpr unsigned kPathMatches = 5;

struct alignas(64) PathRule {
    IpAddress source;             // not Ingress
    IpAddress destination;        // Ingress: the prefix' address
    std::uint64_t born = 0;       // generation of the tables in which the number became this rule's
    std::uint32_t detail = 0;     // SourcePort, DestQp; Ingress: the port
    std::uint32_t first_hop = 0;  // its path: PathTable::hops[first_hop .. + hop_count), best first
    std::uint8_t hop_count = 0;
    std::uint8_t prefix_length = 128;  // Ingress
    PathMatch match = PathMatch::None;
};
static_assert(sizeof(PathRule) == 64);

inline constexpr unsigned kPathRulesMax = 64'000;  // of one switch
inline constexpr unsigned kPathHopsMax = 16;       // of one rule
inline constexpr std::uint32_t kNoPathRule = 0xffff'ffff;
inline constexpr unsigned kPathSlotsPerBucket = 8;
// The builder takes a larger table rather than let a rule be further from its bucket than this.
inline constexpr unsigned kPathBucketsMax = 4;

// Upper half: upper half of the key's hash. Lower half: number of the rule + 1; 0: the slot is
// free.
struct alignas(64) PathBucket {
    std::array<std::uint64_t, kPathSlotsPerBucket> slots{};
};

// Rules of one ingress port by destination prefix: leaves are numbers of rules + 1. An empty root:
// none.
struct IngressPaths {
    RouteTrie ipv4;
    RouteTrie ipv6;
};

// Frames of one rule, by one shard. Reader: any thread.
struct PathCounts {
    Counter frames;
    Counter bytes;
    std::atomic<std::uint64_t> born{0};  // PathRule::born of the rule that they are of
};

// What a frame has of what flow rules match.
struct PathFlow {
    IpAddress source;
    IpAddress destination;
    std::uint32_t source_port = 0;
    std::uint32_t dest_qp = 0;
    bool has_ports = false;  // UDP or TCP, and no fragment
    bool has_qp = false;     // RoCEv2
};

// The part of the hash that all flow rules for two addresses share.
[[nodiscard]] inline std::uint64_t path_pair_hash(const IpAddress& source,
                                                  const IpAddress& destination) {
    return mix(source.low ^ kMixA, destination.low ^ kMixB) +
           mix(source.high ^ kMixC, destination.high ^ kMixA);
}

[[nodiscard]] inline std::uint64_t path_hash(std::uint64_t pair_hash, PathMatch match,
                                             std::uint32_t detail) {
    return avalanche(pair_hash + (std::uint64_t{static_cast<std::uint8_t>(match)} << 32 | detail));
}

struct PathTable {
    std::span<const PathBucket> buckets;  // a power of two, and kPathBucketsMax - 1 behind it
    std::span<const PathRule> rules;      // by number; some may be None
    std::span<const NextHop> hops;
    std::span<const IngressPaths> ingress;            // by port, or empty
    std::uint32_t bucket_mask = 0;                    // the power of two - 1
    std::array<std::uint32_t, kPathMatches> count{};  // of each kind

    [[nodiscard]] bool empty() const { return rules.empty(); }
    [[nodiscard]] bool has(PathMatch match) const {
        return count[static_cast<std::uint8_t>(match)] != 0;
    }
    [[nodiscard]] std::span<const NextHop> path(const PathRule& rule) const {
        return hops.subspan(rule.first_hop, rule.hop_count);
    }

    // The number of the flow rule with just this key, or kNoPathRule.
    [[nodiscard]] std::uint32_t find(const IpAddress& source, const IpAddress& destination,
                                     PathMatch match, std::uint32_t detail) const;

    // The number of the rule for what came by `in_port`: the flow rule that says most, else the
    // ingress rule with the longest prefix.
    [[nodiscard]] std::uint32_t find(PortId in_port, const PathFlow& flow) const;

  private:
    [[nodiscard]] std::uint32_t find_hashed(std::uint64_t hash, const PathFlow& flow,
                                            PathMatch match, std::uint32_t detail) const;
    [[nodiscard]] std::uint32_t find_ingress(PortId in_port, const IpAddress& destination) const;
};

}  // namespace weir
