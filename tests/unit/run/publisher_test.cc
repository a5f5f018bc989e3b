// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/publisher.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace weir {
namespace {

// Tables that say when they die.
struct Owned {
    Owned(std::uint64_t generation, std::atomic<int>& alive_count) : alive(&alive_count) {
        tables.generation = generation;
        alive->fetch_add(1);
    }
    ~Owned() {
        tables.generation = 0;
        alive->fetch_sub(1);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    Tables tables;
    std::atomic<int>* alive;
};

class PublisherTest : public testing::Test {
  protected:
    void publish(std::uint64_t generation) {
        auto owned = std::make_unique<const Owned>(generation, alive_);
        const Tables& tables = owned->tables;
        publisher_.publish(std::move(owned), tables);
    }

    std::atomic<int> alive_{0};
    QuiescentState quiescent_{2};
    Publisher publisher_{quiescent_};
};

TEST_F(PublisherTest, ShowsNothingBeforeTheFirstTables) {
    EXPECT_EQ(publisher_.current(), nullptr);
    publish(1);
    ASSERT_NE(publisher_.current(), nullptr);
    EXPECT_EQ(publisher_.current()->generation, 1u);
    EXPECT_EQ(publisher_.reclaim(), 0u);
}

TEST_F(PublisherTest, WithoutWorkersOldTablesGoAtOnce) {
    publish(1);
    publish(2);
    EXPECT_EQ(alive_, 2);
    EXPECT_EQ(publisher_.reclaim(), 0u);
    EXPECT_EQ(alive_, 1);
    EXPECT_EQ(publisher_.current()->generation, 2u);
}

// A worker keeps its tables from one turn to the next: the report that ends the turn in which it
// could first have seen the new ones is not enough, it has to take them up before the next report.
TEST_F(PublisherTest, OldTablesLiveUntilEveryWorkerHasEndedATurnWithTheNew) {
    publish(1);
    quiescent_.join(0);
    quiescent_.join(1);
    publish(2);
    EXPECT_EQ(publisher_.reclaim(), 1u);
    quiescent_.report(0);
    quiescent_.report(1);
    EXPECT_EQ(publisher_.reclaim(), 1u) << "they may only now begin a turn that sees the new ones";
    quiescent_.report(0);
    EXPECT_EQ(publisher_.reclaim(), 1u) << "worker 1 is still in that turn";
    EXPECT_EQ(alive_, 2);
    quiescent_.report(1);
    EXPECT_EQ(publisher_.reclaim(), 0u);
    EXPECT_EQ(alive_, 1);
    quiescent_.leave(0);
    quiescent_.leave(1);
}

TEST_F(PublisherTest, AWorkerThatHasLeftIsNotWaitedFor) {
    publish(1);
    quiescent_.join(0);
    publish(2);
    EXPECT_EQ(publisher_.reclaim(), 1u);
    quiescent_.leave(0);
    EXPECT_EQ(publisher_.reclaim(), 0u);
}

// Two workers that hold what they took up across a report, as shards do, while generation after
// generation is published: none of them ever sees tables that are gone.
TEST_F(PublisherTest, WorkersNeverSeeReclaimedTables) {
    constexpr std::uint64_t kGenerations = 2000;
    publish(1);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> wrong{0};
    const auto work = [&](unsigned worker) {
        quiescent_.join(worker);
        const Tables* adopted = publisher_.current();
        std::uint64_t last = adopted->generation;
        while (!stop.load(std::memory_order_relaxed)) {
            const Tables* next = publisher_.current();
            // The old tables are read while the new ones are taken up.
            if (adopted->generation != last || next->generation < last) wrong.fetch_add(1);
            adopted = next;
            last = adopted->generation;
            quiescent_.report(worker);
        }
        quiescent_.leave(worker);
    };
    std::thread first(work, 0);
    std::thread second(work, 1);
    for (std::uint64_t generation = 2; generation <= kGenerations; ++generation) {
        publish(generation);
        publisher_.reclaim();
        if (generation % 64 == 0) std::this_thread::yield();
    }
    while (publisher_.reclaim() > 0) std::this_thread::yield();
    EXPECT_EQ(alive_, 1);
    stop.store(true, std::memory_order_relaxed);
    first.join();
    second.join();
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace weir
