// SPDX-License-Identifier: BSD-3-Clause
// Failure notices between switches: two leaves, two spines, a host on each leaf. Sessions run at
// 100 us x 3, links at 100 Gb/s and 1 us; timers are looked at every 5 us.
#include "dataplane/core/notices.h"

#include <gtest/gtest.h>

#include "config/notice_key.h"
#include "dataplane/core/checksum.h"
#include "dataplane/core/wire.h"
#include "tests/unit/core/fabric.h"

namespace weir {
namespace {

constexpr std::uint64_t k100G = 100'000'000'000;

// Port 0 is towards the hosts, 1 and 2 towards the spines. Leaf n: 10.n.0.1/24 and
// 10.10n.1|2.1/31 towards the spines.
std::string leaf(unsigned n) {
    const std::string self = std::to_string(n);
    const std::string other = std::to_string(3 - n);
    std::string yaml = "switch: { name: leaf" + self +
                       " }\nnotices: { key: " + std::string(64, '1') +
                       " }\nports:\n  - { name: host, device: net_null0, " + "addresses: [10." +
                       self + ".0.1/24] }\n";
    for (const char* spine : {"1", "2"}) {
        const std::string subnet = "10.10" + self + "." + spine;
        yaml += std::string("  - { name: up") + spine + ", device: net_null" + spine +
                ", addresses: [" + subnet + ".1/24], link: { peer: " + subnet + ".2 } }\n";
    }
    yaml += "routes:\n  - { prefix: 10." + other + ".0.0/24, via: [10.10" + self + ".1.2, 10.10" +
            self + ".2.2] }\n";
    yaml +=
        "neighbors:\n  - { address: 10." + self + ".0.2, mac: '0a:00:00:00:00:0" + self + "' }\n";
    for (const char* spine : {"1", "2"}) {
        yaml += "  - { address: 10.10" + self + "." + spine + ".2, mac: '02:00:00:00:00:0" +
                std::to_string(n - 1) + "' }\n";
    }
    return yaml;
}

// Port n - 1 is towards leaf n.
std::string spine(unsigned s) {
    const std::string self = std::to_string(s);
    std::string yaml = "switch: { name: spine" + self +
                       " }\nnotices: { key: " + std::string(64, '1') + " }\nports:\n";
    for (const char* l : {"1", "2"}) {
        const std::string subnet = std::string("10.10") + l + "." + self;
        yaml += std::string("  - { name: leaf") + l + ", device: net_null" + l + ", addresses: [" +
                subnet + ".2/24], link: { peer: " + subnet + ".1 } }\n";
    }
    yaml += "routes:\n";
    for (const char* l : {"1", "2"}) {
        yaml += std::string("  - { prefix: 10.") + l + ".0.0/24, via: [10.10" + l + "." + self +
                ".1] }\n";
    }
    yaml += "neighbors:\n";
    for (const char* l : {"1", "2"}) {
        yaml += std::string("  - { address: 10.10") + l + "." + self +
                ".1, mac: '02:00:00:00:00:0" + self + "' }\n";
    }
    return yaml;
}

struct LeafSpine {
    Fabric fabric;
    unsigned leaf1 = fabric.add(leaf(1), {});
    unsigned leaf2 = fabric.add(leaf(2), {});
    unsigned spine1 = fabric.add(spine(1), {});
    unsigned spine2 = fabric.add(spine(2), {});
    unsigned host1 = fabric.add_host();
    unsigned host2 = fabric.add_host();
    std::vector<std::pair<unsigned, unsigned>> cut;  // nodes between which frames are lost
    std::vector<Octets> notices;                     // as they arrived, to whom
    std::vector<Fabric::End> notices_at;

