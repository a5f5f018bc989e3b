// SPDX-License-Identifier: BSD-3-Clause
// A session whose peer is the test.
#pragma once

#include <gtest/gtest.h>

#include "dataplane/core/link_session.h"

namespace weir {

inline constexpr Time kStart{5'000'000'000'000};
inline constexpr std::uint32_t kOurs = 0x1111;
inline constexpr std::uint32_t kTheirs = 0x2222;
inline constexpr Interval kUs = Interval::microseconds(1);

class LinkSessionTest : public testing::Test {
  protected:
    void begin(const SessionSettings& settings = {}, std::uint64_t seed = 7) {
        session.begin(now, settings, kOurs, seed, false);
    }
    // What the peer says: to us, in microseconds.
    [[nodiscard]] static BfdPacket says(SessionState state) {
        return {.state = state,
                .detect_mult = 3,
                .my_discriminator = kTheirs,
                .your_discriminator = kOurs,
                .desired_min_tx_us = 100,
                .required_min_rx_us = 100};
    }
    void hear(const BfdPacket& packet) { EXPECT_EQ(session.hear(now, packet), BfdDiscard::kCount); }
    [[nodiscard]] BfdPacket take() {
        EXPECT_TRUE(session.due(now));
        return session.take_packet(now);
    }
    void drain() {
        while (session.due(now)) (void)session.take_packet(now);
    }
    void bring_up(const SessionSettings& settings = {}) {
        begin(settings);
        hear(says(SessionState::Init));
        drain();
        BfdPacket answer = says(SessionState::Up);
        answer.final = true;
        hear(answer);
        drain();
        ASSERT_EQ(session.state(), SessionState::Up);
        ASSERT_FALSE(session.polling());
    }
    void pass(Interval span) { now = now + span; }

    Time now = kStart;
    LinkSession session;
};

}  // namespace weir
