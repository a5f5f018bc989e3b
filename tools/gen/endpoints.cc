// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/endpoints.h"

#include "tools/gen/failure.h"
#include "tools/gen/next_hop.h"

namespace weir::gen {
namespace {

// The kernel gives up on an address after three requests, a second apart.
constexpr Interval kResolveTimeout = Interval::milliseconds(3500);

}  // namespace

Endpoints find_endpoints(const Peer& peer, const Interface& interface) {
    Endpoints endpoints{.source_mac = interface.mac, .destination = peer.to};
    if (peer.to_mac && peer.from) {
        endpoints.destination_mac = *peer.to_mac;
        endpoints.source = *peer.from;
        return endpoints;
    }
    const Route route = find_route(interface, peer.to);
    const bool has_source = route.source != roce::IpAddress{.ipv6 = peer.to.ipv6};
    if (!peer.from && !has_source) {
        throw Failure("interface " + interface.name + " has no " +
                      (peer.to.ipv6 ? "IPv6" : "IPv4") + " address: give --from");
    }
    endpoints.source = peer.from ? *peer.from : route.source;
    endpoints.destination_mac =
        peer.to_mac ? *peer.to_mac : find_neighbor(interface, route.next_hop, kResolveTimeout);
    return endpoints;
}

}  // namespace weir::gen
