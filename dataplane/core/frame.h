// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/protocols.h"
#include "dataplane/core/types.h"

namespace weir {

inline constexpr std::uint32_t kNoGateway = 0xffff'ffff;             // bridged: leave the header
inline constexpr std::uint32_t kGatewayIsDestination = 0xffff'fffe;  // directly connected host

enum class Ecn : std::uint8_t { NotEct = 0, Ect1 = 1, Ect0 = 2, Ce = 3 };  // RFC 3168 section 5

namespace frame_flags {
inline constexpr std::uint8_t kTagged = 1;  // an 802.1Q tag stands at data + 12
inline constexpr std::uint8_t kMoved = 2;   // data or length differ from what was received
inline constexpr std::uint8_t kIpv4 = 4;    // an IPv4 header stands behind the Ethernet header
inline constexpr std::uint8_t kIpv6 = 8;
inline constexpr std::uint8_t kOwn =
    16;  // made by this switch, or turned round by it: held by no group
inline constexpr std::uint8_t kTagPushed = 32;  // this switch added or removed four bytes
inline constexpr std::uint8_t kTagPopped = 64;
inline constexpr std::uint8_t kHooked = 128;  // `vlan` holds the priority that it arrived in
}  // namespace frame_flags

// A handle to one frame and what the switch has decided about it. Plain data, moved by value
// through queues and hand-off rings; the bytes belong to whoever owns `handle` (an mbuf, a lab
// frame).
struct Frame {
    std::uint8_t* data = nullptr;  // first byte of the Ethernet header
    void* handle = nullptr;
    // Where it goes.
    PortId out_port = kNoPort;
    VlanId vlan = 0;                     // the VLAN a bridged frame belongs to; see kHooked
    std::uint32_t gateway = kNoGateway;  // index into Tables::gateways, or one of the two above
    std::uint16_t length = 0;  // bytes on the wire without FCS; what buffer and shaper count
    std::uint16_t readable =
        0;  // bytes readable at data: == length, less for the lab's short frames
    PortId in_port = kNoPort;
    Priority priority = 0;
    std::uint8_t flags = 0;

    // Whose account the frame is on and how: equal for most frames of a burst.
    [[nodiscard]] std::uint32_t account() const {
        return in_port | std::uint32_t{priority} << 16 | std::uint32_t{flags} << 24;
    }
};

static_assert(sizeof(Frame) == 32, "two frames per cache line; a burst is 1 KiB");

// The priority of the group that holds the frame: that of its arrival. Only a hook (hook.h) has
// left it for another.
[[nodiscard]] inline Priority held_priority(const Frame& frame) {
    if ((frame.flags & frame_flags::kHooked) == 0) [[likely]]
        return frame.priority;
    return static_cast<Priority>(frame.vlan);
}

// Where the header behind Ethernet and its tag begins.
[[nodiscard]] inline std::uint16_t l3_offset(const Frame& frame) {
    return (frame.flags & frame_flags::kTagged) != 0 ? kEthernetBytes + kVlanTagBytes
                                                     : kEthernetBytes;
}

}  // namespace weir
