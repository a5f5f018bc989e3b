// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/link_session.h"

#include <algorithm>

namespace weir {

namespace {

constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;

// Jitter in 65,536ths of the interval, taken off (section 6.8.7): up to 25 %; with a multiplier of
// 1 between 10 % and 25 %, so that one packet that is late is not an outage.
constexpr std::int64_t kWhole = 65'536;
constexpr std::int64_t kJitterMax = kWhole / 4;
constexpr std::int64_t kJitterMinOfOne = (kWhole + 9) / 10;

constexpr Interval from_us(std::uint32_t us) {
    return Interval::microseconds(us);
}

constexpr std::uint32_t to_us(Interval interval) {
    return static_cast<std::uint32_t>(interval.ps / kPicosecondsPerMicrosecond);
}

}  // namespace

void LinkSession::begin(Time now, const SessionSettings& settings, std::uint32_t discriminator,
                        std::uint64_t seed, bool administratively_down) {
    *this = {};
    settings_ = settings;
    my_discriminator_ = discriminator;
    prng_ = Prng{seed};
    state_ = administratively_down ? SessionState::AdminDown : SessionState::Down;
    if (administratively_down) diagnostic_ = Diagnostic::AdministrativelyDown;
    settle_timers();
    sent_at_ = now - kSlowTxMin;
    next_tx_ = now;
}

// The slow start of section 6.8.3.
Interval LinkSession::advertised_tx() const {
    if (state_ == SessionState::Up) return settings_.desired_min_tx;
    return std::max(settings_.desired_min_tx, kSlowTxMin);
}

void LinkSession::settle_timers() {
    tx_in_use_ = advertised_tx();
    rx_in_use_ = settings_.required_min_rx;
}

// Section 6.8.2.
Interval LinkSession::tx_interval() const {
    return peer_min_rx_.ps == 0 ? Interval{} : std::max(tx_in_use_, peer_min_rx_);
}

// Section 6.8.4, asynchronous mode.
Interval LinkSession::peer_interval() const {
    return std::max(rx_in_use_, peer_min_tx_);
}

Interval LinkSession::detection_time() const {
    return peer_interval() * peer_detect_mult_;
}

void LinkSession::change(Time now, const SessionSettings& settings) {
    const SessionSettings before = settings_;
    const Interval interval_before = tx_interval();
    settings_ = settings;
    if (before.detect_mult != settings.detect_mult) next_tx_ = now;
    const bool timers = before.desired_min_tx != settings.desired_min_tx ||
                        before.required_min_rx != settings.required_min_rx;
    if (!timers) return;
    if (state_ != SessionState::Up) {
        settle_timers();
    } else {
        // Sending slower, or asking to be sent to faster, waits until the peer has agreed.
        tx_in_use_ = std::min(tx_in_use_, settings.desired_min_tx);
        rx_in_use_ = std::max(rx_in_use_, settings.required_min_rx);
        start_poll(now);
    }
    reschedule(now, interval_before);
}

void LinkSession::start_poll(Time now) {
    if (polling_) poll_again_ = true;
    polling_ = true;
    next_tx_ = now;
}

// The packet that answers may have been on its way when the settings changed once more.
void LinkSession::end_poll(Time now) {
    if (poll_again_) {
        poll_again_ = false;
        next_tx_ = now;
        return;
    }
    polling_ = false;
    settle_timers();
}

BfdDiscard LinkSession::hear(Time now, const BfdPacket& packet) {
    if (packet.your_discriminator != 0) {
        if (packet.your_discriminator != my_discriminator_) {
            return BfdDiscard::YourDiscriminatorUnknown;
        }
    } else if (packet.state == SessionState::Init || packet.state == SessionState::Up) {
        return BfdDiscard::YourDiscriminatorZero;
    }
    if (packet.authenticated) return BfdDiscard::Authenticated;
    const Interval interval_before = tx_interval();
    learn(now, packet);
    if (state_ != SessionState::AdminDown) {
        follow(now, packet);
        if (packet.poll) final_due_ = true;
    }
    // Received, for the purposes of the detection time.
    heard_at_ = now;
    detect_at_ = now + detection_time();
    detecting_ = true;
    stalls_ = 0;
    reschedule(now, interval_before);
    return BfdDiscard::kCount;
}

void LinkSession::learn(Time now, const BfdPacket& packet) {
    const bool first = peer_discriminator_ == 0;
    peer_discriminator_ = packet.my_discriminator;
    peer_state_ = packet.state;
    peer_diagnostic_ = packet.diagnostic;
    peer_demand_ = packet.demand;
    peer_min_tx_ = from_us(packet.desired_min_tx_us);
    peer_min_rx_ = from_us(packet.required_min_rx_us);
    peer_detect_mult_ = packet.detect_mult;
    if (packet.final && polling_) end_poll(now);
    if (first && settings_.passive) next_tx_ = now;
}

// The state machine of section 6.8.6 (the figure of section 6.2).
void LinkSession::follow(Time now, const BfdPacket& packet) {
    if (packet.state == SessionState::AdminDown) {
        if (state_ != SessionState::Down) go_down(now, Diagnostic::NeighborSignaledDown);
        return;
    }
    switch (state_) {
        case SessionState::AdminDown:
            return;
        case SessionState::Down:
            if (packet.state == SessionState::Down) enter(now, SessionState::Init);
            if (packet.state == SessionState::Init) enter(now, SessionState::Up);
            return;
        case SessionState::Init:
            if (packet.state != SessionState::Down) enter(now, SessionState::Up);
            return;
        case SessionState::Up:
            if (packet.state == SessionState::Down) {
                go_down(now, Diagnostic::NeighborSignaledDown);
            }
            return;
    }
}

// What has changed is told at once, between two periodic packets (section 6.8.7).
void LinkSession::enter(Time now, SessionState state) {
    state_ = state;
    polling_ = false;
    poll_again_ = false;
    settle_timers();
    next_tx_ = now;
    if (state == SessionState::Up) {
        diagnostic_ = Diagnostic::None;
        if (settings_.desired_min_tx < kSlowTxMin) start_poll(now);
    }
}

void LinkSession::go_down(Time now, Diagnostic diagnostic) {
    diagnostic_ = diagnostic;
    enter(now, SessionState::Down);
}

void LinkSession::administer(Time now, bool down) {
    if (down == (state_ == SessionState::AdminDown)) return;
    diagnostic_ = down ? Diagnostic::AdministrativelyDown : Diagnostic::None;
    enter(now, down ? SessionState::AdminDown : SessionState::Down);
}

void LinkSession::fail(Time now, Diagnostic diagnostic) {
    if (state_ != SessionState::Init && state_ != SessionState::Up) return;
    go_down(now, diagnostic);
}

bool LinkSession::stalled(Time now, Interval away) {
    if (!detecting_ || away <= peer_interval() || stalls_ == kStallsMax) return false;
    if (now - heard_at_ < away) return false;  // it was heard since
    detect_at_ = detect_at_ + away;
    ++stalls_;
    return true;
}

void LinkSession::expire(Time now) {
    if (!detecting_ || now < detect_at_) return;
    detecting_ = false;
    peer_discriminator_ = 0;
    peer_state_ = SessionState::Down;
    fail(now, Diagnostic::DetectionTimeExpired);
}

bool LinkSession::sends_periodically() const {
    if (settings_.passive && peer_discriminator_ == 0) return false;
    if (peer_min_rx_.ps == 0) return false;
    // The peer asked for silence once both are Up (section 6.6); a poll sequence breaks it.
    return !peer_demand_ || polling_ || state_ != SessionState::Up ||
           peer_state_ != SessionState::Up;
}

bool LinkSession::due(Time now) const {
    return final_due_ || (sends_periodically() && now >= next_tx_);
}

BfdPacket LinkSession::take_packet(Time now) {
    BfdPacket packet;
    packet.state = state_;
    packet.diagnostic = diagnostic_;
    packet.detect_mult = settings_.detect_mult;
    // Never both (section 6.5).
    packet.final = final_due_;
    packet.poll = polling_ && !final_due_;
    packet.my_discriminator = my_discriminator_;
    packet.your_discriminator = peer_discriminator_;
    packet.desired_min_tx_us = to_us(advertised_tx());
    packet.required_min_rx_us = to_us(settings_.required_min_rx);
    // An answer to a poll goes beside the periodic packets; one that is due as well it replaces,
    // unless that one has to poll.
    const bool periodic = !final_due_ || (now >= next_tx_ && !polling_);
    final_due_ = false;
    if (periodic) {
        sent_at_ = now;
        next_tx_ = now + jittered(tx_interval());
    }
    return packet;
}

// A new interval counts from the last packet (section 6.8.3, last paragraph); what was due already
// stays due.
void LinkSession::reschedule(Time now, Interval interval_before) {
    if (tx_interval() == interval_before || next_tx_ <= now) return;
    next_tx_ = sent_at_ + jittered(tx_interval());
}

Interval LinkSession::jittered(Interval interval) {
    const std::int64_t least = settings_.detect_mult == 1 ? kJitterMinOfOne : 0;
    const auto range = static_cast<std::uint32_t>(kJitterMax - least + 1);
    const std::int64_t off = least + static_cast<std::int64_t>(prng_.below(range));
    // Split, so that the product of 4,295 s stays within 64 bits.
    return interval - Interval{interval.ps / kWhole * off + interval.ps % kWhole * off / kWhole};
}

void LinkSession::put_off(Time now, Interval wait) {
    final_due_ = false;
    next_tx_ = now + wait;
}

Time LinkSession::next_deadline(Time now) const {
    if (final_due_) return now;
    Time first = sends_periodically() ? next_tx_ : now + kSessionIdleMax;
    if (detecting_) first = std::min(first, detect_at_);
    return first;
}

}  // namespace weir
