// SPDX-License-Identifier: BSD-3-Clause
// What a frame costs in the core: receive, offer, commit, for bursts of 32 and of 1.
//
// tools/bench/instructions runs it under callgrind, which counts only between the client requests:
// the frames are made anew outside of them. Run alone it checks that every frame came out, on the
// ports it should, and counts nothing.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <valgrind/callgrind.h>

#include "config/compile.h"
#include "config/load.h"
#include "dataplane/core/shard.h"
#include "tools/roce/frame_writer.h"

namespace weir {
namespace {

constexpr unsigned kFlows = 64;
constexpr unsigned kFramesPerScenario = 2'048;               // every one of 64 flows 32 times
constexpr unsigned kNewFlows = kFlows + kFramesPerScenario;  // no frame is of a flow seen before
constexpr unsigned kFrameRoomBytes = 1'280;  // headroom 64 + the longest frame here, 1,102 B
constexpr PortId kPorts = 3;
constexpr PortId kLoad = 0;
constexpr MacAddress kLoadPortMac{0x0200'0000'0001};
constexpr roce::MacAddress kDestinationHost{0x02, 0, 0, 0, 0x02, 0x01};

constexpr const char* kBridge = R"(
switch: { name: bench }
ports:
  - { name: load, device: "net_null0" }
  - { name: left, device: "net_null1" }
  - { name: right, device: "net_null2" }
)";

constexpr const char* kRouter = R"(
switch: { name: bench }
ports:
  - { name: load, device: "net_null0", addresses: [10.1.0.1/24, "2001:db8:1::1/64"] }
  - { name: left, device: "net_null1", addresses: [10.3.0.1/24, "2001:db8:3::1/64"] }
  - { name: right, device: "net_null2", addresses: [10.4.0.1/24, "2001:db8:4::1/64"] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2, 10.4.0.2] }
  - { prefix: "2001:db8:2::/64", via: ["2001:db8:3::2", "2001:db8:4::2"] }
neighbors:
  - { address: 10.3.0.2, mac: "02:00:00:00:03:02" }
  - { address: 10.4.0.2, mac: "02:00:00:00:04:02" }
  - { address: "2001:db8:3::2", mac: "02:00:00:00:03:02" }
  - { address: "2001:db8:4::2", mac: "02:00:00:00:04:02" }
)";

struct Scenario {
    const char* name;
    const char* yaml;
    std::size_t payload_bytes;
    bool ipv6;
    bool routed;
    unsigned flows = kFlows;
    const char* selector = "";  // more of its file
    unsigned rules = 0;         // of its path table: for these flows first
};

