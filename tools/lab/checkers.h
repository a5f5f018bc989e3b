// SPDX-License-Identifier: BSD-3-Clause
// What must be true of a fabric at any instant, whatever the configuration, load and faults.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/lab/fabric.h"

namespace weir::lab {

struct CheckerOptions {
    bool order = true;  // within a flow; not with spraying, nor while ways change
    // A queue that is paused and sends nothing for longer waits for itself: a deadlock. Longer than
    // any pause that congestion explains.
    Interval pause_max = Interval::milliseconds(5);
};

class Checkers {
  public:
    Checkers(const Fabric& fabric, const CheckerOptions& options);

    // Cheap enough for every event: what can be seen without walking through queues.
    void check_event();
    // Every account of every switch against the frames in its queues.
    void check_accounts();
    // When all is over: nothing is left anywhere.
    void check_end();

    // One line each, with the instant; at most kKeptMax of them.
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    [[nodiscard]] bool clean() const { return violations_.empty(); }
    // Queues that were found paused for too long, one line each. Apart from the violations, since a
    // deadlock may be what an experiment is about.
    [[nodiscard]] const std::vector<std::string>& stuck_queues() const { return stuck_; }

    // Frames with data of a lossless priority that a switch dropped for want of memory.
    [[nodiscard]] static std::uint64_t lossless_drops(const Fabric& fabric);

    static constexpr std::size_t kKeptMax = 20;

  private:
    // What a queue did lately.
    struct Watched {
        std::uint64_t sent = 0;
        Time since{};
        bool paused = false;
        bool reported = false;
    };

    void violate(const std::string& text);
    [[nodiscard]] std::string stamped(const std::string& text) const;
    void check_switch(const SwitchNode& node);
    void check_groups(const SwitchNode& node);
    void check_pauses(NodeId id, const SwitchNode& node);
    void check_flows();

    const Fabric& fabric_;
    CheckerOptions options_;
    std::vector<std::string> violations_;
    std::vector<std::vector<Watched>> watched_;  // by switch: port * kPriorities + priority
    std::uint64_t drops_seen_ = 0;
    std::vector<std::uint64_t> late_seen_;  // by flow
    std::vector<std::string> stuck_;
};

}  // namespace weir::lab
