// SPDX-License-Identifier: BSD-3-Clause
// All of it changes live: docs/operating.md says what becomes of frames that are held.
#include "config/diff_values.h"

namespace weir {
namespace {

// Bytes and their absence: a plain number would be shown without its unit.
void compare_bytes(const std::string& path, std::optional<Bytes> before, std::optional<Bytes> after,
                   std::vector<Change>& out) {
    const auto text = [](std::optional<Bytes> bytes) {
        return bytes ? format_bytes(*bytes) : "default";
    };
    if (before != after) out.push_back({path, text(before) + " -> " + text(after)});
}

void compare_group(const std::string& path, const GroupSettings& before, const GroupSettings& after,
                   std::vector<Change>& out) {
    compare_bytes(path + ".reserve", before.reserve, after.reserve, out);
    compare(path + ".alpha", before.alpha, after.alpha, out);
    compare_bytes(path + ".limit", before.limit, after.limit, out);
    compare(path + ".headroom", before.headroom, after.headroom, out);
    compare_bytes(path + ".xon_offset", before.xon_offset, after.xon_offset, out);
}

void compare_groups(const std::string& path, const PortBufferSettings& before,
                    const PortBufferSettings& after, std::vector<Change>& out) {
    compare_group(path + ".lossless", before.lossless, after.lossless, out);
    compare_group(path + ".lossy", before.lossy, after.lossy, out);
    const auto group = [](const PortBufferSettings& buffer, unsigned priority) {
        const auto found = buffer.priorities.find(priority);
        return found == buffer.priorities.end() ? GroupSettings{} : found->second;
    };
    for (unsigned priority = 0; priority < kPriorities; ++priority) {
        compare_group(path + ".priorities." + std::to_string(priority), group(before, priority),
                      group(after, priority), out);
    }
}

void compare_scheduler(const std::string& path, const std::optional<SchedulerSettings>& before,
                       const std::optional<SchedulerSettings>& after, std::vector<Change>& out) {
    const auto text = [](const std::optional<SchedulerSettings>& scheduler) {
        if (!scheduler) return std::string("default");
        return "strict " + show(PfcSettings{scheduler->strict}) + ", weights " +
               show(scheduler->weights);
    };
    if (before != after) out.push_back({path, text(before) + " -> " + text(after)});
}

// The key is nobody's to read.
void compare_notices(const std::optional<NoticeSettings>& before,
                     const std::optional<NoticeSettings>& after, std::vector<Change>& out) {
    if (before == after) return;
    if (!before || !after) {
        out.push_back({"notices", after ? "off -> on" : "on -> off"});
        return;
    }
    if (before->key != after->key) out.push_back({"notices.key", "changed"});
    compare("notices.udp_port", before->udp_port, after->udp_port, out);
    compare("notices.refresh", before->refresh, after->refresh, out);
    compare("notices.expiry", before->expiry, after->expiry, out);
}

}  // namespace

void compare_lossless(const Settings& before, const Settings& after, std::vector<Change>& out) {
    compare("pfc.priorities", before.pfc, after.pfc, out);
    compare_bytes("buffer.shared", before.buffer.shared, after.buffer.shared, out);
    compare("buffer.reaction", before.buffer.reaction, after.buffer.reaction, out);
    compare_groups("buffer", before.buffer, after.buffer, out);
    compare("ecn", before.ecn, after.ecn, out);
    compare_scheduler("scheduler", before.scheduler, after.scheduler, out);
    compare("watchdog", before.watchdog, after.watchdog, out);
    compare("hooks", before.hooks, after.hooks, out);
    compare_notices(before.notices, after.notices, out);
    compare("rx_guard", before.rx_guard, after.rx_guard, out);
}

void compare_lossless(const std::string& path, const PortSettings& before,
                      const PortSettings& after, std::vector<Change>& out) {
    compare(path + ".cable", before.cable, after.cable, out);
    compare_bytes(path + ".peer_response", before.peer_response, after.peer_response, out);
    compare(path + ".pfc.priorities", before.pfc, after.pfc, out);
    compare_groups(path + ".buffer", before.buffer, after.buffer, out);
    compare(path + ".ecn", before.ecn, after.ecn, out);
    compare_scheduler(path + ".scheduler", before.scheduler, after.scheduler, out);
}

}  // namespace weir
