// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/explain_flow.h"

#include <array>
#include <cstdio>

#include "config/address_text.h"
#include "config/value_text.h"
#include "dataplane/core/protocols.h"
#include "tools/weir/console/show_forwarding.h"
#include "tools/weir/console/show_paths.h"

namespace weir {
namespace {

using Outcome = Explanation::Outcome;

// Writes the decisions in the order in which the frame path takes them.
class Story {
  public:
    explicit Story(const Snapshot& snapshot)
        : snapshot_(snapshot), flow_(*snapshot.flow), steps_(snapshot.flow->steps) {}

    [[nodiscard]] std::string text() {
        tell_parse();
        step("priority", std::to_string(steps_.priority) + priority_source());
        tell_group();
        if (steps_.routed_port)
            tell_route();
        else
            tell_bridge();
        tell_outcome();
        return text_;
    }

  private:
    void step(std::string name, const std::string& what) {
        name.resize(10, ' ');
        text_ += "  " + name + " " + what + '\n';
    }

    void tell_parse() {
        const Parsed& parsed = steps_.parsed;
        switch (parsed.kind) {
            case FrameKind::Malformed:
                step("parse", "malformed: " + std::string(drop_reason_text(parsed.error)));
                return;
            case FrameKind::Ipv4:
            case FrameKind::Ipv6:
                break;
            default:
                step("parse", "no IP");
                return;
        }
        std::string what = parsed.kind == FrameKind::Ipv4 ? "IPv4" : "IPv6";
        what += ", DSCP " + std::to_string(parsed.traffic_class >> 2) + ", TTL " +
                std::to_string(parsed.ttl);
        if (parsed.protocol == kProtocolUdp) {
            what += ", UDP " + std::to_string(parsed.ports >> 16) + " -> " +
                    std::to_string(parsed.ports & 0xffff);
        }
        if (parsed.roce) what += ", RoCEv2 to queue pair " + std::to_string(parsed.dest_qp);
        step("parse", what);
    }

    [[nodiscard]] std::string priority_source() const {
        const PortView* port = snapshot_.port(flow_.in_port);
        if (port == nullptr) return {};
        const bool ip =
            steps_.parsed.kind == FrameKind::Ipv4 || steps_.parsed.kind == FrameKind::Ipv6;
        if (port->table.trust == Trust::Dscp && ip) {
            return ", from DSCP " + std::to_string(steps_.parsed.traffic_class >> 2);
        }
        if (flow_.tagged) return ", from PCP " + std::to_string(steps_.parsed.tag >> 13);
        return ", the port's default";
    }

    // On whose account the frame stands while it is here.
    void tell_group() {
        if (!lossless(flow_.in_port, steps_.priority))
            return step("group", "lossy: it may be dropped");
        step("group", "lossless: port " + snapshot_.port_label(flow_.in_port) +
                          " is paused before it is full");
    }

    [[nodiscard]] bool lossless(PortId id, Priority priority) const {
        const PortView* port = snapshot_.port(id);
        return port != nullptr && (port->table.pfc_priorities & bit_of(priority)) != 0;
    }

    void tell_bridge() {
        step("bridge", "VLAN " + std::to_string(steps_.vlan) +
                           (steps_.vlan_member ? "" : ", which the port does not carry"));
        if (steps_.outcome == Outcome::Bridged) {
            step("MAC", "known on port " + snapshot_.port_label(steps_.out_port));
        } else if (steps_.outcome == Outcome::Flooded) {
            step("MAC", "unknown, or a group: to all ports of the VLAN");
        }
    }

    void tell_route() {
        if (steps_.route_index == kNoRouteIndex) return;
        std::string what = flow_.prefix ? format(*flow_.prefix) : std::string("route");
        what += ", " + std::string(route_kind_text(steps_.route.kind));
        if (steps_.route.kind == RouteKind::NextHops) {
            what += ", " + std::to_string(flow_.members.size()) +
                    (flow_.members.size() == 1 ? " member" : " members");
        }
        step("route", what);
        if (steps_.route.kind == RouteKind::NextHops) tell_choice();
    }

    // A rule decides before the route's members are looked at.
    void tell_rule() {
        const PathRule& rule = flow_.rule;
        step("rule", std::to_string(steps_.choice.rule) + ": " + path_match_text(rule, snapshot_));
        if (steps_.choice.place == kNoPlace) {
            step("path", "no way of the rule is usable; the hash chooses");
        } else {
            step("path", steps_.choice.place == 0
                             ? std::string("primary")
                             : "backup " + std::to_string(steps_.choice.place) +
                                   ", since the ways before it are not usable");
        }
    }

