// SPDX-License-Identifier: BSD-3-Clause
// What one YAML file says about one switch, as plain data. A field has the name of its YAML key, so
// a search finds both; a default here is the default of the file. docs: config/examples/*.yaml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/address_text.h"
#include "config/link_settings.h"
#include "config/path_settings.h"
#include "config/units.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

inline constexpr unsigned kCoreMax = 1'023;  // DPDK's lcore numbers are below 1,024 everywhere
inline constexpr unsigned kWeightMax = 100;  // as SONiC's
// SAI's and SONiC's range of the dynamic threshold.
inline constexpr int kAlphaMin = -8;
inline constexpr int kAlphaMax = 7;
// Fewer mbufs than 1,024 cannot fill two ports' rings; 2^22 of 4 KB are 16 GB.
inline constexpr std::uint32_t kFramesMin = 1'024;
inline constexpr std::uint32_t kFramesMax = 1u << 22;

struct SwitchSettings {
    std::string name;
    bool operator==(const SwitchSettings&) const = default;
};

struct WorkerSettings {
    std::vector<unsigned> cores;  // lcores; empty: one worker on the last core that is available
    bool operator==(const WorkerSettings&) const = default;
};

struct VlanSettings {
    VlanId native = 1;           // of untagged frames, and leaves untagged
    std::vector<VlanId> tagged;  // carried with their tag
    bool operator==(const VlanSettings&) const = default;
};

// Priorities that lose nothing: their senders are paused, and they obey pauses.
struct PfcSettings {
    std::vector<Priority> priorities;
    bool operator==(const PfcSettings&) const = default;
};

struct HeadroomSettings {
    std::optional<Bytes> bytes;  // none: auto, from speed, cable, frame_bytes_max and reaction
    bool operator==(const HeadroomSettings&) const = default;
};

// The buffer of priority groups. What is not written comes from the next wider place.
struct GroupSettings {
    std::optional<Bytes> reserve;
    std::optional<int> alpha;    // n of 2^n: the threshold's share of the free pool
    std::optional<Bytes> limit;  // a fixed threshold instead
    std::optional<HeadroomSettings> headroom;
    std::optional<Bytes> xon_offset;
    bool operator==(const GroupSettings&) const = default;
};

struct PortBufferSettings {
    GroupSettings lossless;
    GroupSettings lossy;
    std::map<unsigned, GroupSettings> priorities;
    bool operator==(const PortBufferSettings&) const = default;
};

struct BufferSettings : PortBufferSettings {
    std::optional<Bytes> shared;       // the pool; default: shared_pool_bytes()
    std::optional<Interval> reaction;  // from a frame's arrival to the pause; default: measured
    bool operator==(const BufferSettings&) const = default;
};

struct EcnSettings {
    Bytes kmin = 0;
    Bytes kmax = 0;
    Probability pmax;
    bool operator==(const EcnSettings&) const = default;
};

struct SchedulerSettings {
    std::vector<Priority> strict = {7, 6};  // the higher the earlier, ahead of all others
    std::map<unsigned, unsigned> weights;   // of the others; default 1
    bool operator==(const SchedulerSettings&) const = default;
};

// Queues that a peer pauses without end.
struct WatchdogSettings {
    Interval detection = WatchdogTable{}.detection;
    Interval restoration = WatchdogTable{}.restoration;
    Interval poll = WatchdogTable{}.poll;
    WatchdogAction action = WatchdogTable{}.action;
    bool operator==(const WatchdogSettings&) const = default;
};

struct HookMoveSettings {
    Priority priority = 0;
    unsigned dscp = 0;
    bool operator==(const HookMoveSettings&) const = default;
};

struct HookMovesSettings {
    HookMoveSettings first;   // to another lossless priority
    HookMoveSettings second;  // to a lossy one
    bool operator==(const HookMovesSettings&) const = default;
};

// Frames that come down by an uplink and go up again, against deadlock.
struct HookSettings {
    std::vector<std::string> uplinks;
    std::map<unsigned, HookMovesSettings> moves;  // by the priority they arrive with
    bool operator==(const HookSettings&) const = default;
};

