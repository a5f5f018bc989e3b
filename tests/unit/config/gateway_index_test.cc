// SPDX-License-Identifier: BSD-3-Clause
// A frame in a hand-off ring carries its gateway's index over a reload: the index must then mean
// the same gateway, or none.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/compile.h"
#include "config/validate.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

// Gateways 10.1.h.l of one /8 by number.
std::string gateway(unsigned number) {
    return "10.1." + std::to_string(number / 250) + "." + std::to_string(number % 250 + 1);
}

// The switch that is reloaded with one set of gateways after the other.
class Reloads {
  public:
    void to(const std::vector<unsigned>& gateways) {
        std::string text =
            "switch: {name: s}\n"
            "ports: [{name: p, device: net_null0, addresses: [10.0.0.1/8]}]\n"
            "routes:\n";
        for (std::size_t i = 0; i < gateways.size(); ++i) {
            text += "  - {prefix: 11." + std::to_string(i / 256) + "." + std::to_string(i % 256) +
                    ".0/24, via: " + gateway(gateways[i]) + "}\n";
        }
        const auto loaded = load_good(text);
        now_ = compile(loaded->settings, {}, now_.get());
    }
    // kNoIndex when the gateway is not in the tables.
    [[nodiscard]] std::size_t index_of(unsigned number) const {
        const std::vector<Gateway>& all = now_->gateways;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].port != kNoPort && format(all[i].address) == gateway(number)) return i;
        }
        return kNoIndex;
    }
    [[nodiscard]] bool is_free(std::size_t index) const {
        return now_->gateways[index].port == kNoPort;
    }
    [[nodiscard]] std::size_t indexes() const { return now_->gateways.size(); }
    [[nodiscard]] std::uint64_t generation() const { return now_->tables.generation; }

    static constexpr std::size_t kNoIndex = 0xffff'ffff;

  private:
    std::unique_ptr<const CompiledTables> now_;
};

TEST(GatewayIndexes, StayTheSameWhateverComesAndGoes) {
    Reloads reloads;
    reloads.to({1, 2, 3});
    const std::size_t second = reloads.index_of(2);
    const std::size_t third = reloads.index_of(3);
    reloads.to({3, 4, 2, 5});
    EXPECT_EQ(reloads.index_of(2), second);
    EXPECT_EQ(reloads.index_of(3), third);
    EXPECT_EQ(reloads.generation(), 2u);
}

// Gateway 2 has index 1. It is gone in generation 2, which frees the index; frames queued under
// generation 1 may still carry it then. Generation 3 must not use it either, generation 4 may.
TEST(GatewayIndexes, AFreedOneIsNotUsedForTheNextGeneration) {
    Reloads reloads;
    reloads.to({1, 2});
    const std::size_t freed = reloads.index_of(2);
    EXPECT_EQ(freed, 1u);
    reloads.to({1, 3});
    EXPECT_TRUE(reloads.is_free(freed));
    EXPECT_EQ(reloads.index_of(3), 2u);
    reloads.to({1, 3, 4});
    EXPECT_TRUE(reloads.is_free(freed));
    EXPECT_EQ(reloads.index_of(4), 3u);
    reloads.to({1, 3, 4, 5});
    EXPECT_EQ(reloads.index_of(5), freed);
    EXPECT_EQ(reloads.indexes(), 4u);
}

// At the limit of 1,365 gateways, all of which change with every reload: three sets of them are
// 4,095 of 4,096 indexes, and the fourth finds the first one's again.
TEST(GatewayIndexes, SufficeWhenEveryGatewayChangesEveryTime) {
    static_assert(kGatewaysConfiguredMax == 1'365);
    Reloads reloads;
    for (unsigned generation = 0; generation < 6; ++generation) {
        std::vector<unsigned> gateways;
        for (unsigned i = 0; i < kGatewaysConfiguredMax; ++i) {
            gateways.push_back(generation * kGatewaysConfiguredMax + i);
        }
        reloads.to(gateways);
        EXPECT_EQ(reloads.indexes(), std::min(generation + 1, 3u) * kGatewaysConfiguredMax);
    }
}

}  // namespace
}  // namespace weir
