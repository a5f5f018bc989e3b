// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/request.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(RequestBox, NothingToAnswer) {
    RequestBox box;
    EXPECT_FALSE(box.answer(Time{1}));
}

// The worker does not come by: the function never runs, also not later.
TEST(RequestBox, IsTakenBackWhenNobodyAnswers) {
    RequestBox box;
    int calls = 0;
    EXPECT_FALSE(box.ask([](void* argument, Time) { ++*static_cast<int*>(argument); }, &calls,
                         Interval::microseconds(50)));
    EXPECT_FALSE(box.answer(Time{1}));
    EXPECT_EQ(calls, 0);
}

struct Visit {
    Time at;
    std::thread::id by;
    std::uint64_t plain_value = 0;  // written by the worker, read by who asked
};

TEST(RequestBox, RunsOnTheWorkerAndHandsBackWhatItWrote) {
    RequestBox box;
    std::atomic<bool> stop{false};
    std::thread worker([&] {
        for (std::uint64_t turn = 1; !stop.load(std::memory_order_relaxed); ++turn) {
            if (!box.answer(Time{turn})) std::this_thread::yield();
        }
    });
    for (std::uint64_t i = 0; i < 200; ++i) {
        Visit visit;
        visit.plain_value = i;
        ASSERT_TRUE(box.ask(
            [](void* argument, Time now) {
                auto* asked = static_cast<Visit*>(argument);
                asked->at = now;
                asked->by = std::this_thread::get_id();
                asked->plain_value += 1000;
            },
            &visit, Interval::seconds(10)));
        EXPECT_EQ(visit.plain_value, i + 1000);
        EXPECT_EQ(visit.by, worker.get_id());
        EXPECT_NE(visit.at.ps, 0u);
    }
    stop.store(true, std::memory_order_relaxed);
    worker.join();
}

}  // namespace
}  // namespace weir
