// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

// Why a frame was dropped: the ends of the sentence "dropped: ...". Counted per port and reason.
enum class DropReason : std::uint8_t {
    // Malformed frames.
    EthernetTruncated,
    FrameTooLong,
    SourceMacInvalid,
    VlanTagTruncated,
    Ipv4Truncated,
    Ipv4HeaderInvalid,
    Ipv4ChecksumWrong,
    Ipv6Truncated,
    Ipv6HeaderInvalid,
    UdpTruncated,
    BthTruncated,
    ArpMalformed,
    IcmpMalformed,
    NeighborDiscoveryMalformed,
    // Control frames that end here by their nature.
    MacControlTruncated,
    MacControlOpcodeUnknown,
    LinkLocalGroupAddress,
    SessionPacketRefused,
    // Bridge.
    VlanNotMember,
    DestinationOnIngressPort,
    NoOtherPortInVlan,
    // Router.
    DestinationMacNotOurs,
    ProtocolNotRouted,
    AddressInvalid,
    MulticastNotRouted,
    TtlExpired,
    NoRoute,
    NoUsableNextHop,
    RouteIsBlackhole,
    NeighborUnresolved,
    NeighborQueueFull,
    NeighborTableFull,
    FrameTooLongForPort,
    NoSuchService,
    ControlConsumed,
    // Buffer, queues and devices.
    SharedBufferFull,
    HeadroomFull,
    EarlyDrop,
    QueueFull,
    QueueMemoryExhausted,
    PauseStorm,
    PortDown,
    PortRemoved,
    HandOffFull,
    FrameMemoryExhausted,
    FaultInjected,
    kCount,
};

inline constexpr unsigned kDropReasons = static_cast<unsigned>(DropReason::kCount);

// The reason in lower-case words ("no route"), for console, events and docs; never empty.
[[nodiscard]] std::string_view drop_reason_text(DropReason reason);

}  // namespace weir
