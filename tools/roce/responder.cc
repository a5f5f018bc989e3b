// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/responder.h"

#include <algorithm>

#include "dataplane/core/check.h"

namespace weir::roce {
namespace {

// More than any requester here asks for at once (QpProfile::reads_outstanding_max).
constexpr std::size_t kReadsMax = 256;

Opcode response_opcode(bool first, bool last) {
    if (first) return last ? Opcode::ReadResponseOnly : Opcode::ReadResponseFirst;
    return last ? Opcode::ReadResponseLast : Opcode::ReadResponseMiddle;
}

}  // namespace

void Responder::request_heard(QpTurn& turn, const Packet& packet, const Memory& memory) {
    if (failed_) return;
    const Sequence sequence = sequence_of(packet.psn, expected_);
    if (sequence == expected_) {
        take(turn, packet, memory);
    } else if (sequence < expected_) {
        ++turn.counters.duplicates_received;
        duplicate(turn, packet, memory);
    } else {
        ++turn.counters.out_of_sequence_received;
        dropped_ = std::max(dropped_, sequence);
        if (!nak_sent_) refuse(Answer::NakSequence);
    }
}

// The packet that is due.
void Responder::take(QpTurn& turn, const Packet& packet, const Memory& memory) {
    nak_sent_ = answer_ == Answer::NakSequence;  // if it waits: it names what is due when it leaves
    if (!fits(packet, turn.profile)) return refuse(Answer::NakInvalid);
    if (packet.opcode == Opcode::ReadRequest) return take_read(turn, packet, memory);
    if (starts_message(packet.opcode) && !begin_message(packet, turn.profile, memory)) return;
    take_data(turn, packet);
}

// The opcode continues what was begun, and the lengths are those that go with it.
bool Responder::fits(const Packet& packet, const QpProfile& profile) const {
    const MessageKind kind = message_kind(packet.opcode);
    const bool has_reth = opcode_headers(packet.opcode).present.reth;
    if (has_reth && packet.reth.length_bytes > kMessageBytesMax) return false;
    if (kind == MessageKind::ReadRequest) return in_message_ == MessageKind::Other;
    const bool starts = starts_message(packet.opcode);
    if (in_message_ != (starts ? MessageKind::Other : kind)) return false;
    return ends_message(packet.opcode) ? packet.payload_bytes <= profile.mtu_bytes
                                       : packet.payload_bytes == profile.mtu_bytes;
}

bool Responder::begin_message(const Packet& packet, const QpProfile& profile,
                              const Memory& memory) {
    const bool send = message_kind(packet.opcode) == MessageKind::Send;
    if (send && profile.receive_queue && receives_.empty()) {
        refuse(Answer::NakRnr);
        return false;
    }
    if (send) {
        place_ = receives_.empty() ? std::span<std::uint8_t>{} : receives_.front().place;
    } else {
        const std::optional<std::span<std::uint8_t>> found = memory.find(packet.reth);
        if (!found) {
            refuse(Answer::NakAccess);
            return false;
        }
        place_ = *found;
        write_bytes_ = packet.reth.length_bytes;
    }
    message_bytes_ = 0;
    in_message_ = message_kind(packet.opcode);
    return true;
}

void Responder::take_data(QpTurn& turn, const Packet& packet) {
    const std::uint64_t bytes = message_bytes_ + packet.payload_bytes;
    const bool last = ends_message(packet.opcode);
    const bool write = in_message_ == MessageKind::Write;
    const bool announced = !write || (last ? bytes == write_bytes_ : bytes < write_bytes_);
    if (!announced || (!place_.empty() && bytes > place_.size())) {
        return refuse(Answer::NakInvalid);
    }
    if (!place_.empty()) std::ranges::copy(packet.payload, place_.subspan(message_bytes_).begin());
    message_bytes_ = bytes;
    turn.counters.payload_bytes_received += packet.payload_bytes;
    expect(expected_ + 1);
    if (last) end_message(turn, packet);
    acknowledge(turn, packet.ack_request);
}

void Responder::end_message(QpTurn& turn, const Packet& packet) {
    const bool send = in_message_ == MessageKind::Send;
    Completion completion{.at = turn.now,
                          .id = messages_,
                          .bytes = message_bytes_,
                          .qp = turn.qp,
                          .kind = CompletionKind::Received,
                          .operation = send ? Operation::Send : Operation::Write};
    if (extended_headers(packet.opcode).immediate) completion.immediate = packet.immediate;
    if (send && !receives_.empty()) {
        completion.id = receives_.front().id;
        receives_.pop();
    }
    turn.completions.push_back(completion);
    ++messages_;
    msn_ = (msn_ + 1) & kPsnMask;
    in_message_ = MessageKind::Other;
}

void Responder::acknowledge(QpTurn& turn, bool asked) {
    if (unanswered_++ == 0) delay_from_ = turn.now;
    const unsigned every = turn.profile.ack_every;
    if (!asked && (every == 0 || unanswered_ < every)) return;
    if (answer_ == Answer::None) answer_ = Answer::Ack;
}

void Responder::take_read(QpTurn& turn, const Packet& packet, const Memory& memory) {
    if (!add_read(expected_, turn.profile, packet, memory)) return;
    msn_ = (msn_ + 1) & kPsnMask;
    expect(reads_.back().end);
}

void Responder::expect(Sequence next) {
    expected_ = next;
    // All that was dropped or refused has come again before the NAK could leave.
    const bool over =
        answer_ == Answer::NakRnr || (answer_ == Answer::NakSequence && expected_ > dropped_);
    if (!over) return;
    answer_ = Answer::Ack;
    nak_sent_ = false;
}

bool Responder::add_read(Sequence first, const QpProfile& profile, const Packet& packet,
                         const Memory& memory) {
    const std::optional<std::span<std::uint8_t>> source = memory.find(packet.reth);
    if (!source || reads_.size() >= kReadsMax) {
        refuse(source ? Answer::NakInvalid : Answer::NakAccess);
        return false;
    }
    const std::uint64_t bytes = packet.reth.length_bytes;
    const Sequence packets =
        std::max<Sequence>(1, (bytes + profile.mtu_bytes - 1) / profile.mtu_bytes);
    reads_.push(
        {.first = first, .next = first, .end = first + packets, .bytes = bytes, .source = *source});
    return true;
}

// A repeated READ is done again, anything else is acknowledged again (IBTA 9.7.5.1.2). Whoever
// repeats a READ has all before it and will repeat all behind it.
void Responder::duplicate(QpTurn& turn, const Packet& packet, const Memory& memory) {
    if (packet.opcode != Opcode::ReadRequest) {
        if (answer_ == Answer::None) answer_ = Answer::Ack;
        return;
    }
    if (packet.reth.length_bytes > kMessageBytesMax) return;
    const Sequence first = sequence_of(packet.psn, expected_);
    while (!reads_.empty() && reads_.back().end > first) reads_.pop_back();
    (void)add_read(first, turn.profile, packet, memory);
}

void Responder::refuse(Answer nak) {
    answer_ = nak;
    // Nothing more is said about what follows until the packet comes that is due.
    nak_sent_ = true;
    failed_ = nak == Answer::NakInvalid || nak == Answer::NakAccess;
}

void Responder::send_answer(QpTurn& turn, Packet& packet) {
    packet.opcode = Opcode::Acknowledge;
    packet.aeth.msn = msn_;
    // A NAK names the PSN that is due and acknowledges all before it; an ACK the last one taken.
    packet.psn = psn_of(answer_ == Answer::Ack ? expected_ - 1 : expected_);
    switch (answer_) {
        case Answer::None:
            WEIR_CHECK(false);
            break;
        case Answer::Ack:
            packet.aeth.syndrome = kSyndromeAck | kCreditsNone;
            break;
        case Answer::NakSequence:
            packet.aeth.syndrome = kSyndromeNakSequence;
            break;
        case Answer::NakRnr:
            packet.aeth.syndrome = kSyndromeRnrNak | (turn.profile.rnr_timer & kCreditsNone);
            break;
        case Answer::NakInvalid:
            packet.aeth.syndrome = kSyndromeNakInvalid;
            break;
        case Answer::NakAccess:
            packet.aeth.syndrome = kSyndromeNakAccess;
            break;
    }
    ++(answer_ == Answer::Ack      ? turn.counters.acks_sent
       : answer_ == Answer::NakRnr ? turn.counters.rnr_naks_sent
                                   : turn.counters.naks_sent);
    answer_ = Answer::None;
    unanswered_ = 0;
}

void Responder::send_read_response(QpTurn& turn, Packet& packet) {
    ReadJob& job = reads_.front();
    const unsigned mtu_bytes = turn.profile.mtu_bytes;
    const std::uint64_t offset = (job.next - job.first) * mtu_bytes;
    const bool first = job.next == job.first;
    packet.psn = psn_of(job.next);
    ++job.next;
    const bool last = job.next == job.end;
    packet.opcode = response_opcode(first, last);
    packet.aeth = {.syndrome = kSyndromeAck | kCreditsNone, .msn = msn_};
    packet.payload_bytes = last ? static_cast<std::uint32_t>(job.bytes - offset) : mtu_bytes;
    if (!job.source.empty()) packet.payload = job.source.subspan(offset, packet.payload_bytes);
    ++turn.counters.packets_sent;
    turn.counters.payload_bytes_sent += packet.payload_bytes;
    if (!last) return;
    // It acknowledges all before it as well.
    if (answer_ == Answer::Ack && job.end == expected_) answer_ = Answer::None;
    if (job.end == expected_) unanswered_ = 0;
    reads_.pop();
}

void Responder::timer_expired(QpTurn& turn) {
    const std::optional<Time> due = deadline(turn.profile);
    if (due && turn.now >= *due) answer_ = Answer::Ack;
}

}  // namespace weir::roce
