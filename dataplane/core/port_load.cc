// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/port_load.h"

#include <algorithm>

#include "dataplane/core/shard_state.h"

namespace weir {

namespace {

// 2^32 ns are 4 s; the product fits: 2^30 bytes * 8 * 10^9 < 2^63.
std::uint32_t ns_of(Bytes bytes, std::uint64_t speed_bps) {
    constexpr Bytes kMost = Bytes{1} << 30;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        std::min(bytes, kMost) * 8 * 1'000'000'000 / speed_bps, 0xffff'ffff));
}

void measure(ShardState& state, PortId port) {
    LoadMeter& meter = state.loads;
    Bytes bytes = 0;
    for (unsigned queue = 0; queue < kPriorities; ++queue) {
        bytes += state.egress.queues().at(port, queue).bytes;
    }
    const std::uint64_t sent = state.counters[port].sent_bytes.read();
    std::uint64_t& rate = meter.rate_bytes[port];
    rate += sent - meter.sent_bytes[port] - rate / kLoadRatePeriods;
    meter.sent_bytes[port] = sent;
    state.condition->loads.set(port, ns_of(bytes + rate, state.tables->ports[port].speed_bps));
}

}  // namespace

void measure_loads(ShardState& state, Time now) {
    if (!state.tables->measures_loads || now < state.loads.next) [[likely]]
        return;
    state.loads.next = now + kLoadPeriod;
    state.own_ports.for_each([&](PortId port) { measure(state, port); });
    for (std::uint32_t& given : state.loads.given_ns) given /= 2;
}

void add_given_load(ShardState& state, PortId port) {
    state.loads.given_ns[port] += ns_of(kLoadOfNewFlow, state.tables->ports[port].speed_bps);
}

std::uint64_t load_ns(const ShardState& state, PortId port) {
    return std::uint64_t{state.condition->loads.ns(port)} + state.loads.given_ns[port];
}

}  // namespace weir
