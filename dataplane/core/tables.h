// SPDX-License-Identifier: BSD-3-Clause
// The immutable, whole configuration of one switch as the data plane reads it: compiled by config/,
// published by one release store, never changed. What changes by itself (link state, MACs learned,
// neighbors, queues) is condition and lives in the shards.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/buffer.h"
#include "dataplane/core/destinations.h"
#include "dataplane/core/egress.h"
#include "dataplane/core/link_session.h"
#include "dataplane/core/mac_table.h"
#include "dataplane/core/path_table.h"
#include "dataplane/core/route_trie.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

enum class PortMode : std::uint8_t { Absent, Bridged, Routed };
enum class Trust : std::uint8_t { Dscp, Pcp };

struct alignas(64) PortTable {
    MacAddress mac;                            // source of routed and own frames
    std::uint64_t speed_bps = 10'000'000'000;  // never 0: pause times are counted in it
    std::uint32_t first_address = 0;           // own addresses: Tables::addresses[first_address ..]
    std::uint16_t address_count = 0;
    std::uint16_t frame_bytes_max = kFrameBytesDefault;  // longest frame, both ways, no FCS
    VlanId native_vlan = 1;                              // VLAN of untagged frames; leaves untagged
    PortMode mode = PortMode::Absent;
    Trust trust = Trust::Dscp;
    Priority default_priority = 0;  // frames that carry neither DSCP nor PCP
    ShardId shard = 0;
    std::uint8_t pfc_priorities = 0;  // bit p: PFC is enabled for priority p, both ways
    bool enabled = true;              // false: the operator stopped it
    bool transparent = false;         // bridged without `vlan`: frames keep the tag they came with
};
static_assert(sizeof(PortTable) == 64);

struct PriorityMaps {
    std::array<Priority, 64> from_dscp{};  // default: DSCP >> 3 (class selectors, RFC 2474 4.2.2)
    std::array<Priority, 8> from_pcp{};    // default: identity
};

// Which ports carry a VLAN. Entry 0 is for every VLAN that the configuration does not name.
struct VlanTable {
    PortSet members;
};

// An own address with its subnet: IPv4 lengths are 96 + the usual (the address is IPv4-mapped).
struct PortAddress {
    IpAddress address;
    std::uint8_t prefix_length = 128;
};

// A neighbor that routes go through. Its index stays the same from one Tables to the next as long
// as it is configured, so that a frame in a hand-off ring may carry it across a reload.
struct Gateway {
    IpAddress address;
    PortId port = kNoPort;  // kNoPort: the index is free
};

enum class RouteKind : std::uint8_t {
    None,       // routes[0]: no route
    NextHops,   // through one of next_hops[first .. first + count)
    Connected,  // the destination itself is a neighbor on `port`
    Local,      // one of our own addresses
    Blackhole,  // drop by configuration; also the broadcast address of a connected subnet
};

// How a flow without a rule gets its path among the usable members of a next-hop set.
enum class Selector : std::uint8_t {
    Hash,      // by its flow hash: always the same
    Flowlet,   // drawn anew after each gap
    Spray,     // frame by frame, all in turn: reorders
    Adaptive,  // the least loaded after each gap
    Paths,     // by hash; the file promises that rules place its flows
};

struct Route {
    std::uint32_t first = 0;
    std::uint32_t group = kNoDestinationGroup;  // below kDestinationGroupsMax
    std::uint16_t count = 0;
    PortId port = kNoPort;  // Connected and Local
    RouteKind kind = RouteKind::None;
    Selector selector = Selector::Hash;
};
static_assert(sizeof(Route) == 16);

struct StaticNeighbor {
    IpAddress address;
    MacAddress mac;
    PortId port = kNoPort;
};

struct HashSettings {
    std::uint64_t seed = 0;
    bool use_dest_qp = false;  // add BTH's destination QP to the 5-tuple of RoCEv2 frames
};

// What becomes of an egress queue whose peer pauses it without end (a pause storm).
enum class WatchdogAction : std::uint8_t {
    Drop,     // its frames, and those that arrive for it, are dropped: upstream is not paused
    Forward,  // the peer's pause is ignored
    Alert,    // an event, nothing else
};

