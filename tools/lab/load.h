// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tools/lab/fabric.h"
#include "tools/lab/host_node.h"
#include "tools/roce/workload.h"

namespace weir::lab {

// The jobs that run on the hosts of a fabric. Joins the end points' workload with the event loop.
class Load {
  public:
    // `hosts`: those of the fabric, in order. Both outlive the load. Source ports and first PSNs
    // are drawn from the seed.
    Load(Fabric& fabric, std::vector<HostNode*> hosts, std::uint64_t seed);
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    [[nodiscard]] roce::Workload& jobs() { return *workload_; }
    [[nodiscard]] const roce::Workload& jobs() const { return *workload_; }
    // After the last job was added.
    void start();
    // Calls `done` when every job has finished.
    void on_finished(std::function<void()> done) { done_ = std::move(done); }

  private:
    void advance();
    void take(roce::HostIndex host);
    void pump_touched();
    void ask_for_wake();

    Fabric& fabric_;
    std::vector<HostNode*> hosts_;
    std::unique_ptr<roce::Workload> workload_;
    std::function<void()> done_;
    Time wakes_at_{};
    bool waking_ = false;
    bool pumping_ = false;
};

}  // namespace weir::lab
