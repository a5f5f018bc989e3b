// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"
#include "tests/unit/plan/table_walk.h"
#include "tools/plan/planner.h"
#include "tools/plan/table_check.h"

namespace weir::plan {

// A fabric with jobs, its plan, and what the second opinion says of it.
struct PlanRig {
    explicit PlanRig(const lab::Topology& topology) { input.topology = topology; }

    // Hosts by their numbers.
    void add_job(const std::vector<unsigned>& hosts,
                 roce::Pattern pattern = roce::Pattern::RingAllReduce) {
        Job job{.pattern = pattern};
        for (const unsigned host : hosts) job.hosts.push_back(input.topology.host(host));
        input.jobs.push_back(job);
    }

    void make(const PathTables* old = nullptr) {
        tiers = std::make_unique<Tiers>(input.topology);
        plan = make_plan(input, *tiers, old);
        std::vector<std::string> texts;
        for (const PlanFile& file : plan.files) texts.push_back(text_of(file));
        walker = std::make_unique<TableWalk>(input.topology, texts);
    }

    // Flows of rate 1 are as fast as a link.
    [[nodiscard]] std::vector<Sent> sent() const {
        std::vector<Sent> flows;
        for (const Flow& flow : plan.flows) {
            flows.push_back(
                {flow.source, flow.destination, static_cast<double>(flow.rate_bps) / 100e9});
        }
        return flows;
    }
    [[nodiscard]] Walked walk(const Gone& gone = {}) const { return walker->walk(sent(), gone); }

    // What weir-plan check says.
    [[nodiscard]] std::string problems() const {
        Problems found;
        PathTables tables(input);
        for (const PlanFile& file : plan.files) tables.add(file.switch_name, file, found);
        check_tables(input, *tiers, tables, found);
        return found.text();
    }

    [[nodiscard]] unsigned leaf_of(unsigned host) const {
        return input.topology.leaf_of(input.topology.host(host)).node;
    }

    Input input;
    std::unique_ptr<Tiers> tiers;
    Plan plan;
    std::unique_ptr<TableWalk> walker;
};

inline void shuffle(std::vector<unsigned>& values, Prng& prng) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[prng.below(static_cast<std::uint32_t>(i))]);
    }
}

}  // namespace weir::plan
