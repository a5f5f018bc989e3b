// SPDX-License-Identifier: BSD-3-Clause
// What buffer, PFC, ECN and scheduler mean together, and whether memory holds it.
#include <algorithm>

#include "config/buffer_plan.h"
#include "config/units.h"
#include "config/validate.h"
#include "config/validation.h"

namespace weir {
namespace {

// No more fits into as many mbufs as there may be.
constexpr Bytes kBufferBytesMax = kFramesMax * kBytesPerFrame;
constexpr Length kCableMax{100'000'000};
constexpr Interval kReactionMax = Interval::milliseconds(100);

std::string at_priority(const std::string& path, unsigned priority) {
    return path + "." + std::to_string(priority);
}

void check_bytes(Validation& validation, const std::string& path, std::optional<Bytes> bytes) {
    if (!bytes || *bytes <= kBufferBytesMax) return;
    validation.add(path, format_bytes(*bytes) + " is out of range; write at most " +
                             format_bytes(kBufferBytesMax));
}

void check_listed_once(Validation& validation, const std::string& path,
                       const std::vector<Priority>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto behind = list.begin() + static_cast<long>(i);
        if (std::find(list.begin(), behind, list[i]) == behind) continue;
        validation.add(path + "[" + std::to_string(i) + "]",
                       "priority " + std::to_string(list[i]) + " is listed twice");
    }
}

void check_group(Validation& validation, const std::string& path, const GroupSettings& group) {
    check_bytes(validation, path + ".reserve", group.reserve);
    check_bytes(validation, path + ".limit", group.limit);
    check_bytes(validation, path + ".xon_offset", group.xon_offset);
    if (group.headroom) check_bytes(validation, path + ".headroom", group.headroom->bytes);
    if (group.alpha && group.limit) {
        validation.add(path + ".limit",
                       "alpha moves the threshold with the free pool, limit fixes it; keep one");
    }
    const std::optional<Bytes> shared = validation.settings.buffer.shared;
    if (shared && group.limit && *group.limit > *shared) {
        validation.add(path + ".limit", format_bytes(*group.limit) +
                                            " is more than the whole pool; write at most " +
                                            format_bytes(*shared));
    }
}

// Values that only lossless priorities have.
void check_lossy(Validation& validation, const std::string& path, const GroupSettings& group,
                 const std::string& why) {
    if (group.headroom) validation.add(path + ".headroom", why);
    if (group.xon_offset) validation.add(path + ".xon_offset", why);
}

// `lossless`: the priorities that are lossless on any port that the settings are for; `pfc_said`:
// somebody wrote about them.
void check_groups(Validation& validation, const std::string& path, const PortBufferSettings& buffer,
                  unsigned lossless, bool pfc_said) {
    check_group(validation, path + ".lossless", buffer.lossless);
    check_group(validation, path + ".lossy", buffer.lossy);
    check_lossy(validation, path + ".lossy", buffer.lossy,
                "a lossy priority is never paused; write it under lossless");
    if (buffer.lossless != GroupSettings{} && !pfc_said) {
        validation.add(path + ".lossless",
                       "no priority is lossless; write pfc: {priorities: [3]} as well");
    }
    for (const auto& [priority, group] : buffer.priorities) {
        const std::string at = at_priority(path + ".priorities", priority);
        check_group(validation, at, group);
        if (((lossless >> priority) & 1) != 0) continue;
        check_lossy(validation, at, group,
                    "priority " + std::to_string(priority) +
                        " is lossy and never paused; add it to pfc, or leave this out");
    }
}

void check_ecn(Validation& validation, const std::string& path,
               const std::map<unsigned, EcnSettings>& ecn) {
    for (const auto& [priority, profile] : ecn) {
        const std::string at = at_priority(path, priority);
        check_bytes(validation, at + ".kmax", profile.kmax);
        if (profile.kmin <= profile.kmax) continue;
        validation.add(at + ".kmin", format_bytes(profile.kmin) + " is more than kmax, " +
                                         format_bytes(profile.kmax) + "; swap the two");
    }
}

void check_scheduler(Validation& validation, const std::string& path,
                     const SchedulerSettings& scheduler) {
    check_listed_once(validation, path + ".strict", scheduler.strict);
    for (const auto& [priority, weight] : scheduler.weights) {
        const auto& strict = scheduler.strict;
        if (std::find(strict.begin(), strict.end(), priority) == strict.end()) continue;
        std::string others;
        for (const Priority other : strict) {
            if (other != priority) others += (others.empty() ? "" : ", ") + std::to_string(other);
        }
        validation.add(at_priority(path + ".weights", priority),
                       "priority " + std::to_string(priority) +
                           " is strict and has no weight; leave it out, or write strict: [" +
                           others + "]");
    }
}

void check_port(Validation& validation, std::size_t index) {
    const PortSettings& port = validation.settings.ports[index];
    const std::string path = item_path("ports", index);
    if (port.cable > kCableMax) {
        validation.add(path + ".cable", format_length(port.cable) +
                                            " is out of range; write 0m to " +
                                            format_length(kCableMax));
    }
    check_bytes(validation, path + ".peer_response", port.peer_response);
    if (port.pfc) check_listed_once(validation, path + ".pfc.priorities", port.pfc->priorities);
    check_groups(validation, path + ".buffer", port.buffer,
                 lossless_priorities(validation.settings, index),
                 port.pfc || validation.settings.pfc);
    check_ecn(validation, path + ".ecn", port.ecn);
    if (port.scheduler) check_scheduler(validation, path + ".scheduler", *port.scheduler);
}

void check_buffer(Validation& validation) {
    const Settings& settings = validation.settings;
    const BufferSettings& buffer = settings.buffer;
    unsigned lossless = 0;
    bool pfc_said = settings.pfc.has_value();
    Bytes longest = 0;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        lossless |= lossless_priorities(settings, i);
        pfc_said = pfc_said || settings.ports[i].pfc;
        longest = std::max<Bytes>(longest, link_of(settings, {}, i).frame_bytes_max);
    }
    check_groups(validation, "buffer", buffer, lossless, pfc_said);
    check_bytes(validation, "buffer.shared", buffer.shared);
    if (buffer.shared && *buffer.shared < longest) {
        validation.add("buffer.shared", format_bytes(*buffer.shared) +
                                            " is less than the longest frame; write at least " +
                                            format_bytes(longest));
    }
    if (buffer.reaction && *buffer.reaction > kReactionMax) {
        validation.add("buffer.reaction", format_interval(*buffer.reaction) +
                                              " is out of range; write at most " +
                                              format_interval(kReactionMax));
    }
}

}  // namespace

