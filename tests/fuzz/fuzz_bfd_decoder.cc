// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the UDP payload of a session packet: the decoder stays within them, what it reads is
// what stands there, and no packet takes a session where RFC 5880 has no way to.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/core/bfd.h"
#include "dataplane/core/check.h"
#include "dataplane/core/link_session.h"
#include "dataplane/core/wire.h"

namespace weir {
namespace {

// Each reason only for what it names.
void check_discard(BfdDiscard discard, std::span<const std::uint8_t> bytes) {
    WEIR_CHECK((discard == BfdDiscard::Truncated) == (bytes.size() < kBfdBytes));
    if (discard == BfdDiscard::Truncated) return;
    const bool version = bytes[0] >> 5 == 1;
    WEIR_CHECK((discard == BfdDiscard::VersionUnknown) == !version);
    if (!version) return;
    const std::size_t least = (bytes[1] & 4) != 0 ? 26 : 24;
    const bool length = bytes[3] >= least && bytes[3] <= bytes.size();
    WEIR_CHECK((discard == BfdDiscard::LengthWrong) == !length);
    if (discard != BfdDiscard::kCount) return;
    WEIR_CHECK(bytes[2] != 0 && (bytes[1] & 1) == 0 && read_be32(&bytes[4]) != 0);
}

// What was read, written again, stands as it stood: without authentication, which is not written.
void check_fields(BfdPacket packet, std::span<const std::uint8_t> bytes) {
    packet.authenticated = false;
    std::array<std::uint8_t, kBfdBytes> again{};
    write_bfd(again, packet);
    std::array<std::uint8_t, kBfdBytes> expected{};
    std::copy_n(bytes.begin(), kBfdBytes, expected.begin());
    expected[1] &= 0xfb;
    expected[3] = kBfdBytes;
    WEIR_CHECK(again == expected);
}

// A session that is Up, and one that is Down, hear the packet as it is and as if it were theirs.
void check_sessions(const BfdPacket& packet) {
    constexpr std::uint32_t kOurs = 7;
    for (const bool ours : {false, true}) {
        for (const bool up : {false, true}) {
            LinkSession session;
            Time now{1'000'000'000'000};
            session.begin(now, {}, kOurs, 1, false);
            const BfdPacket init{.state = SessionState::Init,
                                 .detect_mult = 3,
                                 .my_discriminator = 9,
                                 .your_discriminator = kOurs};
            if (up) WEIR_CHECK(session.hear(now, init) == BfdDiscard::kCount);
            BfdPacket heard = packet;
            if (ours) heard.your_discriminator = kOurs;
            const SessionState before = session.state();
            const bool taken = session.hear(now, heard) == BfdDiscard::kCount;
            WEIR_CHECK(taken || session.state() == before);
            WEIR_CHECK(!(before == SessionState::Up && session.state() == SessionState::Init));
            for (int i = 0; i < 4 && session.due(now); ++i) {
                const BfdPacket answer = session.take_packet(now);
                WEIR_CHECK(!(answer.poll && answer.final) && answer.detect_mult == 3);
            }
            now = session.next_deadline(now);
            session.expire(now);
            WEIR_CHECK(session.next_deadline(now) >= now || session.due(now));
        }
    }
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weir::BfdDiscard;
    std::vector<std::uint8_t> bytes(data, data + size);
    bytes.shrink_to_fit();
    weir::BfdPacket packet;
    const BfdDiscard discard = weir::read_bfd(bytes, packet);
    weir::check_discard(discard, bytes);
    if (discard != BfdDiscard::kCount) return 0;
    weir::check_fields(packet, bytes);
    weir::check_sessions(packet);
    return 0;
}
