// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_notices.h"

#include "config/address_text.h"
#include "tools/weir/console/text_table.h"

namespace weir {
namespace {

std::string prefixes_text(std::uint64_t all, const std::vector<DestinationPrefix>& prefixes) {
    if (all == 0) return "nothing";
    std::string text;
    for (const DestinationPrefix& prefix : prefixes) {
        text += (text.empty() ? "" : ", ") + format(IpPrefix{prefix.address, prefix.length});
    }
    if (prefixes.size() < all) text += " and " + std::to_string(all - prefixes.size()) + " more";
    return text;
}

std::string refused_text(const NoticeCounters& counters) {
    std::string text;
    for (unsigned i = 0; i < kNoticeRefusals; ++i) {
        if (counters.refused[i] == 0) continue;
        text += (text.empty() ? "" : ", ") + std::to_string(counters.refused[i]) + " " +
                name_of(static_cast<NoticeRefusal>(i));
    }
    return text.empty() ? "none" : text;
}

}  // namespace

Reply show_notices(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    if (!snapshot.lost_here) return Reply::shown("notices are off: the file has no `notices`\n");
    std::string text = "without a path here: " +
                       prefixes_text(snapshot.lost_here->lost, snapshot.lost_here->prefixes) + "\n";
    TextTable table({"port", "session", ">sent", ">heard", "refused", ">unknown_prefixes",
                     ">expired_prefixes", "the peer has lost"});
    for (const NoticeView& notice : snapshot.notices) {
        table.add({snapshot.port_label(notice.port), notice.session_up ? "up" : "not up",
                   std::to_string(notice.counters.sent), std::to_string(notice.counters.heard),
                   refused_text(notice.counters), std::to_string(notice.counters.unknown_prefixes),
                   std::to_string(notice.counters.expired_prefixes),
                   prefixes_text(notice.lost, notice.prefixes)});
    }
    return Reply::shown(text + (table.empty() ? "" : table.text()));
}

}  // namespace weir