// Watches the egress queue of each (port, priority) in PortTable::pfc_priorities. A storm: for
// `detection` the queue held frames, was paused and sent nothing. It is over when the peer has not
// paused the queue for `restoration`.
struct WatchdogTable {
    Interval detection = Interval::milliseconds(200);    // 100..5,000 ms
    Interval restoration = Interval::milliseconds(200);  // 100..60,000 ms
    Interval poll = Interval::milliseconds(100);         // how often the queues are looked at
    WatchdogAction action = WatchdogAction::Drop;
    bool enabled = false;
};

// Where a hooked frame goes: the egress queue, and the DSCP that tells the next switch.
struct HookMove {
    Priority priority = 0;
    std::uint8_t dscp = 0;
    bool moves = false;  // false: the frame stays as it is
};

// A routed IP frame that entered by an uplink and leaves by an uplink is a hook: down and up again,
// which can close a cycle of buffers that wait for one another. Each hook moves it on, and nothing
// moves it back, so that no cycle stays within one priority. Off while `uplinks` is empty.
struct HookTable {
    PortSet uplinks;
    // By arrival priority: to another lossless priority.
    std::array<HookMove, kPriorities> first;
    // By arrival DSCP, and before `first`: frames with the DSCP of a first move were hooked once
    // and go to a lossy priority now. second[first[p].dscp] belongs to each first[p] that moves.
    std::array<HookMove, 64> second;
};

// What watches the link of a port: a session with the router at its other end.
struct LinkTable {
    IpAddress peer;
    SessionSettings session;
    Interval hold_down = Interval::seconds(1);  // from Up again to usable again
    Interval damping = Interval::seconds(5);    // half-life of a flap's penalty; 0: none
    std::uint32_t gateway = 0;                  // the peer, in Tables::gateways
    bool watched = false;                       // false: there is no session
    bool required = true;  // the link is not used until the session was Up for the first time
};

struct Tables {
    std::uint64_t generation = 0;      // 1 for the first, +1 per publication
    std::span<const PortTable> ports;  // kPortsMax entries; unused ones are Absent
    std::span<const PortAddress> addresses;
    PriorityMaps maps;
    std::span<const std::uint16_t> vlan_index;  // kVlans entries: VLAN -> vlans
    std::span<const VlanTable> vlans;
    std::span<const MacSlot> static_macs;  // a hash table (find_mac), or empty
    RouteTrie ipv4_routes;
    RouteTrie ipv6_routes;
    std::span<const Route> routes;  // [0] is RouteKind::None
    std::span<const NextHop> next_hops;
    std::span<const Gateway> gateways;
    std::span<const StaticNeighbor> static_neighbors;
    std::span<const LinkTable> links;  // kPortsMax entries, or none
    HashSettings hash;
    Interval mac_ageing = Interval::seconds(300);         // 802.1Q table 8-6 default
    Interval neighbor_reachable = Interval::seconds(30);  // RFC 4861 section 10: REACHABLE_TIME
    std::uint64_t queue_bytes_max = 0;      // tail-drop limit of each egress queue's lossy frames
    std::span<const BufferProfile> groups;  // kPortsMax * kPriorities, by group_of()
    Bytes shared_pool_bytes = 0;
    std::span<const EgressTable> egress;  // kPortsMax entries
    WatchdogTable watchdog;
    HookTable hooks;
    DestinationTable destinations;
    NoticeTable notices;
    // Frames in a port's RX ring from which on its lossless priorities are paused; 0: never.
    std::uint32_t rx_guard_frames = 0;
    PathTable paths;
    std::uint32_t plan = 0;  // counts up when `paths` changed
    Interval move_gap;     // a flow whose path `paths` changed moves after such a pause; 0: at once
    Interval flowlet_gap;  // of Selector::Flowlet and Adaptive
    // There are rules, or selectors other than the hash: what flows do is kept (FlowUse).
    bool tracks_flows = false;
    bool measures_loads = false;  // a route is Selector::Adaptive
    bool key_dest_qp = false;     // flows differ by destination QP: for the hash or for a rule
};

}  // namespace weir
