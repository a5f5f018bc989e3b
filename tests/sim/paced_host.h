// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tools/lab/fabric.h"
#include "tools/lab/node.h"

namespace weir::lab {

// A host without a protocol: sends frames of given flows at given times as far as PFC lets it, and
// counts what arrives.
class PacedHost final : public Node {
  public:
    struct Flow {
        std::uint32_t to = 0;  // IPv4 address
        std::uint16_t source_port = 49'152;
        std::uint32_t dest_qp = 0x11;
        std::uint16_t bytes = 1'082;  // of each frame, without FCS
        std::uint8_t dscp = 24;       // priority 3
        std::uint64_t frames = 1;
        Time start{};
        Interval gap{};  // between the starts of two frames; 0: line rate
    };

    PacedHost(const Topology& topology, const Addressing& addressing, NodeId id);

    // What a frame of the flow looks like, from `host`, as far as it can be read.
    [[nodiscard]] static std::vector<std::uint8_t> headers_of(const Flow& flow,
                                                              const PacedHost& host);
    // Returns the flow's number in World::flows.
    std::uint32_t add(World& world, const Flow& flow);

    void connect(PortId, CableId out) override { device_.cable = out; }
    void arrive(World& world, PortId port, Frame frame) override;
    void sent(World& world, PortId port) override;
    void wake(World& world, std::uint16_t part) override;
    void link_changed(World& world, PortId port, bool up) override;
    [[nodiscard]] std::uint64_t frames_held() const override { return 0; }

    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] std::uint64_t received_marked() const { return received_marked_; }
    [[nodiscard]] std::uint64_t pauses() const { return pauses_; }
    [[nodiscard]] Time last_received() const { return last_received_; }
    [[nodiscard]] std::uint32_t address() const { return address_; }
    // Nothing is left to be sent.
    [[nodiscard]] bool done() const;

    // Pauses nobody and is paused by nobody: what it sends may be lost.
    bool obeys_pfc = true;

  private:
    struct Sending {
        Flow flow;
        std::uint32_t number = 0;
        Time next{};
        std::vector<std::uint8_t> headers;
    };

    void pump(World& world);
    void wake_at(World& world, Time at);
    [[nodiscard]] Sending* due(World& world, Time& later);
    void obey(World& world, const Frame& frame);

    NodeId id_;
    std::uint32_t address_;
    MacAddress mac_;
    MacAddress gateway_;
    std::uint64_t speed_bps_;
    Device device_;
    std::vector<Sending> flows_;
    std::size_t turn_ = 0;  // round robin
    std::array<Time, kPriorities> paused_until_{};
    std::uint64_t received_ = 0;
    std::uint64_t received_marked_ = 0;
    std::uint64_t pauses_ = 0;
    Time last_received_{};
    Time wakes_at_{};
    bool waking_ = false;
    bool up_ = true;
};

// A fabric of paced hosts, with tables changed by `adjust`.
struct PacedFabric {
    PacedFabric(const Topology& topology, FabricOptions options);

    [[nodiscard]] PacedHost& host(unsigned index) { return *hosts[index]; }

    std::vector<PacedHost*> hosts;
    std::unique_ptr<Fabric> fabric;
};

// What is lossless in tests: priority 3 on every port.
struct Lossless {
    Bytes pool_bytes = 4'000'000;
    Bytes headroom_bytes = 60'000;
    std::int8_t alpha_log2 = -3;
    Bytes xon_offset_bytes = 3'000;
    std::uint8_t priorities = 1 << 3;
};
void make_lossless(CompiledTables& tables, const Lossless& lossless);

}  // namespace weir::lab
