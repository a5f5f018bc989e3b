// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/drop_reason.h"

#include <array>

namespace weir {

namespace {

constexpr std::array<std::string_view, kDropReasons> kTexts = {
    "Ethernet truncated",
    "frame too long",
    "source MAC invalid",
    "VLAN tag truncated",
    "IPv4 truncated",
    "IPv4 header invalid",
    "IPv4 checksum wrong",
    "IPv6 truncated",
    "IPv6 header invalid",
    "UDP truncated",
    "BTH truncated",
    "ARP malformed",
    "ICMP malformed",
    "neighbor discovery malformed",
    "MAC control truncated",
    "MAC control opcode unknown",
    "link local group address",
    "session packet refused",
    "VLAN not member",
    "destination on ingress port",
    "no other port in VLAN",
    "destination MAC not ours",
    "protocol not routed",
    "address invalid",
    "multicast not routed",
    "TTL expired",
    "no route",
    "no usable next hop",
    "route is blackhole",
    "neighbor unresolved",
    "neighbor queue full",
    "neighbor table full",
    "frame too long for port",
    "no such service",
    "control consumed",
    "shared buffer full",
    "headroom full",
    "early drop",
    "queue full",
    "queue memory exhausted",
    "pause storm",
    "port down",
    "port removed",
    "hand off full",
    "frame memory exhausted",
    "fault injected",
};
static_assert(!kTexts.back().empty(), "a text for every reason");

}  // namespace

std::string_view drop_reason_text(DropReason reason) {
    return kTexts[static_cast<unsigned>(reason)];
}

}  // namespace weir
