// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tools/lab/fabric.h"
#include "tools/lab/results.h"

namespace weir::lab {

// Looks at a running fabric: a point of every time series per sample, and everything else at the
// end.
class Recorder {
  public:
    explicit Recorder(const Fabric& fabric);

    void sample();
    [[nodiscard]] std::size_t samples() const { return series_.at_us.size(); }
    // Makes one sample of each two: the larger queue, the sum of pauses, the mean rate.
    void thin();
    // Fills in links, tiers, switches, series and outages.
    void finish(RunResult& result);

  private:
    [[nodiscard]] static Bytes longest_queue(const SwitchNode& node);
    [[nodiscard]] static Bytes buffer_in_use(const SwitchNode& node);
    [[nodiscard]] static std::uint64_t pauses_sent(const SwitchNode& node);
    [[nodiscard]] std::uint64_t delivered_bytes() const;
    void sample_hosts(Interval span);
    void finish_links(RunResult& result) const;
    void finish_switches(RunResult& result) const;
    void finish_timeline(RunResult& result) const;

    const Fabric& fabric_;
    TimeSeries series_;
    std::vector<std::uint64_t> pauses_before_;  // by switch
    std::vector<std::uint64_t> sent_before_;    // by host
    std::uint64_t delivered_before_ = 0;
    Time sampled_at_{};
};

}  // namespace weir::lab
