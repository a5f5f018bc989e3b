// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the RoCEv2 wire format: InfiniBand transport headers (IBTA 1.4 volume 1, chapter 9)
// over UDP (annex A17).
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::roce {

inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86dd;
inline constexpr std::uint16_t kEtherTypeVlan = 0x8100;
inline constexpr std::uint8_t kIpProtocolUdp = 17;
inline constexpr std::uint16_t kRoceUdpPort = 4791;

inline constexpr std::size_t kEthernetBytes = 14;
inline constexpr std::size_t kVlanTagBytes = 4;
inline constexpr std::size_t kIpv4Bytes = 20;  // without options
inline constexpr std::size_t kIpv4BytesMax = 60;
inline constexpr std::size_t kIpv6Bytes = 40;
inline constexpr std::size_t kUdpBytes = 8;
inline constexpr std::size_t kBthBytes = 12;
inline constexpr std::size_t kDethBytes = 8;
inline constexpr std::size_t kRethBytes = 16;
inline constexpr std::size_t kAtomicEthBytes = 28;
inline constexpr std::size_t kAethBytes = 4;
inline constexpr std::size_t kAtomicAckEthBytes = 8;
inline constexpr std::size_t kImmediateBytes = 4;
inline constexpr std::size_t kCnpReservedBytes = 16;
inline constexpr std::size_t kIcrcBytes = 4;

// The shortest Ethernet frame is 64 B with its 4 B FCS, which no buffer here holds.
inline constexpr std::size_t kEthernetFrameBytesMin = 60;
// IB allows payloads up to an MTU of 4096 B; what comes around it is at most Ethernet 14, tag 4,
// IPv6 40, UDP 8, BTH 12, the largest pair of extended headers (DETH 8 + AtomicETH 28 never occur
// together; RETH 16 + immediate 4 = 20 < 28), ICRC 4: 4096 + 14 + 4 + 40 + 8 + 12 + 28 + 4 = 4206.
inline constexpr std::size_t kPayloadBytesMax = 4096;
inline constexpr std::size_t kFrameBytesMax = 4206;

inline constexpr std::uint32_t kPsnMask = 0xff'ffff;  // PSN, MSN and QP numbers have 24 bits
inline constexpr std::uint16_t kDefaultPartitionKey = 0xffff;
// The first UDP source port of the range that RoCEv2 end points use for entropy.
inline constexpr std::uint16_t kSourcePortFirst = 0xc000;

enum class Opcode : std::uint8_t {
    SendFirst = 0x00,
    SendMiddle = 0x01,
    SendLast = 0x02,
    SendLastImmediate = 0x03,
    SendOnly = 0x04,
    SendOnlyImmediate = 0x05,
    WriteFirst = 0x06,
    WriteMiddle = 0x07,
    WriteLast = 0x08,
    WriteLastImmediate = 0x09,
    WriteOnly = 0x0a,
    WriteOnlyImmediate = 0x0b,
    ReadRequest = 0x0c,
    ReadResponseFirst = 0x0d,
    ReadResponseMiddle = 0x0e,
    ReadResponseLast = 0x0f,
    ReadResponseOnly = 0x10,
    Acknowledge = 0x11,
    AtomicAcknowledge = 0x12,
    CompareSwap = 0x13,
    FetchAdd = 0x14,
    UdSendOnly = 0x64,
    UdSendOnlyImmediate = 0x65,
    CongestionNotification = 0x81,
};

// The transport service is the top three bits of the opcode.
inline constexpr std::uint8_t kServiceMask = 0xe0;
inline constexpr std::uint8_t kServiceReliable = 0x00;
inline constexpr std::uint8_t kServiceUnreliable = 0x20;

// AETH syndromes: the top three bits say which kind, the rest holds credits, timer or NAK code.
inline constexpr std::uint8_t kSyndromeAck = 0x00;
inline constexpr std::uint8_t kSyndromeRnrNak = 0x20;
inline constexpr std::uint8_t kSyndromeNakSequence = 0x60;
inline constexpr std::uint8_t kSyndromeNakInvalid = 0x61;  // invalid request
inline constexpr std::uint8_t kSyndromeNakAccess = 0x62;   // remote access error
// "No credits are counted here": the low bits of an ACK's syndrome.
inline constexpr std::uint8_t kCreditsNone = 0x1f;

// What follows the BTH, in this order.
struct ExtendedHeaders {
    bool deth = false;
    bool reth = false;
    bool atomic_eth = false;
    bool aeth = false;
    bool atomic_ack_eth = false;
    bool immediate = false;
    bool cnp_reserved = false;

    constexpr std::size_t bytes() const {
        return (deth ? kDethBytes : 0) + (reth ? kRethBytes : 0) +
               (atomic_eth ? kAtomicEthBytes : 0) + (aeth ? kAethBytes : 0) +
               (atomic_ack_eth ? kAtomicAckEthBytes : 0) + (immediate ? kImmediateBytes : 0) +
               (cnp_reserved ? kCnpReservedBytes : 0);
    }
};

// For an opcode that is not in the enumeration: no extended header, all of it is payload. UC uses
// the numbers of RC in its own service range.
constexpr ExtendedHeaders extended_headers(Opcode opcode) {
    auto number = static_cast<std::uint8_t>(opcode);
    if ((number & kServiceMask) == kServiceUnreliable) number ^= kServiceUnreliable;
    switch (static_cast<Opcode>(number)) {
        case Opcode::SendLastImmediate:
        case Opcode::SendOnlyImmediate:
        case Opcode::WriteLastImmediate:
            return {.immediate = true};
        case Opcode::WriteFirst:
        case Opcode::WriteOnly:
        case Opcode::ReadRequest:
            return {.reth = true};
        case Opcode::WriteOnlyImmediate:
            return {.reth = true, .immediate = true};
        case Opcode::ReadResponseFirst:
        case Opcode::ReadResponseLast:
        case Opcode::ReadResponseOnly:
        case Opcode::Acknowledge:
            return {.aeth = true};
        case Opcode::AtomicAcknowledge:
            return {.aeth = true, .atomic_ack_eth = true};
        case Opcode::CompareSwap:
        case Opcode::FetchAdd:
            return {.atomic_eth = true};
        case Opcode::UdSendOnly:
            return {.deth = true};
        case Opcode::UdSendOnlyImmediate:
            return {.deth = true, .immediate = true};
        case Opcode::CongestionNotification:
            return {.cnp_reserved = true};
        default:
            return {};
    }
}

}  // namespace weir::roce
