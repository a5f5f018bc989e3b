// SPDX-License-Identifier: BSD-3-Clause
// A second opinion: reads plan files as text and sends each flow through them, knowing nothing of
// how they were made. A port can be used if its link is up and the switch behind it has a way left.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/lab/addressing.h"
#include "tools/lab/topology.h"

namespace weir::plan {

struct Gone {
    std::set<std::uint32_t> links{};
    std::set<lab::NodeId> switches{};
};

struct Sent {
    lab::NodeId source = 0;
    lab::NodeId destination = 0;
    double rate = 1;  // in shares of the fabric's links
};

struct Walked {
    std::map<std::uint32_t, double> loads{};  // by 2 * link, + 1 against its direction
    unsigned by_hash = 0;                     // flows that some switch had no rule and a choice for
    unsigned lost = 0;                        // flows that do not arrive
    double fullest = 0;
    double mean = 0;  // over all links between switches that are there
    double jain = 0;
};

class TableWalk {
  public:
    // `files`: the text of each switch's file, by switch.
    TableWalk(const lab::Topology& topology, const std::vector<std::string>& files);

    [[nodiscard]] Walked walk(const std::vector<Sent>& flows, const Gone& gone) const;

  private:
    [[nodiscard]] bool usable(lab::NodeId at, PortId port, lab::NodeId leaf,
                              const Gone& gone) const;
    [[nodiscard]] std::vector<PortId> choices(lab::NodeId at, PortId ingress,
                                              const Sent& flow) const;
    void sum_up(const Gone& gone, Walked& out) const;

    const lab::Topology& topology_;
    lab::Addressing addressing_;
    std::vector<std::map<std::string, std::vector<PortId>>> exact_;    // "10.1.1.2>10.2.1.2"
    std::vector<std::map<std::string, std::vector<PortId>>> ingress_;  // "p3>10.2.0.0"
    std::map<lab::NodeId, std::vector<std::vector<PortId>>> ports_;    // shortest ways, by leaf
};

}  // namespace weir::plan
