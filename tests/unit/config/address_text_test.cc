// SPDX-License-Identifier: BSD-3-Clause
#include "config/address_text.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(MacText, ReadsAndWrites) {
    EXPECT_EQ(parse_mac("02:00:00:00:00:01")->value, 0x0200'0000'0001u);
    EXPECT_EQ(parse_mac("AB-cd-EF-01-23-45")->value, 0xabcd'ef01'2345u);
    EXPECT_EQ(format(MacAddress{0xabcd'ef01'2345}), "ab:cd:ef:01:23:45");
    for (const char* bad : {"", "02:00:00:00:00", "02:00:00:00:00:0g", "02:00-00:00:00:01",
                            "2:0:0:0:0:1", "02:00:00:00:00:01 ", "0200.0000.0001"}) {
        EXPECT_EQ(parse_mac(bad).problem, "'" + std::string(bad) +
                                              "' is no MAC address; write one like "
                                              "02:00:00:00:00:01");
    }
}

TEST(IpText, ReadsAndWritesBothFamilies) {
    EXPECT_EQ(*parse_ip("10.0.1.2"), IpAddress::v4(0x0a00'0102));
    EXPECT_EQ(*parse_ip("fd00:1::2"), (IpAddress{0xfd00'0001'0000'0000, 2}));
    EXPECT_EQ(format(IpAddress::v4(0xffff'ffff)), "255.255.255.255");
    EXPECT_EQ(format(IpAddress{0xfd00'0001'0000'0000, 2}), "fd00:1::2");
}

TEST(IpText, SaysWhatToWrite) {
    EXPECT_EQ(parse_ip("10.0.1").problem,
              "'10.0.1' is no IP address; write one like 10.0.0.1 or fd00::1");
    EXPECT_EQ(parse_ip("10.0.1.256").problem,
              "'10.0.1.256' is no IP address; write one like 10.0.0.1 or fd00::1");
    EXPECT_EQ(parse_ip("10.0.1.2/24").problem, "'10.0.1.2/24' has a prefix length; write 10.0.1.2");
    EXPECT_EQ(parse_ip("::ffff:10.0.0.1").problem,
              "'::ffff:10.0.0.1' is an IPv4 address; write 10.0.0.1");
    EXPECT_FALSE(parse_ip(std::string_view("10.0.0.1\0", 9)));
    EXPECT_FALSE(parse_ip(std::string(100, '1')));
}

TEST(PrefixText, LengthsOfIpv4Count96More) {
    EXPECT_EQ(parse_prefix("10.0.0.0/24")->length, 96 + 24);
    EXPECT_EQ(parse_prefix("10.0.0.0/24")->written_length(), 24u);
    EXPECT_EQ(parse_prefix("0.0.0.0/0")->length, 96);
    EXPECT_EQ(parse_prefix("10.0.0.1/32")->length, 128);
    EXPECT_EQ(parse_prefix("::/0")->length, 0);
    EXPECT_EQ(parse_prefix("fd00::/128")->length, 128);
    EXPECT_EQ(format(*parse_prefix("10.0.0.0/24")), "10.0.0.0/24");
    EXPECT_EQ(format(*parse_prefix("fd00::/64")), "fd00::/64");
}

TEST(PrefixText, SaysWhatToWrite) {
    EXPECT_EQ(parse_prefix("10.0.0.0").problem,
              "'10.0.0.0' has no prefix length; write 10.0.0.0/32 for this one address");
    EXPECT_EQ(parse_prefix("fd00::1").problem,
              "'fd00::1' has no prefix length; write fd00::1/128 for this one address");
    EXPECT_EQ(parse_prefix("10.0.0.0/33").problem,
              "'10.0.0.0/33' has the prefix length '33'; write /0 to /32");
    EXPECT_EQ(parse_prefix("fd00::/129").problem,
              "'fd00::/129' has the prefix length '129'; write /0 to /128");
    EXPECT_EQ(parse_prefix("10.0.0.0/").problem,
              "'10.0.0.0/' has the prefix length ''; write /0 to /32");
    EXPECT_EQ(parse_prefix("10.0.0.0/255.255.255.0").problem,
              "'10.0.0.0/255.255.255.0' has the prefix length '255.255.255.0'; write 10.0.0.0/24");
    EXPECT_EQ(parse_prefix("10.0.0.0/255.0.255.0").problem,
              "'10.0.0.0/255.0.255.0' has the prefix length '255.0.255.0'; write /0 to /32");
    EXPECT_EQ(parse_prefix("net").problem,
              "'net' is no prefix; write one like 10.0.0.0/24 or fd00::/64");
}

// 10.1.2.3/20: the low 12 bits are the host's: 10.1.0.0 to 10.1.15.255.
TEST(Prefix, EndsAndContents) {
    const IpPrefix prefix = *parse_prefix("10.1.2.3/20");
    EXPECT_EQ(format(first_of(prefix)), "10.1.0.0");
    EXPECT_EQ(format(last_of(prefix)), "10.1.15.255");
    EXPECT_EQ(format(network_of(prefix)), "10.1.0.0/20");
    EXPECT_TRUE(contains(prefix, *parse_ip("10.1.15.255")));
    EXPECT_FALSE(contains(prefix, *parse_ip("10.1.16.0")));
    EXPECT_FALSE(contains(prefix, *parse_ip("10.0.255.255")));
    // Every IPv4 address is ::ffff:a.b.c.d, but no IPv6 prefix holds IPv4.
    EXPECT_FALSE(contains(*parse_prefix("::/0"), *parse_ip("10.1.2.3")));
    EXPECT_TRUE(contains(*parse_prefix("::/0"), *parse_ip("fd00::1")));
    EXPECT_TRUE(contains(*parse_prefix("0.0.0.0/0"), *parse_ip("255.255.255.255")));
}

TEST(Prefix, EndsAcrossTheMiddleOfIpv6) {
    EXPECT_EQ(format(last_of(*parse_prefix("fd00::/64"))), "fd00::ffff:ffff:ffff:ffff");
    EXPECT_EQ(format(last_of(*parse_prefix("fd00::/63"))), "fd00::1:ffff:ffff:ffff:ffff");
    EXPECT_EQ(format(last_of(*parse_prefix("fd00::/65"))), "fd00::7fff:ffff:ffff:ffff");
    EXPECT_EQ(format(last_of(*parse_prefix("fd00::7/128"))), "fd00::7");
    EXPECT_EQ(format(first_of(*parse_prefix("fd00::7/0"))), "::");
}

}  // namespace
}  // namespace weir
