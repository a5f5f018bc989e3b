// SPDX-License-Identifier: BSD-3-Clause
// Every limit of the data plane, with its arithmetic. Arrays are sized by these and loops are
// bounded by these; what an operator may ask for is checked against them in config/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

// A lab spine has 256 ports; a port set is then four 64-bit words and a look-up a few ANDs.
inline constexpr unsigned kPortsMax = 256;
inline constexpr unsigned kShardsMax = 16;  // workers that may share one switch
inline constexpr unsigned kPriorities = 8;  // 802.1Q clause 6.9.3: priority is three bits
inline constexpr unsigned kVlans = 4096;    // 802.1Q clause 9.6: VID is twelve bits

// Frames of one receive call, one offer and one hand-off burst. 32 mbuf pointers fill four cache
// lines and 32 descriptors of 32 bytes fit into 1 KiB of L1; testpmd and DPDK's drivers use the
// same number.
inline constexpr unsigned kBurstMax = 32;

// A queue is a chain of blocks of this many frames (32 x 32 B = 1 KiB + 64 B of chain header).
inline constexpr unsigned kQueueBlockFrames = 32;

// 802.3 frames without FCS: 60 B is the shortest on the wire (64 with FCS).
inline constexpr std::uint16_t kEthernetFrameBytesMin = 60;
// RoCE MTU 4096 + BTH 12 + RETH 16 + immediate 4 + ICRC 4 + UDP 8 + IPv6 40 + Ethernet 14 + tag 4 =
// 4198.
inline constexpr std::uint16_t kFrameBytesDefault = 4200;
inline constexpr std::uint16_t kFrameBytesMax = 9216 + 18;  // jumbo MTU 9216 + Ethernet + one tag
// Bytes that may be written before a frame's first byte: one 802.1Q tag is pushed there. DPDK's own
// headroom (RTE_PKTMBUF_HEADROOM) is 128.
inline constexpr std::uint16_t kFrameHeadroomBytes = 64;

// Own frames (ARP, ND, ICMP errors): the longest is an ICMPv6 error that quotes 512 B.
inline constexpr std::uint16_t kOwnFrameBytesMax = 640;

// Own frames that may wait on one port, of each of the two kinds (egress_queues.h): 1,092 answers
// to ARP, or as many PFC frames. A call of the shard makes at most one PFC frame per port.
inline constexpr std::uint64_t kOwnQueueBytesMax = 64 * 1024;

inline constexpr unsigned kMacEntriesMax = 32768;  // 16,000 MACs are promised: load <= 50 %
inline constexpr unsigned kGatewaysMax = 4096;     // distinct (port, gateway address) pairs
inline constexpr unsigned kNeighborsMax = 8192;    // gateways and directly connected hosts
inline constexpr unsigned kNextHopsMax = 128;      // members of one next-hop set
inline constexpr unsigned kRoutesMax = 1u << 20;   // leaves hold 24 bits of route index
// Prefixes that may be told apart when a peer says that it has lost some: a ToR holds thousands,
// and two reloads may hold three sets of them. One port set each: 2 MiB in all.
inline constexpr unsigned kDestinationGroupsMax = 65'536;
inline constexpr unsigned kAddressesPerPortMax = 8;
// Frames that wait for one neighbor's MAC (RFC 1122 2.3.2.2 asks for at least one), and for all.
inline constexpr unsigned kPendingPerNeighborMax = 4;
inline constexpr unsigned kPendingFramesMax = 256;

}  // namespace weir
