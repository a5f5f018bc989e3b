// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/next_hop.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <linux/neighbour.h>
#include <sys/socket.h>

#include "tools/gen/clock.h"
#include "tools/gen/failure.h"
#include "tools/gen/route_socket.h"
#include "tools/gen/stop_signal.h"
#include "tools/roce/address.h"

namespace weir::gen {
namespace {

constexpr std::chrono::milliseconds kPollInterval{20};
constexpr unsigned kStatesWithAddress =
    NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT | NUD_NOARP;

std::uint8_t family_of(const roce::IpAddress& address) {
    return address.ipv6 ? AF_INET6 : AF_INET;
}

roce::IpAddress address_from(std::span<const std::uint8_t> value) {
    roce::IpAddress address{.ipv6 = value.size() == 16};
    std::ranges::copy(value.first(std::min<std::size_t>(value.size(), 16)), address.bytes.begin());
    return address;
}

// RTA_VIA: family (two bytes, not needed, the length tells it), then the address.
roce::IpAddress address_from_via(std::span<const std::uint8_t> value) {
    return address_from(value.subspan(std::min<std::size_t>(value.size(), 2)));
}

ndmsg neighbor_message(const Interface& interface, const roce::IpAddress& neighbor) {
    ndmsg body{};
    body.ndm_family = family_of(neighbor);
    body.ndm_ifindex = interface.index;
    return body;
}

std::optional<roce::MacAddress> known_mac(RouteSocket& kernel, const Interface& interface,
                                          const roce::IpAddress& neighbor) {
    RouteRequest request(RTM_GETNEIGH, 0, neighbor_message(interface, neighbor));
    request.add(NDA_DST, neighbor.wire());
    int error = 0;
    const std::vector<std::uint8_t> answer = kernel.ask(std::move(request), error);
    if ((body_of<ndmsg>(answer).ndm_state & kStatesWithAddress) == 0) return std::nullopt;
    std::optional<roce::MacAddress> mac;
    for_each_attribute(answer, sizeof(ndmsg), [&](auto type, auto value) {
        if (type != NDA_LLADDR || value.size() != roce::MacAddress{}.bytes.size()) return;
        std::ranges::copy(value, mac.emplace().bytes.begin());
    });
    return mac;
}

// Makes the kernel ask on the link, as if a packet for the neighbor were there.
void start_resolution(RouteSocket& kernel, const Interface& interface,
                      const roce::IpAddress& neighbor) {
    ndmsg body = neighbor_message(interface, neighbor);
    body.ndm_flags = NTF_USE;
    RouteRequest request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_ACK, body);
    request.add(NDA_DST, neighbor.wire());
    int error = 0;
    kernel.ask(std::move(request), error);
    if (error == 0) return;
    throw Failure("cannot resolve " + to_string(neighbor) + " (" +
                  std::generic_category().message(error) + "): give --to-mac");
}

}  // namespace

Route find_route(const Interface& interface, const roce::IpAddress& destination) {
    rtmsg body{};
    body.rtm_family = family_of(destination);
    body.rtm_dst_len = destination.ipv6 ? 128 : 32;
    RouteRequest request(RTM_GETROUTE, 0, body);
    request.add(RTA_DST, destination.wire());
    request.add(RTA_OIF, interface.index);
    RouteSocket kernel;
    int error = 0;
    const std::vector<std::uint8_t> answer = kernel.ask(std::move(request), error);
    const std::string what = "route to " + to_string(destination) + " on " + interface.name;
    if (error != 0) {
        throw Failure("no " + what + " (" + std::generic_category().message(error) +
                      "): add one, or give --to-mac and --from");
    }
    if (body_of<rtmsg>(answer).rtm_type != RTN_UNICAST) {
        throw Failure("the " + what + " is not a unicast route: give --to-mac and --from");
    }
    Route route{.next_hop = destination, .source = {.ipv6 = destination.ipv6}};
    for_each_attribute(answer, sizeof(rtmsg), [&](auto type, auto value) {
        if (type == RTA_GATEWAY) route.next_hop = address_from(value);
        if (type == RTA_VIA) route.next_hop = address_from_via(value);
        if (type == RTA_PREFSRC) route.source = address_from(value);
    });
    return route;
}

roce::MacAddress find_neighbor(const Interface& interface, const roce::IpAddress& neighbor,
                               Interval timeout) {
    RouteSocket kernel;
    const Time deadline = now() + timeout;
    std::optional<roce::MacAddress> mac = known_mac(kernel, interface, neighbor);
    while (!mac) {
        start_resolution(kernel, interface, neighbor);
        if (now() > deadline || stop_requested()) {
            throw Failure("no answer from " + to_string(neighbor) + " on " + interface.name +
                          ": is it up? give --to-mac otherwise");
        }
        std::this_thread::sleep_for(kPollInterval);
        mac = known_mac(kernel, interface, neighbor);
    }
    return *mac;
}

}  // namespace weir::gen
