// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_lossless.h"

#include "config/units.h"
#include "config/value_text.h"
#include "tools/weir/console/text_table.h"

namespace weir {
namespace {

// Whether `[port PORT]` leaves the port in; `named`: that port, and nothing else, was asked for.
struct Chosen {
    explicit Chosen(const Arguments& arguments) : value(arguments.find("port")) {}
    [[nodiscard]] bool has(PortId port) const { return value == nullptr || value->port == port; }
    [[nodiscard]] bool named() const { return value != nullptr; }

    const Value* value;
};

const PortCounts& counts_of(const Snapshot& snapshot, PortId port) {
    static const PortCounts kNone;
    const PortView* view = snapshot.port(port);
    return view == nullptr ? kNone : view->counts;
}

std::string of(std::uint64_t used, std::uint64_t all) {
    return std::to_string(used) + " of " + std::to_string(all);
}

std::string frames_text(std::uint64_t used, std::uint64_t all) {
    return all >= kFramesUnlimited ? std::to_string(used) : of(used, all);
}

std::string pausing_text(const GroupView& group) {
    if (!group.pausing) return "no";
    if (group.forced) return "yes, forced";
    return group.ring_guarded ? "yes, RX ring" : "yes";
}

std::string peer_pause_text(const GroupView& group) {
    if (group.peer_pause_left.ps <= 0) return "no";
    return thousandths(static_cast<std::uint64_t>(group.peer_pause_left.ps), 1'000'000) + " us" +
           (group.pause_ignored ? ", ignored" : "");
}

bool ever_paused(const PortCounts& counts, Priority p) {
    return (counts.pauses_sent[p] | counts.resumes_sent[p] | counts.pauses_received[p] |
            counts.resumes_received[p]) != 0;
}

std::string pfc_frame_lines(const Chosen& chosen, const Snapshot& snapshot) {
    TextTable table({"port", ">pfc_frames_sent", ">pfc_frames_received", ">link_pauses_received"});
    for (const PortView& port : snapshot.ports) {
        const PortCounts& counts = port.counts;
        const bool any = counts.pfc_frames_sent != 0 || counts.pfc_frames_received != 0 ||
                         counts.link_pauses_received != 0 || port.table.pfc_priorities != 0;
        if (!chosen.has(port.id) || !(any || chosen.named())) continue;
        table.add({snapshot.port_label(port.id), std::to_string(counts.pfc_frames_sent),
                   std::to_string(counts.pfc_frames_received),
                   std::to_string(counts.link_pauses_received)});
    }
    return table.empty() ? "" : table.text();
}

void add_group(const GroupView& group, const Snapshot& snapshot, TextTable& table) {
    const BufferProfile& profile = group.profile;
    table.add({snapshot.port_label(group.port), std::to_string(group.priority),
               profile.lossless ? "lossless" : "lossy",
               of(group.reserve_used(), profile.reserve_bytes),
               of(group.shared_used(), group.threshold_bytes),
               std::to_string(group.held.shared_bytes_max),
               of(group.held.headroom_bytes, profile.headroom_bytes),
               std::to_string(group.held.headroom_bytes_max),
               frames_text(group.held.frames, group.threshold_frames)});
}

std::string scheduler_text(const QueueView& queue) {
    if (queue.queue == kUrgentQueue) return "before all";
    if (queue.queue == kOwnQueue) return "before data";
    return queue.weight == 0 ? "strict" : "weight " + std::to_string(queue.weight);
}

// The switch's own frames are counted with their priority, 7 or 6.
std::string count_of(const PortCounts::ByPriority& counts, unsigned queue) {
    return queue < kPriorities ? std::to_string(counts[queue]) : "-";
}

}  // namespace

Reply show_pfc(const Arguments& arguments, const Snapshot& snapshot) {
    const Chosen chosen(arguments);
    TextTable table({"port", ">priority", "pfc", "we pause", ">peer pauses", ">pauses_sent",
                     ">resumes_sent", ">pauses_received", ">resumes_received"});
    for (const GroupView& group : snapshot.groups) {
        const Priority p = group.priority;
        const PortCounts& counts = counts_of(snapshot, group.port);
        const bool worth = group.profile.lossless || ever_paused(counts, p) || chosen.named();
        if (!chosen.has(group.port) || !worth) continue;
        table.add({snapshot.port_label(group.port), std::to_string(p),
                   group.profile.lossless ? "on" : "off", pausing_text(group),
                   peer_pause_text(group), std::to_string(counts.pauses_sent[p]),
                   std::to_string(counts.resumes_sent[p]),
                   std::to_string(counts.pauses_received[p]),
                   std::to_string(counts.resumes_received[p])});
    }
    return Reply::shown((table.empty() ? "no priority is lossless\n" : table.text()) +
                        pfc_frame_lines(chosen, snapshot));
}

Reply show_buffer(const Arguments& arguments, const Snapshot& snapshot) {
    const Chosen chosen(arguments);
    const PoolView& pool = snapshot.pool;
    TextTable table({"port", ">priority", "kind", ">reserve", ">shared", ">shared_max", ">headroom",
                     ">headroom_max", ">frames"});
    for (const GroupView& group : snapshot.groups) {
        const bool used = group.held.frames != 0 || group.held.shared_bytes_max != 0 ||
                          group.held.headroom_bytes_max != 0;
        if (!chosen.has(group.port) || !(used || group.profile.lossless || chosen.named()))
            continue;
        add_group(group, snapshot, table);
    }
    return Reply::shown("shared pool: " + of(pool.used_bytes, pool.bytes) + " bytes, at most " +
                        std::to_string(pool.used_bytes_max) +
                        "; frames: " + frames_text(pool.used_frames, pool.frames) + "\n" +
                        (table.empty() ? "no group has held a byte\n" : table.text()));
}

// What is in the device can no longer be paused, re-ordered or rerouted.
std::string in_device_text(const Snapshot& snapshot, const Chosen& chosen) {
    std::string text;
    for (const PortView& port : snapshot.ports) {
        if (!chosen.named() || !chosen.has(port.id)) continue;
        text += "in the device: ";
        text += port.in_device ? std::to_string(*port.in_device) + " frames"
                               : std::string("its driver cannot tell how many frames");
        text += ", at most " + std::to_string(port.tx_ring) + '\n';
    }
    return text;
}

Reply show_queue(const Arguments& arguments, const Snapshot& snapshot) {
    const Chosen chosen(arguments);
    TextTable table(
        {"port", ">queue", "scheduler", ">frames", ">bytes", ">bytes_max", ">sent", ">dropped"});
    for (const QueueView& queue : snapshot.queues) {
        const PortCounts& counts = counts_of(snapshot, queue.port);
        // Of all ports only queues that were ever used: 256 ports have 2560.
        const bool used = queue.bytes_max > 0 ||
                          (queue.queue < kPriorities && counts.queue_drops[queue.queue] != 0);
        if (!chosen.has(queue.port) || !(used || chosen.named())) continue;
        table.add({snapshot.port_label(queue.port), queue_name("", queue.queue),
                   scheduler_text(queue), std::to_string(queue.frames), std::to_string(queue.bytes),
                   std::to_string(queue.bytes_max), count_of(counts.sent_by_priority, queue.queue),
                   count_of(counts.queue_drops, queue.queue)});
    }
    return Reply::shown((table.empty() ? "no queue has held a frame\n" : table.text()) +
                        in_device_text(snapshot, chosen));
}

Reply show_ecn(const Arguments& arguments, const Snapshot& snapshot) {
    const Chosen chosen(arguments);
    TextTable table({"port", ">queue", ">kmin", ">kmax", ">pmax", ">marked", ">sent"});
    for (const QueueView& queue : snapshot.queues) {
        if (queue.queue >= kPriorities || !chosen.has(queue.port)) continue;
        const PortCounts& counts = counts_of(snapshot, queue.port);
        if (!queue.ecn && counts.marked[queue.queue] == 0) continue;
        table.add({snapshot.port_label(queue.port), std::to_string(queue.queue),
                   queue.ecn ? format_bytes(queue.ecn->kmin) : "off",
                   queue.ecn ? format_bytes(queue.ecn->kmax) : "off",
                   queue.ecn ? format_probability(queue.ecn->pmax) : "off",
                   std::to_string(counts.marked[queue.queue]),
                   std::to_string(counts.sent_by_priority[queue.queue])});
    }
    return Reply::shown(table.empty() ? "no queue marks\n" : table.text());
}

std::string storm_text(const GroupView& group) {
    if (!group.storming) return "ok";
    switch (group.storm_action) {
        case WatchdogAction::Drop:
            return "storm, frames are dropped";
        case WatchdogAction::Forward:
            return "storm, pauses are ignored";
        case WatchdogAction::Alert:
            break;
    }
    return "storm";
}

Reply show_watchdog(const Arguments& arguments, const Snapshot& snapshot) {
    const Chosen chosen(arguments);
    TextTable table(
        {"port", ">queue", "state", ">storms_detected", ">storms_restored", ">storm_drops"});
    for (const GroupView& group : snapshot.groups) {
        const PortCounts& counts = counts_of(snapshot, group.port);
        const Priority p = group.priority;
        const bool watched = snapshot.watchdog && group.profile.lossless;
        const bool stormed = group.storming || counts.storms_detected[p] != 0 ||
                             counts.storms_restored[p] != 0 || counts.storm_drops[p] != 0;
        if (!chosen.has(group.port) || !(watched || stormed)) continue;
        table.add({snapshot.port_label(group.port), std::to_string(p), storm_text(group),
                   std::to_string(counts.storms_detected[p]),
                   std::to_string(counts.storms_restored[p]),
                   std::to_string(counts.storm_drops[p])});
    }
    const std::string rule = snapshot.watchdog ? show(*snapshot.watchdog) : "off";
    return Reply::shown("watchdog: " + rule + "\n" + (table.empty() ? "" : table.text()));
}

Reply show_balance(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    if (!snapshot.balance) return Reply::error("the workers did not meet; try again");
    const BalanceView& balance = *snapshot.balance;
    TextTable table({"port", ">received", ">sent", ">dropped"});
    BalanceView::Port sum;
    for (std::size_t i = 0; i < balance.ports.size(); ++i) {
        const BalanceView::Port& port = balance.ports[i];
        table.add({snapshot.port_label(snapshot.ports[i].id), std::to_string(port.received),
                   std::to_string(port.sent), std::to_string(port.dropped)});
        sum.received += port.received;
        sum.sent += port.sent;
        sum.dropped += port.dropped;
    }
    table.add({"all", std::to_string(sum.received), std::to_string(sum.sent),
               std::to_string(sum.dropped)});
    return Reply::shown(table.text() + "held: " + std::to_string(balance.held_frames) +
                        " frames, " + std::to_string(balance.held_bytes) + " bytes\n");
}

Reply show_hooks(const Arguments& arguments, const Snapshot& snapshot) {
    const Chosen chosen(arguments);
    TextTable table({"port", ">priority", ">hooked_first", ">hooked_second"});
    for (const PortView& port : snapshot.ports) {
        for (Priority p = 0; p < kPriorities && chosen.has(port.id); ++p) {
            const std::uint64_t first = port.counts.hooked_first[p];
            const std::uint64_t second = port.counts.hooked_second[p];
            if ((first | second) == 0) continue;
            table.add({snapshot.port_label(port.id), std::to_string(p), std::to_string(first),
                       std::to_string(second)});
        }
    }
    const std::string rule = snapshot.hooks ? show(*snapshot.hooks) : "off";
    return Reply::shown("hooks: " + rule + "\n" + (table.empty() ? "" : table.text()));
}

}  // namespace weir
