// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/address.h"

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

TEST(Address, MacTextGoesThereAndBack) {
    const auto mac = parse_mac("02:00:5E:10:00:ff");
    ASSERT_TRUE(mac);
    EXPECT_EQ(*mac, (MacAddress{0x02, 0x00, 0x5e, 0x10, 0x00, 0xff}));
    EXPECT_EQ(to_string(*mac), "02:00:5e:10:00:ff");
}

TEST(Address, RefusesTextThatIsNoMac) {
    for (const char* text : {"", "02:00:5e:10:00", "02:00:5e:10:00:0g", "02-00-5e-10-00-ff",
                             "02:00:5e:10:00:ff:01", "2:00:5e:10:00:ff1", "02:00:5e:10:00:f"}) {
        EXPECT_FALSE(parse_mac(text)) << text;
    }
}

TEST(Address, IpTextGoesThereAndBack) {
    for (const char* text : {"192.0.2.1", "0.0.0.0", "2001:db8::1", "::"}) {
        const auto ip = parse_ip(text);
        ASSERT_TRUE(ip) << text;
        EXPECT_EQ(to_string(*ip), text);
        EXPECT_EQ(ip->wire().size(), ip->ipv6 ? 16u : 4u);
    }
}

TEST(Address, RefusesTextThatIsNoIp) {
    for (const char* text : {"", "192.0.2", "192.0.2.256", "2001:db8::g", "host"}) {
        EXPECT_FALSE(parse_ip(text)) << text;
    }
}

}  // namespace
}  // namespace weir::roce
