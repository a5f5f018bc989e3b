// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/connections.h"

#include <algorithm>
#include <utility>

#include "dataplane/core/check.h"
#include "dataplane/core/mix.h"

namespace weir::roce {
namespace {

constexpr ConnectionIndex kNone = 0xffff'ffff;

// 2^16 jobs, 2^24 hosts.
std::uint64_t number_of(const Connections::Key& key) {
    return std::uint64_t{key.job} << 48 | std::uint64_t{key.a} << 24 | key.b;
}

}  // namespace

Connections::Connections(std::vector<WorkloadHost> hosts, std::uint64_t seed)
    : hosts_(std::move(hosts)), seed_(seed), by_qp_(hosts_.size()) {}

std::vector<ConnectionIndex>& Connections::lanes(const Key& key) {
    return lanes_[number_of({key.job, std::min(key.a, key.b), std::max(key.a, key.b)})];
}

ConnectionIndex Connections::get(const Key& key, unsigned lane, const QpProfile& profile) {
    std::vector<ConnectionIndex>& all = lanes(key);
    while (all.size() <= lane) all.push_back(make(key, profile));
    return all[lane];
}

ConnectionIndex Connections::get_idle(const Key& key, const QpProfile& profile) {
    std::vector<ConnectionIndex>& all = lanes(key);
    for (const ConnectionIndex one : all) {
        if (connections_[one].under_way == 0) return one;
    }
    all.push_back(make(key, profile));
    return all.back();
}

// Source port and first PSNs are drawn from the seed and the number of the connection.
ConnectionIndex Connections::make(const Key& key, const QpProfile& profile) {
    const auto index = static_cast<ConnectionIndex>(connections_.size());
    const std::uint64_t drawn = avalanche(seed_ * kMixA + index);
    const std::array<HostIndex, 2> pair{key.a, key.b};
    const std::array<std::uint32_t, 2> psn{static_cast<std::uint32_t>(drawn) & kPsnMask,
                                           static_cast<std::uint32_t>(drawn >> 24) & kPsnMask};
    Connection& made = connections_.emplace_back();
    for (unsigned side = 0; side < 2; ++side) {
        const WorkloadHost& own = hosts_[pair[side]];
        const QpNumber qp = own.port->add_qp(
            {.profile = &profile,
             .peer_ip = hosts_[pair[1 - side]].port->config().ip,
             .next_hop = own.next_hop,
             .source_port = static_cast<std::uint16_t>(kSourcePortFirst | (drawn >> 50)),
             .first_psn_sent = psn[side],
             .first_psn_received = psn[1 - side]});
        made.ends[side].host = pair[side];
        made.ends[side].qp = qp;
        std::vector<ConnectionIndex>& numbers = by_qp_[pair[side]];
        if (numbers.size() <= qp) numbers.resize(qp + 1, kNone);
        numbers[qp] = index;
    }
    for (unsigned side = 0; side < 2; ++side) {
        hosts_[pair[side]].port->set_peer_qp(made.ends[side].qp, made.ends[1 - side].qp);
    }
    return index;
}

void Connections::post(Time now, ConnectionIndex connection, HostIndex from, WorkRequest request) {
    Connection& on = connections_[connection];
    const unsigned side = on.ends[0].host == from ? 0 : 1;
    WEIR_CHECK(on.ends[side].host == from);
    ++on.under_way;
    if (request.operation != Operation::Read) {
        on.ends[1 - side].arriving.push(static_cast<FlowIndex>(request.id));
    }
    hosts_[from].port->post(now, on.ends[side].qp, request);
}

std::optional<FlowIndex> Connections::received(HostIndex host, QpNumber qp) {
    const std::vector<ConnectionIndex>& numbers = by_qp_[host];
    if (qp >= numbers.size() || numbers[qp] == kNone) return std::nullopt;
    Connection& on = connections_[numbers[qp]];
    End& end = on.ends[0].host == host && on.ends[0].qp == qp ? on.ends[0] : on.ends[1];
    if (end.arriving.empty()) return std::nullopt;
    const FlowIndex flow = end.arriving.front();
    end.arriving.pop();
    return flow;
}

}  // namespace weir::roce
