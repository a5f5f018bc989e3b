// SPDX-License-Identifier: BSD-3-Clause
// Jobs on hosts around an ideal switch: any frame is at its destination one link delay after its
// last bit left.
#include "tools/roce/workload.h"

#include <array>
#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tools/roce/connections.h"

namespace weir::roce {
namespace {

constexpr MacAddress kMac{{0x02, 0, 0, 0, 0, 0x01}};  // one for all: addresses tell them apart

class Star {
  public:
    explicit Star(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            HostConfig config{.mac = kMac, .frame_kind = FrameKind::HeadersOnly};
            config.ip = {{10, 0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)}};
            ports.emplace_back(config);
        }
        std::vector<WorkloadHost> hosts;
        for (HostPort& port : ports) hosts.push_back({.port = &port, .next_hop = kMac});
        workload.emplace(hosts);
    }

    void run() {
        for (steps = 0; !workload->finished(); ++steps) {
            ASSERT_LT(steps, 3'000'000u);
            const std::optional<Time> at = next_instant();
            ASSERT_TRUE(at) << "it stands still";
            if (*at > now) now = *at;
            workload->advance(now);
            arrive();
            for (unsigned i = 0; i < ports.size(); ++i) send_all(i);
        }
    }

    Time now{};
    Interval delay = Interval::microseconds(1);
    std::vector<HostPort> ports;
    std::optional<Workload> workload;
    unsigned cut_off = 0xffff;  // what this host sends is lost
    unsigned steps = 0;

  private:
    struct Arrival {
        Time at{};
        std::uint64_t order = 0;
        unsigned to = 0;
        Bytes bytes{};
        std::uint16_t length = 0;
        bool operator>(const Arrival& other) const {
            return at == other.at ? order > other.order : at > other.at;
        }
    };

    std::optional<Time> next_instant() const {
        std::optional<Time> first = workload->next_deadline();
        const auto earlier = [&first](std::optional<Time> at) {
            if (at && (!first || *at < *first)) first = at;
        };
        if (!arrivals_.empty()) earlier(arrivals_.top().at);
        for (const HostPort& port : ports) earlier(port.next_deadline());
        return first;
    }

    void arrive() {
        while (!arrivals_.empty() && arrivals_.top().at <= now) {
            Arrival arrival = arrivals_.top();
            arrivals_.pop();
            const weir::Frame frame{.data = arrival.bytes.data(),
                                    .length = arrival.length,
                                    .readable = static_cast<std::uint16_t>(arrival.bytes.size())};
            ports[arrival.to].receive(now, std::span(&frame, 1));
            workload->take(now, arrival.to);
        }
    }

    void send_all(unsigned from) {
        std::array<std::uint8_t, kHeadersBytesMax> room{};
        while (const std::optional<OutFrame> out = ports[from].next(now, room)) {
            if (from == cut_off) continue;
            arrivals_.push({ports[from].busy_until() + delay, order_++,
                            static_cast<unsigned>(room[32] << 8 | room[33]),
                            Bytes(room.begin(), room.begin() + out->readable), out->length});
        }
        workload->take(now, from);
    }

    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::uint64_t order_ = 0;
};

std::vector<HostIndex> first_hosts(unsigned count) {
    std::vector<HostIndex> hosts;
    for (unsigned i = 0; i < count; ++i) hosts.push_back(i);
    return hosts;
}

CollectiveJob job_of(const Collective& collective, const QpProfile& profile) {
    return {.name = "job",
            .collective = collective,
            .hosts = first_hosts(collective.ranks),
            .profile = &profile};
}

// 4,000 B over 4 ranks: chunks of 1,000 B, each one WRITE of Ethernet 14 + IP 20 + UDP 8 + BTH 12 +
// RETH 16 + 1,000 + ICRC 4 = 1,074 B and 24 B around it, 87,840 ps at 100 Gb/s; 1 us of link; an
// ACK of 62 + 24 B, 6,880 ps; 1 us back: 2,094,720 ps for a phase, and six phases.
constexpr std::uint64_t kPhasePs = 87'840 + 1'000'000 + 6'880 + 1'000'000;

