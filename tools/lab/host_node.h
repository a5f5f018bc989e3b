// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/lab/node.h"
#include "tools/roce/host_port.h"

namespace weir::lab {

// A host: the RoCEv2 end point behind one cable. It obeys PFC like a NIC; what arrives is taken at
// line rate.
class HostNode final : public Node {
  public:
    HostNode(NodeId id, std::string name, const roce::HostConfig& config)
        : Node(std::move(name)), id_(id), port_(config) {}

    void connect(PortId, CableId out) override { device_.cable = out; }
    void arrive(World& world, PortId port, Frame frame) override;
    void sent(World& world, PortId port) override;
    void wake(World& world, std::uint16_t part) override;
    void link_changed(World& world, PortId port, bool up) override;
    // A frame that arrives is taken at once, and one that leaves is made when it leaves.
    [[nodiscard]] std::uint64_t frames_held() const override { return 0; }

    // Sends what may be sent now, and asks to be woken for the rest. To be called whenever the host
    // was given work.
    void pump(World& world);

    // Called when completions wait to be taken.
    void on_completions(std::function<void()> take) { take_completions_ = std::move(take); }

    [[nodiscard]] roce::HostPort& port() { return port_; }
    [[nodiscard]] const roce::HostPort& port() const { return port_; }
    [[nodiscard]] CableId cable() const { return device_.cable; }

  private:
    [[nodiscard]] bool send_one(World& world);
    void ask_for_wake(World& world);
    [[nodiscard]] std::uint32_t flow_of(World& world, roce::QpNumber qp);

    NodeId id_;
    roce::HostPort port_;
    Device device_;
    std::function<void()> take_completions_;
    std::vector<std::uint32_t> flows_;  // by queue pair: index into World::flows
    Time wakes_at_{};
    bool waking_ = false;
    bool up_ = true;
};

}  // namespace weir::lab
