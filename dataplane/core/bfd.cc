// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/bfd.h"

#include <array>

#include "dataplane/core/check.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

// The second byte: state in the upper two bits, then the flags (RFC 5880 section 4.1).
constexpr std::uint8_t kPoll = 0x20;
constexpr std::uint8_t kFinal = 0x10;
constexpr std::uint8_t kControlPlaneIndependent = 0x08;
constexpr std::uint8_t kAuthenticated = 0x04;
constexpr std::uint8_t kDemand = 0x02;
constexpr std::uint8_t kMultipoint = 0x01;

constexpr std::uint8_t kDiagnosticMask = 0x1f;

constexpr std::array<std::string_view, 9> kDiagnostics = {
    "none",
    "detection time expired",
    "echo failed",
    "neighbor signaled down",
    "forwarding plane reset",
    "path down",
    "concatenated path down",
    "administratively down",
    "reverse concatenated path down",
};

constexpr std::array<std::string_view, kBfdDiscards> kDiscards = {
    "truncated",
    "version unknown",
    "length wrong",
    "detect mult zero",
    "multipoint",
    "my discriminator zero",
    "ttl wrong",
    "checksum wrong",
    "not the peer",
    "your discriminator zero",
    "your discriminator unknown",
    "authenticated",
};
static_assert(!kDiscards.back().empty(), "a text for every reason");

constexpr std::array<std::string_view, 4> kStates = {"admin down", "down", "init", "up"};

std::uint8_t flags_of(const BfdPacket& packet) {
    unsigned flags = static_cast<unsigned>(packet.state) << 6;
    if (packet.poll) flags |= kPoll;
    if (packet.final) flags |= kFinal;
    if (packet.control_plane_independent) flags |= kControlPlaneIndependent;
    if (packet.demand) flags |= kDemand;
    return static_cast<std::uint8_t>(flags);
}

}  // namespace

BfdDiscard read_bfd(std::span<const std::uint8_t> payload, BfdPacket& packet) {
    if (payload.size() < kBfdBytes) return BfdDiscard::Truncated;
    const std::uint8_t* at = payload.data();
    const std::uint8_t flags = at[1];
    if (at[0] >> 5 != kBfdVersion) return BfdDiscard::VersionUnknown;
    packet.authenticated = (flags & kAuthenticated) != 0;
    const unsigned length_min = kBfdBytes + (packet.authenticated ? kBfdAuthBytes : 0u);
    if (at[3] < length_min || at[3] > payload.size()) return BfdDiscard::LengthWrong;
    packet.diagnostic = static_cast<Diagnostic>(at[0] & kDiagnosticMask);
    packet.state = static_cast<SessionState>(flags >> 6);
    packet.poll = (flags & kPoll) != 0;
    packet.final = (flags & kFinal) != 0;
    packet.control_plane_independent = (flags & kControlPlaneIndependent) != 0;
    packet.demand = (flags & kDemand) != 0;
    packet.detect_mult = at[2];
    packet.my_discriminator = read_be32(at + 4);
    packet.your_discriminator = read_be32(at + 8);
    packet.desired_min_tx_us = read_be32(at + 12);
    packet.required_min_rx_us = read_be32(at + 16);
    packet.required_min_echo_rx_us = read_be32(at + 20);
    if (packet.detect_mult == 0) return BfdDiscard::DetectMultZero;
    if ((flags & kMultipoint) != 0) return BfdDiscard::Multipoint;
    return packet.my_discriminator == 0 ? BfdDiscard::MyDiscriminatorZero : BfdDiscard::kCount;
}

std::string_view diagnostic_text(Diagnostic diagnostic) {
    const auto index = static_cast<std::size_t>(diagnostic);
    return index < kDiagnostics.size() ? kDiagnostics[index] : "reserved";
}

std::string_view bfd_discard_text(BfdDiscard discard) {
    return kDiscards[static_cast<std::size_t>(discard)];
}

std::string_view session_state_text(SessionState state) {
    return kStates[static_cast<std::size_t>(state)];
}

void write_bfd(std::span<std::uint8_t, kBfdBytes> bytes, const BfdPacket& packet) {
    WEIR_CHECK(!packet.authenticated);
    std::uint8_t* at = bytes.data();
    at[0] = static_cast<std::uint8_t>(unsigned{kBfdVersion} << 5 |
                                      (static_cast<unsigned>(packet.diagnostic) & kDiagnosticMask));
    at[1] = flags_of(packet);
    at[2] = packet.detect_mult;
    at[3] = kBfdBytes;
    write_be32(at + 4, packet.my_discriminator);
    write_be32(at + 8, packet.your_discriminator);
    write_be32(at + 12, packet.desired_min_tx_us);
    write_be32(at + 16, packet.required_min_rx_us);
    write_be32(at + 20, packet.required_min_echo_rx_us);
}

}  // namespace weir
