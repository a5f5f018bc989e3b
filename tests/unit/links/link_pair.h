// SPDX-License-Identifier: BSD-3-Clause
// Two switches, a and b, joined by a wire of 1 us between port 1 of a (10.0.0.1) and port 2 of b
// (10.0.0.2), in virtual time: whoever has a timer or hears a frame has a turn.
#pragma once

#include <array>
#include <deque>
#include <string>

#include "tests/unit/core/switch_rig.h"

namespace weir {

class LinkPair {
  public:
    static constexpr PortId kPortA = 1;
    static constexpr PortId kPortB = 2;
    static constexpr Interval kDelay = Interval::microseconds(1);

    // `link`: of both, as behind `link: {peer: ..., `.
    explicit LinkPair(const std::string& link = "", bool v6 = false);

    [[nodiscard]] static std::string yaml_a(const std::string& link, bool v6 = false);
    [[nodiscard]] static std::string yaml_b(const std::string& link, bool v6 = false);

    void run(Interval span);
    // Until both sessions are Up and both links usable; at most 5 s.
    void come_up();

    [[nodiscard]] Time now() const { return a.now; }
    [[nodiscard]] const Link& link_a() const { return a.shard->state().links.by_port[kPortA]; }
    [[nodiscard]] const Link& link_b() const { return b.shard->state().links.by_port[kPortB]; }
    [[nodiscard]] bool usable_a() { return a.condition().links_usable().has(kPortA); }
    [[nodiscard]] bool usable_b() { return b.condition().links_usable().has(kPortB); }
    void operate(SwitchRig& rig, PortId port, bool down);
    // The first event of this kind, from `events` on; fails when there is none.
    [[nodiscard]] static Event event(const SwitchRig& rig, EventKind kind);

    SwitchRig a;
    SwitchRig b;
    // What is on the wire is lost.
    bool cut_to_a = false;
    bool cut_to_b = false;
    Octets last_to_a;
    Octets last_to_b;

  private:
    struct Frame {
        Time at;
        Octets bytes;
    };

    void set_time(Time at);
    void collect();
    void deliver();
    [[nodiscard]] Time next() const;

    std::deque<Frame> to_a_;
    std::deque<Frame> to_b_;
};

}  // namespace weir
