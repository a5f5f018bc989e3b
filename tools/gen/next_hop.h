// SPDX-License-Identifier: BSD-3-Clause
// Where the kernel would send an IP packet.
#pragma once

#include "dataplane/core/time.h"
#include "tools/gen/packet_socket.h"
#include "tools/roce/frame.h"

namespace weir::gen {

struct Route {
    roce::IpAddress next_hop{};  // the destination itself if it is on the link
    roce::IpAddress source{};    // all zero if the interface has no address of the kind
};

// The kernel's route out of this interface. Throws Failure if there is none.
Route find_route(const Interface& interface, const roce::IpAddress& destination);

// The neighbor's MAC from the kernel, which asks on the link (ARP, ND) if it does not know it.
// Throws Failure if nobody answers in time.
roce::MacAddress find_neighbor(const Interface& interface, const roce::IpAddress& neighbor,
                               Interval timeout);

}  // namespace weir::gen
