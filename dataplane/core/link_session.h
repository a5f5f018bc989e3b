// SPDX-License-Identifier: BSD-3-Clause
// One BFD session in asynchronous mode: RFC 5880 section 6. It knows packets and instants, nothing
// of frames, ports or addresses.
#pragma once

#include <cstdint>

#include "dataplane/core/bfd.h"
#include "dataplane/core/prng.h"
#include "dataplane/core/time.h"

namespace weir {

// What is asked of a session; the names are those of RFC 5880 section 6.8.1.
struct SessionSettings {
    Interval desired_min_tx = Interval::microseconds(100);   // whole microseconds, not 0
    Interval required_min_rx = Interval::microseconds(100);  // whole microseconds, not 0
    std::uint8_t detect_mult = 3;                            // not 0
    bool passive = false;  // says nothing until the peer was heard (section 6.1)
    friend bool operator==(const SessionSettings&, const SessionSettings&) = default;
};

// While a session is not Up it sends no faster than this (section 6.8.3).
inline constexpr Interval kSlowTxMin = Interval::seconds(1);

// How far away the next deadline of a session is that waits for nothing but a packet.
inline constexpr Interval kSessionIdleMax = Interval::seconds(3600);

// The detection time is extended for a worker that was away (LinkSession::stalled) at most so often
// between two packets: a peer that is gone is found although the worker stalls again and again.
inline constexpr unsigned kStallsMax = 3;

class LinkSession {
  public:
    // Begins in Down, or in AdminDown. `discriminator` is not 0 and no other session's of this
    // switch; `seed` is for the jitter.
    void begin(Time now, const SessionSettings& settings, std::uint32_t discriminator,
               std::uint64_t seed, bool administratively_down);

    // Other settings, live: timers by a poll sequence when Up, the multiplier at once
    // (sections 6.8.3, 6.8.12).
    void change(Time now, const SessionSettings& settings);

    // A packet that read_bfd() found good and that came from the peer. Anything but kCount: it was
    // discarded and changed nothing (section 6.8.6).
    [[nodiscard]] BfdDiscard hear(Time now, const BfdPacket& packet);

    // The operator's will (section 6.8.16).
    void administer(Time now, bool down);

    // Something else than the packets says that the path is gone.
    void fail(Time now, Diagnostic diagnostic);

    // Whoever calls this was away for so long, has fed all packets that arrived meanwhile, and is
    // about to judge timers: what was not heard meanwhile may have been lost with it, or the peer
    // was away as well, on the same core. True: it was longer than the peer's interval, and the
    // detection time was extended by it.
    bool stalled(Time now, Interval away);

    // Judges the detection time (section 6.8.4).
    void expire(Time now);

    // Whether a packet is to be sent; take_packet() then gives it and counts it as sent.
    [[nodiscard]] bool due(Time now) const;
    [[nodiscard]] BfdPacket take_packet(Time now);
    // The packet could not be sent (nobody knows the peer's MAC): another try after `wait`.
    void put_off(Time now, Interval wait);

    // The earliest instant at which expire() or due() may say something new.
    [[nodiscard]] Time next_deadline(Time now) const;

    [[nodiscard]] SessionState state() const { return state_; }
    [[nodiscard]] SessionState peer_state() const { return peer_state_; }
    [[nodiscard]] Diagnostic diagnostic() const { return diagnostic_; }
    [[nodiscard]] Diagnostic peer_diagnostic() const { return peer_diagnostic_; }
    [[nodiscard]] std::uint32_t discriminator() const { return my_discriminator_; }
    [[nodiscard]] std::uint32_t peer_discriminator() const { return peer_discriminator_; }
    [[nodiscard]] bool polling() const { return polling_; }
    // Between two packets that we send, jitter not taken off; 0: the peer wants none.
    [[nodiscard]] Interval tx_interval() const;
    // Silence of the peer that ends the session; 0 before it was heard.
    // Between two of the peer's packets, at most.
    [[nodiscard]] Interval peer_interval() const;
    [[nodiscard]] Interval detection_time() const;
    [[nodiscard]] const SessionSettings& settings() const { return settings_; }

  private:
    void enter(Time now, SessionState state);
    void go_down(Time now, Diagnostic diagnostic);
    void learn(Time now, const BfdPacket& packet);
    void follow(Time now, const BfdPacket& packet);
    void start_poll(Time now);
    void end_poll(Time now);
    void settle_timers();
    void reschedule(Time now, Interval interval_before);
    [[nodiscard]] Interval jittered(Interval interval);
    [[nodiscard]] Interval advertised_tx() const;
    [[nodiscard]] bool sends_periodically() const;

    SessionSettings settings_;
    SessionState state_ = SessionState::AdminDown;
    SessionState peer_state_ = SessionState::Down;
    Diagnostic diagnostic_ = Diagnostic::None;
    Diagnostic peer_diagnostic_ = Diagnostic::None;
    std::uint32_t my_discriminator_ = 0;
    std::uint32_t peer_discriminator_ = 0;  // 0: not heard, or not for a detection time
    // In use: they differ from what is advertised until a poll sequence has ended.
    Interval tx_in_use_ = kSlowTxMin;
    Interval rx_in_use_ = kSlowTxMin;
    // The peer's word (section 6.8.1: RemoteMinRxInterval is 1 at first).
    Interval peer_min_tx_{};
    Interval peer_min_rx_ = Interval::microseconds(1);
    std::uint8_t peer_detect_mult_ = 0;
    bool peer_demand_ = false;
    bool polling_ = false;
    bool poll_again_ = false;  // settings changed while a poll sequence ran: another one follows
    bool final_due_ = false;
    bool detecting_ = false;   // heard_at_ and detect_at_ are meaningful
    std::uint8_t stalls_ = 0;  // since the last packet
    Time sent_at_;
    Time next_tx_;
    Time heard_at_;
    Time detect_at_;
    Prng prng_;
};

}  // namespace weir
