// SPDX-License-Identifier: BSD-3-Clause
#include "config/describe_lossless.h"

#include "config/buffer_plan.h"
#include "config/units.h"

namespace weir {
namespace {

std::string threshold_text(const BufferProfile& profile) {
    if (!profile.dynamic) return "limit " + format_bytes(profile.shared_limit_bytes);
    return "alpha 2^" + std::to_string(profile.alpha_log2);
}

// "64KB (less than auto, 320KiB: frames may be lost)"
std::string headroom_text(const GroupSettings& said, const BufferProfile& profile,
                          Bytes auto_headroom) {
    const std::string text = format_bytes(profile.headroom_bytes);
    if (!said.headroom || !said.headroom->bytes) return text + " (auto)";
    if (profile.headroom_bytes >= auto_headroom) return text;
    return text + " (less than auto, " + format_bytes(auto_headroom) + ": frames may be lost)";
}

std::string group_text(const GroupSettings& said, const BufferProfile& profile,
                       Bytes auto_headroom) {
    std::string out =
        "reserve " + format_bytes(profile.reserve_bytes) + ", " + threshold_text(profile);
    if (!profile.lossless) return out;
    return out + ", headroom " + headroom_text(said, profile, auto_headroom) + ", XON offset " +
           format_bytes(profile.xon_offset_bytes);
}

PortFacts facts_of(const CompiledTables& compiled) {
    PortFacts facts;
    for (const PortTable& port : compiled.ports) {
        facts.ports.push_back({port.mac, port.frame_bytes_max, port.speed_bps});
    }
    facts.reaction = compiled.reaction;
    return facts;
}

std::string scheduler_text(const EgressTable& table) {
    std::string strict;
    std::string weights;
    for (unsigned p = kPriorities; p-- > 0;) {
        if (((table.strict >> p) & 1) != 0) strict += " " + std::to_string(p);
    }
    for (unsigned p = 0; p < kPriorities; ++p) {
        if (((table.strict >> p) & 1) != 0) continue;
        weights += " " + std::to_string(p) + ":" + std::to_string(table.quantum_bytes[p]);
    }
    return (strict.empty() ? "" : "strict" + strict + ", then ") + "bytes per round" + weights;
}

// Equal lines of neighboring priorities are one: "priorities 0 1 2 5 6 7 (lossy): ...".
std::string group_lines(const Settings& settings, const PortFacts& facts,
                        const CompiledTables& compiled, std::size_t port) {
    const Bytes auto_headroom = auto_headroom_bytes(settings, facts, port);
    std::string texts[kPriorities];
    for (Priority p = 0; p < kPriorities; ++p) {
        const BufferProfile& profile = compiled.groups[group_of(static_cast<PortId>(port), p)];
        texts[p] = std::string(profile.lossless ? "lossless" : "lossy") + ", " +
                   group_text(group_settings(settings, port, p), profile, auto_headroom);
    }
    std::string out;
    for (Priority p = 0; p < kPriorities; ++p) {
        std::string priorities;
        for (Priority q = p; q < kPriorities; ++q) {
            if (!texts[p].empty() && texts[q] == texts[p]) priorities += " " + std::to_string(q);
        }
        if (priorities.empty()) continue;
        out += "      priority" + priorities + ": " + texts[p] + "\n";
        const std::string shown = texts[p];
        for (std::string& text : texts) {
            if (text == shown) text.clear();
        }
    }
    return out;
}

}  // namespace

std::string lossless_port_lines(const Settings& settings, const CompiledTables& compiled,
                                std::size_t port) {
    std::string out;
    const PortSettings& said = settings.ports[port];
    const BufferPlan plan = plan_buffer(settings, {});
    if (plan.promised) {
        out += group_lines(settings, facts_of(compiled), compiled, port);
    }
    const EgressTable& egress = compiled.egress[port];
    for (unsigned p = 0; p < kPriorities; ++p) {
        const auto own = said.ecn.find(p);
        const auto common = settings.ecn.find(p);
        if (((egress.ecn_priorities >> p) & 1) == 0) continue;
        const EcnSettings& ecn = own != said.ecn.end() ? own->second : common->second;
        out += "      ECN of priority " + std::to_string(p) + ": " + format_bytes(ecn.kmin) +
               " to " + format_bytes(ecn.kmax) + ", " + format_probability(ecn.pmax) + "\n";
    }
    if (said.scheduler || settings.scheduler) out += "      " + scheduler_text(egress) + "\n";
    return out;
}

std::string buffer_line(const CompiledTables& compiled) {
    Bytes reserves = 0;
    Bytes headrooms = 0;
    for (const BufferProfile& profile : compiled.groups) {
        reserves += profile.reserve_bytes;
        headrooms += profile.headroom_bytes;
    }
    const std::string pool = "buffer: shared " + format_bytes(compiled.tables.shared_pool_bytes);
    if (reserves + headrooms == 0) return pool + "\n";
    return pool + ", reserves " + format_bytes(reserves) + ", headrooms " +
           format_bytes(headrooms) + " (reaction " + format_interval(compiled.reaction) +
           (compiled.reaction_measured ? ", measured" : "") + ")\n";
}

}  // namespace weir
