// SPDX-License-Identifier: BSD-3-Clause
// Each example is valid and compiles; those of one folder are one process.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "config/compile.h"
#include "config/describe.h"
#include "config/load.h"
#include "config/validate.h"
#include "tests/unit/config/route_lookup.h"

namespace weir {
namespace {

std::string example(const std::string& name) {
    return std::string(WEIR_EXAMPLES_DIR) + "/" + name;
}

struct Example {
    std::unique_ptr<const Loaded> loaded;
    std::unique_ptr<const CompiledTables> compiled;
};

Example compile_example(const std::string& name) {
    Problems problems;
    Example out;
    out.loaded = load(example(name), problems);
    EXPECT_EQ(problems.text(), "");
    const Settings& settings = out.loaded->settings;
    out.compiled = compile(settings, facts_without_devices(settings), nullptr);
    EXPECT_NE(describe(settings, *out.compiled), "");
    return out;
}

TEST(Examples, AreAllTestedHere) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(WEIR_EXAMPLES_DIR)) {
        if (!entry.is_regular_file()) continue;
        names.push_back(std::filesystem::relative(entry.path(), WEIR_EXAMPLES_DIR).string());
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names,
              (std::vector<std::string>{
                  "fabric-in-a-box/leaf1.yaml", "fabric-in-a-box/leaf2.yaml",
                  "fabric-in-a-box/spine1.yaml", "fabric-in-a-box/spine2.yaml", "leaf.yaml",
                  "lossless.yaml", "reference.paths.yaml", "reference.yaml", "two-port-l2.yaml"}));
}

// The keys that are known where `text` has a key that nobody knows.
std::vector<std::string> known_keys(const std::string& text) {
    Problems problems;
    EXPECT_EQ(load_text("f.yaml", text, problems), nullptr);
    const std::string all = problems.text();
    const std::string_view mark = "known here: ";
    const std::size_t at = all.find(mark);
    EXPECT_NE(at, std::string::npos) << all;
    std::istringstream words(all.substr(at + mark.size(), all.find('\n', at) - at - mark.size()));
    std::vector<std::string> keys;
    for (std::string word; words >> word;) {
        if (word.back() == ',') word.pop_back();
        keys.push_back(word);
    }
    return keys;
}

TEST(Examples, TheReferenceHasEveryKey) {
    Problems problems;
    const auto reference = load(example("reference.yaml"), problems);
    ASSERT_NE(reference, nullptr) << problems.text();
    const auto has = [&](const std::string& path) {
        const Document& document = reference->document;
        const Mark parent = document.locate(path.substr(0, path.rfind('.')));
        const Mark mark = document.locate(path);
        return mark.line != parent.line || mark.column != parent.column;
    };
    struct Place {
        std::string unknown;             // a file with a key in this place that nobody knows
        std::vector<std::string> paths;  // items of the reference that have the keys together
    };
    for (const auto& [unknown, paths] : std::initializer_list<Place>{
             {"zzzzz: 1", {""}},
             {"switch: {zzzzz: 1}", {"switch."}},
             {"workers: {zzzzz: 1}", {"workers."}},
             {"ports: [{zzzzz: 1}]", {"ports[0].", "ports[1]."}},
             {"ports: [{vlan: {zzzzz: 1}}]", {"ports[0].vlan."}},
             {"routes: [{zzzzz: 1}]", {"routes[0].", "routes[2].", "routes[3]."}},
             {"neighbors: [{zzzzz: 1}]", {"neighbors[0]."}},
             {"macs: [{zzzzz: 1}]", {"macs[0]."}},
             {"hash: {zzzzz: 1}", {"hash."}},
             {"flowlet: {zzzzz: 1}", {"flowlet."}},
             {"plan: {zzzzz: 1}", {"plan."}},
             {"paths: [{zzzzz: 1}]", {"paths[0].", "paths[1].", "paths[2]."}},
             {"paths: [{via: [{zzzzz: 1}]}]", {"paths[0].via[0]."}},
             {"maps: {zzzzz: 1}", {"maps."}},
             {"queues: {zzzzz: 1}", {"queues."}},
             {"pfc: {zzzzz: 1}", {"pfc."}},
             {"buffer: {zzzzz: 1}", {"buffer."}},
             {"buffer: {lossy: {zzzzz: 1}}", {"buffer.lossless.", "buffer.lossy."}},
             {"ports: [{buffer: {zzzzz: 1}}]", {"ports[0].buffer."}},
             {"ecn: {3: {zzzzz: 1}}", {"ecn.3."}},
             {"scheduler: {zzzzz: 1}", {"scheduler."}},
             {"watchdog: {zzzzz: 1}", {"watchdog."}},
             {"hooks: {zzzzz: 1}", {"hooks."}},
             {"hooks: {moves: {3: {zzzzz: 1}}}", {"hooks.moves.3."}},
             {"hooks: {moves: {3: {first: {zzzzz: 1}}}}", {"hooks.moves.3.first."}}}) {
        for (const std::string& key : known_keys(unknown)) {
            const bool found = std::any_of(paths.begin(), paths.end(), [&](const auto& path) {
                return path.empty() ? has("." + key) : has(path + key);
            });
            EXPECT_TRUE(found) << unknown << ": " << key;
        }
    }
}

