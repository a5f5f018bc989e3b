// SPDX-License-Identifier: BSD-3-Clause
// The half of an RC queue pair that sends requests and repeats them until they are acknowledged
// (IBTA 9.7.2 to 9.7.8): PSNs in order, go-back-N on a NAK and on a timeout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tools/roce/fifo.h"
#include "tools/roce/packet.h"
#include "tools/roce/psn.h"
#include "tools/roce/qp_turn.h"

namespace weir::roce {

// The wait that a code of a RNR NAK asks for (IBTA table 45).
[[nodiscard]] Interval rnr_wait(std::uint8_t code);

class Requester {
  public:
    explicit Requester(std::uint32_t first_psn)
        : unacknowledged_(first_sequence(first_psn)),
          next_(unacknowledged_),
          highest_(unacknowledged_),
          end_(unacknowledged_),
          acknowledged_(unacknowledged_) {}

    void post(QpTurn& turn, const WorkRequest& request);

    // There is a packet that may be sent now.
    [[nodiscard]] bool ready(const QpProfile& profile) const {
        if (next_ == end_ || rnr_waiting_) return false;
        const Message& message = messages_[cursor_];
        if (!message.is_read()) return next_ - unacknowledged_ < profile.window_packets;
        if (reads_sent_ >= profile.reads_outstanding_max) return false;
        return next_ == unacknowledged_ || message.end - unacknowledged_ <= profile.window_packets;
    }
    // That packet.
    void send(QpTurn& turn, Packet& packet);

    void ack_heard(QpTurn& turn, const Packet& packet);
    void read_response_heard(QpTurn& turn, const Packet& packet);

    [[nodiscard]] std::optional<Time> deadline(const QpProfile& profile) const {
        if (rnr_waiting_) return rnr_until_;
        if (next_ == unacknowledged_ || profile.timeout.ps == 0) return std::nullopt;
        return timer_from_ + profile.timeout;
    }
    void timer_expired(QpTurn& turn);

    // A RNR NAK was heard and its time is not over.
    [[nodiscard]] bool waits_for_receiver() const { return rnr_waiting_; }
    [[nodiscard]] bool idle() const { return messages_.empty(); }
    [[nodiscard]] bool failed() const { return failed_; }

  private:
    struct Message {
        WorkRequest request;
        Sequence first = 0;
        Sequence end = 0;  // behind its last PSN
        [[nodiscard]] bool is_read() const { return request.operation == Operation::Read; }
    };

    void send_read(QpTurn& turn, const Message& message, Packet& packet);
    void send_data(QpTurn& turn, const Message& message, Packet& packet);

    void nak_heard(QpTurn& turn, Sequence sequence, std::uint8_t syndrome);
    void rnr_nak_heard(QpTurn& turn, Sequence sequence, std::uint8_t code);
    // Everything before `to` is acknowledged; stops at a READ, which only its data finishes.
    void progress(QpTurn& turn, Sequence to);
    void moved(Time now);
    void take_read_data(QpTurn& turn, const Packet& packet);
    // A hole among the responses: asks again, once until it is filled.
    void repeat_once(QpTurn& turn);
    void retry(QpTurn& turn);
    void go_back(Time now);
    void place_cursor();
    void complete_front(QpTurn& turn, CompletionStatus status);
    void fail(QpTurn& turn, CompletionStatus status);

    Fifo<Message> messages_;   // posted and not complete
    std::size_t cursor_ = 0;   // position of the message that holds next_
    Sequence unacknowledged_;  // the oldest
    Sequence next_;            // to be sent
    Sequence highest_;         // behind the highest ever sent
    Sequence end_;             // behind the last posted
    Sequence acknowledged_;    // behind the highest that an ACK named
    Time timer_from_{};
    Time rnr_until_{};
    std::uint32_t reads_sent_ = 0;  // READ messages before the cursor
    std::uint8_t retries_ = 0;
    std::uint8_t rnr_retries_ = 0;
    bool rnr_waiting_ = false;
    bool hole_repeated_ = false;
    bool failed_ = false;
};

}  // namespace weir::roce
