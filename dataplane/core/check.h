// SPDX-License-Identifier: BSD-3-Clause
// Assertions that stay on in release: they turn corruption into a stop. Never for input from the
// wire, a file or an operator.
#pragma once

#define WEIR_CHECK(condition)          \
    do {                               \
        if (!(condition)) [[unlikely]] \
            __builtin_trap();          \
    } while (false)