TEST(Workload, RingTakesItsPhasesOneAfterTheOther) {
    const QpProfile profile;
    Star star(4);
    star.workload->add(
        job_of({.pattern = Pattern::RingAllReduce, .ranks = 4, .bytes = 4000}, profile));
    star.run();
    const JobResult& result = star.workload->result(0);
    ASSERT_EQ(result.phase_ends.size(), 6u);
    for (unsigned k = 0; k < 6; ++k) EXPECT_EQ(result.phase_ends[k], Time{kPhasePs * (k + 1)});
    EXPECT_EQ(result.ended, Time{kPhasePs * 6});
    EXPECT_EQ(result.flows, 24u);
    EXPECT_EQ(result.flows_done, 24u);
    const FlowRecord& first = star.workload->flows()[0];
    EXPECT_EQ(first.received, Time{87'840 + 1'000'000});
    EXPECT_EQ(first.acknowledged, Time{kPhasePs});
}

// Whoever does not wait for its ACK goes on when it has received: 1,087,840 ps for a phase.
TEST(Workload, NeedNotWaitForAcks) {
    const QpProfile profile;
    Star star(4);
    CollectiveJob job =
        job_of({.pattern = Pattern::RingAllReduce, .ranks = 4, .bytes = 4000}, profile);
    job.wait_for_ack = false;
    star.workload->add(job);
    star.run();
    // ACKs and data of the next phase share the port, so all but the first phase are up to one ACK
    // longer.
    const std::vector<Time>& ends = star.workload->result(0).phase_ends;
    EXPECT_EQ(ends.at(0), Time{1'087'840});
    EXPECT_GE(ends.at(5), Time{6 * 1'087'840});
    EXPECT_LE(ends.at(5), Time{6 * 1'087'840 + 5 * 6'880});
}

// Repeats go on where the one before has ended: twelve phases.
TEST(Workload, RepeatsACollective) {
    const QpProfile profile;
    Star star(4);
    CollectiveJob job =
        job_of({.pattern = Pattern::RingAllReduce, .ranks = 4, .bytes = 4000}, profile);
    job.repeats = 2;
    star.workload->add(job);
    star.run();
    EXPECT_EQ(star.workload->result(0).ended, Time{kPhasePs * 12});
}

// One slow rank: rank 0 alone starts its second job 5 us late. With a barrier all wait for it.
TEST(Workload, TheSlowestFlowDecides) {
    const QpProfile profile;
    Star star(4);
    CollectiveJob job =
        job_of({.pattern = Pattern::HalvingDoublingAllReduce, .ranks = 4, .bytes = 4000}, profile);
    job.barrier = true;
    star.workload->add(job);
    // Another job keeps the port of host 0 busy for the first 8.9 us or so.
    CollectiveJob other =
        job_of({.pattern = Pattern::Shift, .ranks = 2, .bytes = 100'000}, profile);
    star.workload->add(other);
    star.run();
    const std::vector<Time>& ends = star.workload->result(0).phase_ends;
    ASSERT_EQ(ends.size(), 4u);
    // Phase 0 is 2,000 B: two frames of 1,024 and 976 B. Alone it would end 2,180,720 ps after its
    // start; here its two frames take turns with the other job's.
    EXPECT_GT(ends[0], Time{2'190'000});
    for (const FlowRecord& flow : star.workload->flows()) {
        if (flow.job == 0 && flow.phase > 0) {
            EXPECT_GE(flow.posted, ends[flow.phase - 1]);
        }
    }
}

TEST(Workload, FinishesEveryPattern) {
    for (const Pattern pattern :
         {Pattern::RingAllReduce, Pattern::HalvingDoublingAllReduce, Pattern::AllToAll,
          Pattern::AllToAllPairwise, Pattern::Incast, Pattern::Permutation, Pattern::Shift}) {
        for (const Operation operation : {Operation::Send, Operation::Write, Operation::Read}) {
            for (const bool barrier : {false, true}) {
                const QpProfile profile{.mtu_bytes = 256};
                Star star(8);
                CollectiveJob job =
                    job_of({.pattern = pattern, .ranks = 8, .bytes = 5000, .seed = 9}, profile);
                job.operation = operation;
                job.barrier = barrier;
                job.qps_per_pair = 3;
                job.repeats = 2;
                star.workload->add(job);
                star.run();
                const JobResult& result = star.workload->result(0);
                EXPECT_TRUE(result.finished);
                EXPECT_EQ(result.flows_done, result.flows);
                std::uint64_t bytes = 0;
                for (const FlowRecord& flow : star.workload->flows()) bytes += flow.bytes;
                std::uint64_t payload = 0;
                for (const HostPort& port : star.ports) payload += port.payload_bytes_received();
                EXPECT_EQ(payload, bytes);
            }
        }
    }
}

// Two queue pairs share 1,001 B as 501 and 500.
TEST(Workload, SplitsATransferOverQueuePairs) {
    const QpProfile profile;
    Star star(2);
    CollectiveJob job = job_of({.pattern = Pattern::Shift, .ranks = 2, .bytes = 1001}, profile);
    job.qps_per_pair = 2;
    star.workload->add(job);
    star.run();
    ASSERT_EQ(star.workload->flows().size(), 4u);
    EXPECT_EQ(star.workload->flows()[0].bytes, 501u);
    EXPECT_EQ(star.workload->flows()[1].bytes, 500u);
}

TEST(Workload, StartsAJobAtItsTime) {
    const QpProfile profile;
    Star star(2);
    CollectiveJob job = job_of({.pattern = Pattern::Shift, .ranks = 2, .bytes = 10}, profile);
    job.start = Time{123'456};
    star.workload->add(job);
    EXPECT_EQ(star.workload->next_deadline(), Time{123'456});
    star.run();
    EXPECT_EQ(star.workload->result(0).started, Time{123'456});
    EXPECT_EQ(star.workload->flows()[0].posted, Time{123'456});
}

// Nobody hears host 1: its retries run out and the job ends as failed.
TEST(Workload, EndsWhenAFlowFails) {
    const QpProfile profile{.timeout = ack_timeout(1), .retry_count = 1};
    Star star(4);
    star.cut_off = 1;
    star.workload->add(
        job_of({.pattern = Pattern::RingAllReduce, .ranks = 4, .bytes = 4000}, profile));
    star.run();
    EXPECT_TRUE(star.workload->result(0).finished);
    EXPECT_GE(star.workload->result(0).flows_failed, 1u);
}

// 30 % of 100 Gb/s from each of 8 hosts for 20 ms are 600 MB, in flows of 1,711,250 B: 350.6
// expected, with a deviation of 18.7; three of them are 56.
TEST(Workload, ArrivalsOfferTheirLoad) {
    const QpProfile profile{.mtu_bytes = 4096};
    Star star(8);
    ArrivalJob job{.name = "web",
                   .hosts = first_hosts(8),
                   .profile = &profile,
                   .sizes = flow_sizes_named("websearch"),
                   .load_ppm = 300'000,
                   .start = Time{1'000'000},
                   .duration = Interval::milliseconds(20)};
    star.workload->add(job);
    star.run();
    const JobResult& result = star.workload->result(0);
    EXPECT_NEAR(static_cast<double>(result.flows), 350.6, 56);
    EXPECT_EQ(result.flows_done, result.flows);
    std::array<std::uint64_t, 8> bytes{};
    for (const FlowRecord& flow : star.workload->flows()) {
        bytes.at(flow.destination) += flow.bytes;
        EXPECT_NE(flow.source, flow.destination);
        EXPECT_GE(flow.posted, job.start);
        EXPECT_LT(flow.posted, job.start + job.duration);
    }
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(star.ports[i].payload_bytes_received(), bytes[i]);
}

// A flow does not wait behind another: it gets a queue pair that is idle, an old one if there is.
TEST(Connections, GivesOneOnWhichNothingIsUnderWay) {
    const QpProfile profile;
    Star star(2);
    std::vector<WorkloadHost> hosts{{&star.ports[0], kMac}, {&star.ports[1], kMac}};
    Connections connections(hosts, 1);
    const ConnectionIndex first = connections.get_idle({0, 0, 1}, profile);
    connections.post(Time{}, first, 0, {.id = 5, .bytes = 10});
    const ConnectionIndex second = connections.get_idle({0, 1, 0}, profile);
    EXPECT_NE(second, first);
    connections.close(first);
    EXPECT_EQ(connections.get_idle({0, 0, 1}, profile), first);
    EXPECT_EQ(connections.received(1, kQpNumberFirst), FlowIndex{5});
    EXPECT_EQ(connections.received(1, kQpNumberFirst), std::nullopt);
    EXPECT_EQ(connections.received(0, kQpNumberFirst), std::nullopt);
}

TEST(Workload, SaysWhatCannotBe) {
    const QpProfile profile;
    CollectiveJob job = job_of({.pattern = Pattern::Shift, .ranks = 2, .bytes = 10}, profile);
    EXPECT_EQ(std::string(Workload::problem(job, 2)), "");
    EXPECT_NE(std::string(Workload::problem(job, 1)), "");
    job.hosts = {0, 0};
    EXPECT_NE(std::string(Workload::problem(job, 2)), "");
    job.hosts = {0, 1};
    job.collective.bytes = kMessageBytesMax;
    EXPECT_NE(std::string(Workload::problem(job, 2)), "");
    job.qps_per_pair = 2;
    EXPECT_EQ(std::string(Workload::problem(job, 2)), "");
}

}  // namespace
}  // namespace weir::roce
