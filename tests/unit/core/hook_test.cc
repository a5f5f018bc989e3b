// SPDX-License-Identifier: BSD-3-Clause
// Deadlock prevention: ports 1 and 2 are uplinks. Priority 3 (DSCP 26) becomes 4 with DSCP 34 at
// the first hook and 1 (lossy) with DSCP 10 at the second.
#include "dataplane/core/hook.h"

#include <gtest/gtest.h>

#include "dataplane/core/dscp.h"
#include "dataplane/core/explain.h"
#include "dataplane/core/pfc.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kRouter = R"(
switch: { name: rig }
ports:
  - { name: host, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: up0, device: "net_null1", addresses: [10.3.0.1/24, "2001:db8:3::1/64"] }
  - { name: up1, device: "net_null2", addresses: [10.4.0.1/24, "2001:db8:4::1/64"] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.4.0.2] }
  - { prefix: 10.5.0.0/24, via: [10.1.0.2] }
  - { prefix: 10.6.0.0/24, via: [10.3.0.2] }
  - { prefix: "2001:db8:2::/64", via: ["2001:db8:4::2"] }
neighbors:
  - { address: 10.1.0.2, mac: "0a:00:00:00:01:02" }
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
  - { address: 10.4.0.2, mac: "0a:00:00:00:04:02" }
  - { address: "2001:db8:4::2", mac: "0a:00:00:00:04:02" }
)";
constexpr MacAddress kUp0{kPortMacs.value + 1};
constexpr MacAddress kHop1{0x0a00'0000'0402};

void make_hooks(CompiledTables& tables) {
    HookTable& hooks = tables.tables.hooks;
    hooks.uplinks.add(1);
    hooks.uplinks.add(2);
    hooks.first[3] = {.priority = 4, .dscp = 34, .moves = true};
    hooks.second[34] = {.priority = 1, .dscp = 10, .moves = true};
    for (PortId port = 0; port < 3; ++port) {
        tables.ports[port].pfc_priorities = 1u << 3 | 1u << 4;
        for (const Priority priority : {Priority{3}, Priority{4}}) {
            tables.groups[group_of(port, priority)] = {.headroom_bytes = 3'000,
                                                       .xon_offset_bytes = 2'000,
                                                       .shared_limit_bytes = 5'000,
                                                       .dynamic = false,
                                                       .lossless = true};
        }
    }
}

// The frame as it must leave by port 2.
Octets hooked(UdpFrame fields, std::uint8_t dscp) {
    fields.destination = kHop1;
    fields.source = {kPortMacs.value + 2};
    fields.dscp = dscp;
    --fields.ttl;
    return udp(fields);
}

class Hooks : public ::testing::Test {
  protected:
    Hooks() : rig(kRouter, make_hooks) {}
    std::uint64_t sent_in(Priority priority) {
        return rig.shard->counters(2).sent_by_priority[priority].read();
    }
    SwitchRig rig;
};

