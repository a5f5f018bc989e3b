// SPDX-License-Identifier: BSD-3-Clause
// UDP datagrams that this switch sends over a link to the peer there: TTL 255 (RFC 5082), DSCP CS6.
#pragma once

#include <cstdint>

#include "dataplane/core/protocols.h"
#include "dataplane/core/tables.h"

namespace weir {

struct DatagramPorts {
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint16_t payload_bytes = 0;
};

// Where in the frame the payload stands.
[[nodiscard]] constexpr std::uint16_t datagram_payload_at(const IpAddress& peer) {
    return static_cast<std::uint16_t>(kEthernetBytes + (peer.is_v4() ? kIpv4BytesMin : kIpv6Bytes) +
                                      kUdpBytes);
}

// Writes all that stands before the payload but for the UDP checksum. `rewrite`: destination and
// source MAC.
void write_datagram_headers(const Tables& tables, PortId port, const IpAddress& peer,
                            const std::uint8_t* rewrite, const DatagramPorts& ports,
                            std::uint8_t* frame);

// The payload is there: writes the UDP checksum.
void finish_datagram(std::uint8_t* frame);

}  // namespace weir
