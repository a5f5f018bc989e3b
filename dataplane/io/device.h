// SPDX-License-Identifier: BSD-3-Clause
// A port's device: opened as a switch needs it, asked for what it can do, closed again. Control
// thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rte_ethdev.h>
#include <rte_ring.h>

#include "dataplane/core/types.h"

namespace weir {

inline constexpr std::uint16_t kNoDevice = 0xffff;

// A NIC's RX ring holds what arrives while the worker is away for a moment: 1024 frames of 1 KB are
// 80 us at 100 Gb/s. Virtual devices have buffers of their own below.
inline constexpr std::uint16_t kRxDescriptors = 1024;
inline constexpr std::uint16_t kVirtualRxDescriptors = 256;
// Few: a frame in the device can no longer be held back, re-ordered by priority or rerouted.
inline constexpr std::uint16_t kTxDescriptors = 256;

// Who knows whether the link is up.
enum class LinkSource : std::uint8_t {
    Driver,
    Kernel,   // a device on a kernel interface whose driver always says "up" (af_packet)
    Unknown,  // the driver's word is worth nothing (tap, pcap, null): taken as up
    RingPeer  // up while the other end of the ring is started
};

struct DeviceFacts {
    MacAddress mac;
    std::string driver;
    std::uint16_t frame_bytes_max = 0;  // without FCS; may be less than what was asked for
    std::uint64_t speed_bps = 0;        // 0: it does not say
    int numa_node = -1;
    std::uint16_t rx_descriptors = 0;
    std::uint16_t tx_descriptors = 0;
    LinkSource link_source = LinkSource::Driver;
    unsigned host_interface = 0;  // kernel's index of the interface below, 0: none
    bool physical = false;
};

struct Device {
    std::uint16_t ethdev = kNoDevice;
    rte_ring* rx_ring = nullptr;  // of a ring:NAME port
    rte_ring* tx_ring = nullptr;
    std::string bus_name;  // of a virtual device that we plugged: to be unplugged
    bool set_promiscuous = false;
    DeviceFacts facts;
};

struct DeviceRequest {
    std::string port;    // its name, for messages
    std::string device;  // PCI address or virtual device (device_name.h)
    std::uint16_t frame_bytes_max = 0;
    MacAddress fallback_mac;  // for devices without an address of their own
    rte_mempool* pool = nullptr;
};

// What is wrong, as "port NAME: ...", or empty. Warnings are appended, in the same form.
[[nodiscard]] std::string open_device(const DeviceRequest& request, Device& device,
                                      std::vector<std::string>& warnings);

// The second half of open_device, for an ethdev that exists already.
[[nodiscard]] std::string start_device(const DeviceRequest& request, Device& device,
                                       std::vector<std::string>& warnings);

void close_device(Device& device);

// Empty: the source says nothing (Unknown), or not here (RingPeer).
[[nodiscard]] std::optional<bool> device_link_up(const Device& device);
[[nodiscard]] std::uint64_t device_speed_bps(const Device& device);

// Frames that wait in the device: in its RX ring, to be looked at, and in its TX ring, to be sent.
// Empty: its driver cannot tell. For the thread that polls the device, or while nobody does.
[[nodiscard]] std::optional<std::uint32_t> device_rx_waiting(std::uint16_t ethdev,
                                                             const rte_ring* rx_ring);
[[nodiscard]] std::optional<std::uint32_t> device_tx_waiting(const Device& device);

// How many descriptors of a TX ring wait for the device. Offsets count from the one to be filled
// next, so the waiting ones are the last: full(offset) is false up to some offset, and true behind
// it. In log2(descriptors) steps.
template <typename Full>
[[nodiscard]] std::uint32_t waiting_descriptors(std::uint16_t descriptors, Full full) {
    std::uint16_t first = 0;
    std::uint16_t behind = descriptors;
    while (first < behind) {
        const auto middle = static_cast<std::uint16_t>(first + (behind - first) / 2);
        full(middle) ? behind = middle : first = static_cast<std::uint16_t>(middle + 1);
    }
    return std::uint32_t{descriptors} - first;
}

// What the device itself lost, since it was opened.
struct DeviceCounters {
    std::uint64_t rx_missed = 0;  // its RX ring was full
    std::uint64_t rx_errors = 0;
    std::uint64_t rx_no_buffer = 0;  // no mbuf was free
    std::uint64_t tx_errors = 0;
};
[[nodiscard]] DeviceCounters device_counters(const Device& device);

// Tells the peer of a NIC that the link is down or up; devices that cannot are left as they are.
void announce_link(const Device& device, bool up);

// The longest frame (no FCS) of a device that says `info`, at most `wanted`. `host_mtu`: of the
// kernel interface below it, or 0.
[[nodiscard]] std::uint16_t device_frame_limit(const rte_eth_dev_info& info, std::uint16_t wanted,
                                               unsigned host_mtu);

// A locally administered address that is always the same for the same text.
[[nodiscard]] MacAddress mac_from_text(const std::string& text);

}  // namespace weir
