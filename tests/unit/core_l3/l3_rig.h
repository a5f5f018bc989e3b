// SPDX-License-Identifier: BSD-3-Clause
// One shard's state with three ports, as the steps of a frame's life see it, and frames that are
// written out as bytes.
//
//   port 0  routed  02:00:00:00:00:a0  192.0.2.1/24     2001:db8:0:a::1/64
//   port 1  routed  02:00:00:00:00:a1  198.51.100.1/24  2001:db8:0:b::1/64
//   port 2  routed, of another shard   203.0.113.1/24
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

using Octets = std::vector<std::uint8_t>;

// Bytes from hexadecimal text; white space is ignored.
[[nodiscard]] Octets octets(std::string_view hex);

inline constexpr MacAddress kPort0Mac{0x0200'0000'00a0};
inline constexpr MacAddress kPort1Mac{0x0200'0000'00a1};
inline constexpr MacAddress kHostMac{0x0200'0000'00b1};
inline constexpr MacAddress kOtherMac{0x0200'0000'00b2};
inline constexpr IpAddress kHost = IpAddress::v4(0xc000'0232);      // 192.0.2.50
inline constexpr IpAddress kHostV6{0x2001'0db8'0000'000a, 0x0050};  // 2001:db8:0:a::50

class L3Rig {
  public:
    explicit L3Rig(std::uint32_t neighbors_max = 32);

    // A received frame with `bytes`, which it owns until the rig goes.
    Frame& frame(Octets bytes, PortId in_port = 0);
    [[nodiscard]] Octets bytes_of(const Frame& frame) const;

    // The oldest frame queued for the port; empty when there is none.
    [[nodiscard]] Octets sent(PortId port);
    // The only own frame in `out`, with its port; empty (and a failed expectation) when there is
    // not exactly one.
    [[nodiscard]] Octets only_own(PortId port);
    [[nodiscard]] std::uint64_t drops(PortId port, DropReason reason) const;
    // Empties `out`.
    void clear() const;

    // A neighbor that `state` knows; kNoNeighbor when it does not.
    [[nodiscard]] std::uint32_t slot_of(const IpAddress& address, PortId port = 0) const;
    [[nodiscard]] NeighborState state_of(const IpAddress& address, PortId port = 0) const;
    // Adds a gateway or a static neighbor to the tables; adopt_neighbors() makes it known.
    void add_gateway(const IpAddress& address, PortId port = 0);

    std::array<PortTable, kPortsMax> ports;
    std::vector<PortAddress> addresses;
    std::vector<Gateway> gateways;
    std::vector<StaticNeighbor> static_neighbors;
    Tables tables;
    Condition condition;
    ShardState state;
    std::unique_ptr<Effects> effects = std::make_unique<Effects>();
    Effects& out = *effects;

    // Points the tables' spans to the vectors above again.
    void refresh_tables();

    // Bytes that stand on the account of all priority groups.
    [[nodiscard]] Bytes held_bytes() const { return kPoolBytes - state.buffer.free_bytes(); }

  private:
    static constexpr Bytes kPoolBytes = 1'000'000;

    std::array<BufferProfile, kPortsMax * kPriorities> groups_;
    std::array<EgressTable, kPortsMax> egress_;
    std::unique_ptr<std::byte[]> memory_;
    struct Held {
        Octets bytes;
        Frame frame;
    };
    std::deque<Held> held_;
};

}  // namespace weir
