// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/host_interface.h"

#include <gtest/gtest.h>
#include <net/if.h>

namespace weir {
namespace {

TEST(HostInterface, LoopbackIsThere) {
    EXPECT_TRUE(host_interface_exists("lo"));
    const unsigned index = if_nametoindex("lo");
    ASSERT_NE(index, 0u);
    EXPECT_GE(host_interface_mtu(index).value_or(0), 1500u);
    EXPECT_TRUE(host_interface_running(index).has_value());
}

TEST(HostInterface, WhatIsNotThereSaysNothing) {
    EXPECT_FALSE(host_interface_exists("no-such-if"));
    EXPECT_FALSE(host_interface_exists("a-name-longer-than-15-characters"));
    EXPECT_FALSE(host_interface_exists(""));
    EXPECT_FALSE(host_interface_mtu(0).has_value());
    EXPECT_FALSE(host_interface_running(0x7fff'fff0).has_value());
}

}  // namespace
}  // namespace weir
