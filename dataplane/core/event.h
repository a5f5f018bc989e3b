// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

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
    PauseSent,
    ResumeSent,
    NoticeHeardLost,  // a peer has lost destinations that we did not know of
    NoticeHeardRestored,
    NoticeSentLost,
    NoticeSentRestored,
    DestinationsLost,  // no usable path to them is left here
    DestinationsRestored,
    FramesRerouted,  // those that waited for a port that was lost
    SessionUp,
    SessionDown,
    LinkLost,    // paths do not go by the link any more: session, or operator
    LinkUsable,  // they do again
    kCount,
};

// As it stands in JSON lines and reports: "link_down".
[[nodiscard]] std::string_view event_name(EventKind kind);

// Something an operator may want to know, with its instant. Plain data; the edges turn it into a
// JSON line.
struct Event {
    Time at{};
    IpAddress address{};  // neighbor events; the peer of a link
    MacAddress mac{};     // neighbor events
    // TablesAdopted: the generation; FramesHooked: which hook, 1 or 2; PauseSent and ResumeSent:
    // pauses of the priority that were sent so far, refreshes included; notices: destinations they
    // name; destinations: how many; FramesRerouted: frames; sessions and
    // links: our diagnostic, and the peer's << 8.
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
