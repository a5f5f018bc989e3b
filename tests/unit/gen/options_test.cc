// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/options.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/roce/address.h"

namespace weir::gen {
namespace {

ParsedCommand parse(const std::string& line) {
    std::istringstream words("weir-gen " + line);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    std::vector<const char*> pointers(arguments.size());
    std::ranges::transform(arguments, pointers.begin(),
                           [](const std::string& argument) { return argument.c_str(); });
    return parse_command(static_cast<int>(pointers.size()), pointers.data());
}

template <typename Options>
Options parsed(const std::string& line) {
    const ParsedCommand command = parse(line);
    EXPECT_EQ(command.exit_status, kExitOk) << command.text;
    return std::get<Options>(command.command.value());
}

void expect_refused(const std::string& line, const std::string& reason) {
    const ParsedCommand command = parse(line);
    EXPECT_FALSE(command.command) << line;
    EXPECT_EQ(command.exit_status, kExitUsage) << line;
    EXPECT_NE(command.text.find(reason), std::string::npos) << command.text;
    EXPECT_EQ(command.text.rfind("weir-gen: ", 0), 0u) << command.text;
    EXPECT_EQ(std::ranges::count(command.text, '\n'), 1) << command.text;
    EXPECT_EQ(command.text.back(), '\n');
}

TEST(Options, SendTakesEverything) {
    const auto send = parsed<SendOptions>(
        "send --iface h0 --to 192.0.2.2 --to-mac 02:00:00:00:00:09 --from 192.0.2.1 --qps 4 "
        "--size 64 --count 10 --rate 1000 --dscp 24 --ecn 1 --vlan 100/3 --json out.json "
        "--op write --ttl 5 --qp 7 --psn 8 --source-port 9");
    EXPECT_EQ(send.interface, "h0");
    EXPECT_EQ(to_string(send.to), "192.0.2.2");
    EXPECT_EQ(to_string(send.to_mac.value()), "02:00:00:00:00:09");
    EXPECT_EQ(to_string(send.from.value()), "192.0.2.1");
    EXPECT_EQ(send.traffic.flows, 4u);
    EXPECT_EQ(send.traffic.payload_bytes, 64u);
    EXPECT_EQ(send.traffic.operation, Operation::Write);
    EXPECT_EQ(send.traffic.dscp, 24);
    EXPECT_EQ(send.traffic.ecn, 1);
    EXPECT_EQ(send.traffic.hop_limit, 5);
    EXPECT_EQ(send.traffic.vlan, (roce::VlanTag{.vid = 100, .pcp = 3}));
    EXPECT_EQ(send.traffic.queue_pair_first, 7u);
    EXPECT_EQ(send.traffic.psn_first, 8u);
    EXPECT_EQ(send.traffic.source_port_first, 9);
    EXPECT_EQ(send.count, 10u);
    EXPECT_FALSE(send.duration);
    EXPECT_EQ(send.frames_per_s, 1000u);
    EXPECT_EQ(send.json_path, "out.json");
}

TEST(Options, SendNeedsLittle) {
    const auto send = parsed<SendOptions>("send --iface h0 --to 2001:db8::2 --duration 1.5");
    EXPECT_FALSE(send.to_mac || send.from || send.count || send.traffic.vlan);
    EXPECT_EQ(send.duration, Interval::milliseconds(1500));
    EXPECT_EQ(send.traffic.dscp, 26);
    EXPECT_EQ(send.traffic.ecn, roce::kEcnCapable0);
}

TEST(Options, SinkTakesEverything) {
    const auto sink = parsed<SinkOptions>(
        "sink --iface h1 --duration 2 --idle 0.25 --count 5 --allow-loss --any-mac --json x");
    EXPECT_EQ(sink.interface, "h1");
    EXPECT_EQ(sink.duration, Interval::seconds(2));
    EXPECT_EQ(sink.idle, Interval::milliseconds(250));
    EXPECT_EQ(sink.count, 5u);
    EXPECT_TRUE(sink.allow_loss);
    EXPECT_TRUE(sink.any_mac);
    EXPECT_EQ(sink.json_path, "x");
    const auto least = parsed<SinkOptions>("sink --iface h1");
    EXPECT_FALSE(least.duration || least.idle || least.count || least.allow_loss || least.any_mac);
}

TEST(Options, PcapHasPrefixesAndOneFramePerFlow) {
    const auto pcap = parsed<PcapOptions>("pcap --out f.pcap");
    EXPECT_EQ(pcap.path, "f.pcap");
    EXPECT_EQ(pcap.traffic.flows, 64u);
    EXPECT_EQ(pcap.count, 64u);
    EXPECT_EQ(to_string(pcap.from.address), "10.1.0.0");
    EXPECT_EQ(pcap.to.length, 16u);
    const auto more = parsed<PcapOptions>(
        "pcap --out f.pcap --flows 2 --count 9 --from-prefix 2001:db8::/64 --to-prefix "
        "2001:db8:1::/48 --to-mac 02:00:00:00:00:09 --from-mac 02:00:00:00:00:08");
    EXPECT_EQ(more.count, 9u);
    EXPECT_EQ(more.to.length, 48u);
    EXPECT_EQ(to_string(more.to_mac), "02:00:00:00:00:09");
    EXPECT_EQ(to_string(more.from_mac), "02:00:00:00:00:08");
}

TEST(Options, RangesEndWhereTheFieldsEnd) {
    const std::string base = "send --iface h0 --to 192.0.2.2 ";
    for (const char* last :
         {"--dscp 63", "--ecn 3", "--vlan 4094/7", "--size 4096", "--ttl 255", "--qp 16777215",
          "--psn 16777215", "--qps 65536", "--source-port 65535", "--rate 1000000000", "--dscp 0",
          "--vlan 0", "--size 0", "--ttl 1"}) {
        EXPECT_EQ(parse(base + last).exit_status, kExitOk) << last;
    }
    for (const char* beyond : {"--dscp 64", "--ecn 4", "--vlan 4095", "--vlan 1/8", "--size 4097",
                               "--ttl 256", "--ttl 0", "--qp 16777216", "--psn 16777216",
                               "--qps 65537", "--qps 0", "--source-port 65536", "--rate 1000000001",
                               "--count 0", "--duration 0", "--dscp -1", "--vlan /3", "--vlan x"}) {
        expect_refused(base + beyond, std::string(beyond).substr(0, std::string(beyond).find(' ')));
    }
}

TEST(Options, MistakesAreOneLine) {
    expect_refused("", "subcommand");
    expect_refused("receive", "subcommand");
    expect_refused("send --to 192.0.2.2", "--iface");
    expect_refused("send --iface h0", "--to");
    expect_refused("send --iface h0 --to 192.0.2", "--to 192.0.2: expected");
    expect_refused("send --iface h0 --to 192.0.2.2 --to-mac 1:2", "--to-mac");
    expect_refused("send --iface h0 --to 192.0.2.2 --from 2001:db8::1", "both be IPv4");
    expect_refused("send --iface h0 --to 192.0.2.2 --count 1 --duration 1", "excludes");
    expect_refused("send --iface h0 --to 192.0.2.2 --speed 5", "--speed");
    expect_refused("sink --iface h0 --to 192.0.2.2", "--to");
    expect_refused("pcap --out f --from-prefix 10.0.0.0", "--from-prefix");
    expect_refused("pcap --out f --from-prefix 10.0.0.0/33", "--from-prefix");
    expect_refused("pcap --out f --to-prefix 2001:db8::/64", "both");
}

TEST(Options, HelpAndVersionAreNotMistakes) {
    for (const char* line : {"--help", "send --help", "sink --help", "pcap --help", "--version"}) {
        const ParsedCommand command = parse(line);
        EXPECT_FALSE(command.command) << line;
        EXPECT_EQ(command.exit_status, kExitOk) << line;
        EXPECT_FALSE(command.text.empty()) << line;
    }
    EXPECT_NE(parse("send --help").text.find("--dscp UINT:INT in [0 - 63]=26"), std::string::npos);
}

TEST(RcOptions, DefaultsAndEverythingGiven) {
    const auto asks = parsed<RcOptions>("rc --iface eth0 --to 10.0.0.2 --count 100");
    EXPECT_FALSE(asks.answers);
    EXPECT_EQ(asks.operation, Operation::Write);
    EXPECT_EQ(asks.queue_pairs, 1u);
    EXPECT_EQ(asks.message_bytes, 65'536u);
    EXPECT_EQ(asks.count, 100u);
    const auto answers = parsed<RcOptions>(
        "rc --answer --iface eth0 --to 10.0.0.1 --qps 8 --op send --size 4096 --depth 2 --mtu 4096 "
        "--dscp 24 --mbps 400 --dcqcn --idle 2");
    EXPECT_TRUE(answers.answers);
    EXPECT_TRUE(answers.dcqcn);
    EXPECT_EQ(answers.operation, Operation::Send);
    EXPECT_EQ(answers.mtu_bytes, 4096u);
    EXPECT_EQ(answers.megabits_per_s, 400u);
    EXPECT_EQ(answers.idle, Interval::seconds(2));
}

TEST(RcOptions, WhatIsNoRoceMtuIsRefused) {
    EXPECT_EQ(parse("rc --iface eth0 --to 10.0.0.2 --mtu 1500").exit_status, kExitUsage);
    EXPECT_EQ(parse("rc --iface eth0 --to 10.0.0.2 --from ::1").exit_status, kExitUsage);
    EXPECT_EQ(parse("rc --iface eth0").exit_status, kExitUsage);
}

}  // namespace
}  // namespace weir::gen