    LeafSpine() {
        const Interval delay = Interval::microseconds(1);
        fabric.connect({host1, 0}, {leaf1, 0}, k100G, delay);
        fabric.connect({host2, 0}, {leaf2, 0}, k100G, delay);
        fabric.connect({leaf1, 1}, {spine1, 0}, k100G, delay);
        fabric.connect({leaf1, 2}, {spine2, 0}, k100G, delay);
        fabric.connect({leaf2, 1}, {spine1, 1}, k100G, delay);
        fabric.connect({leaf2, 2}, {spine2, 1}, k100G, delay);
        fabric.tap = [this](Fabric::End to, Octets& frame) {
            for (const auto& [a, b] : cut) {
                const PortId port_a = port_between(a, b);
                const PortId port_b = port_between(b, a);
                if ((to.node == a && to.port == port_a) || (to.node == b && to.port == port_b)) {
                    return false;
                }
            }
            if (is_notice_frame(frame)) {
                notices.push_back(frame);
                notices_at.push_back(to);
            }
            return true;
        };
        pass(Interval::milliseconds(10));  // sessions tell at once what has changed
        notices.clear();
        notices_at.clear();
    }

    // Where microseconds do not matter.
    void pass(Interval span) { fabric.run(span, Interval::microseconds(50)); }

