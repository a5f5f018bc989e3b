// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/links/link_pair.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace weir {

namespace {

std::string yaml(unsigned port, const std::string& link, bool v6, unsigned own, unsigned peer) {
    const std::string net = v6 ? "fd00::" : "10.0.0.";
    std::string text = "switch: {name: rig}\nports:\n";
    for (unsigned i = 0; i <= port; ++i) {
        text += "  - {name: p" + std::to_string(i) + ", device: \"ring:r" + std::to_string(i) +
                "\", addresses: [";
        text += i == port ? "\"" + net + std::to_string(own) + (v6 ? "/64\"" : "/24\"")
                          : "192.0." + std::to_string(i) + ".1/24";
        text += "]";
        if (i == port && link != "none") {
            text += ", link: {peer: \"" + net + std::to_string(peer) + "\"" +
                    (link.empty() ? "" : ", ") + link + "}";
        }
        text += "}\n";
    }
    // Port n of a rig has the MAC 02:00:00:00:00:0n; a's port is 1, b's 2.
    return text + "neighbors: [{address: \"" + net + std::to_string(peer) +
           "\", mac: \"02:00:00:00:00:0" + std::to_string(peer) + "\"}]\n";
}

}  // namespace

std::string LinkPair::yaml_a(const std::string& link, bool v6) {
    return yaml(kPortA, link, v6, 1, 2);
}

std::string LinkPair::yaml_b(const std::string& link, bool v6) {
    return yaml(kPortB, link, v6, 2, 1);
}

LinkPair::LinkPair(const std::string& link, bool v6) : a(yaml_a(link, v6)), b(yaml_b(link, v6)) {}

void LinkPair::set_time(Time at) {
    a.now = at;
    b.now = at;
}

void LinkPair::collect() {
    for (Octets& frame : a.sent(kPortA)) {
        last_to_b = frame;
        if (!cut_to_b) to_b_.push_back({now() + kDelay, std::move(frame)});
    }
    for (Octets& frame : b.sent(kPortB)) {
        last_to_a = frame;
        if (!cut_to_a) to_a_.push_back({now() + kDelay, std::move(frame)});
    }
}

void LinkPair::deliver() {
    for (; !to_a_.empty() && to_a_.front().at <= now(); to_a_.pop_front()) {
        a.receive(kPortA, {to_a_.front().bytes});
    }
    for (; !to_b_.empty() && to_b_.front().at <= now(); to_b_.pop_front()) {
        b.receive(kPortB, {to_b_.front().bytes});
    }
}

Time LinkPair::next() const {
    Time first = std::min(a.shard->next_deadline(), b.shard->next_deadline());
    if (!to_a_.empty()) first = std::min(first, to_a_.front().at);
    if (!to_b_.empty()) first = std::min(first, to_b_.front().at);
    return std::max(first, now());
}

void LinkPair::run(Interval span) {
    const Time end = now() + span;
    while (true) {
        a.tick();
        b.tick();
        collect();
        const Time at = next();
        if (at > end) break;
        set_time(at);
        deliver();
    }
    set_time(end);
}

void LinkPair::come_up() {
    for (int i = 0; i < 5'000 && !(usable_a() && usable_b()); ++i) {
        run(Interval::milliseconds(1));
    }
    ASSERT_EQ(link_a().session.state(), SessionState::Up);
    ASSERT_EQ(link_b().session.state(), SessionState::Up);
    run(Interval::milliseconds(2));  // polls are answered
    a.events.clear();
    b.events.clear();
}

void LinkPair::operate(SwitchRig& rig, PortId port, bool down) {
    rig.shard->administer_link(rig.now, port, down, *rig.effects);
    rig.tick();  // empties the effects
}

Event LinkPair::event(const SwitchRig& rig, EventKind kind) {
    for (const Event& event : rig.events) {
        if (event.kind == kind) return event;
    }
    ADD_FAILURE() << "no event of kind " << static_cast<unsigned>(kind);
    return {};
}

}  // namespace weir