    void tell_choice() {
        if (steps_.choice.rule != kNoPathRule) tell_rule();
        if (steps_.choice.stays) {
            return step("stays", "on its way until it pauses for " + show(steps_.choice.gap));
        }
        if (steps_.choice.rule != kNoPathRule && steps_.choice.place != kNoPlace) return;
        if (steps_.choice.rule == kNoPathRule && steps_.route.selector != Selector::Hash) {
            step("selector", show(steps_.route.selector));
        }
        const std::uint32_t chosen = steps_.choice.member;
        if (flow_.members.size() > 1) {
            std::array<char, 24> hash{};
            std::snprintf(hash.data(), hash.size(), "0x%016llx",
                          static_cast<unsigned long long>(steps_.choice.hash));
            step("hash",
                 hash.data() + std::string(" names member ") + std::to_string(steps_.first_choice));
        }
        // Of 128 members those that took part in the decision.
        for (std::uint32_t i = 0; i < flow_.members.size(); ++i) {
            const bool shown = i == chosen || i == steps_.first_choice || !flow_.members[i].usable;
            if (!shown) continue;
            step("  member " + std::to_string(i), next_hop_text(flow_.members[i], snapshot_));
        }
        if (chosen == kNoMember) return;
        const bool by_hash = steps_.choice.rule != kNoPathRule ||
                             steps_.route.selector == Selector::Hash ||
                             steps_.route.selector == Selector::Paths;
        step("path", "member " + std::to_string(chosen) +
                         (!by_hash || chosen == steps_.first_choice
                              ? ""
                              : ", since member " + std::to_string(steps_.first_choice) +
                                    " is not usable"));
    }

    void tell_outcome() {
        switch (steps_.outcome) {
            case Outcome::Dropped:
                step("dropped", std::string(drop_reason_text(steps_.reason)));
                return;
            case Outcome::ForSwitch:
                step("end", "the switch itself takes it");
                return;
            case Outcome::Flooded:
                steps_.flood_ports.for_each([this](PortId port) { tell_egress(port); });
                return;
            case Outcome::Routed:
                tell_neighbor();
                tell_hook();
                tell_egress(steps_.out_port);
                return;
            case Outcome::Bridged:
                tell_egress(steps_.out_port);
                return;
        }
    }

    void tell_neighbor() {
        const bool resolved = steps_.neighbor_state >= NeighborState::Reachable;
        step("neighbor", format(steps_.neighbor_address) + ", " +
                             std::string(neighbor_state_text(steps_.neighbor_state)));
        if (!resolved) {
            step("waiting", "the frame waits until the neighbor has said its MAC address");
            return;
        }
        step("rewrite", format(steps_.source_mac) + " -> " + format(steps_.destination_mac) +
                            ", TTL " + std::to_string(steps_.parsed.ttl - 1));
    }

    void tell_hook() {
        if (steps_.hook == Hook::None) return;
        step("hook", std::string(steps_.hook == Hook::First ? "the first" : "the second") +
                         ", in and out by an uplink: queue " +
                         std::to_string(steps_.move.priority) + ", DSCP " +
                         std::to_string(steps_.move.dscp));
    }

    // A hook waits in another queue than its priority of arrival.
    [[nodiscard]] Priority queue() const {
        return steps_.hook == Hook::None ? steps_.priority : steps_.move.priority;
    }

    void tell_egress(PortId id) {
        const PortView* port = snapshot_.port(id);
        std::string what = "port " + snapshot_.port_label(id) + ", queue " +
                           std::to_string(queue()) +
                           (lossless(id, queue()) ? ", obeys the peer's pauses" : "");
        if (port != nullptr) {
            what += ", worker on core " + std::to_string(port->core);
            if (!port->usable) what += "; dropped there: port down";
        }
        step("egress", what);
    }

    const Snapshot& snapshot_;
    const ExplainedFlow& flow_;
    const Explanation& steps_;
    std::string text_;
};

}  // namespace

Reply explain_flow(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    if (!snapshot.flow) return Reply::error("the worker did not answer; try again");
    return Reply::shown(Story(snapshot).text());
}

}  // namespace weir