    // The port of `a` towards `b`.
    [[nodiscard]] PortId port_between(unsigned a, unsigned b) const {
        const bool a_is_leaf = a == leaf1 || a == leaf2;
        const unsigned spine = a_is_leaf ? b : a;
        const unsigned leaf = a_is_leaf ? a : b;
        return a_is_leaf ? static_cast<PortId>(spine == spine1 ? 1 : 2)
                         : static_cast<PortId>(leaf == leaf1 ? 0 : 1);
    }
    static bool is_notice_frame(const Octets& frame) {
        return frame[12] == 0x08 && frame[23] == 17 && read_be16(frame.data() + 36) == kNoticePort;
    }
    // Host 1 sends to host 2, a frame of 1,000 bytes each microsecond in one flow that goes by
    // `through`.
    void stream_through(unsigned through) {
        const PortId port = port_between(leaf1, through);
        for (std::uint16_t source_port = 49'152;; ++source_port) {
            const auto frame = [source_port](std::uint64_t) {
                return udp({.from = 0x0a01'0002,
                            .to = 0x0a02'0002,
                            .source_port = source_port,
                            .bytes = 1'000});
            };
            const std::uint64_t before = sent(leaf1, port);
            fabric.host(host1).streams[3] = {.frame = frame, .left = 1};
            fabric.run(Interval::microseconds(50));
            if (sent(leaf1, port) != before) {
                fabric.host(host1).streams[3] = {.frame = frame,
                                                 .left = 1'000'000,
                                                 .gap = Interval::microseconds(1),
                                                 .next = fabric.now()};
                return;
            }
        }
    }
    // Own packets aside, what a port has sent grows by 1,000 bytes a frame.
    [[nodiscard]] std::uint64_t sent(unsigned node, PortId port) {
        return fabric.rig(node).shard->counters(port).sent_by_priority[3].read();
    }
    [[nodiscard]] const NoticePort& at(unsigned node, PortId port) {
        return fabric.rig(node).shard->state().notices.by_port[port];
    }
    [[nodiscard]] std::uint64_t refused(unsigned node, PortId port, NoticeRefusal why) {
        return at(node, port).counters.refused[static_cast<unsigned>(why)];
    }
    [[nodiscard]] bool lost(unsigned node, std::uint32_t address, PortId port) {
        const Tables& tables = fabric.rig(node).shard->tables();
        const std::uint32_t group = tables.destinations.find({IpAddress::v4(address), 96 + 24});
        EXPECT_NE(group, kNoDestinationGroup);
        return fabric.rig(node).condition().lost.ports(group).has(port);
    }
};

constexpr std::uint32_t kBehindLeaf2 = 0x0a02'0000;

TEST(Notices, AHealthyFabricHasLostNothing) {
    LeafSpine f;
    for (const unsigned node : {f.leaf1, f.leaf2, f.spine1, f.spine2}) {
        EXPECT_TRUE(f.fabric.rig(node).shard->state().notices.lost_here.empty()) << node;
    }
    f.pass(Interval::milliseconds(300));
    EXPECT_TRUE(f.notices.empty()) << "nothing to refresh";
}

// The far link of a spine dies without a word. The spine finds out within 300 us, tells leaf 1, and
// the stream goes by the other spine: 300 us of detection, 5 us until the next look, 1.1 us of
// wire, 1 us until the next frame, and as long again for what was on the way: at most 310 frames
// are lost.
TEST(Notices, AFailureBehindASpineIsHealedByTheLeaf) {
    LeafSpine f;
    f.stream_through(f.spine1);
    f.fabric.run(Interval::milliseconds(1));
    const std::uint64_t received = f.fabric.host(f.host2).received;
    f.cut = {{f.spine1, f.leaf2}};
    f.fabric.run(Interval::milliseconds(1));
    EXPECT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 2));
    const std::uint64_t arrived = f.fabric.host(f.host2).received - received;
    EXPECT_GE(arrived, 1'000u - 310u);
    EXPECT_LE(arrived, 1'000u - 200u) << "the cut was felt";
    EXPECT_TRUE(f.fabric.rig(f.leaf1).shard->state().notices.lost_here.empty());
    f.fabric.run(Interval::microseconds(500));
    // Both leaves lose a way and not a destination: leaf 1 has nothing to relay, and leaf 2 has
    // found out by itself.
    for (std::size_t i = 0; i < f.notices.size(); ++i) {
        EXPECT_EQ(f.notices_at[i].node, f.leaf1);
        EXPECT_EQ(f.notices_at[i].port, 1);
    }
    EXPECT_EQ(f.notices.size(), 3u) << "at once, after 100 us, after 1 ms";
}

// What is lost is said again each 100 ms; the link comes back, and after the hold-down of 1 s it is
// said to be back.
TEST(Notices, ARestoredLinkIsToldAfterTheHoldDown) {
    LeafSpine f;
    f.cut = {{f.spine1, f.leaf2}};
    f.pass(Interval::milliseconds(1'050));
    EXPECT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_GE(f.notices.size(), 3u + 9u);
    EXPECT_LE(f.notices.size(), 3u + 11u);
    f.cut.clear();
    f.pass(Interval::milliseconds(900));
    EXPECT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1)) << "held down";
    f.pass(Interval::milliseconds(3'000));
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    f.notices.clear();
    f.pass(Interval::milliseconds(500));
    EXPECT_TRUE(f.notices.empty());
}

// Both ways to leaf 2 are gone: leaf 1 has none left and says so itself.
TEST(Notices, ALeafWithoutAnyPathRelays) {
    LeafSpine f;
    f.cut = {{f.spine1, f.leaf2}, {f.spine2, f.leaf2}};
    f.fabric.run(Interval::milliseconds(1));
    EXPECT_EQ(f.fabric.rig(f.leaf1).shard->state().notices.lost_here.size(), 1u);
    unsigned to_spines = 0;
    for (const Fabric::End& end : f.notices_at) {
        to_spines += end.node == f.spine1 || end.node == f.spine2 ? 1 : 0;
    }
    EXPECT_GT(to_spines, 0u);
    f.fabric.rig(f.leaf1).receive(
        0, {udp({.destination = kPortMacs, .from = 0x0a01'0002, .to = 0x0a02'0002})});
    EXPECT_EQ(f.fabric.rig(f.leaf1).drops(0, DropReason::NoUsableNextHop), 1u);
}

// A reload in the very instant of a change takes nothing back: the first notice is lost on the
// wire, the repetitions of 100 us and 1 ms still come. Nothing else would tell of a restoration.
TEST(Notices, AReloadLosesNoAnnouncement) {
    LeafSpine f;
    const auto pass = f.fabric.tap;
    unsigned heard = 0;
    f.fabric.tap = [&](Fabric::End to, Octets& frame) {
        const bool first = LeafSpine::is_notice_frame(frame) && to.node == f.leaf1 && heard++ == 0;
        return !first && pass(to, frame);
    };
    f.cut = {{f.spine1, f.leaf2}};
    while (heard == 0) f.fabric.run(Interval::microseconds(5));
    f.fabric.rig(f.spine1).reload(spine(1));
    f.fabric.run(Interval::microseconds(90));
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    f.fabric.run(Interval::microseconds(30));
    EXPECT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1));
}

// The session to the spine ends: what it has said is forgotten with it.
TEST(Notices, WhatAPeerSaidEndsWithItsSession) {
    LeafSpine f;
    f.cut = {{f.spine1, f.leaf2}};
    f.fabric.run(Interval::milliseconds(1));
    ASSERT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1));
    f.cut.push_back({f.spine1, f.leaf1});
    f.fabric.run(Interval::milliseconds(1));
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_FALSE(f.fabric.rig(f.leaf1).shard->state().usable.has(1));
}

// All notices are lost after the first: what it said is forgotten after one expiry of 350 ms to
// two.
TEST(Notices, WhatIsNotSaidAgainIsForgotten) {
    LeafSpine f;
    f.cut = {{f.spine1, f.leaf2}};
    const auto heal = f.fabric.tap;
    unsigned heard = 0;
    f.fabric.tap = [&](Fabric::End to, Octets& frame) {
        if (LeafSpine::is_notice_frame(frame) && to.node == f.leaf1) return heard++ == 0;
        return heal(to, frame);
    };
    f.pass(Interval::milliseconds(340));
    EXPECT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1));
    f.pass(Interval::milliseconds(370));
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_EQ(f.at(f.leaf1, 1).counters.expired_prefixes, 1u);
}

