// SPDX-License-Identifier: BSD-3-Clause
// Saves files the ways editors do and waits on fd() as the control thread would: poll() returns
// when there is something, however slow the machine is.
#include "config/watcher.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <poll.h>

namespace weir {
namespace {

class WatcherTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name =
            (std::filesystem::temp_directory_path() / "weir_watcher_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        write("leaf.yaml", "1");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    void rename(const std::string& from, const std::string& to) const {
        std::filesystem::rename(folder_ / from, folder_ / to);
    }
    [[nodiscard]] std::string path(const std::string& name = "leaf.yaml") const {
        return (folder_ / name).string();
    }
    // Sleeps in poll() until the watcher says that the file changed.
    static bool wait_for_change(Watcher& watcher) {
        constexpr int kGiveUpMs = 10'000;
        for (;;) {
            pollfd ready{watcher.fd(), POLLIN, 0};
            if (poll(&ready, 1, kGiveUpMs) <= 0) return false;
            if (watcher.changed()) return true;
        }
    }
    static bool readable(const Watcher& watcher) {
        pollfd ready{watcher.fd(), POLLIN, 0};
        return poll(&ready, 1, 0) == 1;
    }

    std::filesystem::path folder_;
};

constexpr Interval kShort = Interval::milliseconds(1);
// Never over while a test runs.
constexpr Interval kLong = Interval::seconds(3'600);

TEST_F(WatcherTest, SeesAFileThatIsWritten) {
    Watcher watcher(path(), kShort);
    ASSERT_GE(watcher.fd(), 0) << watcher.why();
    EXPECT_FALSE(readable(watcher));
    EXPECT_FALSE(watcher.changed());
    write("leaf.yaml", "2");
    EXPECT_TRUE(wait_for_change(watcher));
    EXPECT_FALSE(watcher.changed());
    EXPECT_FALSE(readable(watcher));
    write("leaf.yaml", "3");
    EXPECT_TRUE(wait_for_change(watcher));
}

TEST_F(WatcherTest, SeesAFileThatIsReplacedByRenaming) {
    Watcher watcher(path(), kShort);
    write(".leaf.yaml.swp", "2");
    rename(".leaf.yaml.swp", "leaf.yaml");
    EXPECT_TRUE(wait_for_change(watcher));
    // And again: the watch is on the folder, not on the file that is gone.
    write(".leaf.yaml.swp", "3");
    rename(".leaf.yaml.swp", "leaf.yaml");
    EXPECT_TRUE(wait_for_change(watcher));
}

TEST_F(WatcherTest, SeesTheFileBehindASymbolicLink) {
    std::filesystem::create_directory(folder_ / "real");
    write("real/one.yaml", "1");
    std::filesystem::create_symlink("real/one.yaml", folder_ / "link.yaml");
    Watcher watcher(path("link.yaml"), kShort);
    write("real/one.yaml", "2");
    EXPECT_TRUE(wait_for_change(watcher));
    // The link itself is replaced.
    write("other.yaml", "3");
    rename("other.yaml", "link.yaml");
    EXPECT_TRUE(wait_for_change(watcher));
    // A file of the same name in the other folder is none of ours.
    write("one.yaml", "4");
    ASSERT_TRUE(readable(watcher));
    EXPECT_FALSE(watcher.changed());
    EXPECT_FALSE(readable(watcher));
}

TEST_F(WatcherTest, IgnoresOtherFiles) {
    Watcher watcher(path(), kShort);
    write("leaf.yaml.bak", "2");
    write("spine.yaml", "2");
    ASSERT_TRUE(readable(watcher));
    EXPECT_FALSE(watcher.changed());
    // Nothing of ours, so no timer runs.
    EXPECT_FALSE(readable(watcher));
}

TEST_F(WatcherTest, WaitsUntilTheFileIsQuiet) {
    Watcher watcher(path(), kLong);
    write("leaf.yaml", "2");
    ASSERT_TRUE(readable(watcher));
    EXPECT_FALSE(watcher.changed());
    EXPECT_FALSE(readable(watcher));
    write("leaf.yaml", "3");
    ASSERT_TRUE(readable(watcher));
    EXPECT_FALSE(watcher.changed());
}

TEST_F(WatcherTest, TakesManySavesAsOne) {
    Watcher watcher(path(), Interval::milliseconds(200));
    for (int i = 0; i < 300; ++i) write("leaf.yaml", std::to_string(i));
    EXPECT_TRUE(wait_for_change(watcher));
    EXPECT_FALSE(readable(watcher));
}

TEST_F(WatcherTest, SeesTheSecondOfTwoFiles) {
    Watcher watcher(std::vector{path(), path("plan.yaml")}, kShort);
    ASSERT_GE(watcher.fd(), 0) << watcher.why();
    write("plan.yaml", "paths: []\n");
    EXPECT_TRUE(wait_for_change(watcher));
}

TEST_F(WatcherTest, SaysWhyItCannotWatch) {
    const Watcher watcher(path("no/such/folder.yaml"));
    EXPECT_EQ(watcher.fd(), -1);
    EXPECT_EQ(watcher.why(), path("no/such") + " cannot be watched: No such file or directory");
}

}  // namespace
}  // namespace weir
