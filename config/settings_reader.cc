// SPDX-License-Identifier: BSD-3-Clause
#include "config/settings_reader.h"

#include <array>
#include <limits>

#include "config/read_link.h"
#include "config/read_lossless.h"
#include "config/read_paths.h"
#include "config/read_values.h"
#include "config/units.h"
#include "config/yaml_value.h"

namespace weir {
namespace {

void read_vlan_id(const Value& value, VlanId& target) {
    read_number(value, 1, kVlans - 2, target);
}

// Own addresses and prefixes come in one form; what they may be is validate()'s.
void read_prefix(const Value& value, IpPrefix& target) {
    read_parsed(value, parse_prefix, target);
}

template <typename T>
void read_frame_bytes(const Value& value, T& target) {
    read_number(value, kEthernetFrameBytesMin, kFrameBytesMax, target);
}

void read_trust(const Value& value, Trust& target) {
    if (!value.expect_scalar()) return;
    if (value.text() == "dscp" || value.text() == "pcp") {
        target = value.text() == "dscp" ? Trust::Dscp : Trust::Pcp;
    } else {
        value.problem("'" + std::string(value.text()) +
                      "' is no field to trust; write dscp or pcp");
    }
}

// `{26: 3, 48: 6}`: keys 0..key_max, priorities as values.
void read_priority_map(const Value& map, unsigned key_max, std::map<unsigned, Priority>& target) {
    for_each_number(map, key_max, target, [](const Value& value, Priority& priority) {
        read_number(value, 0, kPriorities - 1, priority);
    });
}

constexpr std::array<Field<SwitchSettings>, 1> kSwitchFields{{
    {"name", [](const Value& v, SwitchSettings& s) { read_text(v, s.name); }, "name: leaf1"},
}};

constexpr std::array<Field<WorkerSettings>, 1> kWorkerFields{{
    {"cores",
     [](const Value& v, WorkerSettings& s) {
         read_list<unsigned>(v, s.cores, [](const Value& item, unsigned& core) {
             read_number(item, 0, kCoreMax, core);
         });
     },
     "cores: [1]"},
}};

constexpr std::array<Field<VlanSettings>, 2> kVlanFields{{
    {"native", [](const Value& v, VlanSettings& s) { read_vlan_id(v, s.native); }, {}},
    {"tagged",
     [](const Value& v, VlanSettings& s) { read_list<VlanId>(v, s.tagged, read_vlan_id); },
     {}},
}};

constexpr std::array<Field<PortSettings>, 18> kPortFields{{
    {"name", [](const Value& v, PortSettings& s) { read_text(v, s.name); }, "name: p0"},
    {"device", [](const Value& v, PortSettings& s) { read_text(v, s.device); },
     "device: \"net_af_packet0,iface=veth0\", a PCI address, or ring:NAME"},
    {"speed", [](const Value& v, PortSettings& s) { read_parsed(v, parse_rate, s.speed); }, {}},
    {"worker",
     [](const Value& v, PortSettings& s) { read_number(v, 0, kShardsMax - 1, s.worker); },
     {}},
    {"frame_bytes_max",
     [](const Value& v, PortSettings& s) { read_frame_bytes(v, s.frame_bytes_max); },
     {}},
    {"mac", [](const Value& v, PortSettings& s) { read_parsed(v, parse_mac, s.mac); }, {}},
    {"vlan",
     [](const Value& v, PortSettings& s) { read_map(v, kVlanFields, s.vlan.emplace()); },
     {}},
    {"addresses",
     [](const Value& v, PortSettings& s) {
         read_list<IpPrefix>(v, s.addresses.emplace(), read_prefix);
     },
     {}},
    {"trust", [](const Value& v, PortSettings& s) { read_trust(v, s.trust); }, {}},
    {"default_priority",
     [](const Value& v, PortSettings& s) {
         read_number(v, 0, kPriorities - 1, s.default_priority);
     },
     {}},
    {"enabled", [](const Value& v, PortSettings& s) { read_bool(v, s.enabled); }, {}},
    {"cable", [](const Value& v, PortSettings& s) { read_parsed(v, parse_length, s.cable); }, {}},
    {"peer_response",
     [](const Value& v, PortSettings& s) { read_parsed(v, parse_bytes, s.peer_response); },
     {}},
    {"pfc", [](const Value& v, PortSettings& s) { read_pfc(v, s.pfc.emplace()); }, {}},
    {"buffer", [](const Value& v, PortSettings& s) { read_port_buffer(v, s.buffer); }, {}},
    {"ecn", [](const Value& v, PortSettings& s) { read_ecn(v, s.ecn); }, {}},
    {"scheduler",
     [](const Value& v, PortSettings& s) { read_scheduler(v, s.scheduler.emplace()); },
     {}},
    {"link", [](const Value& v, PortSettings& s) { read_link(v, s.link.emplace()); }, {}},
}};

// "10.0.1.2" or "fe80::1%p0".
void read_gateway(const Value& value, GatewayAddress& target) {
    if (!value.expect_scalar()) return;
    const std::size_t percent = value.text().find('%');
    take(value, parse_ip(value.text().substr(0, percent)), target.address);
    if (percent != std::string_view::npos) target.port = value.text().substr(percent + 1);
}

constexpr std::array<Field<RouteSettings>, 4> kRouteFields{{
    {"prefix", [](const Value& v, RouteSettings& s) { read_prefix(v, s.prefix); },
     "prefix: 10.2.0.0/16"},
    {"via",
     [](const Value& v, RouteSettings& s) {
         // One gateway needs no brackets.
         if (v.kind() == Document::Kind::Scalar) {
             read_gateway(v, s.via.emplace_back());
         } else {
             read_list<GatewayAddress>(v, s.via, read_gateway);
         }
     },
     {}},
    {"blackhole", [](const Value& v, RouteSettings& s) { read_bool(v, s.blackhole); }, {}},
    {"selector",
     [](const Value& v, RouteSettings& s) {
         Selector selector = Selector::Hash;
         if (read_selector(v, selector)) s.selector = selector;
     },
     {}},
}};

constexpr std::array<Field<NeighborSettings>, 3> kNeighborFields{{
    {"address", [](const Value& v, NeighborSettings& s) { read_parsed(v, parse_ip, s.address); },
     "address: 10.0.1.2"},
    {"mac", [](const Value& v, NeighborSettings& s) { read_parsed(v, parse_mac, s.mac); },
     "mac: 02:00:00:00:00:01"},
    {"port", [](const Value& v, NeighborSettings& s) { read_text(v, s.port); }, {}},
}};

constexpr std::array<Field<MacSettings>, 3> kMacFields{{
    {"mac", [](const Value& v, MacSettings& s) { read_parsed(v, parse_mac, s.mac); },
     "mac: 02:00:00:00:00:01"},
    {"vlan", [](const Value& v, MacSettings& s) { read_vlan_id(v, s.vlan); }, {}},
    {"port", [](const Value& v, MacSettings& s) { read_text(v, s.port); }, "port: p0"},
}};

constexpr std::array<Field<HashSelectorSettings>, 2> kHashFields{{
    {"seed",
     [](const Value& v, HashSelectorSettings& s) {
         read_number(v, 0, std::numeric_limits<std::uint64_t>::max(), s.seed);
     },
     {}},
    {"dest_qp", [](const Value& v, HashSelectorSettings& s) { read_bool(v, s.dest_qp); }, {}},
}};

constexpr std::array<Field<NoticeSettings>, 4> kNoticeFields{{
    {"key", [](const Value& v, NoticeSettings& s) { read_text(v, s.key); },
     "key: 64 hexadecimal digits, the same on every switch of the fabric"},
    {"udp_port",
     [](const Value& v, NoticeSettings& s) { read_number(v, 1, 65'535, s.udp_port); },
     {}},
    {"refresh",
     [](const Value& v, NoticeSettings& s) { read_parsed(v, parse_interval, s.refresh); },
     {}},
    {"expiry",
     [](const Value& v, NoticeSettings& s) { read_parsed(v, parse_interval, s.expiry); },
     {}},
}};

constexpr std::array<Field<MapSettings>, 2> kMapFields{{
    {"dscp_to_priority",
     [](const Value& v, MapSettings& s) { read_priority_map(v, 63, s.dscp_to_priority); },
     {}},
    {"pcp_to_priority",
     [](const Value& v, MapSettings& s) { read_priority_map(v, 7, s.pcp_to_priority); },
     {}},
}};

constexpr std::array<Field<QueueSettings>, 1> kQueueFields{{
    {"limit", [](const Value& v, QueueSettings& s) { read_parsed(v, parse_bytes, s.limit); }, {}},
}};

// A list of maps that all have the same keys.
template <typename T, const auto& Fields>
void read_maps(const Value& value, std::vector<T>& target) {
    read_list<T>(value, target, [](const Value& item, T& one) { read_map(item, Fields, one); });
}

constexpr std::array<Field<Settings>, 29> kSettingsFields{{
    {"switch", [](const Value& v, Settings& s) { read_map(v, kSwitchFields, s.switch_); },
     "switch: {name: leaf1}"},
    {"eal", [](const Value& v, Settings& s) { read_list<std::string>(v, s.eal, read_text); }, {}},
    {"workers", [](const Value& v, Settings& s) { read_map(v, kWorkerFields, s.workers); }, {}},
    {"frames",
     [](const Value& v, Settings& s) { read_number(v, kFramesMin, kFramesMax, s.frames); },
     {}},
    {"frame_bytes_max",
     [](const Value& v, Settings& s) { read_frame_bytes(v, s.frame_bytes_max); },
     {}},
    {"ports", [](const Value& v, Settings& s) { read_maps<PortSettings, kPortFields>(v, s.ports); },
     "ports: and its list of ports"},
    {"routes",
     [](const Value& v, Settings& s) { read_maps<RouteSettings, kRouteFields>(v, s.routes); },
     {}},
    {"neighbors",
     [](const Value& v, Settings& s) {
         read_maps<NeighborSettings, kNeighborFields>(v, s.neighbors);
     },
     {}},
    {"macs",
     [](const Value& v, Settings& s) { read_maps<MacSettings, kMacFields>(v, s.macs); },
     {}},
    {"hash", [](const Value& v, Settings& s) { read_map(v, kHashFields, s.hash); }, {}},
    {"selector", [](const Value& v, Settings& s) { (void)read_selector(v, s.selector); }, {}},
    {"flowlet", [](const Value& v, Settings& s) { read_flowlet(v, s.flowlet); }, {}},
    {"plan", [](const Value& v, Settings& s) { read_plan(v, s.plan.emplace()); }, {}},
    {"paths", [](const Value& v, Settings& s) { read_paths(v, s.paths); }, {}},
    {"paths_file", [](const Value& v, Settings& s) { read_text(v, s.paths_file); }, {}},
    {"maps", [](const Value& v, Settings& s) { read_map(v, kMapFields, s.maps); }, {}},
    {"queues", [](const Value& v, Settings& s) { read_map(v, kQueueFields, s.queues); }, {}},
    {"pfc", [](const Value& v, Settings& s) { read_pfc(v, s.pfc.emplace()); }, {}},
    {"buffer", [](const Value& v, Settings& s) { read_buffer(v, s.buffer); }, {}},
    {"ecn", [](const Value& v, Settings& s) { read_ecn(v, s.ecn); }, {}},
    {"scheduler",
     [](const Value& v, Settings& s) { read_scheduler(v, s.scheduler.emplace()); },
     {}},
    {"watchdog", [](const Value& v, Settings& s) { read_watchdog(v, s.watchdog.emplace()); }, {}},
    {"hooks", [](const Value& v, Settings& s) { read_hooks(v, s.hooks.emplace()); }, {}},
    {"notices",
     [](const Value& v, Settings& s) { read_map(v, kNoticeFields, s.notices.emplace()); },
     {}},
    {"rx_guard",
     [](const Value& v, Settings& s) { read_parsed(v, parse_probability, s.rx_guard); },
     {}},
    {"ageing", [](const Value& v, Settings& s) { read_parsed(v, parse_interval, s.ageing); }, {}},
    {"neighbor_reachable",
     [](const Value& v, Settings& s) { read_parsed(v, parse_interval, s.neighbor_reachable); },
     {}},
    {"events", [](const Value& v, Settings& s) { read_text(v, s.events); }, {}},
    {"console", [](const Value& v, Settings& s) { read_text(v, s.console); }, {}},
}};

}  // namespace

Settings read_settings(const std::string& file, const Document& document, Problems& problems) {
    Settings settings;
    if (document.root() == Document::kNone ||
        document.kind(document.root()) == Document::Kind::Null) {
        problems.add({file, {1, 1}, {}, "the file says nothing; start from one of the examples"});
        return settings;
    }
    const Value::Source source{file, document, problems};
    read_map(Value{source, document.root(), nullptr, {}, 0}, kSettingsFields, settings);
    return settings;
}

}  // namespace weir
