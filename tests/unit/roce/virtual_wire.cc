// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/roce/virtual_wire.h"

#include <gtest/gtest.h>

#include "tools/roce/frame_reader.h"
#include "tools/roce/packet.h"
#include "tools/roce/packet_reader.h"

namespace weir::roce {
namespace {

// The transport headers of a frame of which only the headers may be there.
Frame headers_of(std::span<const std::uint8_t> bytes, const HostConfig& to) {
    Packet packet;
    Frame frame;
    if (read_headers(to, bytes, packet) != PacketError::None) return frame;
    frame.dscp = packet.dscp;
    frame.ecn = packet.ecn;
    frame.bth = {.opcode = packet.opcode,
                 .becn = packet.becn,
                 .destination_qp = packet.destination_qp,
                 .ack_request = packet.ack_request,
                 .psn = packet.psn};
    frame.reth = packet.reth;
    frame.aeth = packet.aeth;
    frame.immediate = packet.immediate;
    return frame;
}

// Congestion experienced, with the checksum that goes with it (RFC 1624).
void mark(Bytes& ipv4) {
    const unsigned before = ipv4[15];
    if ((before & 3) == 0) return;
    ipv4[15] |= kEcnCongestion;
    const unsigned checksum = unsigned{ipv4[24]} << 8 | ipv4[25];
    unsigned sum = (~checksum & 0xffff) + (ipv4[15] - before);
    sum = (sum & 0xffff) + (sum >> 16);
    ipv4[24] = static_cast<std::uint8_t>(~sum >> 8);
    ipv4[25] = static_cast<std::uint8_t>(~sum);
}

}  // namespace

MacAddress mac_of(unsigned end) {
    return {{0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(end + 1)}};
}

IpAddress ip_of(unsigned end) {
    return {{10, 77, 0, static_cast<std::uint8_t>(end + 1)}};
}

VirtualWire::VirtualWire(HostConfig common) {
    for (unsigned end = 0; end < 2; ++end) {
        common.mac = mac_of(end);
        common.ip = ip_of(end);
        ends.emplace_back(common);
    }
}

QpNumber VirtualWire::connect(const QpProfile& profile, std::uint32_t psn_0, std::uint32_t psn_1) {
    const std::array<std::uint32_t, 2> psn{psn_0, psn_1};
    QpNumber number = 0;
    for (unsigned end = 0; end < 2; ++end) {
        number = ends[end].add_qp({.profile = &profile,
                                   .peer_ip = ip_of(1 - end),
                                   .next_hop = mac_of(1 - end),
                                   .first_psn_sent = psn[end],
                                   .first_psn_received = psn[1 - end]});
        ends[end].set_peer_qp(number, number);
    }
    return number;
}

void VirtualWire::run(Time end) {
    for (unsigned side = 0; side < 2; ++side) send_all(side);
    for (auto at = next_instant(); at && *at <= end; at = next_instant()) {
        ASSERT_LT(++steps, 2'000'000u) << "it does not come to rest";
        if (*at > now) now = *at;
        arrive();
        for (unsigned side = 0; side < 2; ++side) send_all(side);
    }
}

std::optional<Time> VirtualWire::next_instant() const {
    std::optional<Time> first;
    if (!arrivals_.empty()) first = arrivals_.top().at;
    for (const HostPort& port : ends) {
        const std::optional<Time> due = port.next_deadline();
        if (due && (!first || *due < *first)) first = due;
    }
    return first;
}

void VirtualWire::deliver(unsigned end, std::span<const std::uint8_t> arriving) {
    Bytes copy(arriving.begin(), arriving.end());
    const weir::Frame frame{.data = copy.data(),
                            .length = static_cast<std::uint16_t>(copy.size()),
                            .readable = static_cast<std::uint16_t>(copy.size())};
    ends[end].receive(now, std::span(&frame, 1));
}

void VirtualWire::arrive() {
    while (!arrivals_.empty() && arrivals_.top().at <= now) {
        Arrival arrival = arrivals_.top();
        arrivals_.pop();
        const weir::Frame frame{.data = arrival.bytes.data(),
                                .length = arrival.length,
                                .readable = static_cast<std::uint16_t>(arrival.bytes.size())};
        ends[arrival.end].receive(now, std::span(&frame, 1));
    }
}

void VirtualWire::send_all(unsigned end) {
    std::array<std::uint8_t, kFrameBytesMax> room{};
    while (const std::optional<OutFrame> out = ends[end].next(now, room)) {
        const std::span<const std::uint8_t> leaving = std::span(room).first(out->readable);
        if (keep_bytes) bytes.emplace_back(leaving.begin(), leaving.end());
        seen.push_back({now, end, *out, headers_of(leaving, ends[1 - end].config())});
        const Fate copies = fate ? fate(seen.back(), seen.size() - 1) : Fate{Interval{}};
        for (const Interval later : copies) {
            Bytes arriving(leaving.begin(), leaving.end());
            if (mark_ce) mark(arriving);
            arrivals_.push({ends[end].busy_until() + delay + later, order_++, 1 - end,
                            std::move(arriving), out->length});
        }
    }
    const std::span<const Completion> finished = ends[end].completions();
    completions[end].insert(completions[end].end(), finished.begin(), finished.end());
    ends[end].clear_completions();
}

std::vector<Seen> VirtualWire::seen_from(unsigned end) const {
    std::vector<Seen> some;
    for (const Seen& one : seen) {
        if (one.from == end) some.push_back(one);
    }
    return some;
}

std::vector<std::uint32_t> VirtualWire::psns_from(unsigned end) const {
    std::vector<std::uint32_t> psns;
    for (const Seen& one : seen_from(end)) psns.push_back(one.frame.bth.psn);
    return psns;
}

}  // namespace weir::roce
