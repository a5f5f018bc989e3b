// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/event.h"

#include <array>

namespace weir {

namespace {

constexpr std::array kNames = {
    std::string_view("link_up"),           std::string_view("link_down"),
    std::string_view("neighbor_resolved"), std::string_view("neighbor_lost"),
    std::string_view("mac_table_full"),    std::string_view("neighbor_table_full"),
    std::string_view("tables_adopted"),    std::string_view("storm_detected"),
    std::string_view("storm_restored"),    std::string_view("frames_hooked"),
    std::string_view("pause_sent"),        std::string_view("resume_sent"),
    std::string_view("notice_heard_lost"), std::string_view("notice_heard_restored"),
    std::string_view("notice_sent_lost"),  std::string_view("notice_sent_restored"),
    std::string_view("destinations_lost"), std::string_view("destinations_restored"),
    std::string_view("frames_rerouted"),   std::string_view("session_up"),
    std::string_view("session_down"),      std::string_view("link_lost"),
    std::string_view("link_usable"),
};
static_assert(kNames.size() == static_cast<std::size_t>(EventKind::kCount));

}  // namespace

std::string_view event_name(EventKind kind) {
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace weir