TEST(Examples, TwoPortsBridge) {
    const Example two = compile_example("two-port-l2.yaml");
    const Tables& tables = two.compiled->tables;
    EXPECT_EQ(tables.ports[0].mode, PortMode::Bridged);
    EXPECT_EQ(tables.vlans[tables.vlan_index[1]].members.size(), 2u);
}

TEST(Examples, TheLeafSpreadsOverItsUplinks) {
    const Example leaf = compile_example("leaf.yaml");
    const Tables& tables = leaf.compiled->tables;
    EXPECT_EQ(route_to(tables, "10.9.9.9").count, 2);
    EXPECT_EQ(route_to(tables, "fd00:9::9").count, 2);
    EXPECT_EQ(route_to(tables, "10.1.1.2").kind, RouteKind::Connected);
    EXPECT_EQ(route_to(tables, "10.1.7.7").kind, RouteKind::Blackhole);
    EXPECT_EQ(route_to(tables, "8.8.8.8").kind, RouteKind::None);
    EXPECT_EQ(tables.maps.from_dscp[26], 3);
}

TEST(Examples, TheLosslessSwitchPausesMarksAndWeighs) {
    const Example example = compile_example("lossless.yaml");
    const Tables& tables = example.compiled->tables;
    for (PortId port = 0; port < 3; ++port) {
        EXPECT_EQ(tables.ports[port].pfc_priorities, 1u << 3);
        EXPECT_TRUE(tables.groups[group_of(port, 3)].lossless);
        EXPECT_GT(tables.groups[group_of(port, 3)].headroom_bytes, 0u);
        EXPECT_EQ(tables.egress[port].ecn_priorities, 1u << 3);
        EXPECT_EQ(tables.egress[port].strict, 0xc0);
        EXPECT_EQ(tables.egress[port].quantum_bytes[3], 4 * tables.egress[port].quantum_bytes[0]);
    }
    EXPECT_EQ(tables.maps.from_dscp[26], 3);
    EXPECT_EQ(tables.maps.from_dscp[48], 6);
    EXPECT_TRUE(tables.watchdog.enabled);
    // The uplink is faster and longer, so it needs more.
    EXPECT_GT(tables.groups[group_of(2, 3)].headroom_bytes,
              tables.groups[group_of(0, 3)].headroom_bytes);
    EXPECT_GT(tables.egress[2].ecn[3].kmin_bytes, tables.egress[0].ecn[3].kmin_bytes);
}

// The switch at the other end of the ring that the first of the next hops is on.

const Example* peer_of(const std::vector<Example>& fabric, const Example& at, const Route& route) {
    const NextHop& hop = at.compiled->tables.next_hops[route.first];
    const std::string& ring = at.loaded->settings.ports[hop.port].device;
    const IpAddress gateway = at.compiled->tables.gateways[hop.gateway].address;
    for (const Example& other : fabric) {
        if (&other == &at) continue;
        for (const PortSettings& port : other.loaded->settings.ports) {
            if (port.device != ring || !port.routed()) continue;
            for (const IpPrefix& own : *port.addresses) {
                if (own.address == gateway) return &other;
            }
        }
    }
    return nullptr;
}

TEST(Examples, TheFabricReachesEveryHostFromEveryLeaf) {
    std::vector<Example> fabric;
    std::vector<const Loaded*> files;
    for (const char* name : {"leaf1", "leaf2", "spine1", "spine2"}) {
        fabric.push_back(compile_example("fabric-in-a-box/" + std::string(name) + ".yaml"));
        files.push_back(fabric.back().loaded.get());
    }
    Problems problems;
    validate_together(files, problems);
    EXPECT_EQ(problems.text(), "");
    for (const char* host : {"10.1.1.2", "10.1.2.2", "10.2.1.2", "10.2.2.2", "fd00:1:1::2",
                             "fd00:1:2::2", "fd00:2:1::2", "fd00:2:2::2"}) {
        for (const Example& start : fabric) {
            const Example* at = &start;
            unsigned hops = 0;
            while (at != nullptr &&
                   route_to(at->compiled->tables, host).kind == RouteKind::NextHops) {
                ASSERT_LE(++hops, 2u) << "a loop to " << host;
                at = peer_of(fabric, *at, route_to(at->compiled->tables, host));
            }
            ASSERT_NE(at, nullptr) << "no peer on the way to " << host;
            EXPECT_EQ(route_to(at->compiled->tables, host).kind, RouteKind::Connected);
        }
    }
}

}  // namespace
}  // namespace weir
