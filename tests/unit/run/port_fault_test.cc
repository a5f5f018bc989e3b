// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/port_fault.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/unit/run/ring_ports.h"

namespace weir {
namespace {

constexpr Time kStart{1'000'000'000};

// Sends frames 0 .. count-1 of `length` bytes through a fault at kStart; how many were lost.
unsigned send(Rig& rig, PortFault& fault, std::uint32_t count, std::uint16_t length = 200) {
    unsigned lost = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::array<rte_mbuf*, 1> one{rig.frame(1, 2, i, length)};
        lost += fault.take(kStart, one);
    }
    return lost;
}

// All frames that have arrived by `now`, freed; their numbers.
std::vector<std::uint32_t> arrived(PortFault& fault, Time now) {
    std::vector<std::uint32_t> numbers;
    MbufBurst mbufs;
    while (const unsigned count = fault.give(now, mbufs)) {
        for (unsigned i = 0; i < count; ++i) {
            numbers.push_back(Rig::number_of(mbufs[i]));
            rte_pktmbuf_free(mbufs[i]);
        }
    }
    return numbers;
}

// 10,000 of 100,000 are expected, sigma = sqrt(100,000 * 0.1 * 0.9) = 95: five of them.
TEST(PortFault, LosesAboutItsShare) {
    Rig rig({});
    PortFault fault({.loss_ppm = 100'000, .seed = 7});
    unsigned lost = 0;
    std::size_t came = 0;
    for (int round = 0; round < 1'000; ++round) {
        lost += send(rig, fault, 100);
        came += arrived(fault, kStart).size();
    }
    EXPECT_NEAR(lost, 10'000, 475);
    EXPECT_EQ(lost + came, 100'000u);
}

TEST(PortFault, LosesAllOrNoneAtTheEnds) {
    Rig rig({});
    PortFault all({.loss_ppm = kFaultShares});
    EXPECT_EQ(send(rig, all, 50), 50u);
    PortFault none({.corrupt_ppm = 0, .delay = Interval{1}});
    EXPECT_EQ(send(rig, none, 50), 0u);
    EXPECT_EQ(arrived(none, kStart + Interval{1}).size(), 50u);
}

TEST(PortFault, DelaysToThePicosecondAndKeepsOrder) {
    Rig rig({});
    PortFault fault({.delay = Interval::microseconds(10)});
    EXPECT_EQ(send(rig, fault, 3), 0u);
    EXPECT_TRUE(arrived(fault, kStart + Interval{9'999'999}).empty());
    EXPECT_EQ(arrived(fault, kStart + Interval{10'000'000}), (std::vector<std::uint32_t>{0, 1, 2}));
    // A shorter delay does not let later frames overtake.
    (void)send(rig, fault, 1);
    fault.change({});
    std::array<rte_mbuf*, 1> late{rig.frame(1, 2, 9, 200)};
    EXPECT_EQ(fault.take(kStart, late), 0u);
    EXPECT_TRUE(arrived(fault, kStart + Interval{9'999'999}).empty());
    EXPECT_EQ(arrived(fault, kStart + Interval{10'000'000}), (std::vector<std::uint32_t>{0, 9}));
}

// One bit, behind the first 64 bytes.
TEST(PortFault, CorruptsOneBitOfThePayload) {
    Rig rig({});
    PortFault fault({.corrupt_ppm = kFaultShares});
    for (std::uint32_t i = 0; i < 200; ++i) {
        rte_mbuf* mbuf = rig.frame(1, 2, i, 100);
        std::array<std::uint8_t, 100> before;
        std::memcpy(before.data(), rte_pktmbuf_mtod(mbuf, std::uint8_t*), 100);
        std::array<rte_mbuf*, 1> one{mbuf};
        ASSERT_EQ(fault.take(kStart, one), 0u);
        ASSERT_EQ(fault.give(kStart, one), 1u);
        unsigned bits = 0;
        for (unsigned at = 0; at < 100; ++at) {
            const unsigned changed = before[at] ^ rte_pktmbuf_mtod(mbuf, std::uint8_t*)[at];
            bits += static_cast<unsigned>(__builtin_popcount(changed));
            if (changed != 0) {
                EXPECT_GE(at, 64u);
            }
        }
        EXPECT_EQ(bits, 1u);
        rte_pktmbuf_free(mbuf);
    }
}

// The pool has 4,095 mbufs: frames still on the way are freed with the fault.
TEST(PortFault, GivesBackWhatIsStillOnTheWay) {
    Rig rig({});
    {
        PortFault fault({.delay = Interval::seconds(1)});
        EXPECT_EQ(send(rig, fault, 1'000), 0u);
        EXPECT_EQ(rig.pool().in_use(), 1'000u);
    }
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// A ring of 16 descriptors in which the last five wait; and the ends.
TEST(DeviceQueue, CountsWaitingDescriptorsByHalving) {
    for (const std::uint32_t waiting : {0u, 1u, 5u, 15u, 16u}) {
        EXPECT_EQ(waiting_descriptors(16, [&](unsigned at) { return at >= 16 - waiting; }),
                  waiting);
    }
}

}  // namespace
}  // namespace weir
