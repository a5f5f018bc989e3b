// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

enum class EventKind : std::uint8_t {
    LinkUp,
    LinkDown,
    NeighborResolved,
    NeighborLost,
    MacTableFull,
    NeighborTableFull,
    TablesAdopted,
    StormDetected,
    StormRestored,
    FramesHooked,
    SessionUp,
    SessionDown,
    LinkLost,    // paths do not go by the link any more: session, or operator
    LinkUsable,  // they do again
    PauseSent,
    ResumeSent,
    kCount,
};

// Something an operator may want to know, with its instant. Plain data; the edges turn it into a
// JSON line.
struct Event {
    Time at{};
    IpAddress address{};  // neighbor events; the peer of a link
    MacAddress mac{};     // neighbor events
    // TablesAdopted: the generation; FramesHooked: which hook, 1 or 2; PauseSent and ResumeSent:
    // pauses of the priority that were sent so far, refreshes included; sessions and links: our
    // diagnostic, and the peer's << 8.
    std::uint64_t number = 0;
    PortId port = kNoPort;
    EventKind kind = EventKind::LinkUp;
    Priority priority = 0;  // storms: of the egress queue; FramesHooked, pauses: that of arrival
};

// News for the other shards of the same switch.
enum class ShardMessageKind : std::uint8_t { MacLearned, MacForgotten };

struct ShardMessage {
    std::uint64_t key = 0;  // MacTable key: MAC and VLAN
    PortId port = kNoPort;
    ShardMessageKind kind = ShardMessageKind::MacLearned;
};

}  // namespace weir
