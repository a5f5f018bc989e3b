// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile_egress.h"

#include <algorithm>

namespace weir {
namespace {

// What a shaped port may send at once after it was idle: as much as its link carries while the
// worker is away for a long turn (100 us), and two frames in any case.
Bytes shaper_burst_bytes(const PortTable& port) {
    constexpr std::uint64_t kTurnsPerSecond = 10'000;
    return port.speed_bps / 8 / kTurnsPerSecond + 2 * Bytes{port.frame_bytes_max};
}

// A port is shaped when its speed is written: on a virtual device that is what makes it a link of
// that speed.
void compile_shaper(const PortTable& port, EgressTable& table) {
    constexpr std::uint64_t kPicosecondsPerByteAtOneBps = 8'000'000'000'000;
    // 8 * 10^12 * 2^16 = 5.2 * 10^17 fits into 64 bits.
    table.shaper_ps_per_byte_q16 = (kPicosecondsPerByteAtOneBps << 16) / port.speed_bps;
    table.shaper_burst_bytes = shaper_burst_bytes(port);
}

// Quanta are exactly in the ratio of the weights, and the least of them holds the longest frame, so
// that every priority sends in every round.
void compile_scheduler(const SchedulerSettings& settings, std::uint32_t frame_bytes_max,
                       EgressTable& table) {
    table.strict = 0;
    for (const Priority priority : settings.strict) {
        table.strict |= static_cast<std::uint8_t>(1u << priority);
    }
    std::array<std::uint32_t, kPriorities> weights;
    weights.fill(1);
    for (const auto& [priority, weight] : settings.weights) weights.at(priority) = weight;
    std::uint32_t least = ~0u;
    for (Priority p = 0; p < kPriorities; ++p) {
        if (((table.strict >> p) & 1) == 0) least = std::min(least, weights[p]);
    }
    const std::uint32_t unit = (frame_bytes_max + least - 1) / least;
    for (Priority p = 0; p < kPriorities; ++p) table.quantum_bytes[p] = weights[p] * unit;
}

std::uint32_t per_64k(Probability probability) {
    constexpr std::uint64_t kMillion = 1'000'000;
    return static_cast<std::uint32_t>(
        (std::uint64_t{probability.millionths} * 65'536 + kMillion / 2) / kMillion);
}

void compile_ecn(const std::map<unsigned, EcnSettings>& ecn, EgressTable& table) {
    for (const auto& [priority, settings] : ecn) {
        table.ecn.at(priority) = {.kmin_bytes = settings.kmin,
                                  .kmax_bytes = settings.kmax,
                                  .pmax_per_64k = per_64k(settings.pmax),
                                  .enabled = true};
        table.ecn_priorities |= static_cast<std::uint8_t>(1u << priority);
    }
}

}  // namespace

void compile_egress(const Settings& settings, CompiledTables& out) {
    out.egress.resize(kPortsMax);
    for (EgressTable& table : out.egress) table.quantum_bytes.fill(kFrameBytesMax);
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        const PortSettings& port = settings.ports[i];
        EgressTable& table = out.egress[i];
        if (port.speed) compile_shaper(out.ports[i], table);
        const auto& scheduler = port.scheduler ? port.scheduler : settings.scheduler;
        if (scheduler) compile_scheduler(*scheduler, out.ports[i].frame_bytes_max, table);
        compile_ecn(settings.ecn, table);
        compile_ecn(port.ecn, table);
    }
}

}  // namespace weir
