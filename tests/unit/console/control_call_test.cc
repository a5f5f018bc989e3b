// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/control_call.h"

#include <thread>

#include <gtest/gtest.h>
#include <poll.h>

namespace weir {
namespace {

void wait_readable(int fd) {
    pollfd ready{fd, POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, 10'000), 1);
}

TEST(ControlCall, RunsOnTheThreadThatServes) {
    ControlCall call;
    std::thread::id ran_on;
    bool ran = false;
    std::thread asker([&] { ran = call.run([&] { ran_on = std::this_thread::get_id(); }); });
    wait_readable(call.fd());
    call.serve();
    asker.join();
    EXPECT_TRUE(ran);
    EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(ControlCall, ServesManyAskersOneByOne) {
    ControlCall call;
    int count = 0;  // only the serving thread touches it
    std::vector<std::thread> askers;
    for (int i = 0; i < 8; ++i) {
        askers.emplace_back([&] { EXPECT_TRUE(call.run([&] { ++count; })); });
    }
    while (count < 8) {
        wait_readable(call.fd());
        call.serve();
    }
    for (std::thread& asker : askers) asker.join();
    EXPECT_EQ(count, 8);
}

TEST(ControlCall, AClosedOneRunsNothing) {
    ControlCall call;
    bool ran = false;
    bool answer = true;
    std::thread asker([&] { answer = call.run([&] { ran = true; }); });
    wait_readable(call.fd());
    call.close();
    asker.join();
    EXPECT_FALSE(answer);
    call.serve();  // too late: what was asked for is gone
    EXPECT_FALSE(ran);
    EXPECT_FALSE(call.run([&] { ran = true; }));
    EXPECT_FALSE(ran);
}

TEST(ControlCall, ServingWithoutAQuestionDoesNothing) {
    ControlCall call;
    call.serve();
}

}  // namespace
}  // namespace weir
