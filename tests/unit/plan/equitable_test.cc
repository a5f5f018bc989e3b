// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/equitable.h"

#include <map>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"

namespace weir::plan {
namespace {

// Each set of edges has floor or ceil of its even share of each colour.
void expect_even(const std::map<std::uint32_t, std::map<std::uint32_t, unsigned>>& counts,
                 unsigned colours) {
    for (const auto& [set, by_colour] : counts) {
        unsigned total = 0;
        for (const auto& [colour, count] : by_colour) total += count;
        for (unsigned c = 0; c < colours; ++c) {
            const auto found = by_colour.find(c);
            const unsigned count = found == by_colour.end() ? 0 : found->second;
            EXPECT_GE(count, total / colours) << "set " << set << " colour " << c;
            EXPECT_LE(count, (total + colours - 1) / colours) << "set " << set << " colour " << c;
        }
    }
}

void check(const Bipartite& graph, unsigned colours) {
    const std::vector<std::uint32_t> colour = equitable_colours(graph, colours);
    ASSERT_EQ(colour.size(), graph.edges.size());
    std::map<std::uint32_t, std::map<std::uint32_t, unsigned>> left;
    std::map<std::uint32_t, std::map<std::uint32_t, unsigned>> right;
    std::map<std::uint32_t, std::map<std::uint32_t, unsigned>> parents;
    for (std::size_t e = 0; e < colour.size(); ++e) {
        ASSERT_LT(colour[e], colours);
        ++left[graph.edges[e].left][colour[e]];
        ++right[graph.edges[e].right][colour[e]];
        if (graph.parents == 0) continue;
        ++parents[graph.left_parent[graph.edges[e].left]][colour[e]];
        ++parents[graph.parents + graph.right_parent[graph.edges[e].right]][colour[e]];
    }
    expect_even(left, colours);
    expect_even(right, colours);
    expect_even(parents, colours);
}

Bipartite random_graph(Prng& prng, unsigned vertices, unsigned edges) {
    Bipartite graph{.lefts = vertices, .rights = vertices};
    for (unsigned e = 0; e < edges; ++e) {
        graph.edges.push_back({static_cast<std::uint32_t>(prng.below(vertices)),
                               static_cast<std::uint32_t>(prng.below(vertices))});
    }
    return graph;
}

TEST(Equitable, EveryVertexHasFloorOrCeilOfItsShare) {
    Prng prng(7);
    for (unsigned round = 0; round < 1'000; ++round) {
        const auto vertices = static_cast<unsigned>(1 + prng.below(9));
        const auto edges = static_cast<unsigned>(prng.below(90));
        check(random_graph(prng, vertices, edges), static_cast<unsigned>(1 + prng.below(12)));
    }
}

TEST(Equitable, SoHasEverySetOfVertices) {
    Prng prng(8);
    for (unsigned round = 0; round < 1'000; ++round) {
        const auto vertices = static_cast<unsigned>(2 + prng.below(9));
        Bipartite graph = random_graph(prng, vertices, static_cast<unsigned>(prng.below(90)));
        graph.parents = 3;
        for (unsigned v = 0; v < vertices; ++v) {
            graph.left_parent.push_back(static_cast<std::uint32_t>(prng.below(3)));
            graph.right_parent.push_back(static_cast<std::uint32_t>(prng.below(3)));
        }
        check(graph, static_cast<unsigned>(1 + prng.below(12)));
    }
}

// As many colours as the largest degree: every colour is a matching (Koenig).
TEST(Equitable, AsManyColoursAsTheLargestDegreeGiveMatchings) {
    Bipartite graph{.lefts = 5, .rights = 5};
    for (std::uint32_t l = 0; l < 5; ++l) {
        for (std::uint32_t r = 0; r < 5; ++r) graph.edges.push_back({l, r});
    }
    check(graph, 5);
}

TEST(Equitable, UnequalRatesAreSpreadToWithinTheLargest) {
    // One vertex sends 8 of rate 4 and 8 of rate 1, in that order: 4 colours get 2 and 2 each.
    Bipartite graph{.lefts = 1, .rights = 16};
    for (std::uint32_t r = 0; r < 16; ++r) graph.edges.push_back({0, r});
    const std::vector<std::uint32_t> colours = equitable_colours(graph, 4);
    std::map<std::uint32_t, unsigned> rate;
    for (std::size_t e = 0; e < 16; ++e) rate[colours[e]] += e < 8 ? 4 : 1;
    for (const auto& [colour, sum] : rate) EXPECT_EQ(sum, 10u) << colour;
}

}  // namespace
}  // namespace weir::plan
