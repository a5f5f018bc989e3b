// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/event_text.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

// 2026-03-01 12:00:00 UTC is 1,772,366,400 s after 1970: 20,513 days and 12 hours.
constexpr std::uint64_t kNoon = (20'513ull * 86'400 + 43'200) * 1'000'000'000;

const EventStamp kStamp{
    .wall_nanoseconds = kNoon + 123'456, .at = {81'234'567'899}, .switch_name = "leaf"};

TEST(EventText, TimeIsIso8601WithNanoseconds) {
    EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000000000Z");
    EXPECT_EQ(iso_time(kNoon + 999'999'999), "2026-03-01T12:00:00.999999999Z");
}

TEST(EventText, ALinkEventNamesThePort) {
    const Event event{.port = 3, .kind = EventKind::LinkDown};
    // 81,234,567,899 ps are 81,234,567 ns.
    EXPECT_EQ(event_text(kStamp, event, "up0"),
              "{\"time\":\"2026-03-01T12:00:00.000123456Z\",\"ns\":81234567,\"switch\":\"leaf\","
              "\"event\":\"link_down\",\"port\":\"up0\"}\n");
}

TEST(EventText, NeighborEventsNameTheNeighbor) {
    const Event event{.address = IpAddress::v4(0x0a00'0002),
                      .mac = {0x0200'0000'0009},
                      .port = 3,
                      .kind = EventKind::NeighborResolved};
    const std::string text = event_text(kStamp, event, "up0");
    EXPECT_NE(text.find("\"event\":\"neighbor_resolved\",\"port\":\"up0\","
                        "\"address\":\"10.0.0.2\",\"mac\":\"02:00:00:00:00:09\"}"),
              std::string::npos)
        << text;
}

TEST(EventText, ALostSessionSaysWhy) {
    const Event event{.address = IpAddress::v4(0x0a00'0002),
                      .number = 3 | 1u << 8,
                      .port = 3,
                      .kind = EventKind::SessionDown};
    const std::string text = event_text(kStamp, event, "up0");
    EXPECT_NE(text.find("\"event\":\"session_down\",\"port\":\"up0\",\"peer\":\"10.0.0.2\","
                        "\"diagnostic\":\"neighbor signaled down\","
                        "\"peer_diagnostic\":\"detection time expired\"}"),
              std::string::npos)
        << text;
}

TEST(EventText, TablesAdoptedSaysWhich) {
    const Event event{.number = 7, .kind = EventKind::TablesAdopted};
    const std::string text = event_text(kStamp, event, "");
    EXPECT_NE(text.find("\"event\":\"tables_adopted\",\"generation\":7}"), std::string::npos)
        << text;
}

TEST(EventText, APauseSaysWhichAndHowManyThereWere) {
    const Event event{.number = 12, .port = 3, .kind = EventKind::PauseSent, .priority = 4};
    const std::string text = event_text(kStamp, event, "up0");
    EXPECT_NE(text.find("\"event\":\"pause_sent\",\"port\":\"up0\",\"priority\":4,"
                        "\"pauses_sent\":12}"),
              std::string::npos)
        << text;
}

TEST(EventText, EveryKindHasAName) {
    for (unsigned kind = 0; kind < static_cast<unsigned>(EventKind::kCount); ++kind) {
        EXPECT_FALSE(event_name(static_cast<EventKind>(kind)).empty());
    }
}

}  // namespace
}  // namespace weir
