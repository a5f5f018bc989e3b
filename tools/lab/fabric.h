// SPDX-License-Identifier: BSD-3-Clause
// A running fabric: nodes, cables, and the loop that takes one event after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/problem.h"
#include "tools/lab/addressing.h"
#include "tools/lab/node.h"
#include "tools/lab/switch_file.h"
#include "tools/lab/switch_node.h"
#include "tools/lab/topology.h"

namespace weir::lab {

struct FabricOptions {
    std::uint64_t seed = 1;
    unsigned shards = 1;  // per switch
    // From the end of a link's signal until the nodes at its ends hear of it.
    Interval detection{};
    // From a change of a link until every switch's routes take account of it; 0: never.
    Interval reconvergence{};
    SwitchFileOptions files{};
    // Changes compiled tables before the switch sees them: for tests.
    std::function<void(NodeId, CompiledTables&)> adjust{};
};

class Fabric {
  public:
    // Called for each host when the switches are there.
    using MakeHost = std::function<std::unique_ptr<Node>(const Fabric&, NodeId)>;

    // Null, and the reasons in `problems`, when a switch's file is refused.
    [[nodiscard]] static std::unique_ptr<Fabric> build(const Topology& topology,
                                                       const FabricOptions& options,
                                                       const MakeHost& make_host,
                                                       Problems& problems);

    // Takes every event up to `limit`, or up to where stop() was called. False: it was.
    bool run_until(Time limit);
    void stop() { stopped_ = true; }
    // Calls `look` after each so many events.
    void look_every(std::uint64_t events, std::function<void()> look);
    // Calls `action` at an instant that is not over yet.
    void at(Time when, std::function<void()> action);

    enum class Ways : std::uint8_t { Both, FromA, FromB };
    // The link loses its signal, or gets it back; its nodes hear of it later by the detection time.
    // `silent`: they never do.
    void set_link(std::uint32_t link, bool up, bool silent = false, Ways ways = Ways::Both);

    // The switch's file is read anew with other `more` keys (SwitchFileOptions). False, and the
    // reasons in `problems`, when it is refused: then nothing changes.
    bool reload(NodeId node, const std::string& more, Problems& problems);

    [[nodiscard]] World& world() { return world_; }
    [[nodiscard]] const World& world() const { return world_; }
    [[nodiscard]] Time now() const { return world_.now; }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] const Addressing& addressing() const { return addressing_; }
    [[nodiscard]] SwitchNode& switch_at(NodeId node) { return *switches_[node]; }
    [[nodiscard]] const SwitchNode& switch_at(NodeId node) const { return *switches_[node]; }
    [[nodiscard]] Node& node(NodeId node) { return *nodes_[node]; }
    [[nodiscard]] const Node& node(NodeId node) const { return *nodes_[node]; }
    // The two directions of a link.
    [[nodiscard]] const Cable& cable(std::uint32_t link, bool from_a) const {
        return world_.cables[2 * link + (from_a ? 0 : 1)];
    }
    // Every frame that exists is on a cable or in a node's hands.
    [[nodiscard]] std::uint64_t frames_on_cables() const;
    [[nodiscard]] std::uint64_t frames_in_nodes() const;
    // The YAML of a switch.
    [[nodiscard]] const std::string& file(NodeId node) const { return files_[node]; }

  private:
    Fabric(const Topology& topology, const FabricOptions& options);

    [[nodiscard]] std::unique_ptr<const CompiledTables> tables_of(NodeId node,
                                                                  const std::string& text,
                                                                  Problems& problems);
    bool build_switch(NodeId node, Problems& problems);
    void lay_cables();
    void happen(const Happening& happening);
    void arrive(CableId id);

    Topology topology_;
    FabricOptions options_;
    Addressing addressing_;
    World world_;
    std::vector<std::string> files_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<SwitchNode*> switches_;  // the first of nodes_
    std::vector<std::function<void()>> actions_;
    std::function<void()> look_;
    std::uint64_t look_every_ = 0;               // 0: never
    std::uint64_t look_in_ = ~std::uint64_t{0};  // events until then
    bool stopped_ = false;
};

}  // namespace weir::lab
