// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/reaction.h"

#include <algorithm>

namespace weir {

Interval longest_absence(const Clock& clock, Interval span) {
    const Time begin = clock.now();
    Time before = begin;
    Interval longest;
    while (before - begin < span) {
        const Time now = clock.now();
        longest = std::max(longest, now - before);
        before = now;
    }
    return longest;
}

}  // namespace weir