constexpr std::array kScenarios{
    Scenario{"l2_known", kBridge, 0, false, false},
    Scenario{"l3_hash2_60B", kRouter, 0, false, true},
    Scenario{"l3_hash2_1KB", kRouter, 1'024, false, true},
    Scenario{"l3_new_flows", kRouter, 0, false, true, kNewFlows},
    Scenario{"l3_ipv6", kRouter, 0, true, true},
    Scenario{"l3_64k_rules", kRouter, 0, false, true, kFlows, "", kPathRulesMax},
    Scenario{"l3_64k_rules_new", kRouter, 0, false, true, kNewFlows, "", kPathRulesMax},
    Scenario{"l3_flowlet", kRouter, 0, false, true, kFlows, "selector: flowlet\n"},
    Scenario{"l3_spray", kRouter, 0, false, true, kFlows, "selector: spray\n"},
};

[[noreturn]] void fail(const Scenario& scenario, const char* what) {
    std::fprintf(stderr, "%s: %s\n", scenario.name, what);
    std::exit(1);
}

// By QP, so that flow n (make_frame()) has rule n; both gateways in turn.
PathSettings rule_of(unsigned flow) {
    PathSettings rule;
    rule.source = IpAddress::v4(0x0a01'0002);
    rule.destination = {IpAddress::v4(0x0a02'000a + flow % 8), 128};
    rule.dest_qp = 0x11 + flow;
    rule.via.push_back({.port = flow % 2 == 0 ? "left" : "right", .gateway = {}});
    return rule;
}

std::unique_ptr<const CompiledTables> make_tables(const Scenario& scenario) {
    Problems problems;
    const std::unique_ptr<const Loaded> loaded =
        load_text("bench", std::string(scenario.yaml) + scenario.selector, problems);
    if (loaded == nullptr) fail(scenario, "its configuration has problems");
    PortFacts facts;
    for (PortId port = 0; port < kPorts; ++port) {
        facts.ports.push_back({.mac = {kLoadPortMac.value + port}, .speed_bps = 400'000'000'000});
    }
    Settings settings = loaded->settings;
    for (unsigned rule = 0; rule < scenario.rules; ++rule) {
        settings.paths.push_back(rule_of(rule));
    }
    return compile(settings, facts, nullptr);
}

roce::IpAddress host(bool ipv6, std::uint8_t subnet, std::uint8_t number) {
    if (!ipv6) return {.bytes = {10, subnet, 0, number}};
    return {.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, subnet, 0, 0, 0, 0, 0, 0, 0, 0, 0, number},
            .ipv6 = true};
}

// One frame of a flow; eight destinations, each flow with its own source port and QP.
std::vector<std::uint8_t> make_frame(const Scenario& scenario, unsigned flow) {
    const std::vector<std::uint8_t> payload(scenario.payload_bytes, 0x5a);
    roce::Frame frame;
    frame.destination_mac = kDestinationHost;
    if (scenario.routed) frame.destination_mac = {0x02, 0, 0, 0, 0, 0x01};
    frame.source_mac = {0x02, 0, 0, 0, 0x01, 0x02};
    frame.source = host(scenario.ipv6, 1, 2);
    frame.destination = host(scenario.ipv6, 2, static_cast<std::uint8_t>(10 + flow % 8));
    frame.dscp = 26;
    frame.source_port = static_cast<std::uint16_t>(roce::kSourcePortFirst + flow * 7);
    frame.bth.destination_qp = 0x11 + flow;
    frame.payload = payload;
    std::vector<std::uint8_t> bytes(roce::frame_bytes(frame));
    if (roce::write_frame(frame, bytes) != bytes.size()) fail(scenario, "frame not written");
    return bytes;
}

struct AlignedFree {
    void operator()(std::byte* memory) const {
        ::operator delete[](memory, std::align_val_t{Arena::kAlign});
    }
};

// A switch with its frames: what a worker and its device do around the core.
class Bench {
  public:
    explicit Bench(const Scenario& scenario) : scenario_(scenario), tables_(make_tables(scenario)) {
        const ShardOptions options{
            .ports = kPorts, .frames_max = 1'024, .path_rules = scenario.rules};
        const std::size_t bytes = Shard::memory_bytes(options);
        memory_.reset(new (std::align_val_t{Arena::kAlign}) std::byte[bytes]);
        for (PortId port = 0; port < kPorts; ++port) condition_.set_port_up(port, true);
        shard_ = std::make_unique<Shard>(options, condition_, std::span{memory_.get(), bytes});
        shard_->adopt(now_, tables_->tables, *effects_);
        clear_effects();
        for (unsigned flow = 0; flow < scenario.flows; ++flow) {
            originals_.push_back(make_frame(scenario, flow));
        }
        buffers_.resize(std::size_t{kFlows} * kFrameRoomBytes);
        if (!scenario.routed) learn_destination();
    }

    // Runs 64 flows once before it counts, so that tables and queues are in use.
    void run(unsigned burst) {
        const std::string name = std::string(scenario_.name) + "/" + std::to_string(burst);
        for (unsigned done = 0; done < kFlows; done += burst) turn(done, burst, false);
        sent_.fill(0);
        CALLGRIND_ZERO_STATS;
        for (unsigned done = 0; done < kFramesPerScenario; done += burst) {
            turn(kFlows + done, burst, true);
        }
        CALLGRIND_DUMP_STATS_AT(name.c_str());
        check();
        std::printf("scenario: %s bursts=%u frames=%u\n", name.c_str(), kFramesPerScenario / burst,
                    kFramesPerScenario);
    }

  private:
    void turn(unsigned first_frame, unsigned burst, bool counted) {
        now_ = now_ + Interval::nanoseconds(300);
        for (unsigned i = 0; i < burst; ++i) make(i, (first_frame + i) % scenario_.flows);
        if (counted) CALLGRIND_TOGGLE_COLLECT;
        shard_->receive(now_, kLoad, std::span{frames_}.first(burst), *effects_);
        send_all();
        if (counted) CALLGRIND_TOGGLE_COLLECT;
        if (!effects_->freed.empty()) fail(scenario_, "a frame was dropped");
        clear_effects();
    }

    // What the worker does after each receive: every port with a backlog gets an offer.
    void send_all() {
        const PortSet backlog = shard_->backlog();
        backlog.for_each([&](PortId port) {
            const auto offered = static_cast<unsigned>(shard_->offer(now_, port, kBurstMax).size());
            shard_->commit(now_, port, offered, *effects_);
            sent_[port] += offered;
        });
    }

    void make(unsigned slot, unsigned flow) {
        const std::vector<std::uint8_t>& original = originals_[flow];
        std::uint8_t* data = &buffers_[std::size_t{slot} * kFrameRoomBytes + kFrameHeadroomBytes];
        std::copy(original.begin(), original.end(), data);
        const auto length = static_cast<std::uint16_t>(original.size());
        frames_[slot] = {.data = data, .handle = data, .length = length, .readable = length};
    }

    // The host behind port 1 sends to itself: its MAC is learned, and the frame goes no further.
    void learn_destination() {
        make(0, 0);
        std::copy_n(frames_[0].data, 6, frames_[0].data + 6);
        shard_->receive(now_, 1, std::span{frames_}.first(1), *effects_);
        clear_effects();
    }

    void clear_effects() {
        effects_->freed.clear();
        effects_->floods.clear();
        effects_->own.clear();
        effects_->messages.clear();
        effects_->events.clear();
    }

    // A bridge sends to the host's port only, a router uses both next hops.
    void check() const {
        if (sent_[kLoad] != 0) fail(scenario_, "frames returned to their port");
        if (sent_[1] + sent_[2] != kFramesPerScenario) fail(scenario_, "frames are missing");
        if (scenario_.routed == (sent_[2] == 0)) fail(scenario_, "the wrong port was used");
    }

    const Scenario& scenario_;
    std::unique_ptr<const CompiledTables> tables_;
    Condition condition_;
    std::unique_ptr<std::byte[], AlignedFree> memory_;
    std::unique_ptr<Shard> shard_;
    std::unique_ptr<Effects> effects_ = std::make_unique<Effects>();
    std::vector<std::vector<std::uint8_t>> originals_;
    std::vector<std::uint8_t> buffers_;
    std::array<Frame, kBurstMax> frames_;
    std::array<unsigned, kPorts> sent_{};
    Time now_;
};

}  // namespace
}  // namespace weir

int main() {
    std::printf("build: %s\n", WEIR_BENCH_BUILD);
    for (const weir::Scenario& scenario : weir::kScenarios) {
        for (const unsigned burst : {32u, 1u}) weir::Bench(scenario).run(burst);
    }
    return 0;
}