// One real notice from spine 1 to leaf 1, kept back and then changed in every way that must not
// count.
struct OneNotice : testing::Test {
    LeafSpine f;
    Octets notice;

    void SetUp() override {
        const auto pass = f.fabric.tap;
        f.cut = {{f.spine1, f.leaf2}};
        f.fabric.tap = [this, pass](Fabric::End to, Octets& frame) {
            if (LeafSpine::is_notice_frame(frame) && to.node == f.leaf1) {
                if (notice.empty()) notice = frame;
                return false;
            }
            return pass(to, frame);
        };
        f.fabric.run(Interval::milliseconds(1));
        ASSERT_FALSE(notice.empty());
        ASSERT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    }
    // What became of it when it arrives as `frame` on `port`.
    NoticeRefusal heard(const Octets& frame, PortId port = 1) {
        SwitchRig& rig = f.fabric.rig(f.leaf1);
        std::array<std::uint64_t, kNoticeRefusals> before{};
        for (unsigned i = 0; i < kNoticeRefusals; ++i) {
            before[i] = f.at(f.leaf1, port).counters.refused[i];
        }
        const std::size_t inside = rig.frames_inside();
        rig.receive(port, {frame});
        EXPECT_EQ(rig.frames_inside(), inside);
        NoticeRefusal refusal = NoticeRefusal::kCount;
        for (unsigned i = 0; i < kNoticeRefusals; ++i) {
            if (f.at(f.leaf1, port).counters.refused[i] != before[i]) {
                refusal = static_cast<NoticeRefusal>(i);
            }
        }
        return refusal;
    }
    static void mend_ipv4(Octets& frame) {
        write_be16(frame.data() + 24, 0);
        write_be16(frame.data() + 24, checksum_of(checksum_sum(frame.data() + 14, 20)));
    }
};

TEST_F(OneNotice, IsBelievedOnce) {
    const std::uint64_t before = f.at(f.leaf1, 1).counters.heard;
    EXPECT_EQ(heard(notice), NoticeRefusal::kCount);
    EXPECT_TRUE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_EQ(f.at(f.leaf1, 1).counters.heard, before + 1);
    EXPECT_EQ(heard(notice), NoticeRefusal::Stale);
}

