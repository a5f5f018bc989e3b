// SPDX-License-Identifier: BSD-3-Clause
// Two host ports and the link between them in virtual time, for the tests of the end point.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "tests/unit/roce/samples.h"
#include "tools/roce/host_port.h"

namespace weir::roce {

// A frame as it left one end.
struct Seen {
    Time at{};
    unsigned from = 0;  // 0 or 1
    OutFrame out{};
    Frame frame{};  // without payload
};

// What becomes of a frame: copies that arrive, each this much later than the link's delay.
using Fate = std::vector<Interval>;

class VirtualWire {
  public:
    static constexpr std::uint32_t kKey = 0x485;

    explicit VirtualWire(HostConfig common = {});

    // A queue pair at each end with the same profile; returns their number, which is the same.
    QpNumber connect(const QpProfile& profile, std::uint32_t psn_0 = 100,
                     std::uint32_t psn_1 = 500);

    void post(const WorkRequest& request, unsigned end = 0, QpNumber qp = kQpNumberFirst) {
        ends[end].post(now, qp, request);
    }

    // Until nothing is left to happen, or until `end`, whichever is first.
    void run(Time end = Time{1'000'000'000'000'000});
    // Lets a frame arrive at an end now.
    void deliver(unsigned end, std::span<const std::uint8_t> bytes);

    std::vector<Seen> seen_from(unsigned end) const;
    // PSNs of the frames that left an end.
    std::vector<std::uint32_t> psns_from(unsigned end) const;

    Time now{};
    Interval delay = Interval::microseconds(1);
    // Called for each frame with its number on the wire, from 0; default: it arrives once.
    std::function<Fate(const Seen&, std::size_t)> fate;
    bool mark_ce = false;     // the link sets CE on what is ECN-capable (IPv4)
    bool keep_bytes = false;  // in `bytes`: each frame as it left
    std::vector<Bytes> bytes;
    std::vector<HostPort> ends;
    std::vector<Seen> seen;
    std::array<std::vector<Completion>, 2> completions;
    unsigned steps = 0;

  private:
    struct Arrival {
        Time at{};
        std::uint64_t order = 0;
        unsigned end = 0;
        Bytes bytes{};
        std::uint16_t length = 0;
        bool operator>(const Arrival& other) const {
            return at == other.at ? order > other.order : at > other.at;
        }
    };

    void arrive();
    void send_all(unsigned end);
    std::optional<Time> next_instant() const;

    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::uint64_t order_ = 0;
};

MacAddress mac_of(unsigned end);
IpAddress ip_of(unsigned end);

}  // namespace weir::roce
