// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "dataplane/io/device.h"

namespace weir {
namespace {

rte_eth_dev_info limits(std::uint32_t max_rx_pktlen, std::uint16_t max_mtu) {
    rte_eth_dev_info info{};
    info.max_rx_pktlen = max_rx_pktlen;
    info.max_mtu = max_mtu;
    info.min_mtu = RTE_ETHER_MIN_MTU;
    return info;
}

// af_packet: 1518 B of frame and no MTU limit. 1518 - 18 (header, FCS) = MTU 1500, + 14 + 4 = 1518.
TEST(DeviceFrameLimit, DeviceWithAPacketLimitOnly) {
    EXPECT_EQ(device_frame_limit(limits(1518, UINT16_MAX), 4200, 0), 1518);
    EXPECT_EQ(device_frame_limit(limits(1518, UINT16_MAX), 1518, 0), 1518);
    EXPECT_EQ(device_frame_limit(limits(1518, UINT16_MAX), 1517, 0), 1517);
}

// ring, pcap, null, memif, vhost: no limit at all, the switch's own counts.
TEST(DeviceFrameLimit, DeviceWithoutLimits) {
    EXPECT_EQ(device_frame_limit(limits(UINT32_MAX, UINT16_MAX), 4200, 0), 4200);
    EXPECT_EQ(device_frame_limit(limits(UINT32_MAX, UINT16_MAX), 9234, 0), 9234);
}

// i40e: 9728 B, of which 26 are not MTU: MTU 9702, a frame of 9720 with its tag.
TEST(DeviceFrameLimit, NicWithBothLimits) {
    EXPECT_EQ(device_frame_limit(limits(9728, 9702), 9234, 0), 9234);
    EXPECT_EQ(device_frame_limit(limits(9728, 9702), 9720, 0), 9720);
    EXPECT_EQ(device_frame_limit(limits(9728, 9702), 9721, 0), 9720);
}

// The kernel drops what is longer than its interface's MTU: 1450 + 18.
TEST(DeviceFrameLimit, TheKernelsMtuCountsToo) {
    EXPECT_EQ(device_frame_limit(limits(1518, UINT16_MAX), 4200, 1450), 1468);
    EXPECT_EQ(device_frame_limit(limits(1518, UINT16_MAX), 4200, 9000), 1518);
}

TEST(MacFromText, IsLocalUnicastAndDependsOnTheText) {
    const MacAddress mac = mac_from_text("leaf1/p0");
    EXPECT_EQ(mac, mac_from_text("leaf1/p0"));
    EXPECT_NE(mac, mac_from_text("leaf1/p1"));
    EXPECT_FALSE(mac.is_group());
    EXPECT_EQ(mac.value >> 40, 0x02u);
}

}  // namespace
}  // namespace weir
