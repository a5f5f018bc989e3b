// SPDX-License-Identifier: BSD-3-Clause
// How values read, in a difference and in a description.
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/units.h"

namespace weir {

inline std::string show(const std::string& text) {
    return text.empty() ? "none" : text;
}
inline std::string show(bool value) {
    return value ? "true" : "false";
}
inline std::string show(int value) {
    return std::to_string(value);
}
inline std::string show(BitRate rate) {
    return format_rate(rate);
}
inline std::string show(Interval interval) {
    return format_interval(interval);
}
inline std::string show(Length length) {
    return format_length(length);
}
inline std::string show(MacAddress mac) {
    return format(mac);
}
inline std::string show(const IpPrefix& prefix) {
    return format(prefix);
}
inline std::string show(Trust trust) {
    return trust == Trust::Dscp ? "dscp" : "pcp";
}
inline constexpr std::array kSelectors{Selector::Hash, Selector::Flowlet, Selector::Spray,
                                       Selector::Adaptive, Selector::Paths};
inline std::string show(Selector selector) {
    switch (selector) {
        case Selector::Hash:
            return "hash";
        case Selector::Flowlet:
            return "flowlet";
        case Selector::Spray:
            return "spray";
        case Selector::Adaptive:
            return "adaptive";
        case Selector::Paths:
            return "paths";
    }
    return "";
}
inline std::string show(const PlanSettings& plan) {
    std::string out = plan.move == PathMove::Now ? std::string("moves at once")
                                                 : "moves at gaps of " + show(plan.gap);
    if (!plan.switch_.empty()) out += ", for " + plan.switch_;
    if (!plan.generated_by.empty()) out += ", by " + plan.generated_by;
    return out;
}
inline std::string show(const PfcSettings& pfc) {
    std::string out;
    for (const Priority priority : pfc.priorities) {
        out += (out.empty() ? "" : ", ") + std::to_string(priority);
    }
    return show(out);
}
inline std::string show(const HeadroomSettings& headroom) {
    return headroom.bytes ? format_bytes(*headroom.bytes) : "auto";
}
inline std::string show(const EcnSettings& ecn) {
    return format_bytes(ecn.kmin) + " to " + format_bytes(ecn.kmax) + " " +
           format_probability(ecn.pmax);
}
inline std::string show(Probability probability) {
    return format_probability(probability);
}
inline std::string show(WatchdogAction action) {
    switch (action) {
        case WatchdogAction::Drop:
            return "drop";
        case WatchdogAction::Forward:
            return "forward";
        case WatchdogAction::Alert:
            return "alert";
    }
    return "";
}
inline std::string show(const WatchdogSettings& watchdog) {
    return show(watchdog.action) + " after " + show(watchdog.detection) + ", until " +
           show(watchdog.restoration) + " without a pause, looking every " + show(watchdog.poll);
}
inline std::string show(const HookMoveSettings& move) {
    return "priority " + std::to_string(move.priority) + " (DSCP " + std::to_string(move.dscp) +
           ")";
}
inline std::string show(const HookSettings& hooks) {
    std::string out = "uplinks";
    for (const std::string& uplink : hooks.uplinks) out += " " + uplink;
    for (const auto& [from, moves] : hooks.moves) {
        out +=
            ", " + std::to_string(from) + " to " + show(moves.first) + " to " + show(moves.second);
    }
    return out;
}
inline std::string show(const LinkSettings& link) {
    return "to " + format(link.peer) + " every " + show(link.desired_min_tx) + " (hears every " +
           show(link.required_min_rx) + ") x " + std::to_string(link.detect_mult) +
           (link.passive ? ", passive" : "") + (link.required ? "" : ", not required") +
           ", hold-down " + show(link.hold_down) + ", damping " +
           (link.damping.ps == 0 ? "off" : show(link.damping));
}
inline std::string show(const VlanSettings& vlan) {
    std::string out = "native " + std::to_string(vlan.native);
    for (const VlanId tagged : vlan.tagged) out += ", " + std::to_string(tagged);
    return out;
}

template <std::unsigned_integral T>
std::string show(T value) {
    return std::to_string(value);
}

template <typename T>
std::string show(const std::vector<T>& list) {
    std::string out;
    for (const T& item : list) out += (out.empty() ? "" : ", ") + show(item);
    return show(out);
}

template <typename T>
std::string show(const std::optional<T>& value) {
    return value ? show(*value) : "default";
}

template <typename T>
std::string show(const std::map<unsigned, T>& map) {
    std::string list;
    for (const auto& [key, value] : map) {
        list += (list.empty() ? "" : ", ") + std::to_string(key) + ": " + show(value);
    }
    return "{" + list + "}";
}

}  // namespace weir
