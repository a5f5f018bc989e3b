// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/lab/fabric.h"

namespace weir::lab {

// What a routing protocol would have made of the links that are cut now: every switch knows by
// which of its ports each leaf can still be reached. Needs `notices` in the switches' files, for
// their destination groups.
void reconverge(Fabric& fabric);

}  // namespace weir::lab
