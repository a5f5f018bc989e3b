// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/selector.h"

namespace weir {

std::uint32_t select_adaptive(const ShardState& state, Time /*now*/, const Candidates& among) {
    std::uint32_t best = select_hash(among);
    if (best == kNoMember) return kNoMember;
    std::uint64_t least = load_ns(state, among.members[best].port);
    for (std::uint32_t i = 0; i < among.members.size(); ++i) {
        const PortId port = among.members[i].port;
        if (!among.usable.has(port) || load_ns(state, port) >= least) continue;
        best = i;
        least = load_ns(state, port);
    }
    return best;
}

}  // namespace weir
