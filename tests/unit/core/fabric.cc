// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/core/fabric.h"

#include "dataplane/core/egress.h"
#include "dataplane/core/pfc.h"

namespace weir {

namespace {

// 100 Gb/s: 80 ps a byte.
Interval time_on_wire(const Octets& frame, std::uint64_t speed_bps) {
    const std::uint64_t bytes = std::max<std::size_t>(frame.size(), 60) + kWireOverheadBytes;
    return {static_cast<std::int64_t>(bytes * 8 * 1'000'000'000'000 / speed_bps)};
}

}  // namespace

bool Host::take(Time now, Octets& frame) {
    for (unsigned p = kPriorities; p-- > 0;) {
        Stream& stream = streams[p];
        if (stream.left == 0 || now < stream.next) continue;
        if (stream.paused && now < stream.pause_ends) continue;
        stream.paused = false;
        frame = stream.frame(stream.sent);
        ++stream.sent;
        --stream.left;
        stream.next = now + stream.gap;
        return true;
    }
    return false;
}

void Host::obey(Time now, const Octets& pfc, std::uint64_t speed_bps) {
    PfcTimes times;
    Octets bytes = pfc;
    const Frame frame{.data = bytes.data(), .length = 60, .readable = 60};
    if (read_mac_control(frame, 14, times) != MacControlKind::Pfc) return;
    for_each_priority(times.enabled, [&](Priority priority) {
        streams[priority].paused = times.quanta[priority] != 0;
        streams[priority].pause_ends = now + pause_interval(times.quanta[priority], speed_bps);
        pauses_heard += times.quanta[priority] != 0 ? 1 : 0;
    });
}

unsigned Fabric::add(const std::string& yaml, const SwitchRig::Adjust& adjust) {
    nodes_.emplace_back().rig = std::make_unique<SwitchRig>(yaml, adjust);
    return static_cast<unsigned>(nodes_.size() - 1);
}

unsigned Fabric::add_host() {
    nodes_.emplace_back().host = std::make_unique<Host>();
    return static_cast<unsigned>(nodes_.size() - 1);
}

void Fabric::connect(End a, End b, std::uint64_t speed_bps, Interval delay) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        nodes_[from.node].links.push_back(static_cast<unsigned>(links_.size()));
        links_.push_back({from, to, speed_bps, delay});
    }
}

void Fabric::at(Time when, std::function<void()> happen) {
    events_.push({when, made_++, std::move(happen)});
}

bool Fabric::take(const Link& link, Octets& frame) {
    Node& node = nodes_[link.from.node];
    if (node.host != nullptr) return node.host->take(now_, frame);
    node.rig->now = now_;
    std::vector<Octets> frames = node.rig->offer_and_take(link.from.port, 1, 1);
    if (frames.empty()) return false;
    frame = std::move(frames.front());
    return true;
}

void Fabric::send_on(unsigned index) {
    Link& link = links_[index];
    Octets frame;
    if (link.busy || !take(link, frame)) return;
    link.busy = true;
    const Time sent = now_ + time_on_wire(frame, link.speed_bps);
    at(sent, [this, index] {
        links_[index].busy = false;
        wake(links_[index].from.node);
    });
    at(sent + link.delay, [this, index, frame] { arrive(links_[index], frame); });
    const unsigned from = link.from.node;
    if (nodes_[from].host == nullptr) return;
    for (const Stream& stream : nodes_[from].host->streams) {
        if (stream.left != 0 && stream.next > now_) at(stream.next, [this, from] { wake(from); });
    }
}

void Fabric::arrive(const Link& link, Octets frame) {
    if (tap && !tap(link.to, frame)) return;
    Node& node = nodes_[link.to.node];
    if (node.rig != nullptr) {
        node.rig->now = now_;
        node.rig->receive(link.to.port, {frame});
    } else if (is_pfc(frame)) {
        const unsigned to = link.to.node;
        at(now_ + node.host->response, [this, to, frame, speed = link.speed_bps] {
            nodes_[to].host->obey(now_, frame, speed);
            wake(to);
        });
    } else {
        ++node.host->received;
        if (node.host->heard) node.host->heard(frame);
    }
    wake(link.to.node);
}

void Fabric::wake(unsigned node) {
    for (const unsigned link : nodes_[node].links) {
        if (!links_[link].busy) send_on(link);
    }
}

void Fabric::tick_all() {
    for (unsigned node = 0; node < nodes_.size(); ++node) {
        if (nodes_[node].rig != nullptr) {
            nodes_[node].rig->now = now_;
            nodes_[node].rig->tick();
            nodes_[node].rig->reroute();
        }
        wake(node);
    }
}

void Fabric::run(Interval span, Interval tick_interval) {
    const Time end = now_ + span;
    for (Time tick = now_; tick < end; tick = tick + tick_interval) {
        at(tick, [this] { tick_all(); });
    }
    while (!events_.empty() && events_.top().at <= end) {
        const Event event = events_.top();
        events_.pop();
        now_ = event.at;
        event.happen();
    }
    now_ = end;
}

}  // namespace weir
