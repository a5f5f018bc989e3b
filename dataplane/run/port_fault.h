// SPDX-License-Identifier: BSD-3-Clause
// A bad cable, for experiments: what arrives on a port is lost, corrupted or late, by the
// operator's will (`set port N fault ...`).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <rte_mbuf.h>

#include "dataplane/core/prng.h"
#include "dataplane/core/time.h"
#include "dataplane/run/port_fault_settings.h"

namespace weir {

class PortFault {
  public:
    explicit PortFault(const PortFaultSettings& settings);
    ~PortFault();
    PortFault(const PortFault&) = delete;
    PortFault& operator=(const PortFault&) = delete;

    // Takes what arrived; how many frames were lost, which have been freed.
    unsigned take(Time now, std::span<rte_mbuf* const> mbufs);
    // Gives the frames that have arrived by now, oldest first; how many.
    unsigned give(Time now, std::span<rte_mbuf*> mbufs);

    // `settings` from now on. Frames on the way stay there until their time.
    void change(const PortFaultSettings& settings);
    [[nodiscard]] const PortFaultSettings& settings() const { return settings_; }
    [[nodiscard]] bool empty() const { return first_ == behind_; }

  private:
    // 100 us at 10 Mpps, and 1 ms at 100 Gb/s of 1 KB frames need 12,500. What does not fit is
    // lost.
    static constexpr std::uint32_t kLateFramesMax = 1u << 14;
    struct Late {
        Time at;
        rte_mbuf* mbuf = nullptr;
    };

    [[nodiscard]] bool keep(Time now, rte_mbuf* mbuf);
    void corrupt(rte_mbuf* mbuf);

    PortFaultSettings settings_;
    Prng prng_;
    std::vector<Late> late_;  // a ring; positions count up and wrap
    std::uint32_t first_ = 0;
    std::uint32_t behind_ = 0;
};

}  // namespace weir
