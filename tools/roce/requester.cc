// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/requester.h"

#include <algorithm>
#include <array>

#include "dataplane/core/check.h"

namespace weir::roce {
namespace {

constexpr std::uint8_t kSyndromeKindMask = 0xe0;
constexpr std::uint8_t kSyndromeValueMask = 0x1f;

std::uint64_t packets_of(std::uint64_t bytes, unsigned mtu_bytes) {
    return std::max<std::uint64_t>(1, (bytes + mtu_bytes - 1) / mtu_bytes);
}

// First, middle, last, last with immediate, only, only with immediate follow each other in this
// order for SEND (from 0x00) and for WRITE (from 0x06).
Opcode opcode_of(const WorkRequest& request, bool first, bool last) {
    unsigned number = request.operation == Operation::Send ? 0x00 : 0x06;
    if (first && last) {
        number += request.immediate ? 5 : 4;
    } else if (last) {
        number += request.immediate ? 3 : 2;
    } else if (!first) {
        number += 1;
    }
    return static_cast<Opcode>(number);
}

CompletionStatus status_of_nak(std::uint8_t syndrome) {
    return syndrome == kSyndromeNakAccess ? CompletionStatus::RemoteAccessError
                                          : CompletionStatus::RemoteInvalidRequest;
}

}  // namespace

Interval rnr_wait(std::uint8_t code) {
    // In units of 10 us.
    constexpr std::array<std::uint32_t, 32> kWaits{
        65'536, 1,     2,     3,     4,     6,      8,      12,     16,     24,    32,
        48,     64,    96,    128,   192,   256,    384,    512,    768,    1'024, 1'536,
        2'048,  3'072, 4'096, 6'144, 8'192, 12'288, 16'384, 24'576, 32'768, 49'152};
    return Interval::microseconds(10) * kWaits[code & kSyndromeValueMask];
}

void Requester::post(QpTurn& turn, const WorkRequest& request) {
    WEIR_CHECK(request.bytes <= kMessageBytesMax);
    const Sequence first = end_;
    end_ += packets_of(request.bytes, turn.profile.mtu_bytes);
    messages_.push({request, first, end_});
    if (failed_) fail(turn, CompletionStatus::Flushed);
}

void Requester::send(QpTurn& turn, Packet& packet) {
    const Message& message = messages_[cursor_];
    if (next_ == unacknowledged_) timer_from_ = turn.now;
    ++turn.counters.packets_sent;
    if (next_ < highest_) ++turn.counters.packets_repeated;
    packet.psn = psn_of(next_);
    message.is_read() ? send_read(turn, message, packet) : send_data(turn, message, packet);
    highest_ = std::max(highest_, next_);
}

// A READ takes the PSNs of its responses. One that goes on after a loss asks for the rest.
void Requester::send_read(QpTurn& turn, const Message& message, Packet& packet) {
    const std::uint64_t offset = (next_ - message.first) * turn.profile.mtu_bytes;
    packet.opcode = Opcode::ReadRequest;
    packet.ack_request = true;
    packet.reth = {.address = message.request.remote_address + offset,
                   .remote_key = message.request.remote_key,
                   .length_bytes = static_cast<std::uint32_t>(message.request.bytes - offset)};
    next_ = message.end;
    ++cursor_;
    ++reads_sent_;
}

void Requester::send_data(QpTurn& turn, const Message& message, Packet& packet) {
    const QpProfile& profile = turn.profile;
    const WorkRequest& request = message.request;
    const std::uint64_t offset = (next_ - message.first) * profile.mtu_bytes;
    const bool first = next_ == message.first;
    ++next_;
    const bool last = next_ == message.end;
    packet.opcode = opcode_of(request, first, last);
    packet.payload_bytes =
        last ? static_cast<std::uint32_t>(request.bytes - offset) : profile.mtu_bytes;
    if (!request.local.empty()) {
        packet.payload = request.local.subspan(offset, packet.payload_bytes);
    }
    if (first && request.operation == Operation::Write) {
        packet.reth = {.address = request.remote_address,
                       .remote_key = request.remote_key,
                       .length_bytes = static_cast<std::uint32_t>(request.bytes)};
    }
    if (last && request.immediate) packet.immediate = *request.immediate;
    // Whatever stops here waits for an acknowledgement, so it must ask for one.
    const unsigned every = profile.ack_request_every;
    packet.ack_request = last || (every != 0 && next_ % every == 0) ||
                         next_ - unacknowledged_ >= profile.window_packets;
    turn.counters.payload_bytes_sent += packet.payload_bytes;
    if (last) ++cursor_;
}

void Requester::ack_heard(QpTurn& turn, const Packet& packet) {
    const std::uint8_t syndrome = packet.aeth.syndrome;
    const std::uint8_t kind = syndrome & kSyndromeKindMask;
    const Sequence sequence = sequence_of(packet.psn, unacknowledged_);
    ++(kind == kSyndromeAck      ? turn.counters.acks_received
       : kind == kSyndromeRnrNak ? turn.counters.rnr_naks_received
                                 : turn.counters.naks_received);
    // Old news, or of what was never sent.
    if (sequence < unacknowledged_ || sequence >= highest_) return;
    if (kind == kSyndromeRnrNak) {
        rnr_nak_heard(turn, sequence, syndrome & kSyndromeValueMask);
    } else if (kind == kSyndromeNakSequence) {
        nak_heard(turn, sequence, syndrome);
    } else if (kind == kSyndromeAck) {
        acknowledged_ = std::max(acknowledged_, sequence + 1);
        progress(turn, sequence + 1);
        // Acknowledged behind a READ whose data is missing: lost, unless another queue overtook it.
        const bool same_queue = turn.profile.ack_priority == turn.profile.priority;
        if (unacknowledged_ <= sequence && same_queue) repeat_once(turn);
    }
}

void Requester::nak_heard(QpTurn& turn, Sequence sequence, std::uint8_t syndrome) {
    progress(turn, sequence);
    if (syndrome == kSyndromeNakSequence) {
        retry(turn);
    } else {
        fail(turn, status_of_nak(syndrome));
    }
}

void Requester::rnr_nak_heard(QpTurn& turn, Sequence sequence, std::uint8_t code) {
    progress(turn, sequence);
    const std::uint8_t count = turn.profile.rnr_retry_count;
    if (count != kRnrRetryForever) {
        if (rnr_retries_ >= count) return fail(turn, CompletionStatus::RnrRetryExceeded);
        ++rnr_retries_;
    }
    go_back(turn.now);
    rnr_waiting_ = true;
    rnr_until_ = turn.now + rnr_wait(code);
}

void Requester::progress(QpTurn& turn, Sequence to) {
    const Sequence before = unacknowledged_;
    while (unacknowledged_ < to && !messages_.empty() && !messages_.front().is_read()) {
        unacknowledged_ = std::min(to, messages_.front().end);
        if (unacknowledged_ == messages_.front().end) {
            complete_front(turn, CompletionStatus::Done);
        }
    }
    if (unacknowledged_ != before) moved(turn.now);
}

void Requester::moved(Time now) {
    retries_ = 0;
    rnr_retries_ = 0;
    hole_repeated_ = false;
    timer_from_ = now;
    // What was to be repeated has arrived after all.
    if (next_ < unacknowledged_) {
        next_ = unacknowledged_;
        place_cursor();
    }
}

void Requester::read_response_heard(QpTurn& turn, const Packet& packet) {
    std::size_t position = 0;
    while (position < messages_.size() && !messages_[position].is_read()) ++position;
    const Sequence sequence = sequence_of(packet.psn, unacknowledged_);
    if (position == messages_.size() || sequence >= highest_) return;
    const Sequence first = messages_[position].first;
    const Sequence expected = std::max(unacknowledged_, first);
    if (sequence < expected) {
        ++turn.counters.duplicates_received;
        return;
    }
    progress(turn, first);  // responses come in order: what was asked before is done
    if (sequence > expected) {
        ++turn.counters.out_of_sequence_received;
        repeat_once(turn);
    } else {
        take_read_data(turn, packet);
    }
}

// The response that is due, of the READ in front.
void Requester::take_read_data(QpTurn& turn, const Packet& packet) {
    const Message& message = messages_.front();
    const std::uint64_t offset =
        (unacknowledged_ - message.first) * std::uint64_t{turn.profile.mtu_bytes};
    const std::span<std::uint8_t> local = message.request.local;
    if (!local.empty() && !packet.payload.empty() &&
        offset + packet.payload.size() <= local.size()) {
        std::ranges::copy(packet.payload, local.subspan(offset).begin());
    }
    turn.counters.payload_bytes_received += packet.payload_bytes;
    ++unacknowledged_;
    const bool done = unacknowledged_ == message.end;
    if (done) complete_front(turn, CompletionStatus::Done);
    moved(turn.now);
    if (done) progress(turn, acknowledged_);
}

void Requester::repeat_once(QpTurn& turn) {
    if (hole_repeated_) return;
    retry(turn);
    hole_repeated_ = true;
}

void Requester::timer_expired(QpTurn& turn) {
    const std::optional<Time> due = deadline(turn.profile);
    if (!due || turn.now < *due) return;
    if (rnr_waiting_) {
        rnr_waiting_ = false;
        return;
    }
    ++turn.counters.timeouts;
    hole_repeated_ = false;
    retry(turn);
}

void Requester::retry(QpTurn& turn) {
    if (!turn.profile.retry_forever) {
        if (retries_ >= turn.profile.retry_count) {
            return fail(turn, CompletionStatus::RetryExceeded);
        }
        ++retries_;
    }
    go_back(turn.now);
}

void Requester::go_back(Time now) {
    next_ = unacknowledged_;
    timer_from_ = now;
    place_cursor();
}

void Requester::place_cursor() {
    cursor_ = 0;
    reads_sent_ = 0;
    while (cursor_ < messages_.size() && messages_[cursor_].end <= next_) {
        reads_sent_ += messages_[cursor_].is_read() ? 1 : 0;
        ++cursor_;
    }
}

void Requester::complete_front(QpTurn& turn, CompletionStatus status) {
    const Message& message = messages_.front();
    turn.completions.push_back({.at = turn.now,
                                .id = message.request.id,
                                .bytes = message.request.bytes,
                                .qp = turn.qp,
                                .kind = CompletionKind::Requested,
                                .status = status,
                                .operation = message.request.operation});
    if (cursor_ > 0) {
        --cursor_;
        reads_sent_ -= message.is_read() ? 1 : 0;
    }
    messages_.pop();
}

void Requester::fail(QpTurn& turn, CompletionStatus status) {
    failed_ = true;
    while (!messages_.empty()) {
        complete_front(turn, status);
        status = CompletionStatus::Flushed;
    }
    unacknowledged_ = next_ = end_;
    rnr_waiting_ = false;
}

}  // namespace weir::roce
