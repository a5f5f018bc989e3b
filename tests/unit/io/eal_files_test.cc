// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/eal_files.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weir {
namespace {

namespace fs = std::filesystem;

// A process that holds the lock of a prefix's "config" file, as EAL's primary process does, until
// it is told to end.
class Holder {
  public:
    explicit Holder(const fs::path& config) {
        std::array<int, 2> ready{};
        EXPECT_EQ(pipe(ready.data()), 0);
        EXPECT_EQ(pipe(end_.data()), 0);
        child_ = fork();
        if (child_ == 0) {
            const int file = open(config.c_str(), O_RDWR);
            char byte = lockf(file, F_LOCK, 0) == 0 ? 'y' : 'n';
            close(end_[1]);
            if (write(ready[1], &byte, 1) == 1) (void)!read(end_[0], &byte, 1);
            _exit(0);
        }
        char byte = 0;
        EXPECT_EQ(read(ready[0], &byte, 1), 1);
        EXPECT_EQ(byte, 'y');
        close(ready[0]);
        close(ready[1]);
    }
    void end() {
        close(end_[1]);
        close(end_[0]);
        waitpid(child_, nullptr, 0);
    }

  private:
    std::array<int, 2> end_{};
    pid_t child_ = 0;
};

class EalFilesTest : public testing::Test {
  protected:
    EalFilesTest() {
        fs::create_directories(directory_ / "dpdk");
        setenv("RUNTIME_DIRECTORY", directory_.c_str(), 1);
    }
    ~EalFilesTest() override {
        unsetenv("RUNTIME_DIRECTORY");
        fs::remove_all(directory_);
    }
    fs::path make(const std::string& prefix) {
        fs::create_directory(directory_ / "dpdk" / prefix);
        const fs::path config = directory_ / "dpdk" / prefix / "config";
        std::ofstream(config) << "x";
        return config;
    }

    fs::path directory_ = fs::temp_directory_path() / ("weir-files-" + std::to_string(getpid()));
};

TEST_F(EalFilesTest, APrefixIsStaleWhenNobodyHoldsItsLock) {
    Holder holder(make("weirtest-1"));
    EXPECT_TRUE(stale_eal_prefixes("weirtest-").empty());
    holder.end();
    EXPECT_EQ(stale_eal_prefixes("weirtest-"), (std::vector<std::string>{"weirtest-1"}));
}

TEST_F(EalFilesTest, OtherPrefixesAreNotOurs) {
    make("rte");
    EXPECT_TRUE(stale_eal_prefixes("weirtest-").empty());
}

// Before its process has made the lock, a directory is that of the process whose number it has.
TEST_F(EalFilesTest, ADirectoryWithoutALockBelongsToItsProcess) {
    fs::create_directory(directory_ / "dpdk" / ("weirtest-" + std::to_string(getpid())));
    EXPECT_TRUE(stale_eal_prefixes("weirtest-").empty());
    // Beyond the largest process number of Linux, 2^22.
    fs::create_directory(directory_ / "dpdk" / "weirtest-4194305");
    EXPECT_EQ(stale_eal_prefixes("weirtest-"), (std::vector<std::string>{"weirtest-4194305"}));
}

TEST_F(EalFilesTest, RemovesAPrefixAndNothingElse) {
    make("weirtest-1");
    make("weirtest-10");
    remove_eal_files("weirtest-1");
    EXPECT_FALSE(fs::exists(directory_ / "dpdk" / "weirtest-1"));
    EXPECT_TRUE(fs::exists(directory_ / "dpdk" / "weirtest-10"));
    remove_eal_files("");
    remove_eal_files("../dpdk");
    EXPECT_TRUE(fs::exists(directory_ / "dpdk" / "weirtest-10"));
}

}  // namespace
}  // namespace weir
