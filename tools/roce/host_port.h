// SPDX-License-Identifier: BSD-3-Clause
// A host's RoCEv2 port: queue pairs behind one link. Like a switch port it is driven by time and
// bursts and has no clock, thread or socket inside: the lab drives it in virtual time, a program on
// a real port with the time of its loop turn.
//
//     host.receive(now, burst);                        what has arrived
//     while (auto out = host.next(now, room)) ...      what starts to leave now
//     host.completions(), host.clear_completions()     what has been finished
//     host.next_deadline()                             when to call next() at the latest
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dataplane/core/frame.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"
#include "tools/roce/queue_pair_types.h"

namespace weir::roce {

enum class FrameKind : std::uint8_t {
    Whole,        // all wire bytes with the right ICRC, checked on arrival
    HeadersOnly,  // Ethernet to the last transport header; the wire length is a number beside them
};

// Headers of a frame: Ethernet 14 + tag 4 + IPv6 40 + UDP 8 + BTH 12 + RETH 16 + immediate 4 = 98;
// our own control frames of 60 B fit as well.
inline constexpr std::size_t kHeadersBytesMax = 98;

inline constexpr QpNumber kQpNumberFirst = 16;  // 0 and 1 are special (IBTA 3.9.5)

// Priority = DSCP / 8, the class selectors of RFC 2474.
[[nodiscard]] constexpr std::array<Priority, 64> dscp_priority_default() {
    std::array<Priority, 64> map{};
    for (unsigned i = 0; i < map.size(); ++i) map[i] = static_cast<Priority>(i / 8);
    return map;
}

// How fast the host takes what arrives, and the PFC that it sends when that is too slow.
struct ReceiverConfig {
    std::uint64_t drain_bps = 0;       // per priority; 0: as fast as it comes
    std::uint64_t xoff_bytes = 0;      // pause a priority when more is held; 0: never
    std::uint64_t xon_bytes = 0;       // resume when no more is held
    std::uint64_t capacity_bytes = 0;  // a frame that does not fit is dropped; 0: no limit
    std::uint16_t pause_quanta = 0xffff;
};

struct HostConfig {
    MacAddress mac{};
    IpAddress ip{};
    std::uint64_t speed_bps = 100'000'000'000;
    // What a frame takes on the link beside its bytes: preamble 8, FCS 4, gap 12.
    unsigned framing_bytes = 24;
    FrameKind frame_kind = FrameKind::Whole;
    std::uint8_t pfc_priorities = 0xff;  // bit p: pauses of priority p are obeyed
    // From the last bit of a pause frame to the first instant at which it holds.
    Interval pause_response{};
    // How far behind its schedule the port may catch up at once: 0 in virtual time, about a loop
    // turn in real time.
    Interval catch_up{};
    ReceiverConfig receiver{};
    // Of arriving frames.
    std::array<Priority, 64> dscp_priority = dscp_priority_default();
};

struct OutFrame {
    std::uint16_t length = 0;    // on the wire, without FCS
    std::uint16_t readable = 0;  // bytes written to the caller's room
    Priority priority = 0;
    QpNumber qp = 0;  // the sender's; 0: a frame of the port itself
};

struct HostCounters {
    std::uint64_t frames_sent = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t pause_frames_received = 0;  // PFC
    std::uint64_t pause_frames_sent = 0;
    std::uint64_t link_pauses_received = 0;  // 802.3x: counted, not obeyed
    std::uint64_t arp_replies_sent = 0;
    // Dropped, by reason.
    std::uint64_t not_for_us = 0;  // another MAC, protocol or address
    std::uint64_t malformed = 0;
    std::uint64_t unsupported = 0;  // opcodes of other services, atomics
    std::uint64_t icrc_wrong = 0;
    std::uint64_t unknown_qp = 0;  // or one in error
    std::uint64_t receiver_full = 0;
};

class HostPort {
  public:
    explicit HostPort(const HostConfig& config);
    ~HostPort();
    HostPort(HostPort&&) noexcept;
    HostPort& operator=(HostPort&&) noexcept;

    // Numbers are given in order from kQpNumberFirst.
    QpNumber add_qp(const QpConfig& config);
    // For a peer that got its number later than our own queue pair was added.
    void set_peer_qp(QpNumber qp, QpNumber peer_qp);
    void add_memory(const MemoryRegion& region);
    void set_receiver(Time now, const ReceiverConfig& receiver);

    void post(Time now, QpNumber qp, const WorkRequest& request);
    void post_receive(QpNumber qp, const ReceiveRequest& request);

    // Frames that have arrived in full; they stay the caller's. Of each, data, length and readable
    // count.
    void receive(Time now, std::span<const weir::Frame> burst);

    // The frame whose first bit leaves now, if there is one, written to `room`: kFrameBytesMax
    // bytes for whole frames, kHeadersBytesMax for headers. The port is then busy until
    // busy_until(). Also does what timers ask for, so call it at next_deadline().
    std::optional<OutFrame> next(Time now, std::span<std::uint8_t> room);
    [[nodiscard]] Time busy_until() const;

    // When next() may have something to do if nothing arrives and nothing is posted before; may be
    // past. Empty: never.
    [[nodiscard]] std::optional<Time> next_deadline() const;

    // In order of time, since the last clear_completions().
    [[nodiscard]] std::span<const Completion> completions() const;
    void clear_completions();

    [[nodiscard]] const HostConfig& config() const;
    [[nodiscard]] const HostCounters& counters() const;
    [[nodiscard]] const QpCounters& counters(QpNumber qp) const;
    [[nodiscard]] QpState state(QpNumber qp) const;
    // The sending rate that DCQCN allows the queue pair.
    [[nodiscard]] std::uint64_t rate_bps(Time now, QpNumber qp);
    // Bit p: the switch has paused priority p.
    [[nodiscard]] std::uint8_t paused(Time now);
    // What a slow receiver has not taken yet.
    [[nodiscard]] std::uint64_t held_bytes(Time now, Priority priority) const;
    // Of all queue pairs, in order and without duplicates.
    [[nodiscard]] std::uint64_t payload_bytes_received() const;
    // Nothing posted is left unfinished.
    [[nodiscard]] bool idle() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weir::roce
