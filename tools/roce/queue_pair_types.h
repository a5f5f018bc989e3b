// SPDX-License-Identifier: BSD-3-Clause
// What a user of a reliable-connection (RC) queue pair says to it and hears from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/core/time.h"
#include "dataplane/core/types.h"
#include "tools/roce/dcqcn.h"
#include "tools/roce/frame.h"

namespace weir::roce {

using QpNumber = std::uint32_t;  // 24 bits

// IBTA 9.7.2: a message has at most 2^31 bytes.
inline constexpr std::uint64_t kMessageBytesMax = std::uint64_t{1} << 31;
// IBTA 9.7.4: of 2^24 PSNs at most half may be unacknowledged, or old and new look alike.
inline constexpr std::uint32_t kWindowPacketsMax = 1u << 23;
inline constexpr unsigned kMtuBytesMin = 256;
inline constexpr unsigned kMtuBytesMax = 4096;
inline constexpr std::uint8_t kRnrRetryForever = 7;  // IBTA 9.7.5.2.8

// The Local ACK Timeout of IBTA 9.7.6.1.3: 4.096 us * 2^exponent; 0 means never.
[[nodiscard]] constexpr Interval ack_timeout(unsigned exponent) {
    return exponent == 0 ? Interval{}
                         : Interval::nanoseconds(std::int64_t{4096} << (exponent & 31));
}

// What many queue pairs have in common; it outlives the HostPort that uses it.
struct QpProfile {
    unsigned mtu_bytes = 1024;  // payload per frame: 256..4096, a multiple of 4
    Priority priority = 3;
    std::uint8_t dscp = 26;
    std::uint8_t ecn = kEcnCapable0;  // of requests and READ responses
    Priority ack_priority = 3;
    std::uint8_t ack_dscp = 26;
    Priority cnp_priority = 6;
    std::uint8_t cnp_dscp = 48;

    // Requester.
    unsigned ack_request_every = 0;  // ask for an ACK each so many frames, not only at the end
    std::uint32_t window_packets = kWindowPacketsMax;
    unsigned reads_outstanding_max = 16;
    Interval timeout = ack_timeout(14);  // 67 ms; 0: never
    std::uint8_t retry_count = 7;
    bool retry_forever = false;  // as Soft-RoCE takes a count of 7
    std::uint8_t rnr_retry_count = kRnrRetryForever;

    // Responder.
    unsigned ack_every = 0;       // answer each so many frames even if nobody asked; 0: when asked
    Interval ack_delay{};         // answer what nobody asked about after this time; 0: never
    bool receive_queue = false;   // SEND needs a posted receive, or RNR NAK
    std::uint8_t rnr_timer = 12;  // code of the wait that a RNR NAK asks for: 0.64 ms

    bool dcqcn_on = false;
    DcqcnParameters dcqcn{};
    bool cnp_on = true;  // answer marked frames
    Interval cnp_interval = Interval::microseconds(50);
};

struct QpConfig {
    const QpProfile* profile = nullptr;
    IpAddress peer_ip{};
    MacAddress next_hop{};  // destination MAC: the peer's or the router's
    std::optional<VlanTag> vlan{};
    QpNumber peer_qp = 0;
    std::uint16_t source_port = kSourcePortFirst;
    std::uint32_t first_psn_sent = 0;
    std::uint32_t first_psn_received = 0;
};

enum class Operation : std::uint8_t { Send, Write, Read };

struct WorkRequest {
    std::uint64_t id = 0;  // comes back in the completion
    Operation operation = Operation::Write;
    std::uint64_t bytes = 0;  // at most kMessageBytesMax
    std::uint64_t remote_address = 0;
    std::uint32_t remote_key = 0;
    std::optional<std::uint32_t> immediate{};  // SEND and WRITE
    // The bytes to send, or where READ puts them: `bytes` of them, valid until the completion.
    // Empty: zeros are sent, READ data is dropped. Not used with headers-only frames.
    std::span<std::uint8_t> local{};
};

struct ReceiveRequest {
    std::uint64_t id = 0;
    std::span<std::uint8_t> place{};  // may be empty: the data is dropped
};

// Memory that peers may WRITE and READ under a key. A HostPort without regions takes any address
// and keeps nothing.
struct MemoryRegion {
    std::uint32_t key = 0;
    std::uint64_t address = 0;
    std::span<std::uint8_t> bytes{};
};

enum class CompletionKind : std::uint8_t {
    Requested,  // a work request is done: acknowledged, or all data of a READ is here
    Received,   // the last frame of a peer's SEND or WRITE was taken
};

enum class CompletionStatus : std::uint8_t {
    Done,
    RetryExceeded,
    RnrRetryExceeded,
    RemoteAccessError,
    RemoteInvalidRequest,
    Flushed,  // a request behind the one that failed
};

struct Completion {
    Time at{};
    // Requested: the WorkRequest's. Received: the ReceiveRequest's if one was used up, else the
    // message's number on its queue pair, from 0.
    std::uint64_t id = 0;
    std::uint64_t bytes = 0;
    QpNumber qp = 0;
    std::optional<std::uint32_t> immediate{};
    CompletionKind kind = CompletionKind::Requested;
    CompletionStatus status = CompletionStatus::Done;
    Operation operation = Operation::Write;
};

enum class QpState : std::uint8_t { Ready, Error };

struct QpCounters {
    std::uint64_t packets_sent = 0;  // requests and READ responses, repeats included
    std::uint64_t packets_repeated = 0;
    std::uint64_t payload_bytes_sent = 0;
    std::uint64_t payload_bytes_received = 0;  // in order, without duplicates
    std::uint64_t acks_sent = 0;
    std::uint64_t acks_received = 0;
    std::uint64_t naks_sent = 0;
    std::uint64_t naks_received = 0;
    std::uint64_t rnr_naks_sent = 0;
    std::uint64_t rnr_naks_received = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t duplicates_received = 0;
    std::uint64_t out_of_sequence_received = 0;
    std::uint64_t marked_received = 0;  // CE
    std::uint64_t cnps_sent = 0;
    std::uint64_t cnps_received = 0;
};

}  // namespace weir::roce
