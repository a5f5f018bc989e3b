// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "dataplane/core/effects.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {

struct EthernetHeader {
    MacAddress destination;
    MacAddress source;
    std::uint16_t ether_type = 0;
};

inline void write_ethernet(std::uint8_t* at, const EthernetHeader& header) {
    write_mac(at, header.destination);
    write_mac(at + kMacBytes, header.source);
    write_be16(at + 2 * kMacBytes, header.ether_type);
}

// Adds an own frame for `port` with its Ethernet header written and `payload_bytes` of zeros to be
// filled in behind it, padded to the shortest frame. There must be room in out.own.
[[nodiscard]] inline OwnFrame& add_own_frame(Effects& out, PortId port,
                                             const EthernetHeader& header,
                                             std::uint16_t payload_bytes) {
    OwnFrame& own = out.own.push_slot();
    const unsigned bytes = unsigned{kEthernetBytes} + payload_bytes;
    WEIR_CHECK(bytes <= own.bytes.size());
    own.out_port = port;
    own.priority = kOwnAnswerPriority;
    own.length = static_cast<std::uint16_t>(std::max<unsigned>(bytes, kEthernetFrameBytesMin));
    std::fill_n(own.bytes.begin(), own.length, std::uint8_t{0});
    write_ethernet(own.bytes.data(), header);
    return own;
}

}  // namespace weir
