// SPDX-License-Identifier: BSD-3-Clause
// Collectives as phases of transfers between ranks. A phase is computed when it is asked for: the
// ring of 1,024 ranks alone has two million transfers.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::roce {

using Rank = std::uint32_t;

enum class Pattern : std::uint8_t {
    RingAllReduce,             // 2(N-1) phases of bytes/N to rank r+1
    HalvingDoublingAllReduce,  // 2 log2 N phases with rank r xor 2^k; N is a power of two
    AllToAll,                  // one phase, `bytes` to each other rank at once
    AllToAllPairwise,          // N-1 phases, in phase k `bytes` to rank r+1+k
    Incast,                    // one phase, `bytes` from each rank to the last rank
    Permutation,               // one phase, `bytes` from each rank to one other, drawn from `seed`
    Shift,                     // one phase, `bytes` to rank r + `shift`
};

struct Collective {
    Pattern pattern = Pattern::RingAllReduce;
    Rank ranks = 0;
    std::uint64_t bytes = 0;  // AllReduce: the vector of each rank; else: each transfer
    std::uint64_t seed = 1;
    Rank shift = 1;
};

struct Transfer {
    Rank source = 0;
    Rank destination = 0;
    std::uint64_t bytes = 0;

    bool operator==(const Transfer&) const = default;
};

// Expands one collective. Every rank's transfers of phase k+1 may start when all of phase k from it
// and to it are done.
class Phases {
  public:
    // Empty text: it can be expanded. Otherwise what is wrong with it.
    [[nodiscard]] static const char* problem(const Collective& collective);

    explicit Phases(const Collective& collective);

    [[nodiscard]] unsigned count() const { return count_; }
    void append_from(Rank source, unsigned phase, std::vector<Transfer>& out) const;
    // Transfers that arrive at this rank in this phase.
    [[nodiscard]] unsigned arrivals(Rank destination, unsigned phase) const;

  private:
    [[nodiscard]] std::uint64_t chunk_bytes(std::uint64_t parts, std::uint64_t part) const;
    [[nodiscard]] std::uint64_t ring_chunk_bytes(Rank source, unsigned phase) const;
    [[nodiscard]] unsigned halving_step(unsigned phase) const;

    Collective collective_;
    unsigned count_ = 0;
    std::vector<Rank> destination_;  // Permutation
};

}  // namespace weir::roce
