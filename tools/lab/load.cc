// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/load.h"

#include <utility>

#include "tools/lab/wire_address.h"

namespace weir::lab {

Load::Load(Fabric& fabric, std::vector<HostNode*> hosts, std::uint64_t seed)
    : fabric_(fabric), hosts_(std::move(hosts)) {
    std::vector<roce::WorkloadHost> ends;
    for (roce::HostIndex host = 0; host < hosts_.size(); ++host) {
        const Topology& topology = fabric_.topology();
        const Link::End leaf = topology.leaf_of(topology.host(host));
        ends.push_back({&hosts_[host]->port(), wire_mac(Addressing::mac(topology, leaf))});
        hosts_[host]->on_completions([this, host] { take(host); });
    }
    workload_ = std::make_unique<roce::Workload>(std::move(ends), seed);
}

void Load::start() {
    advance();
}

void Load::advance() {
    workload_->advance(fabric_.now());
    pump_touched();
}

void Load::take(roce::HostIndex host) {
    workload_->take(fabric_.now(), host);
    pump_touched();
}

// A host that is pumped may complete requests and touch others: those join the list, and the
// outermost call works it off.
void Load::pump_touched() {
    if (pumping_) return;
    pumping_ = true;
    for (std::vector<roce::HostIndex> touched; !workload_->touched().empty();) {
        touched.assign(workload_->touched().begin(), workload_->touched().end());
        workload_->clear_touched();
        for (const roce::HostIndex host : touched) hosts_[host]->pump(fabric_.world());
    }
    pumping_ = false;
    ask_for_wake();
    if (workload_->finished() && done_) std::exchange(done_, nullptr)();
}

void Load::ask_for_wake() {
    const auto deadline = workload_->next_deadline();
    if (!deadline) return;
    const Time at = *deadline < fabric_.now() ? fabric_.now() : *deadline;
    if (waking_ && wakes_at_ <= at) return;
    waking_ = true;
    wakes_at_ = at;
    fabric_.at(at, [this, at] {
        if (wakes_at_ != at) return;
        waking_ = false;
        advance();
    });
}

}  // namespace weir::lab
