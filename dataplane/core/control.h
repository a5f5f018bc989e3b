// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/parse.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/shard_state.h"
#include "dataplane/core/wire.h"

namespace weir {

// What stops a frame on every port, whatever its mode: malformed headers, too many bytes, and the
// link-local group addresses 01-80-C2-00-00-00..0F with MAC control among them, which are never
// forwarded (802.1Q clause 8.6.3). True: go on with the frame. Otherwise it has been dropped.
[[nodiscard]] inline bool admit_header(ShardState& state, PortId in_port, const Frame& frame,
                                       const Parsed& parsed, Effects& out) {
    if (parsed.kind == FrameKind::Malformed) [[unlikely]] {
        drop(state, in_port, parsed.error, frame, out);
        return false;
    }
    if (frame.length > state.tables->ports[in_port].frame_bytes_max) [[unlikely]] {
        drop(state, in_port, DropReason::FrameTooLong, frame, out);
        return false;
    }
    const std::uint64_t destination = read_be64(frame.data) >> 16;
    if (parsed.kind == FrameKind::MacControl) [[unlikely]] {
        drop(state, in_port, DropReason::MacControl, frame, out);
        return false;
    }
    if ((destination & kLinkLocalGroupMask) == kLinkLocalGroup) [[unlikely]] {
        drop(state, in_port, DropReason::LinkLocalGroupAddress, frame, out);
        return false;
    }
    return true;
}

}  // namespace weir
