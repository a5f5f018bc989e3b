// SPDX-License-Identifier: BSD-3-Clause
// Any frames in any order to a RoCEv2 end point that has requests of its own under way: it stays
// within the bytes, comes to rest, and completes each request once at most.
//
// The input is a list of turns: a byte that says what is done first, two bytes of length,
// the frame.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "dataplane/core/check.h"
#include "tools/roce/byte_cursor.h"
#include "tools/roce/host_port.h"

namespace weir::roce {
namespace {

// Bits of the first byte of a turn.
constexpr std::uint8_t kPostMask = 3;  // 1: post a SEND, 2: a WRITE, 3: a READ
constexpr std::uint8_t kWait = 4;      // long enough for timers
constexpr std::uint8_t kHeaders = 8;   // only the first bytes of the frame are readable
constexpr std::uint8_t kSlow = 16;     // the receiver becomes slow, and pauses
constexpr std::uint8_t kReceive = 32;  // a receive is posted

class Exchange {
  public:
    Exchange() : port_(config()) {
        profile_.mtu_bytes = 256;
        profile_.ack_every = 3;
        profile_.ack_delay = Interval::microseconds(2);
        profile_.receive_queue = true;
        profile_.timeout = Interval::microseconds(50);
        profile_.dcqcn_on = true;
        port_.add_memory({.key = 0, .address = 0, .bytes = memory_});
        for (unsigned i = 0; i < 2; ++i) {  // frames of the corpus are for queue pair 17
            port_.add_qp({.profile = &profile_,
                          .peer_ip = {{10, 0, 0, 1}},
                          .next_hop = {{2, 0, 0, 0, 0, 1}},
                          .peer_qp = 17,
                          .first_psn_sent = 1,
                          .first_psn_received = 1});
        }
    }

    void turn(std::uint8_t what, std::span<const std::uint8_t> bytes) {
        if ((what & kPostMask) != 0) post(what & kPostMask);
        if ((what & kReceive) != 0) port_.post_receive(17, {.id = 7, .place = place_});
        if ((what & kSlow) != 0) {
            port_.set_receiver(now_, {.drain_bps = 1'000'000'000,
                                      .xoff_bytes = 200,
                                      .xon_bytes = 100,
                                      .capacity_bytes = 1000});
        }
        if ((what & kWait) != 0) now_ = now_ + Interval::microseconds(100);
        hear(what, bytes);
        say();
    }

  private:
    static HostConfig config() {
        return {.mac = {{2, 0, 0, 0, 0, 2}},
                .ip = {{10, 0, 0, 2}},
                .frame_kind = FrameKind::HeadersOnly,
                .pause_response = Interval::nanoseconds(100)};
    }

    void post(unsigned operation) {
        port_.post(
            now_, 17,
            {.id = posted_++, .operation = static_cast<Operation>(operation - 1), .bytes = 600});
    }

    void hear(std::uint8_t what, std::span<const std::uint8_t> bytes) {
        std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
        const std::size_t readable =
            (what & kHeaders) != 0 ? std::min<std::size_t>(copy.size(), 70) : copy.size();
        copy.resize(readable);
        copy.shrink_to_fit();
        const weir::Frame frame{.data = copy.data(),
                                .length = static_cast<std::uint16_t>(bytes.size()),
                                .readable = static_cast<std::uint16_t>(readable)};
        port_.receive(now_, std::span(&frame, 1));
    }

    void say() {
        std::array<std::uint8_t, kHeadersBytesMax> room{};
        for (unsigned i = 0; i < 20; ++i) {
            if (const auto out = port_.next(now_, room)) {
                WEIR_CHECK(out->readable <= room.size() && out->readable <= out->length);
                WEIR_CHECK(port_.busy_until() > now_);
            }
            const auto due = port_.next_deadline();
            if (!due) break;
            now_ = std::max(now_, std::min(*due, now_ + Interval::microseconds(1)));
        }
        for (const Completion& one : port_.completions()) {
            if (one.kind != CompletionKind::Requested) continue;
            WEIR_CHECK(one.id < posted_ && completed_.insert(one.id).second);
        }
        port_.clear_completions();
    }

    QpProfile profile_;
    std::array<std::uint8_t, 4096> memory_{};
    std::array<std::uint8_t, 512> place_{};
    HostPort port_;
    Time now_{};
    std::uint64_t posted_ = 0;
    std::set<std::uint64_t> completed_;
};

}  // namespace
}  // namespace weir::roce

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    weir::roce::Exchange exchange;
    weir::roce::ByteReader in(std::span(data, size));
    for (unsigned turns = 0; turns < 64 && in.left().size() >= 3; ++turns) {
        const std::uint8_t what = in.take_u8();
        const std::size_t length = std::min<std::size_t>(in.take_be16(), in.left().size());
        exchange.turn(what, in.take(length));
    }
    return 0;
}
