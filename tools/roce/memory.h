// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/roce/queue_pair_types.h"

namespace weir::roce {

// What peers may WRITE and READ.
class Memory {
  public:
    void add(const MemoryRegion& region) { regions_.push_back(region); }

    // The bytes meant by a RETH; empty if nothing is kept here, nothing at all if access is denied.
    [[nodiscard]] std::optional<std::span<std::uint8_t>> find(const Reth& reth) const {
        if (regions_.empty()) return std::span<std::uint8_t>{};
        for (const MemoryRegion& region : regions_) {
            if (region.key != reth.remote_key || reth.address < region.address) continue;
            const std::uint64_t offset = reth.address - region.address;
            if (offset > region.bytes.size()) continue;
            if (reth.length_bytes > region.bytes.size() - offset) continue;
            return region.bytes.subspan(offset, reth.length_bytes);
        }
        return std::nullopt;
    }

  private:
    std::vector<MemoryRegion> regions_;
};

}  // namespace weir::roce
