// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/telemetry_links.h"

#include <string>

#include <rte_telemetry.h>

#include "config/address_text.h"

namespace weir {
namespace {

void add_text(TelemetryOut out, const char* name, std::string_view text) {
    rte_tel_data_add_dict_string(out, name, std::string(text).c_str());
}

void add_ps(TelemetryOut out, const char* name, Interval interval) {
    rte_tel_data_add_dict_u64(out, name, static_cast<std::uint64_t>(interval.ps));
}

void put_session(const LinkView& link, TelemetryOut out) {
    add_text(out, "peer", format(link.peer));
    add_text(out, "state", session_state_text(link.state));
    add_text(out, "peer_state", session_state_text(link.peer_state));
    add_text(out, "diagnostic", diagnostic_text(link.diagnostic));
    add_text(out, "peer_diagnostic", diagnostic_text(link.peer_diagnostic));
    add_ps(out, "tx_interval_ps", link.tx_interval);
    add_ps(out, "detection_time_ps", link.detection_time);
    add_ps(out, "last_outage_ps", link.last_outage);
    rte_tel_data_add_dict_u64(out, "arrivals", link.arrivals);
    add_ps(out, "arrival_min_ps", link.arrival_min);
    add_ps(out, "arrival_p50_ps", link.arrival_p50);
    add_ps(out, "arrival_p99_ps", link.arrival_p99);
    add_ps(out, "arrival_max_ps", link.arrival_max);
    rte_tel_data_add_dict_u64(out, "penalty", link.penalty);
}

void put_counters(const LinkCounters& counters, TelemetryOut out) {
    rte_tel_data_add_dict_u64(out, "packets_sent", counters.packets_sent);
    rte_tel_data_add_dict_u64(out, "packets_received", counters.packets_received);
    rte_tel_data_add_dict_u64(out, "neighbor_unresolved", counters.neighbor_unresolved);
    rte_tel_data_add_dict_u64(out, "flaps", counters.flaps);
    rte_tel_data_add_dict_u64(out, "stalls", counters.stalls);
    TelemetryOut discards = rte_tel_data_alloc();
    rte_tel_data_start_dict(discards);
    for (unsigned i = 0; i < kBfdDiscards; ++i) {
        std::string name(bfd_discard_text(static_cast<BfdDiscard>(i)));
        for (char& c : name) c = c == ' ' ? '_' : c;
        rte_tel_data_add_dict_u64(discards, name.c_str(), counters.discards[i]);
    }
    rte_tel_data_add_dict_container(out, "discards", discards, 0);
}

}  // namespace

int put_link(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    rte_tel_data_start_dict(out);
    LinkView link;
    for (const LinkView& one : snapshot.links) {
        if (one.port == subject.port) link = one;
    }
    rte_tel_data_add_dict_u64(out, "watched", link.watched ? 1 : 0);
    add_text(out, "use", link_use_text(link.use));
    if (!link.watched) return 0;
    put_session(link, out);
    put_counters(link.counters, out);
    return 0;
}

}  // namespace weir
