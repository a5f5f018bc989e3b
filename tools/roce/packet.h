// SPDX-License-Identifier: BSD-3-Clause
// A RoCEv2 packet as a queue pair sees it: the transport headers and the payload, without the
// network below.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tools/roce/frame.h"
#include "tools/roce/queue_pair_types.h"

namespace weir::roce {

struct Packet {
    Opcode opcode = Opcode::SendOnly;
    bool ack_request = false;
    bool becn = false;
    std::uint8_t dscp = 0;
    std::uint8_t ecn = 0;
    QpNumber destination_qp = 0;
    std::uint32_t psn = 0;
    std::uint32_t payload_bytes = 0;
    std::uint32_t immediate = 0;
    Reth reth{};
    Aeth aeth{};
    // Of a whole frame: empty or `payload_bytes` long. Empty is sent as zeros.
    std::span<const std::uint8_t> payload{};
};

// What follows the BTH for each number of an opcode, looked up once per frame.
struct OpcodeHeaders {
    ExtendedHeaders present{};
    std::uint8_t bytes = 0;
};

inline constexpr std::array<OpcodeHeaders, 256> kOpcodeHeaders = [] {
    std::array<OpcodeHeaders, 256> table{};
    for (unsigned i = 0; i < table.size(); ++i) {
        table[i].present = extended_headers(static_cast<Opcode>(i));
        table[i].bytes = static_cast<std::uint8_t>(table[i].present.bytes());
    }
    return table;
}();

[[nodiscard]] constexpr const OpcodeHeaders& opcode_headers(Opcode opcode) {
    return kOpcodeHeaders[static_cast<std::uint8_t>(opcode)];
}

// Positions within a message, from the numbers of the opcodes: what a queue pair must know of one.
enum class MessageKind : std::uint8_t { Send, Write, ReadRequest, Other };

[[nodiscard]] constexpr MessageKind message_kind(Opcode opcode) {
    if (opcode <= Opcode::SendOnlyImmediate) return MessageKind::Send;
    if (opcode <= Opcode::WriteOnlyImmediate) return MessageKind::Write;
    return opcode == Opcode::ReadRequest ? MessageKind::ReadRequest : MessageKind::Other;
}

[[nodiscard]] constexpr bool starts_message(Opcode opcode) {
    return opcode == Opcode::SendFirst || opcode == Opcode::SendOnly ||
           opcode == Opcode::SendOnlyImmediate || opcode == Opcode::WriteFirst ||
           opcode == Opcode::WriteOnly || opcode == Opcode::WriteOnlyImmediate;
}

[[nodiscard]] constexpr bool ends_message(Opcode opcode) {
    switch (opcode) {
        case Opcode::SendFirst:
        case Opcode::SendMiddle:
        case Opcode::WriteFirst:
        case Opcode::WriteMiddle:
            return false;
        default:
            return true;
    }
}

[[nodiscard]] constexpr bool is_request(Opcode opcode) {
    return opcode <= Opcode::ReadRequest;
}

[[nodiscard]] constexpr bool is_read_response(Opcode opcode) {
    return opcode >= Opcode::ReadResponseFirst && opcode <= Opcode::ReadResponseOnly;
}

}  // namespace weir::roce
