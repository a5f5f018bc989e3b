// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile_guards.h"

#include <algorithm>

namespace weir {
namespace {

HookMove move_of(const HookMoveSettings& settings) {
    return {settings.priority, static_cast<std::uint8_t>(settings.dscp), true};
}

HookTable compile_hooks(const HookSettings& settings, const PortIndex& index) {
    HookTable table;
    for (const std::string& uplink : settings.uplinks) table.uplinks.add(index.by_name(uplink));
    for (const auto& [priority, moves] : settings.moves) {
        table.first.at(priority) = move_of(moves.first);
        table.second.at(moves.first.dscp) = move_of(moves.second);
    }
    return table;
}

// Of the shortest ring: one number is for all ports.
std::uint32_t rx_guard_frames(Probability share, const Settings& settings, const PortFacts& facts) {
    constexpr std::uint32_t kMillion = 1'000'000;
    std::uint32_t ring = kFramesMax;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        const PortFacts::Device device =
            i < facts.ports.size() ? facts.ports[i] : PortFacts::Device{};
        if (device.rx_ring_frames == 0) continue;  // it does not say
        ring = std::min<std::uint32_t>(ring, device.rx_ring_frames);
    }
    return std::max(1u,
                    static_cast<std::uint32_t>(std::uint64_t{ring} * share.millionths / kMillion));
}

}  // namespace

void compile_guards(const Settings& settings, const PortFacts& facts, const PortIndex& index,
                    Tables& out) {
    if (settings.watchdog) {
        out.watchdog = {.detection = settings.watchdog->detection,
                        .restoration = settings.watchdog->restoration,
                        .poll = settings.watchdog->poll,
                        .action = settings.watchdog->action,
                        .enabled = true};
    }
    if (settings.hooks) out.hooks = compile_hooks(*settings.hooks, index);
    if (settings.rx_guard) {
        out.rx_guard_frames = rx_guard_frames(*settings.rx_guard, settings, facts);
    }
}

}  // namespace weir
