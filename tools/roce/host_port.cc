// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/host_port.h"

#include <algorithm>

#include "dataplane/core/check.h"
#include "tools/roce/host_port_impl.h"

namespace weir::roce {
namespace {

std::uint64_t whole_byte_ps(std::uint64_t speed_bps) {
    WEIR_CHECK(speed_bps != 0);
    return kBytePicosecondsAt1Bps % speed_bps == 0 ? kBytePicosecondsAt1Bps / speed_bps : 0;
}

}  // namespace

HostPort::Impl::Impl(const HostConfig& with)
    : config(with),
      receiver(with.receiver, with.speed_bps, with.pfc_priorities),
      pause(with.speed_bps, with.pfc_priorities, with.pause_response),
      byte_ps_(whole_byte_ps(with.speed_bps)) {}

QpNumber HostPort::Impl::add_qp(const QpConfig& with) {
    const QpProfile* profile = with.profile;
    WEIR_CHECK(profile != nullptr && profile->mtu_bytes % 4 == 0);
    WEIR_CHECK(profile->mtu_bytes >= kMtuBytesMin && profile->mtu_bytes <= kMtuBytesMax);
    WEIR_CHECK(profile->window_packets > 0 && profile->window_packets <= kWindowPacketsMax);
    const auto number = static_cast<QpNumber>(kQpNumberFirst + qps.size());
    WEIR_CHECK(number <= kPsnMask);
    qps.push_back(std::make_unique<QueuePair>(config, with, number));
    return number;
}

QueuePair& HostPort::Impl::at(QpNumber number) {
    QueuePair* qp = find(number);
    WEIR_CHECK(qp != nullptr);
    return *qp;
}

const QueuePair& HostPort::Impl::at(QpNumber number) const {
    WEIR_CHECK(number >= kQpNumberFirst && number - kQpNumberFirst < qps.size());
    return *qps[number - kQpNumberFirst];
}

void HostPort::Impl::post(Time now, QpNumber number, const WorkRequest& request) {
    start(now);
    QueuePair& qp = at(number);
    QpTurn here = turn(now, qp);
    qp.requester.post(here, request);
    arm(now, qp);
}

std::uint64_t HostPort::Impl::rate_bps(Time now, QpNumber number) {
    QueuePair& qp = at(number);
    if (!qp.profile().dcqcn_on) return config.speed_bps;
    qp.rate.advance(now, qp.profile().dcqcn);
    return qp.rate.rate_bps();
}

void HostPort::Impl::arm(Time now, QueuePair& qp) {
    if (!qp.in_answers && qp.responder.answer_due()) {
        qp.in_answers = true;
        wait_in(qp.profile().ack_priority, &Waiting::answers, qp);
    }
    arm_data(now, qp);
    arm_timer(qp);
}

void HostPort::Impl::arm_data(Time now, QueuePair& qp) {
    if (qp.in_data || qp.paced || !qp.has_data()) return;
    if (qp.slowed) qp.send_at = std::max(qp.send_at, now - config.catch_up);  // idle saves nothing
    if (qp.slowed && qp.send_at > now && qp.send_at > busy_until) {
        qp.paced = true;
        paced_.push(qp.send_at, qp.number - kQpNumberFirst);
        return;
    }
    qp.in_data = true;
    wait_in(qp.profile().priority, &Waiting::data, qp);
}

void HostPort::Impl::wait_in(Priority priority, Fifo<std::uint32_t> Waiting::*queue,
                             const QueuePair& qp) {
    (waiting_[priority].*queue).push(qp.number - kQpNumberFirst);
    occupied_ |= static_cast<std::uint8_t>(1u << priority);
}

// Deadlines only move on while packets come and go, so an entry that is early is looked at and put
// back once per timeout, not once per packet.
void HostPort::Impl::arm_timer(QueuePair& qp) {
    const bool only_moves_on = !qp.requester.waits_for_receiver() && qp.profile().ack_delay.ps == 0;
    if (qp.timed && only_moves_on) return;
    std::optional<Time> due = qp.requester.deadline(qp.profile());
    const std::optional<Time> answer = qp.responder.deadline(qp.profile());
    if (answer && (!due || *answer < *due)) due = answer;
    if (!due || (qp.timed && qp.timer_at <= *due)) return;
    qp.timed = true;
    qp.timer_at = *due;
    timers_.push(*due, qp.number - kQpNumberFirst);
}

std::optional<Time> HostPort::Impl::next_deadline() const {
    std::optional<Time> first;
    const auto earlier = [&first](std::optional<Time> at) {
        if (at && (!first || *at < *first)) first = at;
    };
    if ((occupied_ & ~held_back_) != 0 || !own_.empty()) earlier(busy_until);
    if (!paced_.empty()) earlier(std::max(paced_.first().at, busy_until));
    if (!timers_.empty()) earlier(timers_.first().at);
    if (held_back_ != 0) earlier(pause.deadline(occupied_ & held_back_));
    if (receiver.pausing()) earlier(receiver.deadline());
    return first;
}

HostPort::HostPort(const HostConfig& config) : impl_(std::make_unique<Impl>(config)) {}
HostPort::~HostPort() = default;
HostPort::HostPort(HostPort&&) noexcept = default;
HostPort& HostPort::operator=(HostPort&&) noexcept = default;

QpNumber HostPort::add_qp(const QpConfig& config) {
    return impl_->add_qp(config);
}

void HostPort::set_peer_qp(QpNumber qp, QpNumber peer_qp) {
    impl_->at(qp).config.peer_qp = peer_qp;
}

void HostPort::add_memory(const MemoryRegion& region) {
    impl_->memory.add(region);
}

void HostPort::set_receiver(Time now, const ReceiverConfig& receiver) {
    impl_->receiver.change(now, receiver);
}

void HostPort::post(Time now, QpNumber qp, const WorkRequest& request) {
    impl_->post(now, qp, request);
}

void HostPort::post_receive(QpNumber qp, const ReceiveRequest& request) {
    impl_->at(qp).responder.post_receive(request);
}

void HostPort::receive(Time now, std::span<const weir::Frame> burst) {
    for (const weir::Frame& frame : burst) impl_->receive(now, frame);
}

std::optional<OutFrame> HostPort::next(Time now, std::span<std::uint8_t> room) {
    return impl_->next(now, room);
}

Time HostPort::busy_until() const {
    return impl_->busy_until;
}

std::optional<Time> HostPort::next_deadline() const {
    return impl_->next_deadline();
}

std::span<const Completion> HostPort::completions() const {
    return impl_->completions;
}

void HostPort::clear_completions() {
    impl_->completions.clear();
}

const HostConfig& HostPort::config() const {
    return impl_->config;
}

const HostCounters& HostPort::counters() const {
    return impl_->counters;
}

const QpCounters& HostPort::counters(QpNumber qp) const {
    return impl_->at(qp).counters;
}

QpState HostPort::state(QpNumber qp) const {
    return impl_->at(qp).failed() ? QpState::Error : QpState::Ready;
}

std::uint64_t HostPort::rate_bps(Time now, QpNumber qp) {
    return impl_->rate_bps(now, qp);
}

std::uint8_t HostPort::paused(Time now) {
    return impl_->pause.advance(now);
}

std::uint64_t HostPort::held_bytes(Time now, Priority priority) const {
    return impl_->receiver.held_bytes(now, priority);
}

std::uint64_t HostPort::payload_bytes_received() const {
    std::uint64_t bytes = 0;
    for (const auto& qp : impl_->qps) bytes += qp->counters.payload_bytes_received;
    return bytes;
}

bool HostPort::idle() const {
    return std::ranges::all_of(impl_->qps, [](const auto& qp) { return qp->requester.idle(); });
}

}  // namespace weir::roce
