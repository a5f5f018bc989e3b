// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/failover_stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "tests/bench/failover_fabric.h"
#include "tools/roce/frame_writer.h"

namespace weir::bench {
namespace {

constexpr std::size_t kPayloadBytes = 64;
// Behind Ethernet, IPv4, UDP and BTH stands the frame's number. The ICRC at the end does not cover
// it: no switch looks at either.
constexpr std::size_t kNumberOffset = 14 + 20 + 8 + 12;
// A thread that was away for longer does not send what it missed: that would be a burst.
constexpr Interval kLateMax = Interval::microseconds(200);
constexpr std::uint8_t kDscp = 26;

roce::MacAddress wire_mac(MacAddress mac) {
    roce::MacAddress wire;
    for (unsigned i = 0; i < 6; ++i) {
        wire.bytes[i] = static_cast<std::uint8_t>(mac.value >> (40 - 8 * i));
    }
    return wire;
}

roce::IpAddress wire_address(unsigned leaf) {
    return {.bytes = {10, static_cast<std::uint8_t>(leaf), 0, 2}};
}

}  // namespace

Stream::Stream(const Clock& clock, rte_mempool* pool, const StreamEnds& ends)
    : clock_(&clock),
      pool_(pool),
      ends_(ends),
      next_send_(clock.now()),
      last_turn_(next_send_),
      last_arrival_(next_send_) {
    use_source_port(roce::kSourcePortFirst);
}

void Stream::use_source_port(std::uint16_t port) {
    const std::array<std::uint8_t, kPayloadBytes> payload{};
    roce::Frame frame;
    frame.destination_mac = wire_mac(ends_.gateway);
    frame.source_mac = wire_mac(host_mac(1));
    frame.source = wire_address(1);
    frame.destination = wire_address(2);
    frame.dscp = kDscp;
    frame.source_port = port;
    frame.bth.destination_qp = 0x11;
    frame.payload = payload;
    frame_.resize(roce::frame_bytes(frame));
    roce::write_frame(frame, frame_);
}

void Stream::run(Interval span) {
    const Time end = clock_->now() + span;
    last_turn_ = clock_->now();
    for (Time now = last_turn_; now < end; now = clock_->now()) {
        tally_.own_pause = std::max(tally_.own_pause, now - last_turn_);
        last_turn_ = now;
        if (now - next_send_ > kLateMax) next_send_ = now;
        if (next_send_ <= now) send();
        receive(now);
    }
}

Tally Stream::take() {
    const Tally taken = tally_;
    tally_ = {};
    return taken;
}

void Stream::send() {
    next_send_ = next_send_ + ends_.interval;
    rte_mbuf* mbuf = rte_pktmbuf_alloc(pool_);
    if (mbuf == nullptr) return;
    char* data = rte_pktmbuf_append(mbuf, static_cast<std::uint16_t>(frame_.size()));
    std::memcpy(data, frame_.data(), frame_.size());
    std::memcpy(data + kNumberOffset, &next_number_, sizeof next_number_);
    if (rte_eth_tx_burst(ends_.sending_ethdev, 0, &mbuf, 1) == 0) {
        rte_pktmbuf_free(mbuf);
        return;
    }
    ++next_number_;
    ++tally_.sent;
}

void Stream::receive(Time now) {
    std::array<rte_mbuf*, 32> mbufs;
    const unsigned count = rte_eth_rx_burst(ends_.receiving_ethdev, 0, mbufs.data(), mbufs.size());
    for (unsigned i = 0; i < count; ++i) {
        const auto* data = rte_pktmbuf_mtod(mbufs[i], const std::uint8_t*);
        // What else the leaf sends to its host (ARP) is shorter.
        if (rte_pktmbuf_data_len(mbufs[i]) == frame_.size()) {
            std::uint32_t number = 0;
            std::memcpy(&number, data + kNumberOffset, sizeof number);
            this->count(now, number);
        }
        rte_pktmbuf_free(mbufs[i]);
    }
}

void Stream::count(Time now, std::uint32_t number) {
    ++tally_.received;
    tally_.gap = std::max(tally_.gap, now - last_arrival_);
    if (number < expected_) {
        ++tally_.overtaken;
        if (tally_.lost > 0) --tally_.lost;
    } else {
        if (number > expected_) {
            tally_.lost += number - expected_;
            tally_.outage = std::max(tally_.outage, now - last_arrival_);
        }
        expected_ = number + 1;
    }
    last_arrival_ = now;
}

}  // namespace weir::bench