TEST_F(OneNotice, EveryChangedBitOfThePayloadIsRefused) {
    for (std::size_t bit = 42 * 8; bit < notice.size() * 8; ++bit) {
        f.fabric.rig(f.leaf1).pass(kNoticeInterval);
        Octets changed = notice;
        changed[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        ASSERT_NE(heard(changed), NoticeRefusal::kCount) << bit;
    }
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_GT(f.refused(f.leaf1, 1, NoticeRefusal::Forged), 0u);
    EXPECT_EQ(heard(notice), NoticeRefusal::kCount) << "the real one still counts";
}

TEST_F(OneNotice, TheHopLimitIs255) {
    Octets changed = notice;
    changed[22] = 254;
    mend_ipv4(changed);
    EXPECT_EQ(heard(changed), NoticeRefusal::HopLimitWrong);
}

TEST_F(OneNotice, ItComesFromThePeer) {
    Octets changed = notice;
    changed[29] = 3;  // 10.101.1.3
    mend_ipv4(changed);
    EXPECT_EQ(heard(changed), NoticeRefusal::NotThePeer);
    // The peer of another link sends it.
    Octets elsewhere = notice;
    write_mac(elsewhere.data(), {kPortMacs.value + 2});
    EXPECT_EQ(heard(elsewhere, 2), NoticeRefusal::NotThePeer);
    Octets from_host = notice;
    write_mac(from_host.data(), kPortMacs);
    EXPECT_EQ(heard(from_host, 0), NoticeRefusal::NoSession);
}

TEST_F(OneNotice, AnotherKeyIsRefused) {
    Octets changed = notice;
    NoticeKey other(std::array<std::uint8_t, kNoticeKeyBytes>{});
    other.sign(std::span{changed}.subspan(42));
    EXPECT_EQ(heard(changed), NoticeRefusal::Forged);
}

TEST_F(OneNotice, TruncatedOnesAreRefused) {
    const std::uint64_t before = f.at(f.leaf1, 1).counters.heard;
    for (std::size_t bytes = 14; bytes < notice.size(); ++bytes) {
        const Octets cut(notice.begin(), notice.begin() + static_cast<std::ptrdiff_t>(bytes));
        static_cast<void>(heard(cut));
    }
    EXPECT_FALSE(f.lost(f.leaf1, kBehindLeaf2, 1));
    EXPECT_EQ(f.at(f.leaf1, 1).counters.heard, before);
}

// The session begins anew, with other discriminators: a notice from before is refused.
TEST_F(OneNotice, OneFromBeforeARestartIsRefused) {
    f.cut.push_back({f.spine1, f.leaf1});
    f.fabric.run(Interval::milliseconds(1));
    SwitchRig& rig = f.fabric.rig(f.leaf1);
    EXPECT_EQ(heard(notice), NoticeRefusal::NoSession);
    // Without its link, and with it again: a new session.
    std::string without = leaf(1);
    const std::string link = ", link: { peer: 10.101.1.2 }";
    without.erase(without.find(link), link.size());
    rig.reload(without);
    rig.reload(leaf(1));
    f.cut.clear();
    f.pass(Interval::milliseconds(2'500));
    ASSERT_TRUE(rig.shard->state().notices.sessions_up.has(1));
    EXPECT_EQ(heard(notice), NoticeRefusal::OtherSession);
}

// 64 signatures are checked at once, then one each 50 us.
TEST_F(OneNotice, AFloodIsCheckedNoFasterThanItsLimit) {
    SwitchRig& rig = f.fabric.rig(f.leaf1);
    const auto forged = [&] { return f.refused(f.leaf1, 1, NoticeRefusal::Forged); };
    Octets changed = notice;
    changed.back() ^= 1;
    for (unsigned i = 0; i < 1'000; ++i) rig.receive(1, {changed});
    EXPECT_EQ(forged(), 64u);
    EXPECT_EQ(f.refused(f.leaf1, 1, NoticeRefusal::TooMany), 936u);
    rig.pass(kNoticeInterval);
    rig.receive(1, {changed, changed});
    EXPECT_EQ(forged(), 65u);
    rig.pass(kNoticeInterval);
    EXPECT_EQ(heard(notice), NoticeRefusal::kCount) << "the real one has its turn";
}

}  // namespace
}  // namespace weir
