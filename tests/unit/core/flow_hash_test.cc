// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/flow_hash.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

std::uint64_t hash_of(const UdpFrame& fields, const HashSettings& settings) {
    Octets bytes = udp(fields);
    Frame frame{.data = bytes.data(),
                .length = static_cast<std::uint16_t>(bytes.size()),
                .readable = static_cast<std::uint16_t>(bytes.size())};
    const Parsed parsed = parse(frame);
    return flow_hash(settings, frame, parsed);
}

// The mean over seeds of the fullest of `links` links that carry `flows` flows with consecutive
// source ports.
double mean_fullest(unsigned flows, unsigned links, unsigned trials, double& deviation) {
    double sum = 0;
    double squares = 0;
    for (unsigned seed = 1; seed <= trials; ++seed) {
        std::vector<unsigned> load(links);
        for (unsigned flow = 0; flow < flows; ++flow) {
            const UdpFrame fields{.source_port = static_cast<std::uint16_t>(49'152 + flow)};
            ++load[choose_member(hash_of(fields, {.seed = seed * 7'919}), links)];
        }
        const double fullest = *std::max_element(load.begin(), load.end());
        sum += fullest;
        squares += fullest * fullest;
    }
    const double mean = sum / trials;
    deviation = std::sqrt(squares / trials - mean * mean);
    return mean;
}

// Balls into bins: the exact expectations of the fullest link. 2,000 trials; the mean's own sigma
// is the deviation of one trial / sqrt(2,000), and three of them are allowed.
TEST(FlowHash, CollidesAsOftenAsChanceDoes) {
    struct Case {
        unsigned flows, links;
        double expected;
    };
    for (const Case& c : {Case{2, 2, 1.5}, Case{4, 2, 2.75}, Case{4, 4, 2.125}, Case{8, 4, 3.538},
                          Case{8, 8, 2.597}, Case{16, 8, 4.201}, Case{64, 8, 12.235}}) {
        double deviation = 0;
        const double mean = mean_fullest(c.flows, c.links, 2'000, deviation);
        EXPECT_NEAR(mean, c.expected, 3 * deviation / std::sqrt(2'000.0))
            << c.flows << "/" << c.links;
    }
}

// A24: with the same source port, only the QP differs. It counts only if asked for.
TEST(FlowHash, UsesTheQpWhenAskedFor) {
    std::vector<unsigned> load(4);
    for (std::uint32_t qp = 0; qp < 4'000; ++qp) {
        ++load[choose_member(hash_of({.dest_qp = qp}, {.seed = 1, .use_dest_qp = true}), 4)];
        EXPECT_EQ(hash_of({.dest_qp = qp}, {.seed = 1}), hash_of({}, {.seed = 1}));
    }
    // Binomial: 1,000 +- 4 * sqrt(4,000 * 1/4 * 3/4) = 110.
    for (const unsigned flows : load) EXPECT_NEAR(flows, 1'000, 110);
}

// What a leaf with seed s sends to its first spine is split by the next tier: evenly if its seed
// differs, not at all if it is the same (polarisation).
TEST(FlowHash, TiersWithDifferentSeedsDoNotPolarise) {
    unsigned first = 0;
    unsigned same = 0;
    unsigned other = 0;
    for (unsigned flow = 0; flow < 4'000; ++flow) {
        const UdpFrame fields{.source_port = static_cast<std::uint16_t>(20'000 + flow)};
        if (choose_member(hash_of(fields, {.seed = 1}), 2) != 0) continue;
        ++first;
        same += choose_member(hash_of(fields, {.seed = 1}), 2);
        other += choose_member(hash_of(fields, {.seed = 2}), 2);
    }
    EXPECT_EQ(same, 0u);
    // Half of about 2,000, +- 4 * sqrt(2,000) / 2 = 90.
    EXPECT_NEAR(other, first / 2.0, 90);
}

class Members : public ::testing::TestWithParam<unsigned> {
  protected:
    void SetUp() override {
        for (unsigned i = 0; i < GetParam(); ++i) {
            hops.push_back({i, static_cast<PortId>(i)});
            up.add(static_cast<PortId>(i));
        }
        Prng prng(GetParam());
        for (int i = 0; i < 2'000; ++i) hashes.push_back(prng.next());
    }
    std::vector<std::uint32_t> choices() const {
        std::vector<std::uint32_t> chosen;
        for (const std::uint64_t hash : hashes) {
            chosen.push_back(choose_usable_member(hash, hops, up));
        }
        return chosen;
    }
    std::vector<NextHop> hops;
    PortSet up;
    std::vector<std::uint64_t> hashes;
};

// A25: members are lost one after another; each time just the flows of the lost one move, and its
// return restores all.
TEST_P(Members, OnlyTheFlowsOfALostMemberMove) {
    std::vector<std::vector<std::uint32_t>> history{choices()};
    for (unsigned lost = 0; lost + 1 < GetParam(); ++lost) {
        up.remove(static_cast<PortId>(lost));
        const std::vector<std::uint32_t> now = choices();
        for (std::size_t i = 0; i < now.size(); ++i) {
            ASSERT_GT(now[i], lost) << "a lost member is used";
            if (history.back()[i] != lost) {
                ASSERT_EQ(now[i], history.back()[i]);
            }
        }
        history.push_back(now);
    }
    for (unsigned back = GetParam() - 1; back-- > 0;) {
        up.add(static_cast<PortId>(back));
        EXPECT_EQ(choices(), history[back]);
    }
    for (unsigned i = 0; i < GetParam(); ++i) up.remove(static_cast<PortId>(i));
    EXPECT_EQ(choices().front(), kNoMember);
}
INSTANTIATE_TEST_SUITE_P(Sizes, Members, ::testing::Values(2u, 3u, 5u, 16u));

}  // namespace
}  // namespace weir
