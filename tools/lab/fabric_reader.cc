// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/fabric_reader.h"

#include <array>

#include "config/read_values.h"
#include "dataplane/core/limits.h"
#include "tools/lab/addressing.h"
#include "tools/lab/yaml_text.h"

namespace weir::lab {

namespace {

constexpr std::uint64_t kOverheadBytesMax = 256;
constexpr std::uint64_t kRateBpsMin = 1'000'000;
constexpr std::uint64_t kRateBpsMax = 1'600'000'000'000;

constexpr std::array<Field<LinkSettings>, 5> kLinkFields{{
    {"rate",
     [](const Value& v, LinkSettings& s) {
         read_parsed(v, parse_rate, s.rate);
         if (s.rate.bps >= kRateBpsMin && s.rate.bps <= kRateBpsMax) return;
         v.problem("'" + std::string(v.text()) + "' is no rate of a link; 1M to 1600G");
         s.rate = LinkSettings{}.rate;
     },
     {}},
    {"delay", [](const Value& v, LinkSettings& s) { read_parsed(v, parse_interval, s.delay); }, {}},
    {"overhead",
     [](const Value& v, LinkSettings& s) {
         read_parsed(v, parse_bytes, s.overhead);
         if (s.overhead <= kOverheadBytesMax) return;
         v.problem("'" + std::string(v.text()) + "' is more than 256B");
     },
     {}},
    {"loss",
     [](const Value& v, LinkSettings& s) { read_parsed(v, parse_probability, s.loss); },
     {}},
    {"corruption",
     [](const Value& v, LinkSettings& s) { read_parsed(v, parse_probability, s.corruption); },
     {}},
}};

void read_link(const Value& value, LinkSettings& target) {
    read_map(value, kLinkFields, target);
}

constexpr std::array<Field<LeafSpine>, 4> kLeafSpineFields{{
    {"leaves", [](const Value& v, LeafSpine& s) { read_number(v, 1, kLeavesMax, s.leaves); },
     "leaves: 2"},
    {"spines", [](const Value& v, LeafSpine& s) { read_number(v, 1, 128, s.spines); }, "spines: 2"},
    {"hosts_per_leaf",
     [](const Value& v, LeafSpine& s) { read_number(v, 1, 200, s.hosts_per_leaf); },
     "hosts_per_leaf: 4"},
    {"links_per_pair",
     [](const Value& v, LeafSpine& s) { read_number(v, 1, 16, s.links_per_pair); },
     {}},
}};

constexpr std::array<Field<FatTree>, 1> kFatTreeFields{{
    {"k", [](const Value& v, FatTree& s) { read_number(v, 2, 64, s.k); }, "k: 4"},
}};

constexpr std::array<Field<Ring>, 2> kRingFields{{
    {"switches", [](const Value& v, Ring& s) { read_number(v, 3, kLeavesMax, s.switches); },
     "switches: 4"},
    {"hosts_per_switch",
     [](const Value& v, Ring& s) { read_number(v, 1, 200, s.hosts_per_switch); },
     "hosts_per_switch: 1"},
}};

constexpr std::array<Field<GraphSettings::Host>, 3> kGraphHostFields{{
    {"name", [](const Value& v, GraphSettings::Host& s) { read_text(v, s.name); }, "name: h0"},
    {"at", [](const Value& v, GraphSettings::Host& s) { read_text(v, s.at); }, "at: s0"},
    {"link", [](const Value& v, GraphSettings::Host& s) { read_link(v, s.link.emplace()); }, {}},
}};

constexpr unsigned kParallelMax = 128;

constexpr std::array<Field<GraphSettings::Cable>, 4> kGraphCableFields{{
    {"a", [](const Value& v, GraphSettings::Cable& s) { read_text(v, s.a); }, "a: s0"},
    {"b", [](const Value& v, GraphSettings::Cable& s) { read_text(v, s.b); }, "b: s1"},
    {"count",
     [](const Value& v, GraphSettings::Cable& s) { read_number(v, 1, kParallelMax, s.count); },
     {}},
    {"link", [](const Value& v, GraphSettings::Cable& s) { read_link(v, s.link.emplace()); }, {}},
}};

constexpr std::array<Field<GraphSettings>, 3> kGraphFields{{
    {"switches",
     [](const Value& v, GraphSettings& s) { read_list<std::string>(v, s.switches, read_text); },
     "switches: [s0, s1]"},
    {"hosts",
     [](const Value& v, GraphSettings& s) {
         read_list<GraphSettings::Host>(v, s.hosts, [](const Value& item, auto& host) {
             read_map(item, kGraphHostFields, host);
         });
     },
     "hosts: [{name: h0, at: s0}]"},
    {"links",
     [](const Value& v, GraphSettings& s) {
         read_list<GraphSettings::Cable>(v, s.links, [](const Value& item, auto& cable) {
             read_map(item, kGraphCableFields, cable);
         });
     },
     {}},
}};

constexpr std::array<Field<RouteOverride>, 3> kRouteFields{{
    {"at", [](const Value& v, RouteOverride& s) { read_text(v, s.at); }, "at: s0"},
    {"to", [](const Value& v, RouteOverride& s) { read_text(v, s.to); }, "to: s2"},
    {"via", [](const Value& v, RouteOverride& s) { read_list<std::string>(v, s.via, read_text); },
     "via: [s1]"},
}};

constexpr std::array<Field<UplinkSettings>, 2> kUplinkFields{{
    {"at", [](const Value& v, UplinkSettings& s) { read_text(v, s.at); }, "at: leaf0"},
    {"to", [](const Value& v, UplinkSettings& s) { read_list<std::string>(v, s.to, read_text); },
     "to: [spine0]"},
}};

// One shape and no other.
template <typename Shape, std::size_t N>
void read_shape(const Value& value, const std::array<Field<Shape>, N>& fields, FabricSettings& s) {
    if (!std::holds_alternative<std::monostate>(s.shape)) {
        value.problem("a fabric has one shape; delete the other");
        return;
    }
    Shape shape;
    read_map(value, fields, shape);
    s.shape = shape;
}

void read_seeds(const Value& value, HashSeeds& target) {
    if (!value.expect_scalar()) return;
    if (value.text() == "own" || value.text() == "equal") {
        target = value.text() == "own" ? HashSeeds::Own : HashSeeds::Equal;
    } else {
        value.problem("'" + std::string(value.text()) + "' is unknown; write own or equal");
    }
}

// Beside the experiment's file.
void read_plan(const Value& value, std::string& target) {
    read_text(value, target);
    const std::size_t slash = value.source.file.rfind('/');
    if (target.empty() || target.front() == '/' || slash == std::string::npos) return;
    target = value.source.file.substr(0, slash + 1) + target;
}

constexpr std::array<Field<FabricSettings>, 14> kFabricFields{{
    {"leaf_spine",
     [](const Value& v, FabricSettings& s) { read_shape(v, kLeafSpineFields, s); },
     {}},
    {"fat_tree", [](const Value& v, FabricSettings& s) { read_shape(v, kFatTreeFields, s); }, {}},
    {"ring", [](const Value& v, FabricSettings& s) { read_shape(v, kRingFields, s); }, {}},
    {"graph", [](const Value& v, FabricSettings& s) { read_shape(v, kGraphFields, s); }, {}},
    {"link", [](const Value& v, FabricSettings& s) { read_link(v, s.link); }, {}},
    {"fabric_link",
     [](const Value& v, FabricSettings& s) { read_link(v, s.fabric_link.emplace()); },
     {}},
    {"hash_seeds", [](const Value& v, FabricSettings& s) { read_seeds(v, s.hash_seeds); }, {}},
    {"hash_dest_qp", [](const Value& v, FabricSettings& s) { read_bool(v, s.hash_dest_qp); }, {}},
    {"shards",
     [](const Value& v, FabricSettings& s) { read_number(v, 1, kShardsMax, s.shards); },
     {}},
    {"detection",
     [](const Value& v, FabricSettings& s) { read_parsed(v, parse_interval, s.detection); },
     {}},
    {"routes",
     [](const Value& v, FabricSettings& s) {
         read_list<RouteOverride>(v, s.routes, [](const Value& item, RouteOverride& route) {
             read_map(item, kRouteFields, route);
         });
     },
     {}},
    {"uplinks",
     [](const Value& v, FabricSettings& s) {
         read_list<UplinkSettings>(v, s.uplinks, [](const Value& item, UplinkSettings& uplinks) {
             read_map(item, kUplinkFields, uplinks);
         });
     },
     {}},
    {"plan", [](const Value& v, FabricSettings& s) { read_plan(v, s.plan); }, {}},
    {"hook_moves",
     [](const Value& v, FabricSettings& s) { s.hook_moves = yaml_text(v.source.document, v.node); },
     {}},
}};

}  // namespace

void read_fabric(const Value& value, FabricSettings& target) {
    read_map(value, kFabricFields, target);
    if (std::holds_alternative<std::monostate>(target.shape)) {
        value.problem("no shape; write leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4}");
    }
}

}  // namespace weir::lab
