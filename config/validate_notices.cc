// SPDX-License-Identifier: BSD-3-Clause
// Failure notices.
#include "config/notice_key.h"
#include "config/validate.h"
#include "config/validation.h"

namespace weir {
namespace {

// Routes and the subnets of ports: each is a destination group.
std::size_t prefixes_of(const Settings& settings) {
    std::size_t count = settings.routes.size();
    for (const PortSettings& port : settings.ports) {
        if (port.addresses) count += port.addresses->size();
    }
    return count;
}

}  // namespace

void validate_notices(Validation& validation) {
    const Settings& settings = validation.settings;
    if (!settings.notices || validation.misread("notices")) return;
    const NoticeSettings& notices = *settings.notices;
    if (!parse_notice_key(notices.key)) {
        validation.add("notices.key",
                       "write 64 hexadecimal digits (openssl rand -hex 32), the "
                       "same on every switch of the fabric");
    }
    constexpr Interval kRefreshFirst = Interval::milliseconds(1);
    check_interval(validation, "notices.refresh", notices.refresh, kRefreshFirst,
                   Interval::milliseconds(10'000));
    // One refresh may be lost.
    check_interval(validation, "notices.expiry", notices.expiry, notices.refresh * 2,
                   Interval::milliseconds(60'000));
    if (prefixes_of(settings) > kNoticeDestinationsConfiguredMax) {
        validation.add("notices", std::to_string(prefixes_of(settings)) +
                                      " routes and subnets; notices tell at most " +
                                      std::to_string(kNoticeDestinationsConfiguredMax) + " apart");
    }
}

}  // namespace weir
