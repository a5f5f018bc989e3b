// SPDX-License-Identifier: BSD-3-Clause
// Switches (SwitchRig) and hosts joined by links, in virtual time. A link sends one frame at a time
// at its rate, 24 bytes of overhead each, and delivers it whole after its delay.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "tests/unit/core/switch_rig.h"

namespace weir {

// What a host sends in one priority.
struct Stream {
    std::function<Octets(std::uint64_t)> frame;  // the i-th
    std::uint64_t left = 0;
    Interval gap{};  // from one frame's begin to the next; 0: as fast as the link
    std::uint64_t sent = 0;
    Time next{};
    Time pause_ends{};
    bool paused = false;
};

// Sends its streams, the highest priority first; obeys a pause `response` after it heard it, and
// never interrupts a frame; takes everything.
class Host {
  public:
    Interval response{};
    std::array<Stream, kPriorities> streams;
    std::function<void(const Octets&)> heard;  // each frame that is not PFC
    std::uint64_t received = 0;
    std::uint64_t pauses_heard = 0;

    [[nodiscard]] bool take(Time now, Octets& frame);
    void obey(Time now, const Octets& pfc, std::uint64_t speed_bps);
};

class Fabric {
  public:
    struct End {
        unsigned node = 0;
        PortId port = 0;
    };

    unsigned add(const std::string& yaml, const SwitchRig::Adjust& adjust);
    unsigned add_host();
    void connect(End a, End b, std::uint64_t speed_bps, Interval delay);

    // Sees every frame that arrives at a node; false: it is lost on the wire.
    std::function<bool(End to, Octets& frame)> tap;

    [[nodiscard]] SwitchRig& rig(unsigned node) { return *nodes_[node].rig; }
    [[nodiscard]] Host& host(unsigned node) { return *nodes_[node].host; }
    [[nodiscard]] Time now() const { return now_; }

    // Time goes on; timers are looked at every `tick`.
    void run(Interval span, Interval tick = Interval::microseconds(5));

  private:
    struct Node {
        std::unique_ptr<SwitchRig> rig;
        std::unique_ptr<Host> host;
        std::vector<unsigned> links;  // that it sends on
    };
    struct Link {
        End from;
        End to;
        std::uint64_t speed_bps = 0;
        Interval delay;
        bool busy = false;
    };
    struct Event {
        Time at;
        std::uint64_t number = 0;
        std::function<void()> happen;
        bool operator>(const Event& other) const {
            return at != other.at ? other.at < at : number > other.number;
        }
    };

    void at(Time when, std::function<void()> happen);
    [[nodiscard]] bool take(const Link& link, Octets& frame);
    void send_on(unsigned link);
    void arrive(const Link& link, Octets frame);
    void wake(unsigned node);
    void tick_all();

    std::vector<Node> nodes_;
    std::vector<Link> links_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t made_ = 0;
    Time now_{1'000'000'000'000};
};

[[nodiscard]] inline bool is_pfc(const Octets& frame) {
    return frame[12] == 0x88 && frame[13] == 0x08;
}

}  // namespace weir
