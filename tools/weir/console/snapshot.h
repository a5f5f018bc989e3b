// SPDX-License-Identifier: BSD-3-Clause
// What the commands show: plain data, copied from a running switch (or a lab's) by one function
// per source. Commands read nothing else, so a test writes the switch it wants to see.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/address_text.h"
#include "config/settings.h"
#include "dataplane/core/buffer.h"
#include "dataplane/core/drop_reason.h"
#include "dataplane/core/explain.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/mac_table.h"
#include "dataplane/core/neighbor_table.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"
#include "tools/weir/console/link_view.h"
#include "tools/weir/console/notice_view.h"
#include "tools/weir/console/port_counts.h"
#include "tools/weir/console/values.h"

namespace weir {

// The parts of a snapshot that cost something: taken only for commands that name them. Bits.
enum class Needs : std::uint16_t {
    Ports = 0,  // always there
    Queues = 1,
    Routes = 2,
    Neighbors = 4,
    Macs = 8,
    Workers = 16,
    Config = 32,
    Flow = 64,     // the flow that the arguments describe, explained
    Rates = 128,   // PortView::recently; the session's next look at the ports starts here
    Groups = 256,  // groups, pool
    Balance = 512,
    Paths = 1024,
    Links = 2048,
    Notices = 4096,
};

[[nodiscard]] constexpr bool needs(Needs all, Needs one) {
    return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

[[nodiscard]] constexpr Needs operator|(Needs one, Needs other) {
    return static_cast<Needs>(static_cast<unsigned>(one) | static_cast<unsigned>(other));
}

// One port as configured and as it is.
struct PortView {
    PortId id = 0;
    std::string name;
    std::string device;  // as the configuration names it
    std::string driver;
    std::string vlans;                   // tagged ones, as "10, 20" or "all"
    std::vector<std::string> addresses;  // with prefix length
    std::vector<std::string> notes;      // what the device cannot do
    PortTable table;
    bool stopped = false;        // by the operator
    bool usable = false;         // frames are sent to it
    bool device_link = false;    // what the device's driver says
    bool device_decides = true;  // false: that driver always says the same
    unsigned core = 0;           // of its worker
    std::string fault;           // an experiment that is on, or empty
    // Frames handed to the device and not yet sent, where its driver can tell (with Needs::Queues).
    std::optional<std::uint32_t> in_device;
    unsigned rx_ring = 0;  // descriptors
    unsigned tx_ring = 0;
    PortCounts counts;    // since start or `clear stats`
    PortCounts recently;  // since this session's last look
    Interval lately;      // how long ago that was; 0: not asked for
};

struct QueueView {
    PortId port = 0;
    unsigned queue = 0;  // a priority, kOwnQueue or kUrgentQueue
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_max = 0;  // since start or `clear stats`
    unsigned weight = 0;          // in the round robin; 0: strict
    std::optional<EcnSettings> ecn;
};

// What of the buffer one priority of a port uses, who has paused whom, and what the watchdog says
// of its egress queue: all at one moment.
struct GroupView {
    PortId port = 0;
    Priority priority = 0;
    BufferProfile profile;
    PriorityGroup held;
    Bytes threshold_bytes = 0;  // of held's shared part, just now
    std::uint64_t threshold_frames = kFramesUnlimited;
    bool pausing = false;           // we pause the peer
    bool ring_guarded = false;      // ... because the port's RX ring fills up
    bool forced = false;            // ... because the operator wants it (an experiment)
    bool pause_ignored = false;     // the watchdog does not obey the peer
    bool storming = false;          // the watchdog has found a pause storm
    Interval peer_pause_left;       // > 0: the peer pauses us, for so long still
    WatchdogAction storm_action{};  // of the storm

    [[nodiscard]] Bytes reserve_used() const { return std::min(held.bytes, profile.reserve_bytes); }
    [[nodiscard]] Bytes shared_used() const { return held.bytes - reserve_used(); }
};

// Shared pool and memory for frames, of all shards.
struct PoolView {
    Bytes bytes = 0;
    Bytes used_bytes = 0;
    Bytes used_bytes_max = 0;  // with several workers the sum of each one's most
    std::uint64_t frames = kFramesUnlimited;
    std::uint64_t used_frames = 0;
};

// Frames of all shards at one moment, at which every worker stood still: those that came in are
// sent, dropped, or held. By port, as in Snapshot::ports.
struct BalanceView {
    struct Port {
        std::uint64_t received = 0;
        std::uint64_t sent = 0;
        std::uint64_t dropped = 0;
    };
    std::vector<Port> ports;
    std::uint64_t held_frames = 0;
    Bytes held_bytes = 0;
};

// "PREFIX3" for a priority's queue, "urgent" and "own" for those of the switch's own frames.
[[nodiscard]] inline std::string queue_name(const char* prefix, unsigned queue) {
    if (queue == kUrgentQueue) return "urgent";
    return queue == kOwnQueue ? "own" : prefix + std::to_string(queue);
}

struct NextHopView {
    PortId port = kNoPort;
    IpAddress gateway{};
    bool usable = false;    // its port
    bool resolved = false;  // its MAC is known
};

struct RouteView {
    IpPrefix prefix;
    RouteKind kind = RouteKind::None;
    PortId port = kNoPort;
    std::vector<NextHopView> next_hops;
};

// Frames by a rule since it has its number.
struct PathTotals {
    std::uint64_t born = 0;  // PathRule::born
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
};

struct PathView {
    std::uint32_t number = 0;
    PathRule rule;
    std::vector<NextHopView> ways;  // primary, backups
    std::uint8_t place = kNoPlace;  // of the way in use; kNoPlace: the hash chooses
    bool reachable = true;          // there is any way
    PathTotals totals;
};

struct NeighborView {
    IpAddress address;
    PortId port = kNoPort;
    NeighborState state = NeighborState::Free;
    MacAddress mac{};
    bool gateway = false;
    unsigned waiting = 0;  // frames
};

struct MacView {
    MacAddress mac;
    VlanId vlan = 0;
    PortId port = kNoPort;
    bool fixed = false;        // configured, never ages
    std::uint64_t age_ms = 0;  // since last seen
};

struct WorkerView {
    unsigned core = 0;
    std::uint64_t turns = 0;
    std::uint64_t busy_ps = 0;  // in turns that moved something
    std::uint64_t total_ps = 0;
    std::uint64_t longest_turn_ps = 0;
    std::uint64_t received_frames = 0;
    std::uint64_t sent_frames = 0;
    std::uint64_t lost_events = 0;
    std::uint64_t lost_messages = 0;
    std::vector<std::string> ports;  // "SWITCH:PORT" with several switches
};

// One flow, as the core decided about its first frame.
struct ExplainedFlow {
    Explanation steps;
    std::vector<NextHopView> members;  // of steps.route, in its order
    std::optional<IpPrefix> prefix;    // that the route was found by
    PathRule rule;                     // if steps.choice names one
    PortId in_port = kNoPort;
    bool tagged = false;
};

struct SwitchView {
    std::string name;
    std::string file;
    std::uint64_t generation = 0;  // of the tables, +1 per reload
    unsigned ports = 0;
    unsigned ports_usable = 0;
};

struct Snapshot {
    std::string name;  // of the switch
    std::vector<SwitchView> switches;
    std::vector<PortView> ports;  // ascending by id
    std::vector<QueueView> queues;
    std::vector<GroupView> groups;  // by port, then priority
    PoolView pool;
    std::vector<NoticeView> notices;     // of ports with a link
    std::optional<LostView> lost_here;   // none: notices are off
    std::vector<LinkView> links;         // watched ones, and those that are not usable; by port
    std::optional<BalanceView> balance;  // none: the workers did not meet
    std::optional<WatchdogSettings> watchdog;
    std::optional<HookSettings> hooks;
    std::vector<RouteView> routes;
    std::vector<PathView> paths;  // ascending by number
    PlanSettings plan;
    Selector selector = Selector::Hash;
    std::vector<NeighborView> neighbors;
    std::vector<MacView> macs;
    std::vector<WorkerView> workers;
    std::uint32_t mbufs = 0, mbufs_in_use = 0;
    std::uint64_t lost_event_lines = 0;
    std::optional<ExplainedFlow> flow;
    std::string config;

    [[nodiscard]] const PortView* port(PortId id) const;
    // "3 (leaf0)": how a port is shown in a line about something else.
    [[nodiscard]] std::string port_label(PortId id) const;
    [[nodiscard]] Names names() const;
};

}  // namespace weir
