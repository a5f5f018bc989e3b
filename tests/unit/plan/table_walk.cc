// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/plan/table_walk.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "tools/lab/shortest_paths.h"

namespace weir::plan {

namespace {

std::uint32_t directed(const lab::Topology& topology, lab::NodeId at, PortId port) {
    const std::uint32_t link = topology.links_of(at)[port];
    const lab::Link& ends = topology.links()[link];
    return 2 * link + (ends.a.node == at && ends.a.port == port ? 0 : 1);
}

}  // namespace

TableWalk::TableWalk(const lab::Topology& topology, const std::vector<std::string>& files)
    : topology_(topology), addressing_(topology), exact_(files.size()), ingress_(files.size()) {
    const std::regex rule(R"(\{(source|ingress): (\S+), destination: ([0-9.]+).*via: \[(.*)\])");
    const std::regex port(R"(port: p(\d+))");
    for (std::size_t node = 0; node < files.size(); ++node) {
        std::istringstream lines(files[node]);
        for (std::string line; std::getline(lines, line);) {
            std::smatch found;
            if (!std::regex_search(line, found, rule)) continue;
            std::vector<PortId> via;
            const std::string text = found[4];
            for (auto at = std::sregex_iterator(text.begin(), text.end(), port);
                 at != std::sregex_iterator(); ++at) {
                via.push_back(static_cast<PortId>(std::stoul((*at)[1])));
            }
            auto& rules = found[1] == "source" ? exact_[node] : ingress_[node];
            rules[found[2].str() + ">" + found[3].str()] = via;
        }
    }
    for (lab::NodeId leaf = 0; leaf < topology.switches(); ++leaf) {
        if (addressing_.leaf_prefix(leaf) != 0) ports_[leaf] = lab::ports_towards(topology, leaf);
    }
}

// Ways are short: the switch behind has a way if a port of its routes can be used.
// NOLINTNEXTLINE(misc-no-recursion)
bool TableWalk::usable(lab::NodeId at, PortId port, lab::NodeId leaf, const Gone& gone) const {
    const lab::NodeId next = topology_.far_end(at, port).node;
    if (gone.links.count(topology_.links_of(at)[port]) != 0 || gone.switches.count(next) != 0) {
        return false;
    }
    if (next == leaf) return true;
    const std::vector<PortId>& onward = ports_.at(leaf)[next];
    // NOLINTNEXTLINE(misc-no-recursion)
    return std::any_of(onward.begin(), onward.end(),
                       [&](PortId p) { return usable(next, p, leaf, gone); });
}

std::vector<PortId> TableWalk::choices(lab::NodeId at, PortId ingress, const Sent& flow) const {
    const std::string to = lab::ipv4_text(addressing_.host(flow.destination));
    const std::string from = lab::ipv4_text(addressing_.host(flow.source));
    const auto exact = exact_[at].find(from + ">" + to);
    if (exact != exact_[at].end()) return exact->second;
    const std::string leaf =
        lab::ipv4_text(addressing_.leaf_prefix(topology_.leaf_of(flow.destination).node));
    const auto entry = ingress_[at].find("p" + std::to_string(ingress) + ">" + leaf);
    return entry != ingress_[at].end() ? entry->second : std::vector<PortId>{};
}

Walked TableWalk::walk(const std::vector<Sent>& flows, const Gone& gone) const {
    Walked out;
    for (const Sent& flow : flows) {
        const lab::NodeId leaf = topology_.leaf_of(flow.destination).node;
        lab::Link::End at = topology_.leaf_of(flow.source);
        unsigned hops = 0;
        for (; at.node != leaf && hops < 8; ++hops) {
            const std::vector<PortId>& routes = ports_.at(leaf)[at.node];
            std::vector<PortId> ways = choices(at.node, at.port, flow);
            if (ways.empty() && routes.size() > 1) ++out.by_hash;
            ways.insert(ways.end(), routes.begin(), routes.end());
            const auto way = std::find_if(ways.begin(), ways.end(), [&](PortId port) {
                return usable(at.node, port, leaf, gone);
            });
            if (way == ways.end()) break;
            out.loads[directed(topology_, at.node, *way)] += flow.rate;
            at = topology_.far_end(at.node, *way);
        }
        if (at.node != leaf) ++out.lost;
    }
    sum_up(gone, out);
    return out;
}

void TableWalk::sum_up(const Gone& gone, Walked& out) const {
    double sum = 0;
    double squares = 0;
    double links = 0;
    for (std::uint32_t link = 0; link < topology_.links().size(); ++link) {
        const lab::Link& ends = topology_.links()[link];
        if (!topology_.is_switch(ends.a.node) || !topology_.is_switch(ends.b.node)) continue;
        if (gone.links.count(link) != 0) continue;
        if (gone.switches.count(ends.a.node) + gone.switches.count(ends.b.node) != 0) continue;
        for (const std::uint32_t hop : {2 * link, 2 * link + 1}) {
            const double load = out.loads[hop];
            out.fullest = std::max(out.fullest, load);
            sum += load;
            squares += load * load;
            links += 1;
        }
    }
    out.mean = sum / links;
    out.jain = sum * sum / (links * squares);
}

}  // namespace weir::plan
