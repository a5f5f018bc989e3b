// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/dependency_graph.h"

#include <algorithm>

namespace weir::plan {

std::vector<BufferAt> DependencyGraph::find_cycle() const {
    std::vector<std::uint32_t> starts;
    for (const auto& [from, to] : next_) starts.push_back(from);
    std::sort(starts.begin(), starts.end());
    Marks marks;
    for (const std::uint32_t start : starts) {
        if (marks[start] != Mark::New) continue;
        std::vector<BufferAt> cycle = cycle_from(start, marks);
        if (!cycle.empty()) return cycle;
    }
    return {};
}

// Depth first without recursion: the way is the stack, and a buffer that is met again while it is
// on the way closes a circle.
std::vector<BufferAt> DependencyGraph::cycle_from(std::uint32_t start, Marks& marks) const {
    std::vector<Step> way{{start, 0}};
    marks[start] = Mark::OnWay;
    while (!way.empty()) {
        Step& last = way.back();
        const auto nexts = next_.find(last.buffer);
        if (nexts == next_.end() || last.looked_at == nexts->second.size()) {
            marks[last.buffer] = Mark::Done;
            way.pop_back();
            continue;
        }
        const std::uint32_t to = nexts->second[last.looked_at++];
        if (marks[to] == Mark::OnWay) return cycle_of(way, to);
        if (marks[to] == Mark::Done) continue;
        marks[to] = Mark::OnWay;
        way.push_back({to, 0});
    }
    return {};
}

std::vector<BufferAt> DependencyGraph::cycle_of(const std::vector<Step>& way,
                                                std::uint32_t closed_at) {
    std::vector<BufferAt> cycle;
    auto step =
        std::find_if(way.begin(), way.end(), [&](const Step& s) { return s.buffer == closed_at; });
    for (; step != way.end(); ++step) cycle.push_back(buffer_of(step->buffer));
    return cycle;
}

}  // namespace weir::plan
