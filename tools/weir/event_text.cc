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
    std::string_view name;
    bool about_neighbor;
};

constexpr std::array kKinds = {
    KindText{EventKind::LinkUp, "link_up", false},
    KindText{EventKind::LinkDown, "link_down", false},
    KindText{EventKind::NeighborResolved, "neighbor_resolved", true},
    KindText{EventKind::NeighborLost, "neighbor_lost", true},
    KindText{EventKind::MacTableFull, "mac_table_full", false},
    KindText{EventKind::NeighborTableFull, "neighbor_table_full", true},
    KindText{EventKind::TablesAdopted, "tables_adopted", false},
    KindText{EventKind::StormDetected, "storm_detected", false},
    KindText{EventKind::StormRestored, "storm_restored", false},
    KindText{EventKind::FramesHooked, "frames_hooked", false},
    KindText{EventKind::SessionUp, "session_up", false},
    KindText{EventKind::SessionDown, "session_down", false},
    KindText{EventKind::LinkLost, "link_lost", false},
    KindText{EventKind::LinkUsable, "link_usable", false},
    KindText{EventKind::PauseSent, "pause_sent", false},
    KindText{EventKind::ResumeSent, "resume_sent", false},
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

std::string_view event_name(EventKind kind) {
    return kKinds[static_cast<std::size_t>(kind)].name;
}

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
    JsonLine line = event_line(stamp, kind.name);
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
    return line.text();
}

}  // namespace weir