void validate_lossless(Validation& validation) {
    const Settings& settings = validation.settings;
    if (!validation.misread("ecn")) check_ecn(validation, "ecn", settings.ecn);
    if (settings.scheduler && !validation.misread("scheduler")) {
        check_scheduler(validation, "scheduler", *settings.scheduler);
    }
    if (validation.misread("pfc")) return;
    if (settings.pfc) check_listed_once(validation, "pfc.priorities", settings.pfc->priorities);
    if (validation.ports_read() && !validation.misread("buffer")) check_buffer(validation);
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        if (!validation.misread("ports", i)) check_port(validation, i);
    }
}

void validate_memory(const Loaded& loaded, const PortFacts& facts, Problems& problems) {
    const Settings& settings = loaded.settings;
    const BufferPlan plan = plan_buffer(settings, facts);
    const std::uint64_t frames = plan.frames();
    if (facts.queued_frames == 0 || frames <= facts.queued_frames) return;
    const bool shared_said = settings.buffer.shared && !settings.frames;
    problems.add(loaded.problem(
        shared_said ? "buffer.shared" : "frames",
        "the buffer (shared " + format_bytes(plan.shared_bytes) + ", reserves " +
            format_bytes(plan.reserve_bytes) + ", headrooms " + format_bytes(plan.headroom_bytes) +
            ") needs " + std::to_string(frames) + " frames of " + std::to_string(kBytesPerFrame) +
            " bytes, the queues have " + std::to_string(facts.queued_frames) + "; write frames: " +
            std::to_string(frames + facts.device_frames) + ", or a smaller buffer"));
}

PortFacts facts_of_frames(const Settings& settings) {
    PortFacts facts = facts_without_devices(settings);
    if (!settings.frames) return facts;
    const auto ports = static_cast<std::uint32_t>(settings.ports.size());
    facts.device_frames = ports * kFramesPerPortMax + (facts.shards + 1) * kFramesPerWorkerMax;
    facts.queued_frames = *settings.frames;
    return facts;
}

}  // namespace weir
