// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/mix.h"
#include "dataplane/core/notice.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

// A destination group: a prefix of this switch that a peer may lose, or that it may lose itself.
// Its index stays the same from one Tables to the next as long as the prefix is configured.
inline constexpr std::uint32_t kNoDestinationGroup = 0;

struct DestinationGroup {
    DestinationPrefix prefix;
    std::uint32_t route = 0;  // index into Tables::routes; 0: the group's index is free
};

// Of a switch that sends and hears failure notices; empty without.
struct DestinationTable {
    std::span<const DestinationGroup> groups;  // by index; [0] is none
    // A hash table, at most half full: a power of two of group indexes, 0 in a free slot.
    std::span<const std::uint32_t> slots;
    // Groups that may leave by port p: of_port[first_of_port[p] .. first_of_port[p + 1]).
    std::span<const std::uint32_t> first_of_port;
    std::span<const std::uint32_t> of_port;

    [[nodiscard]] static std::uint64_t hash(const DestinationPrefix& prefix) {
        return mix(prefix.address.high ^ kMixA, prefix.address.low ^ prefix.length ^ kMixB);
    }
    // kNoDestinationGroup: this switch has no such prefix.
    [[nodiscard]] std::uint32_t find(const DestinationPrefix& prefix) const {
        if (slots.empty()) return kNoDestinationGroup;
        for (std::uint64_t at = hash(prefix);; ++at) {
            const std::uint32_t group = slots[at & (slots.size() - 1)];
            if (group == kNoDestinationGroup || groups[group].prefix == prefix) return group;
        }
    }
    [[nodiscard]] std::span<const std::uint32_t> through(PortId port) const {
        if (first_of_port.empty()) return {};
        return of_port.subspan(first_of_port[port], first_of_port[port + 1] - first_of_port[port]);
    }
};

// Failure notices of this switch; `enabled` only with links to send them over.
struct NoticeTable {
    std::uint64_t origin = 0;                        // names this switch
    Interval refresh = Interval::milliseconds(100);  // what is lost is said again this often
    Interval expiry = Interval::milliseconds(350);   // what a peer has not said again is forgotten
    std::uint16_t udp_port = kNoticePort;
    bool enabled = false;
};

}  // namespace weir
