// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <gtest/gtest.h>

#include "dataplane/io/eal.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    weir::EalRequest request;
    request.words = {"--no-huge", "-m", "192"};
    const weir::Machine machine = weir::this_machine();
    if (!machine.root) {
        std::fprintf(stderr, "skipped: DPDK's devices need root\n");
        return 77;  // meson's word for it
    }
    const weir::EalPlan plan = weir::plan_eal(request, machine);
    const std::string problem = plan.problem.empty() ? weir::start_eal(plan) : plan.problem;
    if (!problem.empty()) {
        std::fprintf(stderr, "%s\n", problem.c_str());
        return 1;
    }
    const int failed = RUN_ALL_TESTS();
    weir::end_eal(plan);
    return failed;
}
