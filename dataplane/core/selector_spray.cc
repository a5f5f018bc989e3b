// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/selector.h"

namespace weir {

std::uint32_t select_spray(const ShardState& state, Time /*now*/, const Candidates& among) {
    std::uint32_t usable = 0;
    for (const NextHop& member : among.members) usable += among.usable.has(member.port) ? 1 : 0;
    if (usable == 0) return kNoMember;
    auto before = static_cast<std::uint32_t>(state.sprayed_frames % usable);
    for (std::uint32_t i = 0;; ++i) {
        if (among.usable.has(among.members[i].port) && before-- == 0) return i;
    }
}

}  // namespace weir
