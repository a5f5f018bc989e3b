// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/stale_socket.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace weir {
namespace {

namespace fs = std::filesystem;

class StaleSocketTest : public testing::Test {
  protected:
    ~StaleSocketTest() override { fs::remove(path_); }

    [[nodiscard]] int listen_at() const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path_.c_str(), path_.size());
        const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(listener, 1), 0);
        return listener;
    }

    std::string path_ =
        (fs::temp_directory_path() / ("weir-socket-" + std::to_string(getpid()))).string();
};

TEST_F(StaleSocketTest, GoesWhenNobodyListensAndStaysWhileSomebodyDoes) {
    const int listener = listen_at();
    remove_stale_socket(path_);
    EXPECT_TRUE(fs::exists(path_));
    close(listener);
    remove_stale_socket(path_);
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(StaleSocketTest, AFileIsNoSocket) {
    std::ofstream(path_) << "mine";
    remove_stale_socket(path_);
    EXPECT_TRUE(fs::exists(path_));
}

}  // namespace
}  // namespace weir
