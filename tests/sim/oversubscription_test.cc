// SPDX-License-Identifier: BSD-3-Clause
// More traffic than a port carries, with shares that follow from arithmetic: lossless priorities
// are slowed down, lossy ones lose, and equal DWRR weights share the port.
#include <gtest/gtest.h>

#include "tests/sim/paced_host.h"
#include "tools/lab/checkers.h"

namespace weir::lab {
namespace {

constexpr std::uint64_t kRate = 100'000'000'000;
constexpr std::uint16_t kBytes = 1'082;
constexpr std::uint8_t kLossless = (1 << 3) | (1 << 4);

struct Source {
    unsigned priority = 0;
    double load = 0;  // of the egress port
};

// One switch, a host per source and one that they all send to.
class Oversubscribed {
  public:
    explicit Oversubscribed(const std::vector<Source>& sources)
        : sources_(sources), rig_(star(sources.size()), options()), checkers_(*rig_.fabric, {}) {
        World& world = rig_.fabric->world();
        const double frame_ps = (kBytes + 24) * 8e12 / kRate;
        for (unsigned i = 0; i < sources.size(); ++i) {
            const auto gap_ps = static_cast<std::int64_t>(frame_ps / sources[i].load);
            rig_.host(i).add(world, {.to = rig_.hosts.back()->address(),
                                     .bytes = kBytes,
                                     .dscp = static_cast<std::uint8_t>(sources[i].priority << 3),
                                     .frames = 1'000'000,
                                     .gap = {gap_ps}});
        }
        // The first millisecond fills the queues.
        run(Time{1'000'000'000});
        for (unsigned i = 0; i < sources.size(); ++i) before_.push_back(world.flows[i].received);
        drops_before_ = drops();
        run(Time{5'000'000'000});
        EXPECT_TRUE(checkers_.clean()) << checkers_.violations().front();
    }

    // What a source got of the port over the last 4 ms, in percent.
    [[nodiscard]] double share(unsigned source) const {
        const std::uint64_t frames = rig_.fabric->world().flows[source].received - before_[source];
        return 100.0 * static_cast<double>(frames) * (kBytes + 24) * 8 / (kRate * 0.004);
    }
    [[nodiscard]] std::uint64_t drops() const {
        const SwitchNode& node = rig_.fabric->switch_at(0);
        return node.drops(DropReason::QueueFull) + node.drops(DropReason::SharedBufferFull) +
               node.drops(DropReason::HeadroomFull);
    }
    [[nodiscard]] std::uint64_t new_drops() const { return drops() - drops_before_; }
    [[nodiscard]] std::uint64_t pauses(unsigned source) const {
        return rig_.hosts[source]->pauses();
    }

  private:
    static Topology star(std::size_t sources) {
        Topology topology;
        const NodeId node = topology.add_switch("s0");
        for (std::size_t i = 0; i <= sources; ++i) {
            topology.add_host("h" + std::to_string(i), node, {});
        }
        return topology;
    }
    static FabricOptions options() {
        FabricOptions options;
        options.adjust = [](NodeId, CompiledTables& tables) {
            make_lossless(tables, {.priorities = kLossless});
            tables.tables.queue_bytes_max = 200'000;
            for (EgressTable& egress : tables.egress) {
                egress.strict = 0;
                egress.quantum_bytes.fill(4'200);
            }
        };
        return options;
    }
    void run(Time end) {
        while (rig_.fabric->now() < end) {
            rig_.fabric->run_until(rig_.fabric->now() + Interval::microseconds(10));
            checkers_.check_accounts();
        }
    }

    std::vector<Source> sources_;
    PacedFabric rig_;
    Checkers checkers_;
    std::vector<std::uint64_t> before_;
    std::uint64_t drops_before_ = 0;
};

// 27 + 28 + 25 + 25 = 105 %: a quarter each. The lossless ones ask for more and are paused; the
// lossy ones get what they ask for and lose nothing.
TEST(Oversubscription, TwoLosslessAndTwoLossyShareEvenly) {
    const Oversubscribed port({{3, 0.27}, {4, 0.28}, {0, 0.249}, {1, 0.249}});
    EXPECT_NEAR(port.share(0), 25.1, 0.2);
    EXPECT_NEAR(port.share(1), 25.1, 0.2);
    EXPECT_NEAR(port.share(2), 24.9, 0.1);
    EXPECT_NEAR(port.share(3), 24.9, 0.1);
    EXPECT_GT(port.pauses(0), 0u);
    EXPECT_GT(port.pauses(1), 0u);
    EXPECT_EQ(port.pauses(2), 0u);
    EXPECT_EQ(port.pauses(3), 0u);
    EXPECT_EQ(port.new_drops(), 0u);
}

// 24 + 24 + 30 + 28 = 106 %: the lossless ones ask for less than a quarter and get it; the lossy
// ones share what is left, 26 % each, and lose the rest.
TEST(Oversubscription, LossyPrioritiesLoseWhatIsTooMuch) {
    const Oversubscribed port({{3, 0.24}, {4, 0.24}, {0, 0.30}, {1, 0.28}});
    EXPECT_NEAR(port.share(0), 24, 0.1);
    EXPECT_NEAR(port.share(1), 24, 0.1);
    EXPECT_NEAR(port.share(2), 26, 0.2);
    EXPECT_NEAR(port.share(3), 26, 0.2);
    EXPECT_EQ(port.pauses(0) + port.pauses(1), 0u);
    EXPECT_GT(port.new_drops(), 0u);
}

// 4 * 20 + 20 + 10 = 110 %: the 10 % fit, and the others share 90 % five ways, 18 % each.
TEST(Oversubscription, LosslessGetsItsFairShareOfSix) {
    const Oversubscribed port({{0, 0.2}, {1, 0.2}, {2, 0.2}, {5, 0.2}, {3, 0.2}, {4, 0.1}});
    for (unsigned source = 0; source < 5; ++source) EXPECT_NEAR(port.share(source), 18, 0.2);
    EXPECT_NEAR(port.share(5), 10, 0.1);
    EXPECT_GT(port.pauses(4), 0u);
    EXPECT_EQ(port.pauses(5), 0u);
}

}  // namespace
}  // namespace weir::lab
