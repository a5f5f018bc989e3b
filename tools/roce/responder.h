// SPDX-License-Identifier: BSD-3-Clause
// The half of an RC queue pair that takes requests in order and answers them (IBTA 9.7.3 to 9.7.5):
// coalesced ACKs, one NAK for a gap, READ responses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tools/roce/fifo.h"
#include "tools/roce/memory.h"
#include "tools/roce/packet.h"
#include "tools/roce/psn.h"
#include "tools/roce/qp_turn.h"

namespace weir::roce {

class Responder {
  public:
    explicit Responder(std::uint32_t first_psn) : expected_(first_sequence(first_psn)) {}

    void post_receive(const ReceiveRequest& request) { receives_.push(request); }

    void request_heard(QpTurn& turn, const Packet& packet, const Memory& memory);

    // An ACK or NAK is to be sent. It waits behind the READ responses that are still to be sent,
    // because answers are in the order of the requests.
    [[nodiscard]] bool answer_due() const { return answer_ != Answer::None && reads_.empty(); }
    void send_answer(QpTurn& turn, Packet& packet);

    [[nodiscard]] bool read_due() const { return !reads_.empty(); }
    void send_read_response(QpTurn& turn, Packet& packet);

    // Of an answer that nobody asked for.
    [[nodiscard]] std::optional<Time> deadline(const QpProfile& profile) const {
        if (profile.ack_delay.ps == 0 || unanswered_ == 0 || answer_ != Answer::None) {
            return std::nullopt;
        }
        return delay_from_ + profile.ack_delay;
    }
    void timer_expired(QpTurn& turn);

    [[nodiscard]] bool failed() const { return failed_; }

  private:
    enum class Answer : std::uint8_t { None, Ack, NakSequence, NakRnr, NakInvalid, NakAccess };

    // READ responses still to be sent.
    struct ReadJob {
        Sequence first = 0;
        Sequence next = 0;
        Sequence end = 0;
        std::uint64_t bytes = 0;
        std::span<const std::uint8_t> source{};
    };

    void take(QpTurn& turn, const Packet& packet, const Memory& memory);
    [[nodiscard]] bool fits(const Packet& packet, const QpProfile& profile) const;
    // False if the message cannot be taken: the NAK is set.
    [[nodiscard]] bool begin_message(const Packet& packet, const QpProfile& profile,
                                     const Memory& memory);
    void take_data(QpTurn& turn, const Packet& packet);
    void end_message(QpTurn& turn, const Packet& packet);
    void acknowledge(QpTurn& turn, bool asked);
    void take_read(QpTurn& turn, const Packet& packet, const Memory& memory);
    [[nodiscard]] bool add_read(Sequence first, const QpProfile& profile, const Packet& packet,
                                const Memory& memory);
    void duplicate(QpTurn& turn, const Packet& packet, const Memory& memory);
    void refuse(Answer nak);
    void expect(Sequence next);

    Fifo<ReadJob> reads_;
    Fifo<ReceiveRequest> receives_;
    std::span<std::uint8_t> place_{};  // of the message being received
    std::uint64_t message_bytes_ = 0;  // of it, so far
    std::uint64_t write_bytes_ = 0;    // that its RETH announced
    std::uint64_t messages_ = 0;       // SENDs and WRITEs taken
    Sequence expected_;
    Sequence dropped_ = 0;  // the highest that came too early
    Time delay_from_{};
    std::uint32_t msn_ = 0;
    std::uint32_t unanswered_ = 0;                 // packets since the last answer
    MessageKind in_message_ = MessageKind::Other;  // Other: between messages
    Answer answer_ = Answer::None;
    bool nak_sent_ = false;  // for the PSN that is expected
    bool failed_ = false;
};

}  // namespace weir::roce
