// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "dataplane/core/check.h"
#include "tools/roce/host_port_impl.h"

namespace weir::roce {
namespace {

// Network control (7) and CNPs (6) go first, the others take turns.
constexpr std::uint8_t kStrictPriorities = 0xc0;

// Rounded up: a port is never faster than its rate.
Interval wire_time(std::uint64_t bytes, std::uint64_t rate_bps) {
    return {static_cast<std::int64_t>((bytes * kBytePicosecondsAt1Bps + rate_bps - 1) / rate_bps)};
}

}  // namespace

std::optional<OutFrame> HostPort::Impl::next(Time now, std::span<std::uint8_t> room) {
    start(now);
    if (!timers_.empty() && timers_.first().at <= now) run_timers(now);
    if (busy_until > now) return std::nullopt;
    held_back_ = pause.advance(now);
    if (!paced_.empty()) release_paced(now);
    if (receiver.pausing() || !own_.empty()) {
        if (std::optional<OutFrame> own = next_own(now, room)) return own;
    }
    while (const std::optional<Priority> priority =
               choose(static_cast<std::uint8_t>(occupied_ & ~held_back_))) {
        std::optional<OutFrame> frame = next_of(now, *priority, room);
        if (waiting_[*priority].empty()) occupied_ &= static_cast<std::uint8_t>(~(1u << *priority));
        if (frame) return frame;
    }
    return std::nullopt;
}

void HostPort::Impl::run_timers(Time now) {
    while (!timers_.empty() && timers_.first().at <= now) {
        const DeadlineHeap::Entry entry = timers_.first();
        timers_.pop();
        QueuePair& qp = *qps[entry.index];
        if (!qp.timed || qp.timer_at != entry.at) continue;  // an earlier one has taken its place
        qp.timed = false;
        QpTurn here = turn(now, qp);
        qp.requester.timer_expired(here);
        qp.responder.timer_expired(here);
        arm(now, qp);
    }
}

void HostPort::Impl::release_paced(Time now) {
    while (!paced_.empty() && paced_.first().at <= now) {
        QueuePair& qp = *qps[paced_.first().index];
        paced_.pop();
        qp.paced = false;
        arm_data(now, qp);
    }
}

// PFC first: it is late already. Then replies to ARP.
std::optional<OutFrame> HostPort::Impl::next_own(Time now, std::span<std::uint8_t> room) {
    const auto length = static_cast<std::uint16_t>(kPfcFrameBytes);
    const OutFrame frame{.length = length, .readable = length, .priority = kOwnControlPriority};
    const std::optional<PfcTimes> times =
        receiver.pausing() ? receiver.pause_due(now) : std::nullopt;
    if (times) {
        std::uint64_t mac = 0;
        for (const std::uint8_t byte : config.mac.bytes) mac = mac << 8 | byte;
        write_pfc_frame(room.first<kPfcFrameBytes>(), weir::MacAddress{mac}, *times);
        ++counters.pause_frames_sent;
        return leave(now, frame);
    }
    if (own_.empty()) return std::nullopt;
    std::ranges::copy(own_.front(), room.begin());
    own_.pop();
    return leave(now, frame);
}

std::optional<Priority> HostPort::Impl::choose(std::uint8_t candidates) const {
    if (candidates == 0) return std::nullopt;
    const unsigned strict = candidates & kStrictPriorities;
    if (strict != 0) return static_cast<Priority>(std::bit_width(strict) - 1);
    const unsigned behind = candidates & ~((2u << last_) - 1);
    return static_cast<Priority>(std::countr_zero(behind != 0 ? behind : unsigned{candidates}));
}

std::optional<OutFrame> HostPort::Impl::next_of(Time now, Priority priority,
                                                std::span<std::uint8_t> room) {
    std::optional<OutFrame> frame = next_answer(now, priority, room);
    if (!frame) frame = next_cnp(now, priority, room);
    if (!frame) frame = next_data(now, priority, room);
    if (frame && (kStrictPriorities >> priority & 1) == 0) last_ = priority;
    return frame;
}

std::optional<OutFrame> HostPort::Impl::next_answer(Time now, Priority priority,
                                                    std::span<std::uint8_t> room) {
    Fifo<std::uint32_t>& answers = waiting_[priority].answers;
    while (!answers.empty()) {
        QueuePair& qp = *qps[answers.front()];
        answers.pop();
        qp.in_answers = false;
        if (!qp.responder.answer_due()) continue;
        Packet packet{.dscp = qp.profile().ack_dscp, .ecn = kEcnNotCapable};
        QpTurn here = turn(now, qp);
        qp.responder.send_answer(here, packet);
        return emit(now, qp, packet, priority, room);
    }
    return std::nullopt;
}

std::optional<OutFrame> HostPort::Impl::next_cnp(Time now, Priority priority,
                                                 std::span<std::uint8_t> room) {
    Fifo<std::uint32_t>& cnps = waiting_[priority].cnps;
    if (cnps.empty()) return std::nullopt;
    QueuePair& qp = *qps[cnps.front()];
    cnps.pop();
    qp.in_cnps = false;
    ++qp.counters.cnps_sent;
    qp.cnp_limit.sent(now);
    Packet packet{.opcode = Opcode::CongestionNotification,
                  .becn = true,
                  .dscp = qp.profile().cnp_dscp,
                  .ecn = kEcnNotCapable};
    return emit(now, qp, packet, priority, room);
}

std::optional<OutFrame> HostPort::Impl::next_data(Time now, Priority priority,
                                                  std::span<std::uint8_t> room) {
    Fifo<std::uint32_t>& data = waiting_[priority].data;
    while (!data.empty()) {
        QueuePair& qp = *qps[data.front()];
        data.pop();
        qp.in_data = false;
        if (qp.slowed && qp.send_at > now) {
            arm_data(now, qp);
            continue;
        }
        if (qp.has_data()) return send_data(now, qp, room);
    }
    return std::nullopt;
}

OutFrame HostPort::Impl::send_data(Time now, QueuePair& qp, std::span<std::uint8_t> room) {
    const QpProfile& profile = qp.profile();
    Packet packet{.dscp = profile.dscp, .ecn = profile.ecn};
    QpTurn here = turn(now, qp);
    const bool may_request = qp.requester.ready(profile);
    qp.response_last = qp.responder.read_due() && !(qp.response_last && may_request);
    if (qp.response_last) {
        qp.responder.send_read_response(here, packet);
    } else {
        qp.requester.send(here, packet);
    }
    const OutFrame frame = emit(now, qp, packet, profile.priority, room);
    pace(now, qp, frame.length + config.framing_bytes);
    arm(now, qp);
    return frame;
}

void HostPort::Impl::pace(Time now, QueuePair& qp, std::uint32_t wire_bytes) {
    const QpProfile& profile = qp.profile();
    if (!profile.dcqcn_on) return;
    qp.rate.sent(now, wire_bytes, profile.dcqcn);
    const std::uint64_t rate_bps = qp.rate.rate_bps();
    if (rate_bps >= config.speed_bps) {  // the port itself is slow enough
        qp.slowed = false;
        return;
    }
    const Interval gap = wire_time(wire_bytes, rate_bps);
    // Whoever had to wait for its turn, or for the end of a pause, makes good one gap, no more.
    const Time from = qp.slowed ? std::max(qp.send_at, now - std::max(gap, config.catch_up)) : now;
    qp.slowed = true;
    qp.send_at = from + gap;
}

OutFrame HostPort::Impl::emit(Time now, QueuePair& qp, Packet& packet, Priority priority,
                              std::span<std::uint8_t> room) {
    packet.destination_qp = qp.config.peer_qp;
    const Written written = config.frame_kind == FrameKind::Whole
                                ? PacketWriter::write_whole(config, qp.config, packet, room)
                                : qp.writer.write_headers(packet, room);
    return leave(now, {.length = written.length,
                       .readable = written.readable,
                       .priority = priority,
                       .qp = qp.number});
}

OutFrame HostPort::Impl::leave(Time now, const OutFrame& frame) {
    ++counters.frames_sent;
    counters.bytes_sent += frame.length;
    const std::uint64_t bytes = frame.length + config.framing_bytes;
    const Interval takes = byte_ps_ != 0 ? Interval{static_cast<std::int64_t>(bytes * byte_ps_)}
                                         : wire_time(bytes, config.speed_bps);
    busy_until = std::max(busy_until, now - config.catch_up) + takes;
    return frame;
}

}  // namespace weir::roce
