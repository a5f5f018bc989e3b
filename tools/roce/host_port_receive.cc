// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "dataplane/core/wire.h"
#include "tools/roce/host_port_impl.h"
#include "tools/roce/packet_reader.h"

namespace weir::roce {
namespace {

constexpr std::uint16_t kEtherTypeMacControl = 0x8808;
constexpr std::uint16_t kEtherTypeArp = 0x0806;

// Of an ARP packet for IPv4 over Ethernet (RFC 826).
constexpr std::size_t kArpOperation = 6;
constexpr std::size_t kArpSenderMac = 8;
constexpr std::size_t kArpSenderIp = 14;
constexpr std::size_t kArpTargetMac = 18;
constexpr std::size_t kArpTargetIp = 24;
constexpr std::size_t kArpBytes = 28;

// Replies that may wait for the port: who asks again gets an answer.
constexpr std::size_t kOwnFramesMax = 64;

}  // namespace

void HostPort::Impl::receive(Time now, const weir::Frame& frame) {
    start(now);
    ++counters.frames_received;
    counters.bytes_received += frame.length;
    if (frame.readable < kEthernetBytes) {
        ++counters.malformed;
        return;
    }
    const std::uint16_t type = read_be16(frame.data + 12);
    if (type == kEtherTypeMacControl) return mac_control_heard(now, frame);
    if (type == kEtherTypeArp) return arp_heard(frame);

    const std::span<const std::uint8_t> bytes(frame.data, frame.readable);
    Packet packet;
    const bool whole = config.frame_kind == FrameKind::Whole;
    switch (whole ? read_whole(config, bytes, packet) : read_headers(config, bytes, packet)) {
        case PacketError::None:
            return packet_heard(now, frame.length, packet);
        case PacketError::NotForUs:
            ++counters.not_for_us;
            return;
        case PacketError::Malformed:
            ++counters.malformed;
            return;
        case PacketError::IcrcWrong:
            ++counters.icrc_wrong;
            return;
    }
}

void HostPort::Impl::mac_control_heard(Time now, const weir::Frame& frame) {
    PfcTimes times;
    switch (read_mac_control(frame, kEthernetBytes, times)) {
        case MacControlKind::Pfc:
            ++counters.pause_frames_received;
            pause.heard(now, times);
            return;
        case MacControlKind::Pause:
            ++counters.link_pauses_received;
            return;
        case MacControlKind::UnknownOpcode:
            ++counters.not_for_us;
            return;
        case MacControlKind::Truncated:
            ++counters.malformed;
            return;
    }
}

// Answers who asks for our address; we ask nobody, as each queue pair knows its next hop.
void HostPort::Impl::arp_heard(const weir::Frame& frame) {
    if (frame.readable < kEthernetBytes + kArpBytes) {
        ++counters.malformed;
        return;
    }
    const std::uint8_t* request = frame.data + kEthernetBytes;
    const bool asks_us = !config.ip.ipv6 && read_be16(request + kArpOperation) == 1 &&
                         std::memcmp(request + kArpTargetIp, config.ip.bytes.data(), 4) == 0;
    if (!asks_us || own_.size() >= kOwnFramesMax) {
        ++counters.not_for_us;
        return;
    }
    OwnFrame reply{};
    std::uint8_t* arp = reply.data() + kEthernetBytes;
    std::memcpy(reply.data(), request + kArpSenderMac, 6);
    std::memcpy(reply.data() + 6, config.mac.bytes.data(), 6);
    write_be16(reply.data() + 12, kEtherTypeArp);
    std::memcpy(arp, request, kArpOperation);
    write_be16(arp + kArpOperation, 2);
    std::memcpy(arp + kArpSenderMac, config.mac.bytes.data(), 6);
    std::memcpy(arp + kArpSenderIp, config.ip.bytes.data(), 4);
    std::memcpy(arp + kArpTargetMac, request + kArpSenderMac, 10);  // MAC and IP of who asked
    own_.push(reply);
    ++counters.arp_replies_sent;
}

void HostPort::Impl::packet_heard(Time now, std::uint32_t length, const Packet& packet) {
    if (!receiver.admit(now, config.dscp_priority[packet.dscp & 63], length)) {
        ++counters.receiver_full;
        return;
    }
    QueuePair* qp = find(packet.destination_qp);
    if (qp == nullptr || qp->failed()) {
        ++counters.unknown_qp;
        return;
    }
    give(now, *qp, packet);
    arm(now, *qp);
}

void HostPort::Impl::give(Time now, QueuePair& qp, const Packet& packet) {
    QpTurn here = turn(now, qp);
    if (packet.ecn == kEcnCongestion) marked(now, qp);
    if (is_request(packet.opcode)) {
        qp.responder.request_heard(here, packet, memory);
    } else if (is_read_response(packet.opcode)) {
        qp.requester.read_response_heard(here, packet);
    } else if (packet.opcode == Opcode::Acknowledge) {
        qp.requester.ack_heard(here, packet);
    } else if (packet.opcode == Opcode::CongestionNotification) {
        ++qp.counters.cnps_received;
        if (qp.profile().dcqcn_on) qp.rate.cnp_heard(now, qp.profile().dcqcn);
    } else {
        ++counters.unsupported;
    }
}

void HostPort::Impl::marked(Time now, QueuePair& qp) {
    ++qp.counters.marked_received;
    const QpProfile& profile = qp.profile();
    if (!profile.cnp_on || qp.in_cnps || !qp.cnp_limit.marked(now, profile.cnp_interval)) return;
    qp.in_cnps = true;
    wait_in(profile.cnp_priority, &Waiting::cnps, qp);
}

}  // namespace weir::roce
