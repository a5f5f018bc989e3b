// SPDX-License-Identifier: BSD-3-Clause
// What one YAML file says about one switch, as plain data. A field has the name of its YAML key, so
// a search finds both; a default here is the default of the file. docs: config/examples/*.yaml.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/address_text.h"
#include "config/units.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

inline constexpr unsigned kCoreMax = 1'023;  // DPDK's lcore numbers are below 1,024 everywhere
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
    // `switch` is a word of C++.
    SwitchSettings switch_;
    std::vector<std::string> eal;  // EAL options, before those of the command line
    WorkerSettings workers;
    std::optional<std::uint32_t> frames;  // mbufs; default: computed from the ports
    std::uint16_t frame_bytes_max = kFrameBytesDefault;
    std::vector<PortSettings> ports;  // the index is the PortId
    std::vector<RouteSettings> routes;
    std::vector<NeighborSettings> neighbors;
    std::vector<MacSettings> macs;
    HashSelectorSettings hash;
    MapSettings maps;
    QueueSettings queues;
    Interval ageing = Interval::seconds(300);
    Interval neighbor_reachable = Interval::seconds(30);
    std::string events;   // JSON lines go to this file; empty: none
    std::string console;  // UNIX socket of the console; empty: none
    bool operator==(const Settings&) const = default;
};

}  // namespace weir
