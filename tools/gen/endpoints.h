// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "tools/gen/flow_set.h"
#include "tools/gen/packet_socket.h"
#include "tools/roce/frame.h"

namespace weir::gen {

// Who is to be spoken to, as far as the command line says.
struct Peer {
    roce::IpAddress to{};
    std::optional<roce::MacAddress> to_mac{};  // empty: ask the kernel
    std::optional<roce::IpAddress> from{};     // empty: the one that the kernel would use
};

// The addresses of frames to the peer. Throws Failure where the kernel knows no way.
Endpoints find_endpoints(const Peer& peer, const Interface& interface);

}  // namespace weir::gen
