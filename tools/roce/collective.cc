// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/collective.h"

#include <bit>
#include <numeric>
#include <utility>

#include "dataplane/core/check.h"
#include "dataplane/core/prng.h"

namespace weir::roce {
namespace {

unsigned log2_of(Rank ranks) {
    return static_cast<unsigned>(std::bit_width(ranks) - 1);
}

unsigned count_of(const Collective& collective) {
    switch (collective.pattern) {
        case Pattern::RingAllReduce:
            return 2 * (collective.ranks - 1);
        case Pattern::HalvingDoublingAllReduce:
            return 2 * log2_of(collective.ranks);
        case Pattern::AllToAllPairwise:
            return collective.ranks - 1;
        default:
            return 1;
    }
}

// One cycle through all ranks, drawn evenly (Sattolo 1986): nobody sends to itself, everybody
// receives from one.
std::vector<Rank> draw_cycle(Rank ranks, std::uint64_t seed) {
    std::vector<Rank> destination(ranks);
    std::iota(destination.begin(), destination.end(), Rank{0});
    Prng prng(seed);
    for (Rank i = ranks - 1; i > 0; --i) std::swap(destination[i], destination[prng.below(i)]);
    return destination;
}

}  // namespace

const char* Phases::problem(const Collective& collective) {
    if (collective.ranks < 2) return "it takes two ranks at least";
    const bool halving = collective.pattern == Pattern::HalvingDoublingAllReduce;
    if (halving && !std::has_single_bit(collective.ranks)) {
        return "halving and doubling takes a power of two of ranks";
    }
    if (collective.pattern == Pattern::Shift && collective.shift % collective.ranks == 0) {
        return "with this shift each rank would send to itself";
    }
    return "";
}

Phases::Phases(const Collective& collective)
    : collective_(collective), count_(count_of(collective)) {
    WEIR_CHECK(*problem(collective) == '\0');
    if (collective.pattern == Pattern::Permutation) {
        destination_ = draw_cycle(collective.ranks, collective.seed);
    }
}

// Parts differ by a byte at most and add up to the whole.
std::uint64_t Phases::chunk_bytes(std::uint64_t parts, std::uint64_t part) const {
    const std::uint64_t bytes = collective_.bytes;
    return bytes / parts + (part < bytes % parts ? 1 : 0);
}

void Phases::append_from(Rank source, unsigned phase, std::vector<Transfer>& out) const {
    const Rank ranks = collective_.ranks;
    const auto add = [&](Rank destination, std::uint64_t bytes) {
        out.push_back({source, destination % ranks, bytes});
    };
    switch (collective_.pattern) {
        case Pattern::RingAllReduce:
            return add(source + 1, ring_chunk_bytes(source, phase));
        case Pattern::HalvingDoublingAllReduce:
            return add(source ^ (Rank{1} << halving_step(phase)),
                       chunk_bytes(std::uint64_t{2} << halving_step(phase), 0));
        case Pattern::AllToAll:
            for (Rank k = 1; k < ranks; ++k) add(source + k, collective_.bytes);
            return;
        case Pattern::AllToAllPairwise:
            return add(source + 1 + phase, collective_.bytes);
        case Pattern::Incast:
            if (source != ranks - 1) add(ranks - 1, collective_.bytes);
            return;
        case Pattern::Permutation:
            return add(destination_[source], collective_.bytes);
        case Pattern::Shift:
            return add(source + collective_.shift % ranks, collective_.bytes);
    }
}

// Reduce-scatter: in phase k rank r passes on chunk r - k. All-gather: in phase N-1+k, chunk
// r + 1 - k.
std::uint64_t Phases::ring_chunk_bytes(Rank source, unsigned phase) const {
    const Rank ranks = collective_.ranks;
    const unsigned half = ranks - 1;
    const Rank chunk = phase < half ? source + ranks - phase : source + 1 + ranks - (phase - half);
    return chunk_bytes(ranks, chunk % ranks);
}

// Reduce-scatter halves what it sends with each phase, all-gather doubles it on the way back.
unsigned Phases::halving_step(unsigned phase) const {
    const unsigned steps = count_ / 2;
    return phase < steps ? phase : count_ - 1 - phase;
}

unsigned Phases::arrivals(Rank destination, unsigned /*phase*/) const {
    switch (collective_.pattern) {
        case Pattern::AllToAll:
            return collective_.ranks - 1;
        case Pattern::Incast:
            return destination == collective_.ranks - 1 ? collective_.ranks - 1 : 0;
        default:
            return 1;
    }
}

}  // namespace weir::roce
