// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/telemetry_lossless.h"

#include <string>

#include <rte_telemetry.h>

namespace weir {
namespace {

// One dictionary inside of another, for a priority or a queue.
class Part {
  public:
    Part(TelemetryOut whole, std::string name) : whole_(whole), name_(std::move(name)) {
        rte_tel_data_start_dict(dict_);
    }
    ~Part() { rte_tel_data_add_dict_container(whole_, name_.c_str(), dict_, 0); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    void add(const char* name, std::uint64_t number) {
        rte_tel_data_add_dict_u64(dict_, name, number);
    }

  private:
    TelemetryOut whole_;
    std::string name_;
    TelemetryOut dict_ = rte_tel_data_alloc();
};

const PortCounts& counts_of(const Snapshot& snapshot, const TelemetrySubject& subject) {
    return snapshot.port(subject.port)->counts;
}

// Calls put(group, part) for each priority of the subject.
template <typename Put>
void put_groups(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out,
                Put put) {
    rte_tel_data_start_dict(out);
    for (const GroupView& group : snapshot.groups) {
        if (group.port != subject.port) continue;
        Part part(out, "priority_" + std::to_string(group.priority));
        put(group, part);
    }
}

}  // namespace

int put_queues(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    const PortCounts& counts = counts_of(snapshot, subject);
    rte_tel_data_start_dict(out);
    for (const QueueView& queue : snapshot.queues) {
        if (queue.port != subject.port) continue;
        Part part(out, queue_name("priority_", queue.queue));
        part.add("frames", queue.frames);
        part.add("bytes", queue.bytes);
        part.add("bytes_max", queue.bytes_max);
        if (queue.queue >= kPriorities) continue;
        part.add("weight", queue.weight);
        part.add("sent", counts.sent_by_priority[queue.queue]);
        part.add("dropped", counts.queue_drops[queue.queue]);
    }
    return 0;
}

int put_pfc(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    const PortCounts& counts = counts_of(snapshot, subject);
    put_groups(snapshot, subject, out, [&counts](const GroupView& group, Part& part) {
        const Priority p = group.priority;
        const auto left = std::max<std::int64_t>(group.peer_pause_left.ps, 0);
        part.add("lossless", group.profile.lossless ? 1 : 0);
        part.add("pausing", group.pausing ? 1 : 0);
        part.add("ring_guarded", group.ring_guarded ? 1 : 0);
        part.add("peer_pause_left_ps", static_cast<std::uint64_t>(left));
        part.add("pause_ignored", group.pause_ignored ? 1 : 0);
        part.add("pauses_sent", counts.pauses_sent[p]);
        part.add("resumes_sent", counts.resumes_sent[p]);
        part.add("pauses_received", counts.pauses_received[p]);
        part.add("resumes_received", counts.resumes_received[p]);
    });
    rte_tel_data_add_dict_u64(out, "pfc_frames_sent", counts.pfc_frames_sent);
    rte_tel_data_add_dict_u64(out, "pfc_frames_received", counts.pfc_frames_received);
    rte_tel_data_add_dict_u64(out, "link_pauses_received", counts.link_pauses_received);
    return 0;
}

int put_buffer(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    put_groups(snapshot, subject, out, [](const GroupView& group, Part& part) {
        part.add("lossless", group.profile.lossless ? 1 : 0);
        part.add("reserve_bytes", group.reserve_used());
        part.add("reserve_bytes_limit", group.profile.reserve_bytes);
        part.add("shared_bytes", group.shared_used());
        part.add("shared_bytes_limit", group.threshold_bytes);
        part.add("shared_bytes_max", group.held.shared_bytes_max);
        part.add("headroom_bytes", group.held.headroom_bytes);
        part.add("headroom_bytes_limit", group.profile.headroom_bytes);
        part.add("headroom_bytes_max", group.held.headroom_bytes_max);
        part.add("frames", group.held.frames);
    });
    return 0;
}

int put_pool(const Snapshot& snapshot, const TelemetrySubject& /*subject*/, TelemetryOut out) {
    const PoolView& pool = snapshot.pool;
    rte_tel_data_start_dict(out);
    rte_tel_data_add_dict_u64(out, "bytes", pool.used_bytes);
    rte_tel_data_add_dict_u64(out, "bytes_limit", pool.bytes);
    rte_tel_data_add_dict_u64(out, "bytes_max", pool.used_bytes_max);
    rte_tel_data_add_dict_u64(out, "frames", pool.used_frames);
    return 0;
}

int put_ecn(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    const PortCounts& counts = counts_of(snapshot, subject);
    rte_tel_data_start_dict(out);
    for (const QueueView& queue : snapshot.queues) {
        if (queue.port != subject.port || queue.queue >= kPriorities) continue;
        Part part(out, queue_name("priority_", queue.queue));
        part.add("enabled", queue.ecn ? 1 : 0);
        const EcnSettings ecn = queue.ecn.value_or(EcnSettings{});
        part.add("kmin_bytes", ecn.kmin);
        part.add("kmax_bytes", ecn.kmax);
        part.add("pmax_millionths", ecn.pmax.millionths);
        part.add("marked", counts.marked[queue.queue]);
        part.add("sent", counts.sent_by_priority[queue.queue]);
    }
    return 0;
}

int put_watchdog(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    const PortCounts& counts = counts_of(snapshot, subject);
    put_groups(snapshot, subject, out, [&counts](const GroupView& group, Part& part) {
        part.add("storming", group.storming ? 1 : 0);
        part.add("storms_detected", counts.storms_detected[group.priority]);
        part.add("storms_restored", counts.storms_restored[group.priority]);
        part.add("storm_drops", counts.storm_drops[group.priority]);
    });
    rte_tel_data_add_dict_int(out, "enabled", snapshot.watchdog ? 1 : 0);
    return 0;
}

}  // namespace weir
