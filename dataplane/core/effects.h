// SPDX-License-Identifier: BSD-3-Clause
// What the core wants done: it never sends, frees or allocates a frame itself. The worker turns
// effects into mbufs, rings and log lines, the lab into simulated frames.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/bounded.h"
#include "dataplane/core/event.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/notice.h"
#include "dataplane/core/protocols.h"

namespace weir {

// A frame of our own to be made: bytes ready for the wire, to be wrapped into a Frame and given to
// Shard::originate() on the shard that owns out_port (always the shard that asked).
struct OwnFrame {
    PortId out_port = kNoPort;
    std::uint16_t length = 0;
    Priority priority = kOwnAnswerPriority;
    std::array<std::uint8_t, kOwnFrameBytesMax> bytes;
};

// A failure notice to be signed and sent: a whole frame but for the authentication at its payload's
// end, and the UDP checksum (finish_datagram()). To be given to Shard::originate() then.
struct UnsignedNotice {
    static constexpr std::size_t kFrameBytesMax =
        kEthernetBytes + kIpv6Bytes + kUdpBytes + kNoticeBytesMax;

    PortId out_port = kNoPort;
    std::uint16_t payload_at = 0;
    std::uint16_t payload_bytes = 0;
    std::array<std::uint8_t, kFrameBytesMax> bytes;

    [[nodiscard]] std::uint16_t length() const {
        return static_cast<std::uint16_t>(payload_at + payload_bytes);
    }
    [[nodiscard]] std::span<std::uint8_t> payload() {
        return std::span{bytes}.subspan(payload_at, payload_bytes);
    }
};

// A failure notice that arrived: its authentication is to be checked, then it goes to
// Shard::hear_notice(), and the frame's handle is done with (it is NOT in `freed`).
struct HeardNotice {
    Frame frame;
    std::span<const std::uint8_t> payload;
};

// A bridged frame to be multiplied: one copy for each port, then the original is done with (its
// handle is NOT in `freed`). Each copy goes to Shard::enqueue() of the shard that owns its port,
// with out_port set.
struct FloodRequest {
    Frame frame;
    PortSet ports;
};

struct Effects {
    // One receive of kBurstMax frames frees at most those and what waited for one neighbor per
    // frame.
    static constexpr std::size_t kFreedMax = kBurstMax * (1 + kPendingPerNeighborMax) + 32;
    static constexpr std::size_t kOwnMax = kBurstMax + 32;

    Bounded<void*, kFreedMax> freed;  // handles of frames that have left the switch's hands
    Bounded<FloodRequest, kBurstMax> floods;
    Bounded<UnsignedNotice, 8> notices;
    Bounded<HeardNotice, kBurstMax> heard_notices;
    Bounded<OwnFrame, kOwnMax> own;
    // Frames for ports of other shards; each goes to Shard::enqueue() there.
    std::array<Bounded<Frame, kBurstMax>, kShardsMax> hand_offs;
    Bounded<ShardMessage, 2 * kBurstMax> messages;  // for every other shard
    Bounded<Event, 2 * kBurstMax> events;
};

}  // namespace weir