// DSCP and checksum change as a new computation gives them, TTL and MACs as for every routed frame;
// the ECN bits stay, and nothing that the ICRC covers changes: udp() makes the rest anew.
TEST_F(Hooks, FirstHookMovesToTheOtherLosslessPriority) {
    for (std::uint16_t port = 0; port < 500; ++port) {
        for (std::uint8_t ecn = 0; ecn < 4; ++ecn) {
            const UdpFrame fields{.destination = kUp0, .source_port = port, .ecn = ecn};
            rig.receive(1, {udp(fields)});
            const std::vector<Octets> frames = rig.sent(2);
            ASSERT_EQ(frames, std::vector<Octets>{hooked(fields, 34)}) << port;
            ASSERT_TRUE(ipv4_checksum_is_right(frames[0]));
        }
    }
    EXPECT_EQ(sent_in(4), 2'000u);
    EXPECT_EQ(rig.shard->counters(1).hooked_first[3].read(), 2'000u);
    EXPECT_EQ(rig.group(1, 3).held(), 0u);
    EXPECT_EQ(rig.all_drops(), 0u);
}

// The next switch knows by the DSCP that it was hooked once.
TEST_F(Hooks, SecondHookMovesToALossyPriority) {
    const UdpFrame fields{.destination = kUp0, .dscp = 34};
    rig.receive(1, {udp(fields), udp(fields)});
    EXPECT_EQ(rig.sent(2), (std::vector<Octets>{hooked(fields, 10), hooked(fields, 10)}));
    EXPECT_EQ(sent_in(1), 2u);
    EXPECT_EQ(rig.shard->counters(1).hooked_second[4].read(), 2u);
    EXPECT_EQ(rig.group(1, 4).held(), 0u);
}

// A third hook (lossy DSCP 10), a lossy priority, a frame down to a host, one up from a host.
TEST_F(Hooks, NothingElseMoves) {
    UdpFrame third{.destination = kUp0, .dscp = 10};
    rig.receive(1, {udp(third)});
    EXPECT_EQ(rig.sent(2), std::vector<Octets>{hooked(third, 10)});
    UdpFrame lossy{.destination = kUp0, .dscp = 0};
    rig.receive(1, {udp(lossy)});
    EXPECT_EQ(rig.sent(2), std::vector<Octets>{hooked(lossy, 0)});
    UdpFrame up{};
    rig.receive(0, {udp(up)});
    EXPECT_EQ(rig.sent(2), std::vector<Octets>{hooked(up, 26)});
    rig.receive(1, {udp({.destination = kUp0, .to = 0x0a05'0001})});
    const std::vector<Octets> down = rig.sent(0);
    ASSERT_EQ(down.size(), 1u);
    EXPECT_EQ(down[0][15] >> 2, 26);
    EXPECT_EQ(rig.shard->counters(1).hooked_first[3].read(), 0u);
    EXPECT_EQ(rig.shard->counters(1).hooked_second[4].read(), 0u);
}

// Back by the uplink it came from is a hook as well.
TEST_F(Hooks, BackByTheSameUplink) {
    rig.receive(1, {udp({.destination = kUp0, .to = 0x0a06'0001})});
    const std::vector<Octets> frames = rig.sent(1);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0][15] >> 2, 34);
}

// The priority tag of a frame says the new priority too; its VID 0 stays.
TEST_F(Hooks, APriorityTagFollows) {
    const UdpFrame fields{.destination = kUp0, .tci = 3 << 13};
    rig.receive(1, {udp(fields)});
    UdpFrame expected = fields;
    expected.tci = 4 << 13;
    EXPECT_EQ(rig.sent(2), std::vector<Octets>{hooked(expected, 34)});
    EXPECT_EQ(rig.group(1, 3).held(), 0u);
}

TEST_F(Hooks, Ipv6) {
    Octets frame(100);
    write_mac(frame.data(), kUp0);
    write_mac(frame.data() + 6, {0x0a00'0000'0001});
    write_be16(frame.data() + 12, 0x86dd);
    write_be32(frame.data() + 14, 0x6000'0000 | (26 << 2 | 2) << 20 | 0x9abcd);  // and a flow label
    write_be16(frame.data() + 18, 46);
    frame[20] = 17;
    frame[21] = 9;
    write_ipv6(frame.data() + 22, {0x2001'0db8'0001'0000, 2});
    write_ipv6(frame.data() + 38, {0x2001'0db8'0002'0000, 7});
    write_be16(frame.data() + 56, 4791);
    write_be16(frame.data() + 58, 46);
    rig.receive(1, {frame});
    const std::vector<Octets> frames = rig.sent(2);
    ASSERT_EQ(frames.size(), 1u);
    Octets expected = frame;
    write_mac(expected.data(), kHop1);
    write_mac(expected.data() + 6, {kPortMacs.value + 2});
    write_be32(expected.data() + 14, 0x6000'0000 | (34 << 2 | 2) << 20 | 0x9abcd);
    expected[21] = 8;
    EXPECT_EQ(frames[0], expected);
}

// Every DSCP to every other, IPv4: the checksum is that of a new computation.
TEST(Dscp, ChecksumFollows) {
    for (unsigned from = 0; from < 64; ++from) {
        for (unsigned to = 0; to < 64; ++to) {
            Octets bytes = udp({.dscp = static_cast<std::uint8_t>(from)});
            Frame frame{.data = bytes.data(), .length = 100, .readable = 100};
            frame.flags = frame_flags::kIpv4;
            ASSERT_EQ(dscp_of(frame), from);
            set_dscp(frame, static_cast<std::uint8_t>(to));
            ASSERT_EQ(bytes, udp({.dscp = static_cast<std::uint8_t>(to)})) << from << " to " << to;
        }
    }
}

// The peer of the ingress port sends in priority 3: its group fills (five frames of 1,000 bytes
// reach the threshold) and the pause names 3. The peer of the egress port pauses the hooks in 4.
TEST_F(Hooks, PauseNamesThePriorityOfArrival) {
    const Octets frame = udp({.destination = kUp0, .bytes = 1'000});
    rig.receive(1, std::vector<Octets>(5, frame));
    EXPECT_EQ(rig.group(1, 3).bytes, 5'000u);
    EXPECT_EQ(rig.group(1, 4).bytes, 0u);
    EXPECT_EQ(rig.shard->counters(1).pauses_sent[3].read(), 1u);
    EXPECT_EQ(rig.shard->counters(1).pauses_sent[4].read(), 0u);
    Octets pause(60);
    const std::span<std::uint8_t, kPfcFrameBytes> bytes(pause);
    write_pfc_frame(bytes, {1}, {1u << 4, {0, 0, 0, 0, 9, 0, 0, 0}});
    rig.receive(2, {pause});
    EXPECT_TRUE(rig.sent(2).empty());
    write_pfc_frame(bytes, {1}, {1u << 4 | 1u << 3, {0, 0, 0, 9, 0, 0, 0, 0}});
    rig.receive(2, {pause});
    EXPECT_EQ(rig.offer_and_take(2, 2, 2).size(), 2u);  // 3,000 + 2,000 are the threshold: resume
    EXPECT_EQ(rig.shard->counters(1).resumes_sent[3].read(), 1u);
    EXPECT_EQ(rig.sent(2).size(), 3u);
    EXPECT_EQ(rig.group(1, 3).held(), 0u);
}

// The flow is remembered for the way up from the host, never for the hook: each of its frames is
// moved, also when it alternates.
TEST_F(Hooks, ARememberedFlowIsMovedToo) {
    for (int i = 0; i < 100; ++i) {
        rig.receive(0, {udp({})});
        rig.receive(1, {udp({.destination = kUp0})});
        const std::vector<Octets> frames = rig.sent(2);
        ASSERT_EQ(frames.size(), 2u);
        EXPECT_EQ(frames[0][15] >> 2, 34);  // priority 4 is served before 3
        EXPECT_EQ(frames[1][15] >> 2, 26);
    }
}

// One event a second, with ports and priority of the first hook in it.
TEST_F(Hooks, TellsOnceASecond) {
    const Time begin = rig.now;
    for (int i = 0; i < 21; ++i) {
        rig.receive(1, {udp({.destination = kUp0})});
        rig.pass(Interval::milliseconds(100));
    }
    ASSERT_EQ(rig.events.size(), 3u);
    for (int i = 0; i < 3; ++i) {
        const Event& event = rig.events[static_cast<std::size_t>(i)];
        EXPECT_EQ(event.kind, EventKind::FramesHooked);
        EXPECT_EQ(event.at, begin + Interval::seconds(i));
        EXPECT_EQ(event.port, 1);
        EXPECT_EQ(event.priority, 3);
        EXPECT_EQ(event.number, 1u);
    }
}

// `explain flow` finds what the frame path does.
TEST_F(Hooks, ExplainedAsTheyAreMoved) {
    struct Case {
        PortId in_port;
        std::uint8_t dscp;
        Hook hook;
        Priority priority;
        std::uint8_t new_dscp;
    };
    for (const Case& one : {Case{1, 26, Hook::First, 4, 34}, Case{1, 34, Hook::Second, 1, 10},
                            Case{1, 10, Hook::None, 0, 0}, Case{0, 26, Hook::None, 0, 0}}) {
        Octets bytes = udp({.destination = {kPortMacs.value + one.in_port}, .dscp = one.dscp});
        const auto length = static_cast<std::uint16_t>(bytes.size());
        const Explanation found =
            explain(*rig.shard, rig.now, one.in_port,
                    {.data = bytes.data(), .length = length, .readable = length});
        EXPECT_EQ(found.outcome, Explanation::Outcome::Routed);
        EXPECT_EQ(found.hook, one.hook) << int{one.dscp};
        EXPECT_EQ(found.move.priority, one.priority);
        EXPECT_EQ(found.move.dscp, one.new_dscp);
    }
}

// At the second hook the queue is a lossy one: it drops at its limit of ten frames and pauses
// nobody as long as the group is below its threshold.
TEST(HooksLossy, ASecondHookIsDroppedAtTheQueueLimit) {
    SwitchRig rig(kRouter, [](CompiledTables& tables) {
        make_hooks(tables);
        tables.tables.queue_bytes_max = 1'000;
    });
    for (int i = 0; i < 12; ++i) rig.receive(1, {udp({.destination = kUp0, .dscp = 34})});
    EXPECT_EQ(rig.drops(2, DropReason::QueueFull), 2u);
    EXPECT_EQ(rig.sent(2).size(), 10u);
    EXPECT_EQ(rig.shard->counters(1).pauses_sent[4].read(), 0u);
    EXPECT_EQ(rig.group(1, 4).held(), 0u);
}

}  // namespace
}  // namespace weir
