// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/eal_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr std::uint64_t kMebibyte = 1u << 20;

Machine four_cores() {
    return {.cores = {0, 1, 2, 3},
            .hugepage_bytes_free = 512 * kMebibyte,
            .hugetlbfs_mounted = true,
            .root = true,
            .process_id = 4711};
}

EalRequest request(std::vector<std::string> words = {}) {
    return {
        .words = std::move(words), .worker_cores = {}, .pci_devices = {}, .memory_mebibytes = 200};
}

bool has(const EalPlan& plan, const std::string& word) {
    return std::count(plan.arguments.begin(), plan.arguments.end(), word) != 0;
}

TEST(EalPlan, OneWorkerOnTheLastCoreAndControlOnTheOthers) {
    const EalPlan plan = plan_eal(request(), four_cores());
    EXPECT_EQ(plan.problem, "");
    EXPECT_TRUE(plan.warnings.empty());
    EXPECT_EQ(plan.worker_cores, (std::vector<unsigned>{3}));
    EXPECT_FALSE(plan.shares_cores);
    EXPECT_EQ(plan.arguments,
              (std::vector<std::string>{"weir", "--lcores=0@(0-2),1@3", "--main-lcore=0",
                                        "--no-pci", "--file-prefix=weir-4711",
                                        "--log-level=warning", "--log-level=lib.telemetry:error"}));
}

TEST(EalPlan, NamedCoresEachGetAWorker) {
    EalRequest asked = request();
    asked.worker_cores = {2, 0};
    const EalPlan plan = plan_eal(asked, four_cores());
    EXPECT_TRUE(has(plan, "--lcores=0@(1,3),1@2,2@0"));
    EXPECT_EQ(plan.worker_cores, (std::vector<unsigned>{2, 0}));
}

TEST(EalPlan, OnASingleCoreControlAndWorkerShareIt) {
    Machine machine = four_cores();
    machine.cores = {5};
    const EalPlan plan = plan_eal(request(), machine);
    EXPECT_TRUE(has(plan, "--lcores=0@(5),1@5"));
    EXPECT_TRUE(plan.shares_cores);
}

TEST(EalPlan, TheUsersCoreOptionsStand) {
    for (const char* word : {"-l0,1", "--lcores=0,1", "-c3"}) {
        const EalPlan plan = plan_eal(request({word}), four_cores());
        EXPECT_TRUE(plan.worker_cores.empty()) << word;
        EXPECT_FALSE(has(plan, "--main-lcore=0")) << word;
    }
}

TEST(EalPlan, ACoreThatIsNotThereIsRefusedByName) {
    EalRequest asked = request();
    asked.worker_cores = {7};
    EXPECT_EQ(plan_eal(asked, four_cores()).problem,
              "workers: there is no core 7 (or this process may not use it): write cores out of "
              "0-3");
}

TEST(EalPlan, OthersThanRootAreTold) {
    Machine machine = four_cores();
    machine.root = false;
    EXPECT_NE(plan_eal(request(), machine).problem.find("root"), std::string::npos);
}

// 200 MiB are needed: 200 MiB of hugepages are enough, one byte less is not.
TEST(EalPlan, FallsBackToOrdinaryPagesWithOneWarning) {
    Machine machine = four_cores();
    machine.hugepage_bytes_free = 200 * kMebibyte;
    EXPECT_FALSE(has(plan_eal(request(), machine), "--no-huge"));
    machine.hugepage_bytes_free = 200 * kMebibyte - 1;
    const EalPlan plan = plan_eal(request(), machine);
    EXPECT_EQ(plan.problem, "");
    ASSERT_EQ(plan.warnings.size(), 1u);
    EXPECT_EQ(plan.warnings[0],
              "199 MiB of hugepages are free, 200 are needed: using ordinary pages (--no-huge), "
              "which is slower");
    const auto at = std::find(plan.arguments.begin(), plan.arguments.end(), "--no-huge");
    ASSERT_NE(at, plan.arguments.end());
    EXPECT_EQ(*(at + 1), "-m");
    EXPECT_EQ(*(at + 2), "200");
}

TEST(EalPlan, HugepagesWithoutAMountAreOfNoUse) {
    Machine machine = four_cores();
    machine.hugetlbfs_mounted = false;
    EXPECT_TRUE(has(plan_eal(request(), machine), "--no-huge"));
}

TEST(EalPlan, NothingIsAddedAboutMemoryWhenTheUserDecides) {
    Machine machine = four_cores();
    machine.hugepage_bytes_free = 0;
    const EalPlan plan = plan_eal(request({"--no-huge"}), machine);
    EXPECT_EQ(plan.problem, "");
    EXPECT_FALSE(has(plan, "-m"));
    EXPECT_FALSE(has(plan, "--in-memory"));
    EXPECT_TRUE(plan.warnings.empty());

    machine.hugepage_bytes_free = 2 * kMebibyte;
    const EalPlan small = plan_eal(request({"-m", "64"}), machine);
    EXPECT_EQ(small.problem, "");
    EXPECT_FALSE(has(small, "--no-huge"));
}

TEST(EalPlan, MemoryAskedForButNoHugepagesIsRefused) {
    Machine machine = four_cores();
    machine.hugepage_bytes_free = 0;
    EXPECT_NE(plan_eal(request({"-m", "64"}), machine).problem.find("--no-huge"),
              std::string::npos);
}

TEST(EalPlan, NoHugeAndInMemoryExcludeEachOther) {
    EXPECT_EQ(plan_eal(request({"--no-huge", "--in-memory"}), four_cores()).problem,
              "eal: --no-huge and --in-memory exclude each other: leave one out");
}

TEST(EalPlan, OnlyThePortsPciDevicesAreTaken) {
    EalRequest asked = request();
    asked.pci_devices = {"0000:03:00.0", "0000:03:00.1"};
    const EalPlan plan = plan_eal(asked, four_cores());
    EXPECT_FALSE(has(plan, "--no-pci"));
    EXPECT_EQ(std::count(plan.arguments.begin(), plan.arguments.end(), "-a"), 2);
    EXPECT_TRUE(has(plan, "0000:03:00.1"));

    asked.words = {"--no-pci"};
    EXPECT_EQ(plan_eal(asked, four_cores()).problem,
              "eal: --no-pci, but 0000:03:00.0 is the device of a port: leave --no-pci out");
}

TEST(EalPlan, TheUsersPrefixAndLogLevelStand) {
    const EalPlan plan =
        plan_eal(request({"--file-prefix", "mine", "--log-level=8"}), four_cores());
    EXPECT_EQ(plan.file_prefix, "mine");
    EXPECT_FALSE(has(plan, "--file-prefix=weir-4711"));
    EXPECT_FALSE(has(plan, "--log-level=warning"));
}

TEST(EalPlan, OptionsAreFoundInEverySpelling) {
    EXPECT_TRUE(has_option({"-m", "64"}, "-m"));
    EXPECT_TRUE(has_option({"-m64"}, "-m"));
    EXPECT_FALSE(has_option({"--match-allocations"}, "-m"));
    EXPECT_TRUE(has_option({"--socket-mem=64"}, "--socket-mem"));
    EXPECT_TRUE(has_option({"--socket-mem", "64"}, "--socket-mem"));
    EXPECT_FALSE(has_option({"--socket-memory=64"}, "--socket-mem"));
}

}  // namespace
}  // namespace weir
