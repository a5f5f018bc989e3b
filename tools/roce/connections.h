// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs between the hosts of a workload, made when a job first needs them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tools/roce/fifo.h"
#include "tools/roce/workload.h"

namespace weir::roce {

using FlowIndex = std::uint32_t;
using ConnectionIndex = std::uint32_t;

class Connections {
  public:
    struct Key {
        std::uint32_t job = 0;
        HostIndex a = 0;
        HostIndex b = 0;
    };

    Connections(std::vector<WorkloadHost> hosts, std::uint64_t seed);

    // The `lane`-th of the job between two hosts; both directions share it.
    ConnectionIndex get(const Key& key, unsigned lane, const QpProfile& profile);
    // One of the job between the two hosts on which nothing is under way.
    ConnectionIndex get_idle(const Key& key, const QpProfile& profile);

    // `from` posts; the request's id becomes the flow.
    void post(Time now, ConnectionIndex connection, HostIndex from, WorkRequest request);

    // The flow whose message has arrived in full at this queue pair: messages come in order.
    [[nodiscard]] std::optional<FlowIndex> received(HostIndex host, QpNumber qp);
    // A flow on this connection is over.
    void close(ConnectionIndex connection) { --connections_[connection].under_way; }

    [[nodiscard]] const WorkloadHost& host(HostIndex host) const { return hosts_[host]; }
    [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }

  private:
    struct End {
        HostIndex host = 0;
        QpNumber qp = 0;
        Fifo<FlowIndex> arriving;  // posted by the other end
    };
    struct Connection {
        std::array<End, 2> ends{};
        std::uint32_t under_way = 0;
    };

    ConnectionIndex make(const Key& key, const QpProfile& profile);
    [[nodiscard]] std::vector<ConnectionIndex>& lanes(const Key& key);

    std::vector<WorkloadHost> hosts_;
    std::uint64_t seed_;
    std::vector<Connection> connections_;
    std::unordered_map<std::uint64_t, std::vector<ConnectionIndex>> lanes_;
    std::vector<std::vector<ConnectionIndex>> by_qp_;  // of each host, by QP number
};

}  // namespace weir::roce
