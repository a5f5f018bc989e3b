// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/fabric.h"

#include <utility>

#include "config/load.h"
#include "dataplane/core/mix.h"
#include "tools/lab/reconvergence.h"

namespace weir::lab {

Fabric::Fabric(const Topology& topology, const FabricOptions& options)
    : topology_(topology), options_(options), addressing_(topology_) {
    files_ = switch_files(topology_, addressing_, options_.files);
}

std::unique_ptr<Fabric> Fabric::build(const Topology& topology, const FabricOptions& options,
                                      const MakeHost& make_host, Problems& problems) {
    std::unique_ptr<Fabric> fabric(new Fabric(topology, options));
    for (NodeId node = 0; node < topology.switches(); ++node) {
        if (!fabric->build_switch(node, problems)) return nullptr;
    }
    for (unsigned i = 0; i < topology.hosts(); ++i) {
        fabric->nodes_.push_back(make_host(*fabric, topology.host(i)));
    }
    fabric->lay_cables();
    for (SwitchNode* node : fabric->switches_) node->start(fabric->world_);
    return fabric;
}

std::unique_ptr<const CompiledTables> Fabric::tables_of(NodeId node, const std::string& text,
                                                        Problems& problems) {
    const auto loaded = load_text(topology_.name(node) + ".yaml", text, problems);
    if (loaded == nullptr) return nullptr;
    const PortFacts facts = port_facts(topology_, node, options_.shards);
    const CompiledTables* before = node < switches_.size() ? &switches_[node]->tables() : nullptr;
    std::unique_ptr<const CompiledTables> tables = compile(loaded->settings, facts, before);
    // The tables are this function's own until the switch has them.
    if (options_.adjust) options_.adjust(node, const_cast<CompiledTables&>(*tables));
    return tables;
}

bool Fabric::reload(NodeId node, const std::string& more, Problems& problems) {
    SwitchFileOptions options = options_.files;
    options.more = more;
    std::string text = switch_files(topology_, addressing_, options)[node];
    std::unique_ptr<const CompiledTables> tables = tables_of(node, text, problems);
    if (tables == nullptr) return false;
    files_[node] = std::move(text);
    switches_[node]->adopt(world_, std::move(tables));
    return true;
}

bool Fabric::build_switch(NodeId node, Problems& problems) {
    std::unique_ptr<const CompiledTables> tables = tables_of(node, files_[node], problems);
    if (tables == nullptr) return false;
    for (std::size_t group = 0; group < tables->groups.size(); ++group) {
        if (!tables->groups[group].lossless) continue;
        world_.lossless_priorities |= static_cast<std::uint8_t>(1u << (group % kPriorities));
    }
    const SwitchOptions options{.shards = options_.shards,
                                .seed = avalanche(options_.seed * kMixB + node)};
    auto made =
        std::make_unique<SwitchNode>(node, topology_.name(node), std::move(tables), options);
    switches_.push_back(made.get());
    nodes_.push_back(std::move(made));
    return true;
}

void Fabric::lay_cables() {
    for (const Link& link : topology_.links()) {
        for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
            const auto id = static_cast<CableId>(world_.cables.size());
            world_.cables.emplace_back(link.options, CableEnd{from.node, from.port},
                                       CableEnd{to.node, to.port},
                                       avalanche(options_.seed * kMixC + id));
            nodes_[from.node]->connect(from.port, id);
        }
    }
}

bool Fabric::run_until(Time limit) {
    Time at{};
    Happening happening;
    while (!stopped_ && world_.events.pop(limit, at, happening)) {
        world_.now = at;
        ++world_.happenings;
        happen(happening);
        if (--look_in_ == 0) [[unlikely]] {
            look_in_ = look_every_;
            look_();
        }
    }
    if (!stopped_) world_.now = limit;
    return !std::exchange(stopped_, false);
}

void Fabric::look_every(std::uint64_t events, std::function<void()> look) {
    look_ = std::move(look);
    look_every_ = events;
    look_in_ = events;
}

void Fabric::happen(const Happening& happening) {
    switch (happening.kind) {
        case EventKind::Arrive:
            return arrive(happening.index);
        case EventKind::Sent:
            return nodes_[happening.index]->sent(world_, happening.port);
        case EventKind::Wake:
            return nodes_[happening.index]->wake(world_, happening.port);
        case EventKind::Act:
            // Moved out first: an action may add others.
            return std::exchange(actions_[happening.index], nullptr)();
    }
}

void Fabric::arrive(CableId id) {
    Cable& cable = world_.cables[id];
    const InFlight frame = cable.take_oldest();
    if (!cable.empty()) {
        const InFlight& next = cable.oldest();
        // Some hundred events from now: time enough to fetch it from memory.
        __builtin_prefetch(next.handle);
        __builtin_prefetch(next.data);
        world_.events.push(next.arrives, {id, 0, EventKind::Arrive});
    }
    world_.hash = avalanche(world_.hash ^ (world_.now.ps + (std::uint64_t{id} << 40))) +
                  frame.length + static_cast<std::uint64_t>(frame.fate);
    if (frame.fate != InFlight::Fate::Arrives) [[unlikely]] {
        cable.count(frame.fate);
        return world_.pool.give(frame.handle);
    }
    const CableEnd& to = cable.to();
    nodes_[to.node]->arrive(world_, to.port,
                            Frame{.data = frame.data,
                                  .handle = frame.handle,
                                  .length = frame.length,
                                  .readable = frame.readable});
}

void Fabric::at(Time when, std::function<void()> action) {
    world_.events.push(when, {static_cast<std::uint32_t>(actions_.size()), 0, EventKind::Act});
    actions_.push_back(std::move(action));
}

void Fabric::set_link(std::uint32_t link, bool up, bool silent, Ways ways) {
    ++world_.faults;
    world_.last_fault = world_.now;
    if (ways != Ways::FromB) world_.cables[2 * link].set_up(up);
    if (ways != Ways::FromA) world_.cables[2 * link + 1].set_up(up);
    if (options_.reconvergence > Interval{}) {
        at(world_.now + options_.reconvergence, [this] { reconverge(*this); });
    }
    if (silent) return;
    at(world_.now + options_.detection, [this, link, up] {
        const Link& ends = topology_.links()[link];
        nodes_[ends.a.node]->link_changed(world_, ends.a.port, up);
        nodes_[ends.b.node]->link_changed(world_, ends.b.port, up);
    });
}

std::uint64_t Fabric::frames_on_cables() const {
    std::uint64_t frames = 0;
    for (const Cable& cable : world_.cables) frames += cable.in_flight();
    return frames;
}

std::uint64_t Fabric::frames_in_nodes() const {
    std::uint64_t frames = 0;
    for (const auto& node : nodes_) frames += node->frames_held();
    return frames;
}

}  // namespace weir::lab
