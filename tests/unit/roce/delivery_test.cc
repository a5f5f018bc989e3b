// SPDX-License-Identifier: BSD-3-Clause
// Over a wire that loses, delays, doubles and reorders at random, every byte of every message gets
// where it should, in order and once. WEIR_SEED=N repeats one run alone.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"
#include "tests/unit/roce/virtual_wire.h"

namespace weir::roce {
namespace {

constexpr std::size_t kAreaBytes = 64 * 1024;

struct Sent {
    WorkRequest request;
    Bytes local;
    std::size_t area_offset = 0;
};

// What one end does to the other.
struct Side {
    std::vector<Sent> sent;
    std::vector<Bytes> places;       // for the SENDs of the other end
    Bytes area = Bytes(kAreaBytes);  // what the other end writes and reads
};

class Exchange {
  public:
    explicit Exchange(std::uint64_t seed) : prng_(seed), wire_({.catch_up = Interval{}}) {
        draw_profile();
        wire_.connect(profile_, draw_psn(), draw_psn());
        for (unsigned end = 0; end < 2; ++end) prepare(end);
        loss_ppm_ = prng_.below(100'000);
        double_ppm_ = prng_.below(50'000);
        late_ppm_ = prng_.below(100'000);
        wire_.fate = [this](const Seen&, std::size_t) { return fate(); };
    }

    void go() {
        for (std::size_t i = 0; i < sides_[0].sent.size(); ++i) {
            for (unsigned end = 0; end < 2; ++end) wire_.post(sides_[end].sent[i].request, end);
            wire_.run(wire_.now + Interval::microseconds(prng_.below(30)));
        }
        wire_.run();
    }

    void check() {
        for (unsigned end = 0; end < 2; ++end) {
            EXPECT_EQ(wire_.ends[end].state(kQpNumberFirst), QpState::Ready);
            EXPECT_TRUE(wire_.ends[end].idle());
            check_completions(end);
            check_bytes(end);
        }
    }

  private:
    bool chance(std::uint32_t ppm) { return prng_.below(1'000'000) < ppm; }
    // Often close before the wrap.
    std::uint32_t draw_psn() {
        return chance(500'000) ? 0xff'ffff - prng_.below(100) : prng_.below(1 << 24);
    }

    void draw_profile() {
        profile_.mtu_bytes = 256u << prng_.below(3);
        profile_.timeout = Interval::microseconds(20 + prng_.below(100));
        profile_.retry_forever = true;
        profile_.ack_every = prng_.below(5);
        profile_.ack_request_every = prng_.below(5);
        profile_.window_packets = 1 + prng_.below(64);
        profile_.reads_outstanding_max = 1 + prng_.below(4);
        profile_.receive_queue = true;
        profile_.rnr_timer = 1;
        profile_.dcqcn_on = chance(500'000);
        if (chance(300'000)) profile_.ack_priority = 5;
        if (chance(300'000)) profile_.ack_delay = Interval::microseconds(prng_.below(10) + 1);
    }

    void prepare(unsigned end) {
        Side& side = sides_[end];
        Side& other = sides_[1 - end];
        side.sent.resize(12);
        std::size_t area_offset = 0;
        for (std::size_t i = 0; i < side.sent.size(); ++i) {
            Sent& one = side.sent[i];
            const std::size_t bytes = prng_.below(5000);
            one.request.id = 1000 + i;
            one.request.operation = static_cast<Operation>(prng_.below(3));
            one.request.bytes = bytes;
            one.local.resize(bytes);
            one.area_offset = area_offset;
            one.request.remote_address = 0x10'0000 + area_offset;
            one.request.remote_key = VirtualWire::kKey;
            if (one.request.operation == Operation::Read) {
                fill(std::span(other.area).subspan(area_offset, bytes));
            } else {
                fill(one.local);
            }
            area_offset += bytes;
            one.request.local = one.local;
            if (one.request.operation == Operation::Send) other.places.emplace_back(bytes);
        }
        wire_.ends[1 - end].add_memory(
            {.key = VirtualWire::kKey, .address = 0x10'0000, .bytes = other.area});
        for (std::size_t i = 0; i < other.places.size(); ++i) {
            wire_.ends[1 - end].post_receive(kQpNumberFirst,
                                             {.id = i, .place = std::span(other.places[i])});
        }
    }

    void fill(std::span<std::uint8_t> bytes) {
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng_.next());
    }

    Fate fate() {
        if (chance(loss_ppm_)) return {};
        Fate copies{Interval{}};
        if (chance(double_ppm_)) copies.push_back(Interval{prng_.below(3'000'000)});
        if (chance(late_ppm_)) copies[0] = Interval{prng_.below(3'000'000)};
        return copies;
    }

    // Of what this end asked for: each once, in the order of posting, done.
    void check_completions(unsigned end) {
        std::vector<std::uint64_t> ids;
        for (const Completion& one : wire_.completions[end]) {
            if (one.kind != CompletionKind::Requested) continue;
            EXPECT_EQ(one.status, CompletionStatus::Done);
            ids.push_back(one.id);
        }
        std::vector<std::uint64_t> expected;
        for (const Sent& one : sides_[end].sent) expected.push_back(one.request.id);
        EXPECT_EQ(ids, expected);
    }

    void check_bytes(unsigned end) {
        const Side& other = sides_[1 - end];
        std::size_t sends = 0;
        std::uint64_t bytes = 0;
        for (const Sent& one : sides_[end].sent) {
            const auto in_area = std::span(other.area).subspan(one.area_offset, one.local.size());
            const bool send = one.request.operation == Operation::Send;
            const std::span<const std::uint8_t> there =
                send ? std::span<const std::uint8_t>(other.places.at(sends++)) : in_area;
            EXPECT_TRUE(std::ranges::equal(one.local, there)) << "request " << one.request.id;
            bytes += one.request.bytes;
        }
        bytes_ += bytes;
        const QpCounters& here = wire_.ends[0].counters(kQpNumberFirst);
        const QpCounters& there = wire_.ends[1].counters(kQpNumberFirst);
        if (end == 1) {
            EXPECT_EQ(here.payload_bytes_received + there.payload_bytes_received, bytes_);
        }
    }

    Prng prng_;
    QpProfile profile_;
    VirtualWire wire_;
    Side sides_[2];
    std::uint32_t loss_ppm_ = 0;
    std::uint32_t double_ppm_ = 0;
    std::uint32_t late_ppm_ = 0;
    std::uint64_t bytes_ = 0;
};

TEST(Delivery, EveryByteInOrderAndOnce) {
    std::uint64_t first = 1;
    std::uint64_t last = 300;
    if (const char* one = std::getenv("WEIR_SEED"); one != nullptr) {
        first = last = std::stoull(one);
    }
    for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
        SCOPED_TRACE("repeat with WEIR_SEED=" + std::to_string(seed));
        Exchange exchange(seed);
        exchange.go();
        exchange.check();
    }
}

}  // namespace
}  // namespace weir::roce
