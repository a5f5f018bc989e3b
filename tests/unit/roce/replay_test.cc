// SPDX-License-Identifier: BSD-3-Clause
// One end of a captured exchange between two Soft-RoCE hosts is played to our end point, which must
// do what the other Soft-RoCE host did, transport header for transport header: six SENDs of 8,192
// B, the twelfth frame lost, a NAK, and everything from there on again.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/captures.h"
#include "tests/unit/roce/samples.h"
#include "tools/roce/frame_reader.h"
#include "tools/roce/host_port.h"

namespace weir::roce {
namespace {

constexpr std::uint32_t kFirstPsn = 4'876'421;
constexpr std::uint32_t kLostPsn = 4'876'432;
constexpr QpNumber kQp = 0x11;  // of both ends

Frame read(std::span<const std::uint8_t> bytes) {
    Reading reading;
    EXPECT_EQ(read_frame(bytes, reading), ReadError::None);
    reading.frame.payload = {};
    return reading.frame;
}

bool is_answer(const Bytes& bytes) {
    return read(bytes).bth.opcode == Opcode::Acknowledge;
}

class Replay : public testing::Test {
  protected:
    void SetUp() override {
        const std::filesystem::path path = captures_dir() / "rxe_retransmit_nak.pcap";
        if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
        captured_ = frames_in(path);
        ASSERT_EQ(captured_.size(), 92u);
    }

    // In place of the host that sent this frame.
    void play_sender_of(const Bytes& bytes) {
        const Frame frame = read(bytes);
        port_.emplace(HostConfig{.mac = frame.source_mac, .ip = frame.source});
        while (port_->add_qp({.profile = &profile_,
                              .peer_ip = frame.destination,
                              .next_hop = frame.destination_mac,
                              .peer_qp = kQp,
                              .source_port = frame.source_port,
                              .first_psn_sent = kFirstPsn,
                              .first_psn_received = kFirstPsn}) != kQp) {
        }
    }

    void hear(Bytes bytes) {
        const auto length = static_cast<std::uint16_t>(bytes.size());
        const weir::Frame frame{.data = bytes.data(), .length = length, .readable = length};
        port_->receive(now_, std::span(&frame, 1));
    }

    // Everything that leaves before the port comes to rest.
    void say_all() {
        std::array<std::uint8_t, kFrameBytesMax> room{};
        for (unsigned i = 0; i < 100; ++i) {
            if (const auto out = port_->next(now_, room)) {
                said_.emplace_back(room.begin(), room.begin() + out->readable);
            }
            now_ = std::max(now_, port_->busy_until());
        }
    }

    // The transport headers of what was said are those of these captured frames.
    void expect_said(const std::vector<Bytes>& captured) {
        ASSERT_EQ(said_.size(), captured.size());
        for (std::size_t i = 0; i < captured.size(); ++i) {
            const Frame ours = read(said_[i]);
            const Frame theirs = read(captured[i]);
            EXPECT_EQ(ours.bth, theirs.bth) << "frame " << i << ", PSN " << theirs.bth.psn;
            EXPECT_EQ(ours.aeth, theirs.aeth) << "frame " << i;
            EXPECT_EQ(ours.source_port, theirs.source_port);
            EXPECT_EQ(said_[i].size(), captured[i].size());
        }
    }

    const QpProfile profile_{.mtu_bytes = 1024};
    std::vector<Bytes> captured_;
    std::vector<Bytes> said_;
    std::optional<HostPort> port_;
    Time now_{};
};

TEST_F(Replay, AnswersAsSoftRoceDid) {
    std::vector<Bytes> answers;
    for (const Bytes& bytes : captured_) {
        if (is_answer(bytes)) answers.push_back(bytes);
    }
    play_sender_of(answers.front());
    bool lost = false;
    for (const Bytes& bytes : captured_) {
        if (is_answer(bytes)) continue;
        const bool drop = !lost && read(bytes).bth.psn == kLostPsn;
        lost = lost || drop;
        if (drop) continue;
        hear(bytes);
        say_all();
    }
    expect_said(answers);
    EXPECT_EQ(port_->payload_bytes_received(), 6u * 8192);
    EXPECT_EQ(port_->counters(kQp).naks_sent, 1u);
}

TEST_F(Replay, AsksAsSoftRoceDid) {
    play_sender_of(captured_.front());
    std::vector<Bytes> requests;
    for (std::uint64_t i = 0; i < 6; ++i) {
        port_->post(now_, kQp, {.id = i, .operation = Operation::Send, .bytes = 8192});
    }
    for (const Bytes& bytes : captured_) {
        if (!is_answer(bytes)) {
            requests.push_back(bytes);
            continue;
        }
        if (said_.size() < requests.size()) say_all();
        hear(bytes);
    }
    expect_said(requests);
    EXPECT_EQ(port_->completions().size(), 6u);
    EXPECT_EQ(port_->counters(kQp).packets_repeated, 37u);  // PSN 4876432 to 4876468
}

}  // namespace
}  // namespace weir::roce
