// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/frame.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/types.h"
#include "dataplane/core/wire.h"

namespace weir {

// Marking by the instantaneous bytes of an egress queue at dequeue, the leaving frame included.
struct EcnProfile {
    Bytes kmin_bytes = 0;
    Bytes kmax_bytes = 0;
    std::uint32_t pmax_per_64k = 0;  // marking probability at kmax, in 1/65536
    bool enabled = false;
};

// The probability, in 1/65536, of marking an ECT frame that leaves a queue of `depth` bytes: none
// up to Kmin, then Pmax * (depth - Kmin) / (Kmax - Kmin), all above Kmax.
[[nodiscard]] inline std::uint32_t mark_per_64k(const EcnProfile& profile, Bytes depth) {
    if (depth <= profile.kmin_bytes) return 0;
    if (depth > profile.kmax_bytes) return 65'536;
    return static_cast<std::uint32_t>(profile.pmax_per_64k * (depth - profile.kmin_bytes) /
                                      (profile.kmax_bytes - profile.kmin_bytes));
}

// The ECN field (RFC 3168) of an IP frame, NotEct for any other.
[[nodiscard]] inline Ecn ecn_of(const Frame& frame) {
    const std::uint8_t* ip =
        frame.data + ((frame.flags & frame_flags::kTagged) != 0 ? kEthernetBytes + kVlanTagBytes
                                                                : kEthernetBytes);
    if ((frame.flags & frame_flags::kIpv4) != 0) return static_cast<Ecn>(ip[1] & 3);
    if ((frame.flags & frame_flags::kIpv6) != 0) return static_cast<Ecn>((ip[1] >> 4) & 3);
    return Ecn::NotEct;
}

// Sets CE on an ECT frame. IPv4's checksum follows; RoCE's ICRC masks the field, so it stays right.
inline void set_ce(Frame& frame) {
    std::uint8_t* ip =
        frame.data + ((frame.flags & frame_flags::kTagged) != 0 ? kEthernetBytes + kVlanTagBytes
                                                                : kEthernetBytes);
    if ((frame.flags & frame_flags::kIpv6) != 0) {
        ip[1] |= 0x30;
        return;
    }
    // The first word grows by 1 or 2: HC' = ~(~HC + d) in one's complement (RFC 1624 equation 3).
    const std::uint32_t grown = 3u - (ip[1] & 3u);
    ip[1] |= 3;
    const std::uint32_t sum = (read_be16(ip + 10) ^ 0xffffu) + grown;
    write_be16(ip + 10, static_cast<std::uint16_t>(~((sum & 0xffff) + (sum >> 16))));
}

}  // namespace weir
