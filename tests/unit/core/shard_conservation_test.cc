// SPDX-License-Identifier: BSD-3-Clause
// Random frames through a switch with bridged and routed ports: each frame is somewhere exactly
// once, and in the end the accounts are closed.
#include <gtest/gtest.h>

#include "dataplane/core/prng.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kMixed = R"(
switch: { name: rig }
ports:
  - { name: r0, device: "net_null0", addresses: [10.1.0.1/24, "2001:db8:1::1/64"] }
  - { name: r1, device: "net_null1", addresses: [10.3.0.1/24], frame_bytes_max: 700 }
  - { name: r2, device: "net_null2", addresses: [10.4.0.1/24] }
  - { name: b0, device: "net_null3", vlan: { native: 10, tagged: [20] } }
  - { name: b1, device: "net_null4", vlan: { native: 20, tagged: [10] } }
  - { name: b2, device: "net_null5" }
routes:
  - { prefix: 10.2.0.0/16, via: [10.3.0.2, 10.4.0.2, 10.4.0.9] }
  - { prefix: 10.9.0.0/16, blackhole: true }
neighbors:
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
  - { address: 10.4.0.2, mac: "0a:00:00:00:04:02" }
)";

Octets random_frame(Prng& prng, PortId port) {
    UdpFrame fields{.destination = {kPortMacs.value + port},
                    .source = {0x0a00'0000'0000u + prng.below(6)},
                    .to = 0x0a02'0000u + prng.below(300),
                    .source_port = static_cast<std::uint16_t>(prng.below(40)),
                    .dscp = static_cast<std::uint8_t>(prng.below(64)),
                    .ttl = static_cast<std::uint8_t>(prng.below(6)),
                    .bytes = static_cast<std::uint16_t>(70 + prng.below(900))};
    if (prng.below(3) == 0) fields.destination = {0x0a00'0000'0000u + prng.below(6)};
    if (prng.below(8) == 0) fields.destination = kBroadcastMac;
    if (prng.below(4) == 0) fields.tci = static_cast<int>(prng.below(8) << 13 | prng.below(3) * 10);
    if (prng.below(5) == 0) fields.to = 0x0a00'0000u + prng.below(0x0a'0000);
    Octets bytes = udp(fields);
    if (prng.below(3) == 0) {
        for (unsigned n = 1 + prng.below(4); n > 0; --n) {
            bytes[prng.below(64)] = static_cast<std::uint8_t>(prng.next());
        }
    }
    if (prng.below(10) == 0) bytes.resize(prng.below(static_cast<std::uint32_t>(bytes.size())));
    return bytes;
}

class Conservation : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Conservation, EveryFrameIsAccountedForOnce) {
    Prng prng(GetParam());
    SwitchRig rig(kMixed, [&](CompiledTables& tables) {
        for (BufferProfile& group : tables.groups) {
            group.reserve_bytes = prng.below(2'000);
            group.lossless = prng.below(2) == 0;
            group.headroom_bytes = 3'000;
            group.alpha_log2 = static_cast<std::int8_t>(static_cast<int>(prng.below(6)) - 3);
        }
        tables.tables.shared_pool_bytes = 60'000;
        tables.tables.queue_bytes_max = 20'000;
    });
    for (unsigned step = 0; step < 1'500; ++step) {
        const auto port = static_cast<PortId>(prng.below(6));
        std::vector<Octets> burst;
        for (unsigned n = prng.below(33); n > 0; --n) burst.push_back(random_frame(prng, port));
        rig.receive(port, burst);  // let_go() fails the test when a frame comes out twice
        if (prng.below(3) == 0) {
            (void)rig.offer_and_take(static_cast<PortId>(prng.below(6)), 32, prng.below(33));
        }
        if (prng.below(40) == 0) {
            rig.set_up(static_cast<PortId>(prng.below(6)), prng.below(3) != 0);
        }
        if (prng.below(200) == 0) rig.reload(kMixed);
        rig.pass(Interval::milliseconds(prng.below(400)));
        rig.tick();
    }
    for (PortId port = 0; port < 6; ++port) rig.set_up(port, true);
    for (int i = 0; i < 200; ++i) {
        for (PortId port = 0; port < 6; ++port) (void)rig.sent(port);
        rig.pass(Interval::milliseconds(100));
        rig.tick();
    }
    for (PortId port = 0; port < 6; ++port) {
        for (const Octets& rest : rig.sent(port)) EXPECT_LE(rest.size(), 700u) << "own frames only";
        for (Priority p = 0; p < kPriorities; ++p) EXPECT_EQ(rig.group(port, p).held(), 0u);
    }
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
    EXPECT_GT(rig.all_drops(), 1'000u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Conservation, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace weir
