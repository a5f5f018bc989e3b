// SPDX-License-Identifier: BSD-3-Clause
// Once its queues have found their size, an end point takes nothing from the heap: not for packets,
// ACKs, CNPs, pauses or pacing. A program of its own, as it replaces operator new.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tools/roce/host_port.h"

namespace {

std::atomic<std::uint64_t> allocations{0};  // relaxed: one thread

}  // namespace

void* operator new(std::size_t bytes) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace weir::roce {
namespace {

constexpr unsigned kQueuePairs = 8;

// Two ends whose frames arrive 2 us after they left, every 50th of them marked.
class Pair {
  public:
    Pair() {
        profile_.mtu_bytes = 1024;
        profile_.ack_every = 1;
        profile_.ack_delay = Interval::microseconds(3);
        profile_.dcqcn_on = true;
        for (std::uint8_t end = 0; end < 2; ++end) {
            ends_.emplace_back(HostConfig{.mac = {{2, 0, 0, 0, 0, end}},
                                          .ip = {{10, 0, 0, end}},
                                          .frame_kind = FrameKind::HeadersOnly});
        }
        for (unsigned i = 0; i < kQueuePairs; ++i) {
            for (unsigned end = 0; end < 2; ++end) {
                const HostConfig& peer = ends_[1 - end].config();
                const QpNumber qp = ends_[end].add_qp(
                    {.profile = &profile_, .peer_ip = peer.ip, .next_hop = peer.mac});
                ends_[end].set_peer_qp(qp, qp);
            }
        }
        ends_[1].set_receiver(
            Time{}, {.drain_bps = 60'000'000'000, .xoff_bytes = 100'000, .xon_bytes = 90'000});
    }

    // Messages of 40 packets on each queue pair, and everything that follows from them.
    void exchange() {
        for (QpNumber i = 0; i < kQueuePairs; ++i) {
            ends_[0].post(now_, kQpNumberFirst + i, {.bytes = 40 * 1024});
        }
        while (step()) {
        }
    }

    std::uint64_t frames() const { return ends_[0].counters().frames_sent; }
    const HostPort& end(unsigned number) const { return ends_[number]; }

  private:
    struct Flying {
        Time at{};
        std::uint16_t length = 0;
        std::uint16_t readable = 0;
        std::array<std::uint8_t, kHeadersBytesMax> bytes{};
    };
    static constexpr std::size_t kFlyingMax = 256;

    bool step() {
        std::optional<Time> first;
        for (unsigned end = 0; end < 2; ++end) {
            send(end);
            const std::optional<Time> due = ends_[end].next_deadline();
            if (due && (!first || *due < *first)) first = due;
            if (head_[end] == tail_[end]) continue;
            const Time arrives = flying_[end][head_[end] % kFlyingMax].at;
            if (!first || arrives < *first) first = arrives;
        }
        if (!first || ends_[0].idle()) return false;
        if (*first > now_) now_ = *first;
        for (unsigned end = 0; end < 2; ++end) arrive(end);
        return true;
    }

    void send(unsigned end) {
        for (;;) {
            Flying& next = flying_[end][tail_[end] % kFlyingMax];
            const std::optional<OutFrame> out = ends_[end].next(now_, next.bytes);
            if (!out) return;
            next.at = ends_[end].busy_until() + Interval::microseconds(2);
            next.length = out->length;
            next.readable = out->readable;
            if (++tail_[end] % 50 == 0 && (next.bytes[15] & 3) != 0) next.bytes[15] |= 3;
        }
    }

    void arrive(unsigned from) {
        while (head_[from] != tail_[from]) {
            Flying& first = flying_[from][head_[from] % kFlyingMax];
            if (first.at > now_) return;
            const weir::Frame frame{
                .data = first.bytes.data(), .length = first.length, .readable = first.readable};
            ends_[1 - from].receive(now_, std::span(&frame, 1));
            for (HostPort& end : ends_) end.clear_completions();
            ++head_[from];
        }
    }

    QpProfile profile_;
    std::vector<HostPort> ends_;
    std::array<std::array<Flying, kFlyingMax>, 2> flying_{};
    std::array<std::size_t, 2> head_{};
    std::array<std::size_t, 2> tail_{};
    Time now_{};
};

TEST(Allocation, NoneOnceTheQueuesHaveFoundTheirSize) {
    Pair pair;
    for (unsigned i = 0; i < 20; ++i) pair.exchange();
    const std::uint64_t frames = pair.frames();
    const std::uint64_t before = allocations.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < 20; ++i) pair.exchange();
    EXPECT_GT(before, 0u);
    EXPECT_EQ(allocations.load(std::memory_order_relaxed), before);
    EXPECT_GE(pair.frames() - frames, 20u * kQueuePairs * 40);
    // All of it has been at work.
    EXPECT_GT(pair.end(0).counters().pause_frames_received, 0u);
    EXPECT_GT(pair.end(0).counters(kQpNumberFirst).cnps_received, 0u);
}

}  // namespace
}  // namespace weir::roce
