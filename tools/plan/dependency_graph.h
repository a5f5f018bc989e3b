// SPDX-License-Identifier: BSD-3-Clause
// Which buffers wait for which. A frame that came by one link and leaves by another keeps its place
// in the buffer behind the first until there is room behind the second: a circle of such waits can
// stand still for ever (deadlock). Buffers are told apart by lossless priority, so a frame that is
// moved to another one on its way breaks a circle.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dataplane/core/types.h"
#include "tools/plan/flow.h"

namespace weir::plan {

struct BufferAt {
    Hop hop = 0;  // the buffer is at the end of this hop
    Priority priority = 0;
    bool operator==(const BufferAt&) const = default;
};

class DependencyGraph {
  public:
    void add(BufferAt waiting, BufferAt for_room) {
        const std::uint32_t from = id_of(waiting);
        const std::uint32_t to = id_of(for_room);
        if (known_.insert((std::uint64_t{from} << 32) | to).second) next_[from].push_back(to);
    }
    [[nodiscard]] std::size_t size() const { return known_.size(); }

    // A circle in the order of waiting, without its first buffer at the end again; empty: there is
    // none.
    [[nodiscard]] std::vector<BufferAt> find_cycle() const;

  private:
    static std::uint32_t id_of(BufferAt buffer) { return buffer.hop * 8 + buffer.priority; }
    static BufferAt buffer_of(std::uint32_t id) { return {id / 8, static_cast<Priority>(id % 8)}; }

    // A walk along the waits: the buffers that are on the way, and where each goes on.
    enum class Mark : std::uint8_t { New, OnWay, Done };
    struct Step {
        std::uint32_t buffer = 0;
        std::size_t looked_at = 0;
    };
    using Marks = std::unordered_map<std::uint32_t, Mark>;
    [[nodiscard]] std::vector<BufferAt> cycle_from(std::uint32_t start, Marks& marks) const;
    [[nodiscard]] static std::vector<BufferAt> cycle_of(const std::vector<Step>& way,
                                                        std::uint32_t closed_at);

    std::unordered_set<std::uint64_t> known_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> next_;
};

}  // namespace weir::plan
