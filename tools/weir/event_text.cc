// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/event_text.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "config/address_text.h"
#include "dataplane/core/bfd.h"

namespace weir {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

struct KindText {
    EventKind kind;
    bool about_neighbor;
    const char* counts = nullptr;  // what Event::number is, if it is of no other kind's
};

constexpr std::array kKinds = {
    KindText{EventKind::LinkUp, false},
    KindText{EventKind::LinkDown, false},
    KindText{EventKind::NeighborResolved, true},
    KindText{EventKind::NeighborLost, true},
    KindText{EventKind::MacTableFull, false},
    KindText{EventKind::NeighborTableFull, true},
    KindText{EventKind::TablesAdopted, false},
    KindText{EventKind::StormDetected, false},
    KindText{EventKind::StormRestored, false},
    KindText{EventKind::FramesHooked, false},
    KindText{EventKind::PauseSent, false},
    KindText{EventKind::ResumeSent, false},
    KindText{EventKind::NoticeHeardLost, false, "destinations"},
    KindText{EventKind::NoticeHeardRestored, false, "destinations"},
    KindText{EventKind::NoticeSentLost, false, "destinations"},
    KindText{EventKind::NoticeSentRestored, false, "destinations"},
    KindText{EventKind::DestinationsLost, false, "destinations"},
    KindText{EventKind::DestinationsRestored, false, "destinations"},
    KindText{EventKind::FramesRerouted, false, "frames"},
    KindText{EventKind::SessionUp, false},
    KindText{EventKind::SessionDown, false},
    KindText{EventKind::LinkLost, false},
    KindText{EventKind::LinkUsable, false},
};
static_assert(kKinds.size() == static_cast<std::size_t>(EventKind::kCount));

constexpr bool in_order() {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
    }
    return true;
}
static_assert(in_order());

// Why a session went down, in the words of both ends.
void add_diagnostics(const Event& event, JsonLine& line) {
    const auto diagnostic = [&](unsigned shift) {
        return diagnostic_text(static_cast<Diagnostic>((event.number >> shift) & 0xff));
    };
    if (event.address != IpAddress{}) line.add("peer", format(event.address));
    if (event.kind == EventKind::SessionUp || event.kind == EventKind::LinkUsable) return;
    line.add("diagnostic", diagnostic(0));
    line.add("peer_diagnostic", diagnostic(8));
}

bool is_about_link(EventKind kind) {
    return kind >= EventKind::SessionUp && kind <= EventKind::LinkUsable;
}

}  // namespace

std::string iso_time(std::uint64_t wall_nanoseconds) {
    const auto seconds = static_cast<std::time_t>(wall_nanoseconds / kNanosecondsPerSecond);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 24> date{};
    std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::array<char, 16> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%09uZ",
                  static_cast<unsigned>(wall_nanoseconds % kNanosecondsPerSecond));
    return std::string(date.data()) + fraction.data();
}

JsonLine event_line(const EventStamp& stamp, std::string_view name) {
    JsonLine line;
    line.add("time", iso_time(stamp.wall_nanoseconds));
    line.add("ns", stamp.at.ps / 1000);
    line.add("switch", stamp.switch_name);
    line.add("event", name);
    return line;
}

std::string event_text(const EventStamp& stamp, const Event& event, std::string_view port_name) {
    const KindText& kind = kKinds[static_cast<std::size_t>(event.kind)];
    JsonLine line = event_line(stamp, event_name(event.kind));
    if (event.port != kNoPort) line.add("port", port_name);
    if (is_about_link(event.kind)) add_diagnostics(event, line);
    if (kind.about_neighbor) line.add("address", format(event.address));
    if (event.kind == EventKind::NeighborResolved) line.add("mac", format(event.mac));
    if (event.kind == EventKind::TablesAdopted) line.add("generation", event.number);
    const bool hooked = event.kind == EventKind::FramesHooked;
    const bool pause = event.kind == EventKind::PauseSent || event.kind == EventKind::ResumeSent;
    if (hooked || pause || event.kind == EventKind::StormDetected ||
        event.kind == EventKind::StormRestored) {
        line.add("priority", std::uint64_t{event.priority});
    }
    if (hooked) line.add("hook", event.number);
    if (pause) line.add("pauses_sent", event.number);
    if (kind.counts != nullptr) line.add(kind.counts, event.number);
    return line.text();
}

}  // namespace weir
