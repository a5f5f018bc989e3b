// SPDX-License-Identifier: BSD-3-Clause
// BFD control packets on the wire: RFC 5880 section 4.1, in UDP as RFC 5881 has it for one hop.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dataplane/core/types.h"

namespace weir {

inline constexpr std::uint16_t kBfdUdpPort = 3784;  // RFC 5881 section 4
// Of what we send: RFC 5881 section 4 wants 49152..65535, one for each session of a system.
inline constexpr std::uint16_t kBfdSourcePort = 49'152;
inline constexpr std::uint8_t kBfdTtl = 255;      // RFC 5881 section 5 (RFC 5082): checked as well
inline constexpr std::uint8_t kBfdDscp = 48;      // CS6, network control (RFC 4594 section 3.1)
inline constexpr std::uint8_t kBfdVersion = 1;    // RFC 5880 section 4.1
inline constexpr std::uint16_t kBfdBytes = 24;    // the mandatory section
inline constexpr std::uint8_t kBfdAuthBytes = 2;  // with the A bit at least its type and length

// RFC 5880 section 4.1, "State (Sta)".
enum class SessionState : std::uint8_t { AdminDown = 0, Down = 1, Init = 2, Up = 3 };

// RFC 5880 section 4.1, "Diagnostic (Diag)": why a session was last not Up. Five bits on the wire;
// a peer's may be one that has no name here.
enum class Diagnostic : std::uint8_t {
    None = 0,
    DetectionTimeExpired = 1,
    EchoFailed = 2,
    NeighborSignaledDown = 3,
    ForwardingPlaneReset = 4,
    PathDown = 5,
    ConcatenatedPathDown = 6,
    AdministrativelyDown = 7,
    ReverseConcatenatedPathDown = 8,
};

struct BfdPacket {
    SessionState state = SessionState::Down;
    Diagnostic diagnostic = Diagnostic::None;
    std::uint8_t detect_mult = 0;
    bool poll = false;
    bool final = false;
    bool control_plane_independent = false;
    bool authenticated = false;  // the A bit: an authentication section follows
    bool demand = false;
    std::uint32_t my_discriminator = 0;
    std::uint32_t your_discriminator = 0;
    // In microseconds, as on the wire.
    std::uint32_t desired_min_tx_us = 0;
    std::uint32_t required_min_rx_us = 0;
    std::uint32_t required_min_echo_rx_us = 0;
    friend bool operator==(const BfdPacket&, const BfdPacket&) = default;
};

// Why a packet is not looked at any further: RFC 5880 section 6.8.6 in its order, and RFC 5881. The
// first six are the packet's own fault, the others depend on the session.
enum class BfdDiscard : std::uint8_t {
    Truncated,              // fewer bytes than the mandatory section
    VersionUnknown,         // not 1
    LengthWrong,            // below 24 (26 with the A bit), or more than there is
    DetectMultZero,         //
    Multipoint,             // the M bit
    MyDiscriminatorZero,    //
    TtlWrong,               // not 255: it may come from anywhere (RFC 5881 section 5)
    ChecksumWrong,          // UDP's
    NotThePeer,             // another source, or an address of ours that is not this port's
    YourDiscriminatorZero,  // in a state in which the peer must know it
    YourDiscriminatorUnknown,
    Authenticated,  // the A bit, and no authentication is configured
    kCount,         // none: the packet is good
};

inline constexpr unsigned kBfdDiscards = static_cast<unsigned>(BfdDiscard::kCount);

// Reads the UDP payload of a control packet; never behind its end. Anything but kCount: discard it.
[[nodiscard]] BfdDiscard read_bfd(std::span<const std::uint8_t> payload, BfdPacket& packet);

// "neighbor signaled down", "ttl wrong": for console, events and docs. A diagnostic without a name
// is "reserved".
[[nodiscard]] std::string_view diagnostic_text(Diagnostic diagnostic);
[[nodiscard]] std::string_view bfd_discard_text(BfdDiscard discard);
[[nodiscard]] std::string_view session_state_text(SessionState state);

// Writes the mandatory section; `authenticated` must not be set.
void write_bfd(std::span<std::uint8_t, kBfdBytes> bytes, const BfdPacket& packet);

}  // namespace weir
