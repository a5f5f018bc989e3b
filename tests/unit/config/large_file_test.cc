// SPDX-License-Identifier: BSD-3-Clause
// 10,000 routes and 16,000 MACs: the file that must be reloaded in less than 100 ms. The times are
// printed, not asserted: they belong to the machine.
#include <cstdio>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "config/compile.h"
#include "config/diff.h"
#include "config/settings_reader.h"
#include "config/validate.h"
#include "config/yaml_reader.h"
#include "tests/unit/config/route_lookup.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

constexpr unsigned kRoutes = 10'000;
constexpr unsigned kMacs = 16'000;

std::string two_ports(unsigned number) {
    const std::string n = std::to_string(number);
    return "  - {name: r" + n + ", device: net_null" + n + ", addresses: [10.0." + n +
           ".1/24]}\n  - {name: b" + n + ", device: net_tap" + n + "}\n";
}

std::string large_file() {
    std::string text = "switch: {name: leaf1}\nports:\n";
    for (unsigned i = 0; i < 8; ++i) text += two_ports(i);
    text += "routes:\n";
    for (unsigned i = 0; i < kRoutes; ++i) {
        text += "  - {prefix: 11." + std::to_string(i / 256) + "." + std::to_string(i % 256) +
                ".0/24, via: [10.0." + std::to_string(i % 8) + ".2, 10.0." +
                std::to_string((i + 1) % 8) + ".2]}\n";
    }
    text += "macs:\n";
    for (unsigned i = 0; i < kMacs; ++i) {
        text += "  - {mac: " + format(MacAddress{0x0200'0000'0000u + i}) +
                ", vlan: " + std::to_string(i % 100 + 1) + ", port: b" + std::to_string(i % 8) +
                "}\n";
    }
    return text;
}

// Processor time: other programs on the machine do not count.
class Stopwatch {
  public:
    double lap_ms() {
        const std::clock_t now = std::clock();
        const double lap = 1e3 * static_cast<double>(now - last_) / CLOCKS_PER_SEC;
        last_ = now;
        return lap;
    }

  private:
    std::clock_t last_ = std::clock();
};

TEST(LargeFile, IsReadValidatedAndCompiled) {
    const std::string text = large_file();
    std::printf("%.2f MB of YAML; ms of one core:  yaml settings validate compile   diff\n",
                static_cast<double>(text.size()) / 1e6);
    std::unique_ptr<const CompiledTables> tables;
    Settings running;
    for (int round = 0; round < 3; ++round) {
        Problems problems;
        Loaded loaded;
        loaded.file = "f.yaml";
        Stopwatch watch;
        loaded.document = read_yaml(loaded.file, text, problems);
        const double yaml_ms = watch.lap_ms();
        loaded.settings = read_settings(loaded.file, loaded.document, problems);
        const double settings_ms = watch.lap_ms();
        validate(loaded, problems);
        const double validate_ms = watch.lap_ms();
        tables = compile(loaded.settings, {}, tables.get());
        const double compile_ms = watch.lap_ms();
        (void)diff(running, loaded.settings);
        const double diff_ms = watch.lap_ms();
        running = loaded.settings;
        ASSERT_EQ(problems.text(), "");
        std::printf("  round %d                      %7.1f %8.1f %8.1f %7.1f %6.1f\n", round,
                    yaml_ms, settings_ms, validate_ms, compile_ms, diff_ms);
    }
    ASSERT_EQ(running.routes.size(), kRoutes);
    ASSERT_EQ(running.macs.size(), kMacs);
    // Route 9,999 is 11.39.15.0/24 (39 * 256 + 15) via 10.0.7.2 and 10.0.0.2.
    const Route& last = route_to(tables->tables, "11.39.15.1");
    ASSERT_EQ(last.count, 2);
    EXPECT_EQ(format(tables->gateways[tables->next_hops[last.first].gateway].address), "10.0.7.2");
    EXPECT_EQ(route_to(tables->tables, "11.39.16.1").kind, RouteKind::None);
    EXPECT_EQ(tables->tables.generation, 3u);
    EXPECT_EQ(tables->gateways.size(), 8u);
}

// 64,000 rules over eight uplinks.
std::string large_plan(unsigned rules) {
    std::string text =
        "switch: {name: leaf}\n"
        "ports:\n"
        "  - {name: down0, device: net_null0, addresses: [10.1.0.1/16]}\n";
    std::string via;
    for (unsigned up = 0; up < 8; ++up) {
        const std::string n = std::to_string(up);
        text += "  - {name: up" + n + ", device: net_null" + std::to_string(up + 1) +
                ", addresses: [10.0." + n + ".1/24]}\n";
        via += (up == 0 ? "10.0." : ", 10.0.") + n + ".2";
    }
    text += "routes:\n  - {prefix: 10.2.0.0/16, via: [" + via + "]}\npaths:\n";
    for (unsigned n = 0; n < rules; ++n) {
        const auto host = [n](unsigned of) {
            return std::to_string(n / of % 200) + "." + std::to_string(2 + n % of);
        };
        text += "  - {source: 10.1." + host(200) + ", destination: 10.2." + host(250) +
                ", dest_qp: " + std::to_string(n) + ", via: [{port: up" + std::to_string(n % 8) +
                "}, {port: up" + std::to_string((n + 3) % 8) + "}]}\n";
    }
    return text;
}

TEST(LargeFile, PlansAreReadValidatedAndCompiled) {
    std::printf("rules; ms of one core:  yaml settings validate compile   diff\n");
    for (const unsigned rules : {1'000u, kPathRulesMax}) {
        const std::string text = large_plan(rules);
        Problems problems;
        Loaded loaded;
        loaded.file = "f.yaml";
        Stopwatch watch;
        loaded.document = read_yaml(loaded.file, text, problems);
        const double yaml_ms = watch.lap_ms();
        loaded.settings = read_settings(loaded.file, loaded.document, problems);
        const double settings_ms = watch.lap_ms();
        validate(loaded, problems);
        const double validate_ms = watch.lap_ms();
        ASSERT_EQ(problems.text(), "");
        const auto first = compile(loaded.settings, {}, nullptr);
        (void)watch.lap_ms();
        const auto tables = compile(loaded.settings, {}, first.get());
        const double compile_ms = watch.lap_ms();
        Settings other = loaded.settings;
        other.paths.back().via.pop_back();
        (void)watch.lap_ms();
        EXPECT_EQ(diff(loaded.settings, other).live.size(), 1u);
        const double diff_ms = watch.lap_ms();
        std::printf("%6u                %7.1f %8.1f %8.1f %7.1f %6.1f\n", rules, yaml_ms,
                    settings_ms, validate_ms, compile_ms, diff_ms);
        EXPECT_EQ(tables->path_rules.size(), rules);
        EXPECT_EQ(tables->tables.plan, first->tables.plan);
    }
    EXPECT_EQ(problems_of(large_plan(kPathRulesMax + 1)),
              "f.yaml:15:3: paths: 64001 rules; at most 64000\n");
}

}  // namespace
}  // namespace weir