struct PortSettings {
    std::string name;
    std::string device;              // "net_...,args" (a virtual device) | PCI address | ring:NAME
    std::optional<BitRate> speed;    // default: what the device says
    std::optional<unsigned> worker;  // index into workers.cores; default: round robin
    std::optional<std::uint16_t> frame_bytes_max;  // default: Settings::frame_bytes_max
    std::optional<MacAddress> mac;                 // default: the device's
    // Bridged. Neither `vlan` nor `addresses`: native 1 and every VLAN tagged (transparent).
    std::optional<VlanSettings> vlan;
    // Routed, and `vlan` is not allowed. An empty list: routed by its link-local address only.
    std::optional<std::vector<IpPrefix>> addresses;
    Trust trust = Trust::Dscp;
    Priority default_priority = 0;
    bool enabled = true;
    Length cable{5'000};                         // within a rack
    std::optional<Bytes> peer_response;          // what a paused peer still sends; default: 802.3's
    std::optional<PfcSettings> pfc;              // default: Settings::pfc
    PortBufferSettings buffer;                   // over Settings::buffer
    std::map<unsigned, EcnSettings> ecn;         // over Settings::ecn
    std::optional<SchedulerSettings> scheduler;  // default: Settings::scheduler
    std::optional<LinkSettings> link;            // none: the device's word is all there is

    [[nodiscard]] bool routed() const { return addresses.has_value(); }
    [[nodiscard]] bool transparent() const { return !routed() && !vlan.has_value(); }
    bool operator==(const PortSettings&) const = default;
};

// "10.0.1.2", or "fe80::1%p0": a link-local address means nothing without its port.
struct GatewayAddress {
    IpAddress address;
    std::string port;  // empty: the port whose subnet holds the address
    bool operator==(const GatewayAddress&) const = default;
};

struct RouteSettings {
    IpPrefix prefix;
    std::vector<GatewayAddress> via;
    bool blackhole = false;
    std::optional<Selector> selector{};  // default: Settings::selector
    bool operator==(const RouteSettings&) const = default;
};

struct NeighborSettings {
    IpAddress address;
    MacAddress mac;
    std::string port;  // empty: the port whose subnet holds the address
    bool operator==(const NeighborSettings&) const = default;
};

struct MacSettings {
    MacAddress mac;
    VlanId vlan = 1;
    std::string port;
    bool operator==(const MacSettings&) const = default;
};

struct HashSelectorSettings {
    std::optional<std::uint64_t> seed;  // default: made of the switch's name, so that tiers differ
    bool dest_qp = false;
    bool operator==(const HashSelectorSettings&) const = default;
};

// Changes over the defaults: DSCP >> 3, and PCP as it is.
struct MapSettings {
    std::map<unsigned, Priority> dscp_to_priority;
    std::map<unsigned, Priority> pcp_to_priority;
    bool operator==(const MapSettings&) const = default;
};

struct QueueSettings {
    Bytes limit = 1u << 20;  // each egress queue drops at its tail above this
    bool operator==(const QueueSettings&) const = default;
};

struct Settings {
    SwitchSettings switch_;  // `switch` is a word of C++. NOLINT(readability-identifier-naming)
    std::vector<std::string> eal;  // EAL options, before those of the command line
    WorkerSettings workers;
    std::optional<std::uint32_t> frames;  // mbufs; default: computed from the ports
    std::uint16_t frame_bytes_max = kFrameBytesDefault;
    std::vector<PortSettings> ports;  // the index is the PortId
    std::vector<RouteSettings> routes;
    std::vector<NeighborSettings> neighbors;
    std::vector<MacSettings> macs;
    Selector selector = Selector::Hash;  // of routes that name none
    HashSelectorSettings hash;
    FlowletSettings flowlet;
    std::optional<PlanSettings> plan;
    std::vector<PathSettings> paths;
    std::string paths_file;      // more of them, beside this file; empty: none
    PlanFileSettings plan_file;  // what it holds. Not a key
    MapSettings maps;
    QueueSettings queues;
    std::optional<PfcSettings> pfc;  // none: every priority is lossy
    BufferSettings buffer;
    std::map<unsigned, EcnSettings> ecn;         // by priority
    std::optional<SchedulerSettings> scheduler;  // none: all priorities are strict
    std::optional<WatchdogSettings> watchdog;    // none: off
    std::optional<HookSettings> hooks;           // none: off
    std::optional<NoticeSettings> notices;       // none: off
    std::optional<Probability> rx_guard;         // of a port's RX ring; none: off
    Interval ageing = Interval::seconds(300);
    Interval neighbor_reachable = Interval::seconds(30);
    std::string events;   // JSON lines go to this file; empty: none
    std::string console;  // UNIX socket of the console; empty: none
    bool operator==(const Settings&) const = default;

    [[nodiscard]] std::size_t path_count() const { return paths.size() + plan_file.paths.size(); }
    // Rules of this file, then those of `paths_file`.
    [[nodiscard]] const PathSettings& path(std::size_t index) const {
        return index < paths.size() ? paths[index] : plan_file.paths[index - paths.size()];
    }
    [[nodiscard]] PlanSettings plan_in_use() const {
        return plan ? *plan : plan_file.plan.value_or(PlanSettings{});
    }
};

}  // namespace weir
