// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/port_address.h"

#include <gtest/gtest.h>

#include "tests/unit/core_l3/l3_rig.h"

namespace weir {
namespace {

constexpr IpAddress v4(std::uint32_t last_byte) {
    return IpAddress::v4(0xc000'0200 | last_byte);  // 192.0.2.x
}

class PortAddressTest : public testing::Test {
  protected:
    // Port 0 has 192.0.2.1 with this many bits.
    void set_prefix(unsigned length) {
        rig_.addresses[0] = {v4(1), static_cast<std::uint8_t>(96 + length)};
        rig_.refresh_tables();
    }
    bool neighbor(const IpAddress& address) { return may_be_neighbor(rig_.tables, 0, address); }

    L3Rig rig_;
};

TEST(SamePrefix, ComparesAsManyBitsAsAsked) {
    const IpAddress a{0x2001'0db8'0000'0000, 0x8000'0000'0000'0001};
    EXPECT_TRUE(same_prefix(a, {0, 0}, 0));
    EXPECT_TRUE(same_prefix(a, {0x2001'0db8'0000'0001, 0}, 63));
    EXPECT_FALSE(same_prefix(a, {0x2001'0db8'0000'0001, 0}, 64));
    EXPECT_TRUE(same_prefix(a, {a.high, 0}, 64));
    EXPECT_FALSE(same_prefix(a, {a.high, 0}, 65));
    EXPECT_TRUE(same_prefix(a, {a.high, 0x8000'0000'0000'0000}, 127));
    EXPECT_FALSE(same_prefix(a, {a.high, 0x8000'0000'0000'0000}, 128));
    EXPECT_TRUE(same_prefix(a, a, 128));
}

// RFC 1122 3.2.1.3: the first and last address of an IPv4 subnet are no hosts ...
TEST_F(PortAddressTest, KnowsTheEndsOfAnIpv4Subnet) {
    set_prefix(30);
    EXPECT_FALSE(neighbor(v4(0)));
    EXPECT_FALSE(neighbor(v4(1))) << "our own";
    EXPECT_TRUE(neighbor(v4(2)));
    EXPECT_FALSE(neighbor(v4(3)));
    EXPECT_FALSE(neighbor(v4(4))) << "outside";
}

// ... but those of a /31 are (RFC 3021).
TEST_F(PortAddressTest, TakesBothAddressesOfASlash31AsHosts) {
    set_prefix(31);
    EXPECT_TRUE(neighbor(v4(0)));
    EXPECT_FALSE(neighbor(v4(1)));
    EXPECT_FALSE(neighbor(v4(2)));
    set_prefix(32);
    EXPECT_FALSE(neighbor(v4(0)));
}

TEST_F(PortAddressTest, KnowsNeighborsByIpv6) {
    EXPECT_TRUE(neighbor({0x2001'0db8'0000'000a, 0})) << "a subnet-router anycast is a router";
    EXPECT_TRUE(neighbor({0x2001'0db8'0000'000a, ~0ull}));
    EXPECT_FALSE(neighbor({0x2001'0db8'0000'000a, 1})) << "our own";
    EXPECT_FALSE(neighbor({0x2001'0db8'0000'000b, 2})) << "of another port";
    EXPECT_TRUE(neighbor({0xfe80'0000'0000'0000, 2}));
    EXPECT_FALSE(neighbor(link_local_of(kPort0Mac)));
    EXPECT_FALSE(neighbor({0xff02'0000'0000'0000, 1}));
}

TEST_F(PortAddressTest, SpeaksFromTheAddressOfTheSmallestSubnetThatBothShare) {
    rig_.ports[0].address_count = 3;
    rig_.ports[0].first_address = 5;
    for (const PortAddress& address : {PortAddress{v4(1), 96 + 24}, PortAddress{v4(129), 96 + 25},
                                       PortAddress{v4(5), 96 + 24}}) {
        rig_.addresses.push_back(address);
    }
    rig_.refresh_tables();
    EXPECT_EQ(source_for(rig_.tables, 0, v4(200)), v4(129));
    EXPECT_EQ(source_for(rig_.tables, 0, v4(100)), v4(1)) << "the first of equals";
    EXPECT_EQ(source_for(rig_.tables, 0, IpAddress::v4(0x0a00'0001)), v4(1)) << "far away";
    EXPECT_EQ(source_for(rig_.tables, 0, {0x2001'0db8'0000'000a, 9}), link_local_of(kPort0Mac));
}

// ::5/64 has the upper half of an IPv4-mapped address.
TEST_F(PortAddressTest, DoesNotTakeIpv4ForPartOfAnIpv6Subnet) {
    rig_.addresses[1] = {{0, 5}, 64};
    rig_.refresh_tables();
    EXPECT_FALSE(neighbor(IpAddress::v4(0x0a00'0001)));
    EXPECT_TRUE(neighbor({0, 6}));
}

TEST_F(PortAddressTest, SpeaksFromItsLinkLocalAddressToALinkLocalNeighbor) {
    EXPECT_EQ(source_for(rig_.tables, 0, {0xfe80'0000'0000'0000, 9}), link_local_of(kPort0Mac));
    EXPECT_EQ(source_for(rig_.tables, 0, kHostV6), (IpAddress{0x2001'0db8'0000'000a, 1}));
}

TEST_F(PortAddressTest, MayBeGivenAnotherLinkLocalAddress) {
    const IpAddress given{0xfe80'0000'0000'0000, 1};
    EXPECT_FALSE(is_address_of(rig_.tables, 0, given));
    rig_.addresses[1] = {given, 64};
    rig_.refresh_tables();
    EXPECT_TRUE(is_address_of(rig_.tables, 0, given));
    EXPECT_TRUE(is_address_of(rig_.tables, 0, link_local_of(kPort0Mac)));
    EXPECT_FALSE(neighbor(given));
    EXPECT_EQ(source_for(rig_.tables, 0, {0xfe80'0000'0000'0000, 9}), given);
}

}  // namespace
}  // namespace weir
