// SPDX-License-Identifier: BSD-3-Clause
// Watchdog, hooks and rx_guard.
#include <algorithm>
#include <set>

#include "config/buffer_plan.h"
#include "config/compile.h"
#include "config/units.h"
#include "config/validation.h"

namespace weir {
namespace {

// As SONiC's pfcwd; and what is looked at less often than it may last is not seen.
void check_watchdog(Validation& validation, const WatchdogSettings& watchdog) {
    constexpr Interval kFirst = Interval::milliseconds(100);
    constexpr Interval kPollFirst = Interval::milliseconds(1);
    check_interval(validation, "watchdog.detection", watchdog.detection, kFirst,
                   Interval::milliseconds(5'000));
    check_interval(validation, "watchdog.restoration", watchdog.restoration, kFirst,
                   Interval::milliseconds(60'000));
    check_interval(validation, "watchdog.poll", watchdog.poll, kPollFirst, watchdog.detection);
}

// Bit p: lossless on every uplink; on any of them.
struct UplinkPriorities {
    unsigned all = 0xff;
    unsigned any = 0;
    bool known = false;  // there is an uplink
};

UplinkPriorities check_uplinks(Validation& validation, const std::vector<std::string>& uplinks) {
    UplinkPriorities priorities;
    if (uplinks.empty()) {
        validation.add("hooks.uplinks", "there are none; write uplinks: [up1, up2], or no hooks");
    }
    for (std::size_t i = 0; i < uplinks.size(); ++i) {
        const std::string path = item_path("hooks.uplinks", i);
        if (!check_port_exists(validation, path, uplinks[i])) continue;
        if (std::count(uplinks.begin(), uplinks.begin() + static_cast<long>(i), uplinks[i]) > 0) {
            validation.add(path, "port " + uplinks[i] + " is listed twice");
        }
        const PortId port = validation.ports.by_name(uplinks[i]);
        if (!validation.settings.ports[port].routed()) {
            validation.add(path,
                           "port " + uplinks[i] +
                               " is bridged; only routed frames are hooks: give it addresses");
        }
        priorities.known = true;
        const unsigned lossless = lossless_priorities(validation.settings, port);
        priorities.all &= lossless;
        priorities.any |= lossless;
    }
    return priorities;
}

// A frame with the DSCP of a move must have its priority, here as at the next switch.
void check_dscp(Validation& validation, const std::string& path, const HookMoveSettings& move) {
    const Priority mapped = compile_maps(validation.settings.maps).from_dscp.at(move.dscp);
    if (mapped == move.priority) return;
    validation.add(path + ".dscp",
                   "DSCP " + std::to_string(move.dscp) + " is priority " + std::to_string(mapped) +
                       "; write maps: {dscp_to_priority: {" + std::to_string(move.dscp) + ": " +
                       std::to_string(move.priority) + "}}, or another DSCP");
}

void check_moves(Validation& validation, const HookSettings& hooks,
                 const UplinkPriorities& lossless) {
    if (hooks.moves.empty()) {
        validation.add("hooks.moves",
                       "there are none; write moves: {3: {first: {priority: 4, dscp: 34}, second: "
                       "{priority: 0, dscp: 0}}}, or no hooks");
    }
    std::set<unsigned> dscps;
    for (const auto& [from, moves] : hooks.moves) {
        const std::string path = "hooks.moves." + std::to_string(from);
        const auto all = [&](unsigned priority) { return ((lossless.all >> priority) & 1) != 0; };
        const auto any = [&](unsigned priority) { return ((lossless.any >> priority) & 1) != 0; };
        if (!any(from)) {
            validation.add(path, "priority " + std::to_string(from) +
                                     " is lossy on the uplinks and cannot deadlock; leave it out");
        }
        if (moves.first.priority == from || !all(moves.first.priority)) {
            validation.add(path + ".first.priority",
                           "the first move is to another priority that is lossless on every "
                           "uplink; add one to pfc");
        }
        if (any(moves.second.priority)) {
            validation.add(path + ".second.priority",
                           "priority " + std::to_string(moves.second.priority) +
                               " is lossless; the second move is to a lossy one");
        }
        if (!dscps.insert(moves.first.dscp).second) {
            validation.add(path + ".first.dscp", "DSCP " + std::to_string(moves.first.dscp) +
                                                     " is that of another first move; each has "
                                                     "its own");
        }
        check_dscp(validation, path + ".first", moves.first);
        check_dscp(validation, path + ".second", moves.second);
    }
}

void check_rx_guard(Validation& validation, Probability share) {
    if (share.millionths >= 10'000 && share.millionths < 1'000'000) return;
    validation.add("rx_guard", format_probability(share) +
                                   " is out of range; write 1% to 99%, or leave it out");
}

}  // namespace

void validate_guards(Validation& validation) {
    const Settings& settings = validation.settings;
    if (settings.watchdog && !validation.misread("watchdog")) {
        check_watchdog(validation, *settings.watchdog);
    }
    if (settings.rx_guard && !validation.misread("rx_guard")) {
        check_rx_guard(validation, *settings.rx_guard);
    }
    if (!settings.hooks || validation.misread("hooks")) return;
    if (!validation.ports_read() || validation.misread("pfc")) return;
    const UplinkPriorities lossless = check_uplinks(validation, settings.hooks->uplinks);
    if (lossless.known) check_moves(validation, *settings.hooks, lossless);
}

}  // namespace weir
