// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/experiment.h"

namespace weir::lab {

namespace {

// Of 2^32, as cables draw; a certain loss is one in 2^32 short of it.
std::uint32_t per_4g(Probability probability) {
    const std::uint64_t share = (std::uint64_t{probability.millionths} << 32) / 1'000'000;
    return static_cast<std::uint32_t>(share > 0xffff'ffff ? 0xffff'ffff : share);
}

CableOptions cable_options(const LinkSettings& settings) {
    CableOptions options;
    options.rate = LineRate(settings.rate.bps);
    options.delay = settings.delay;
    options.overhead_bytes = static_cast<std::uint16_t>(settings.overhead);
    options.loss_per_4g = per_4g(settings.loss);
    options.corruption_per_4g = per_4g(settings.corruption);
    return options;
}

struct Draw {
    LinkKinds kinds;

    Topology operator()(std::monostate) const { return {}; }
    Topology operator()(const LeafSpine& shape) const { return make_leaf_spine(shape, kinds); }
    Topology operator()(const FatTree& shape) const { return make_fat_tree(shape, kinds); }
    Topology operator()(const Ring& shape) const { return make_ring(shape, kinds); }
    Topology operator()(const GraphSettings& graph) const {
        Topology topology;
        for (const std::string& name : graph.switches) topology.add_switch(name);
        for (const GraphSettings::Host& host : graph.hosts) {
            topology.add_host(host.name, topology.find(host.at),
                              host.link ? cable_options(*host.link) : kinds.host);
        }
        for (const GraphSettings::Cable& cable : graph.links) {
            for (unsigned i = 0; i < cable.count; ++i) {
                topology.add_link(topology.find(cable.a), topology.find(cable.b),
                                  cable.link ? cable_options(*cable.link) : kinds.fabric);
            }
        }
        return topology;
    }
};

}  // namespace

Topology make_topology(const FabricSettings& settings) {
    const LinkKinds kinds{cable_options(settings.link),
                          cable_options(settings.fabric_link.value_or(settings.link))};
    return std::visit(Draw{kinds}, settings.shape);
}

}  // namespace weir::lab
