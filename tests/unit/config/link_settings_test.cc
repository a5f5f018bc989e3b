// SPDX-License-Identifier: BSD-3-Clause
// `link:` of a port: read, judged to the line, compiled, compared and described.
#include <string>

#include <gtest/gtest.h>

#include "config/compile.h"
#include "config/describe.h"
#include "config/diff.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

std::string yaml(const std::string& link, const std::string& addresses = "10.0.0.1/24") {
    return "switch: {name: s}\n"
           "ports:\n"
           "  - {name: a, device: net_null0, addresses: [" +
           addresses + "], link: " + link +
           "}\n"
           "  - {name: b, device: net_null1, addresses: [10.0.1.1/24]}\n"
           "  - {name: c, device: net_null2}\n";
}

// The problem of that link, without file and line.
std::string problem(const std::string& link, const std::string& addresses = "10.0.0.1/24") {
    const std::string text = problems_of(yaml(link, addresses));
    const std::size_t at = text.find(' ');
    return text.empty() ? text : text.substr(at + 1);
}

TEST(LinkSettings, HaveDefaultsAndAShortForm) {
    const LinkSettings link = *load_good(yaml("10.0.0.2"))->settings.ports[0].link;
    EXPECT_EQ(link, *load_good(yaml("{peer: 10.0.0.2}"))->settings.ports[0].link);
    EXPECT_EQ(link.desired_min_tx, Interval::microseconds(100));
    EXPECT_EQ(link.required_min_rx, Interval::microseconds(100));
    EXPECT_EQ(link.detect_mult, 3);
    EXPECT_EQ(link.hold_down, Interval::seconds(1));
    EXPECT_EQ(link.damping, Interval::seconds(5));
    EXPECT_FALSE(link.passive);
    EXPECT_TRUE(link.required);
}

TEST(LinkSettings, BecomeTablesAndAGateway) {
    const auto loaded = load_good(yaml(
        "{peer: 10.0.0.2, desired_min_tx: 10ms, required_min_rx: 20ms, detect_mult: 5, passive: "
        "true, required: false, hold_down: 2s, damping: 0s}"));
    const auto compiled = compile(loaded->settings, {}, nullptr);
    ASSERT_EQ(compiled->links.size(), kPortsMax);
    const LinkTable& link = compiled->links[0];
    EXPECT_TRUE(link.watched);
    EXPECT_EQ(link.peer, IpAddress::v4(0x0a00'0002));
    EXPECT_EQ(link.session.desired_min_tx, Interval::milliseconds(10));
    EXPECT_EQ(link.session.required_min_rx, Interval::milliseconds(20));
    EXPECT_EQ(link.session.detect_mult, 5);
    EXPECT_TRUE(link.session.passive);
    EXPECT_FALSE(link.required);
    EXPECT_EQ(link.hold_down, Interval::seconds(2));
    EXPECT_EQ(link.damping, Interval{});
    EXPECT_EQ(compiled->gateways[link.gateway].address, link.peer);
    EXPECT_EQ(compiled->gateways[link.gateway].port, 0);
    EXPECT_FALSE(compiled->links[1].watched);
    EXPECT_NE(describe(loaded->settings, *compiled)
                  .find("link to 10.0.0.2 every 10ms (hears every 20ms) x 5, passive, not "
                        "required, hold-down 2s, damping off\n"),
              std::string::npos);
}

TEST(LinkSettings, WithoutThemThereAreNoTables) {
    const auto loaded = load_good(
        "switch: {name: s}\nports: [{name: a, device: net_null0, addresses: [10.0.0.1/24]}]\n");
    EXPECT_TRUE(compile(loaded->settings, {}, nullptr)->tables.links.empty());
}

TEST(LinkSettings, KeepToTheirRanges) {
    const auto with = [](const std::string& more) {
        return problem("{peer: 10.0.0.2, " + more + "}");
    };
    EXPECT_EQ(with("desired_min_tx: 50us, required_min_rx: 60s"), "");
    EXPECT_EQ(with("desired_min_tx: 49us"),
              "ports[0].link.desired_min_tx: 49us is out of range; write 50us to 60s\n");
    EXPECT_EQ(with("required_min_rx: 60001ms"),
              "ports[0].link.required_min_rx: 60001ms is out of range; write 50us to 60s\n");
    EXPECT_EQ(with("required_min_rx: 100500ns"),
              "ports[0].link.required_min_rx: 100500ns is no whole number of microseconds\n");
    EXPECT_EQ(with("detect_mult: 255"), "");
    EXPECT_NE(with("detect_mult: 0"), "");
    EXPECT_NE(with("detect_mult: 256"), "");
    EXPECT_EQ(with("hold_down: 3601s"),
              "ports[0].link.hold_down: 3601s is out of range; write 0ps to 3600s\n");
    EXPECT_EQ(with("damping: 9ms"),
              "ports[0].link.damping: 9ms is out of range; write 10ms to 3600s\n");
    EXPECT_EQ(with("damping: 10ms"), "");
    EXPECT_EQ(with("detect_mul: 3"),
              "ports[0].link: unknown key 'detect_mul'; did you mean 'detect_mult'?\n");
    EXPECT_NE(problem("{hold_down: 1s}"), "");  // no peer
}

TEST(LinkSettings, ThePeerIsNextToUsOnThatPort) {
    EXPECT_NE(problem("10.9.0.1"), "");
    EXPECT_NE(problem("10.0.0.1"), "");  // our own
    EXPECT_EQ(problem("10.0.1.2"),
              "ports[0].link.peer: 10.0.1.2 is behind port b, not behind this one\n");
    EXPECT_EQ(problem("\"fe80::1\""), "");
    EXPECT_EQ(problem("\"fd00::2\"", "\"fd00::1/64\""), "");
}

TEST(LinkSettings, NeedARoutedPort) {
    EXPECT_NE(problems_of("switch: {name: s}\n"
                          "ports: [{name: c, device: net_null2, link: 10.0.0.2}]\n")
                  .find("ports[0].link: a session needs a routed port; give it addresses, or "
                        "leave link out"),
              std::string::npos);
}

TEST(LinkSettings, ChangeLive) {
    const auto before = load_good(yaml("10.0.0.2"));
    const auto after = load_good(yaml("{peer: 10.0.0.2, detect_mult: 5}"));
    const Difference difference = diff(before->settings, after->settings);
    EXPECT_TRUE(difference.refused.empty());
    ASSERT_EQ(difference.live.size(), 1u);
    EXPECT_EQ(difference.live[0].path, "ports[0].link");
}

}  // namespace
}  // namespace weir
