// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_notices.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string shown(const Snapshot& snapshot) {
    return show_notices({}, snapshot).text;
}

Snapshot one_link() {
    Snapshot snapshot;
    snapshot.ports.resize(2);
    snapshot.ports[0].name = "up1";
    snapshot.ports[1].id = 1;
    snapshot.ports[1].name = "up2";
    snapshot.lost_here.emplace();
    snapshot.notices.push_back({.port = 1, .session_up = true});
    return snapshot;
}

TEST(ShowNotices, SaysThatTheyAreOff) {
    EXPECT_EQ(shown({}), "notices are off: the file has no `notices`\n");
}

TEST(ShowNotices, NothingIsLost) {
    EXPECT_EQ(
        shown(one_link()),
        "without a path here: nothing\n"
        "  port     session  sent  heard  refused  unknown_prefixes  expired_prefixes  the peer "
        "has lost\n"
        "  1 (up2)  up          0      0  none                    0                 0  "
        "nothing\n");
}

TEST(ShowNotices, NamesWhatIsLostAndWhyOthersWereRefused) {
    Snapshot snapshot = one_link();
    NoticeView& notice = snapshot.notices[0];
    notice.counters.refused[static_cast<unsigned>(NoticeRefusal::Forged)] = 7;
    notice.counters.refused[static_cast<unsigned>(NoticeRefusal::Stale)] = 2;
    notice.lost = 3;
    notice.prefixes = {{IpAddress::v4(0x0a02'0000), 96 + 16}, {{0x2001'0db8'0000'0000, 0}, 32}};
    snapshot.lost_here->lost = 1;
    snapshot.lost_here->prefixes = {{IpAddress::v4(0x0a03'0000), 96 + 24}};
    const std::string text = shown(snapshot);
    EXPECT_NE(text.find("without a path here: 10.3.0.0/24\n"), std::string::npos) << text;
    EXPECT_NE(text.find("2 stale, 7 forged"), std::string::npos) << text;
    EXPECT_NE(text.find("10.2.0.0/16, 2001:db8::/32 and 1 more\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace weir
