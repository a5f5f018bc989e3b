// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/device_name.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(DeviceName, VirtualDeviceWithArguments) {
    const DeviceName name = parse_device("net_af_packet0,iface=eth1,framesz=4096");
    EXPECT_EQ(name.problem, "");
    EXPECT_EQ(name.kind, DeviceKind::Virtual);
    EXPECT_EQ(name.name, "net_af_packet0");
    EXPECT_EQ(name.arguments, "iface=eth1,framesz=4096");
}

TEST(DeviceName, PciAddressIsMadeWhole) {
    const DeviceName name = parse_device("03:00.1,representor=0");
    EXPECT_EQ(name.problem, "");
    EXPECT_EQ(name.kind, DeviceKind::Pci);
    EXPECT_EQ(name.name, "0000:03:00.1");
    EXPECT_EQ(name.arguments, "representor=0");
}

TEST(DeviceName, RingHasAName) {
    const DeviceName name = parse_device("ring:leaf1-spine1");
    EXPECT_EQ(name.problem, "");
    EXPECT_EQ(name.kind, DeviceKind::Ring);
    EXPECT_EQ(name.name, "leaf1-spine1");
    EXPECT_EQ(parse_device("ring:").problem, "ring: without a name: write ring:NAME");
}

TEST(DeviceName, AnInterfaceOfTheKernelIsNotADevice) {
    EXPECT_EQ(parse_device("lo").problem,
              "lo is a network interface of the kernel: write net_af_packet0,iface=lo (the 0 is a "
              "number of your choice)");
}

TEST(DeviceName, WhatIsNoneOfTheThreeSaysWhatToWrite) {
    for (const char* text : {"foo", "", "af_packet0"}) {
        EXPECT_NE(parse_device(text).problem.find("ring:NAME"), std::string::npos) << text;
    }
}

TEST(DeviceName, ArgumentsAreFoundByTheirWholeKey) {
    const std::string arguments = "rx_iface=a,iface=b,qpairs=1";
    EXPECT_EQ(device_argument(arguments, "iface"), "b");
    EXPECT_EQ(device_argument(arguments, "rx_iface"), "a");
    EXPECT_EQ(device_argument(arguments, "qpairs"), "1");
    EXPECT_EQ(device_argument(arguments, "face"), "");
    EXPECT_EQ(device_argument("", "iface"), "");
}

}  // namespace
}  // namespace weir
