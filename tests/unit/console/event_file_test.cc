// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/event_file.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir {
namespace {

class EventFileTest : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/weir-event-file-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder_ = name;
    }
    void TearDown() override {
        unlink((folder_ + "/events").c_str());
        rmdir(folder_.c_str());
    }
    [[nodiscard]] std::string content() const {
        std::stringstream text;
        text << std::ifstream(folder_ + "/events").rdbuf();
        return text.str();
    }
    std::string folder_;
};

TEST_F(EventFileTest, AppendsToWhatIsThere) {
    const std::string path = folder_ + "/events";
    for (const char* line : {"one\n", "two\n"}) {
        EventFile file;
        ASSERT_EQ(file.open(path), "");
        file.write_line(line);
        EXPECT_EQ(file.lost_lines(), 0u);
    }
    EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(EventFileTest, WithoutAPathNothingIsKept) {
    EventFile file;
    EXPECT_EQ(file.open(""), "");
    file.write_line("one\n");
    EXPECT_EQ(file.lost_lines(), 0u);
}

TEST_F(EventFileTest, SaysWhyAFileCannotBeOpened) {
    EventFile file;
    EXPECT_EQ(file.open(folder_ + "/missing/events"),
              folder_ +
                  "/missing/events: No such file or directory; events need a file in a "
                  "directory that you may write");
}

TEST_F(EventFileTest, AFullPipeLosesLinesAndNeverWaits) {
    const std::string path = folder_ + "/events";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    EventFile file;
    ASSERT_EQ(file.open(path), "");
    // A pipe holds at least a page of 4096 B and at most 1 MiB without privilege: 2 MiB overflow
    // it.
    const std::string line = std::string(4095, 'x') + "\n";
    for (int i = 0; i < 512; ++i) file.write_line(line);
    EXPECT_GT(file.lost_lines(), 0u);
    EXPECT_LT(file.lost_lines(), 512u);
    close(reader);
}

}  // namespace
}  // namespace weir
