// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/selector.h"

namespace weir {

std::uint32_t select_flowlet(const ShardState& /*state*/, Time now, const Candidates& among) {
    return choose_usable_member(avalanche(among.hash ^ now.ps * kMixB), among.members,
                                among.usable);
}

}  // namespace weir
