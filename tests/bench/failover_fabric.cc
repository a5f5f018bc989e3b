// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/failover_fabric.h"

#include <array>

#include "dataplane/run/dataplane_options.h"

namespace weir::bench {
namespace {

constexpr unsigned kLeaf1 = 0;
constexpr unsigned kSpine1 = 2;
constexpr unsigned kSwitches = 4;
constexpr unsigned kHosts = 4;  // the fifth, which is no switch
// Of a leaf: the host's port, then a port per spine; of a spine: a port per leaf.
constexpr PortId kHostPort = 0;
constexpr PortId kUp1 = 1;
constexpr PortId kDown1 = 0;
constexpr PortId kDown2 = 1;

constexpr const char* kNotices =
    "notices: {key: 5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e}\n";

std::string us(unsigned n) {
    return std::to_string(n) + "us";
}

// A port that links leaf and spine; the leaf has the odd address.
std::string link_port(const char* name, unsigned leaf, unsigned spine, bool at_leaf,
                      const Timers& timers) {
    const std::string pair = std::to_string(leaf) + std::to_string(spine);
    const std::string subnet = "10.0." + pair + ".";
    return std::string("  - {name: ") + name + ", device: \"ring:link" + pair +
           "\", speed: 100G, addresses: [" + subnet + (at_leaf ? "1" : "0") +
           "/31],\n     link: {peer: " + subnet + (at_leaf ? "0" : "1") +
           ", desired_min_tx: " + us(timers.interval_us) +
           ", required_min_rx: " + us(timers.interval_us) +
           ", detect_mult: " + std::to_string(timers.multiplier) +
           ", hold_down: 20ms, damping: 0s}}\n";
}

std::string leaf_yaml(unsigned leaf, const Timers& timers) {
    const std::string number = std::to_string(leaf);
    const std::string other = std::to_string(3 - leaf);
    return "switch: {name: leaf" + number + "}\nports:\n  - {name: host, device: \"ring:host" +
           number + "\", speed: 100G, addresses: [10." + number + ".0.1/24]}\n" +
           link_port("up1", leaf, 1, true, timers) + link_port("up2", leaf, 2, true, timers) +
           "routes:\n  - {prefix: 10." + other + ".0.0/24, via: [10.0." + number + "1.0, 10.0." +
           number + "2.0]}\nneighbors:\n  - {address: 10." + number +
           ".0.2, mac: \"02:00:00:00:00:0" + number + "\"}\n" + kNotices;
}

std::string spine_yaml(unsigned spine, const Timers& timers) {
    const std::string number = std::to_string(spine);
    return "switch: {name: spine" + number + "}\nports:\n" +
           link_port("leaf1", 1, spine, false, timers) +
           link_port("leaf2", 2, spine, false, timers) +
           "routes:\n  - {prefix: 10.1.0.0/24, via: [10.0.1" + number +
           ".1]}\n  - {prefix: 10.2.0.0/24, via: [10.0.2" + number + ".1]}\n" + kNotices;
}

constexpr const char* kHostsYaml = R"(
switch: {name: hosts}
ports:
  - {name: host1, device: "ring:host1"}
  - {name: host2, device: "ring:host2"}
)";

struct PortAt {
    unsigned switch_index;
    PortId port;
};

PortAt near_end(Place place) {
    return place == Place::Local ? PortAt{kLeaf1, kUp1} : PortAt{kSpine1, kDown2};
}

}  // namespace

MacAddress host_mac(unsigned host) {
    return {0x0200'0000'0000 + std::uint64_t{host}};
}

std::string Fabric::load_all(const Timers& timers) {
    const std::array<std::string, kSwitches + 1> texts{leaf_yaml(1, timers), leaf_yaml(2, timers),
                                                       spine_yaml(1, timers), spine_yaml(2, timers),
                                                       kHostsYaml};
    for (const std::string& text : texts) {
        Problems problems;
        loaded_.push_back(load_text("switch " + std::to_string(loaded_.size()), text, problems));
        if (loaded_.back() == nullptr) return problems.text() + text;
    }
    return {};
}

std::string Fabric::open(const Timers& timers) {
    std::string problem = load_all(timers);
    if (!problem.empty()) return problem;
    std::vector<const Settings*> settings;
    for (const auto& one : loaded_) settings.push_back(&one->settings);
    problem = dataplane_.open(dataplane_options(settings, {})).text;
    if (!problem.empty()) return problem;
    for (unsigned i = 0; i < kSwitches; ++i) publish(i);
    return dataplane_.start();
}

void Fabric::publish(unsigned index) {
    auto compiled =
        compile(loaded_[index]->settings, port_facts(dataplane_.switch_at(index)), nullptr);
    const Tables& tables = compiled->tables;
    dataplane_.publish(index, std::move(compiled), tables);
}

bool Fabric::set_cut(Place place, bool cut) {
    const PortAt end = near_end(place);
    return dataplane_.set_port_fault(end.switch_index, end.port, {.silent = cut});
}

Time Fabric::lost_at(Place place) {
    const PortAt end = near_end(place);
    Time at;
    (void)dataplane_.run_on_shard(end.switch_index, 0, [&](const Shard& shard, Time) {
        at = shard.state().links.by_port[end.port].down_at;
    });
    return at;
}

bool Fabric::whole() {
    bool all = true;
    for (unsigned i = 0; i < kSwitches; ++i) {
        const bool answered = dataplane_.run_on_shard(i, 0, [&](const Shard& shard, Time) {
            const Links& links = shard.state().links;
            links.watched.for_each(
                [&](PortId port) { all = all && links.by_port[port].use == LinkUse::Usable; });
        });
        all = all && answered;
    }
    return all;
}

std::uint64_t Fabric::frames_by(unsigned spine) const {
    const SwitchRecord& record = dataplane_.switch_at(kSpine1 + spine - 1);
    return record.shards[0].shard->counters(kDown1).received_roce_frames.read();
}

void Fabric::poll() {
    dataplane_.poll();
    std::array<EventRecord, 256> events;
    while (dataplane_.take_events(0, events) == events.size()) {
    }
}

std::uint16_t Fabric::host_ethdev(unsigned host) const {
    return dataplane_.switch_at(kHosts).ports[host - 1].device.ethdev;
}

MacAddress Fabric::gateway_mac() const {
    return dataplane_.switch_at(kLeaf1).ports[kHostPort].device.facts.mac;
}

}  // namespace weir::bench
