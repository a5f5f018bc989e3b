// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/parse.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/shard_state.h"
#include "dataplane/core/wire.h"

namespace weir {

// For frames that are not MAC control (those end in mac_control_heard). What stops a frame on every
// port, whatever its mode: malformed headers, too many bytes, and the link-local group addresses
// 01-80-C2-00-00-00..0F with MAC control among them, which are never forwarded (802.1Q
// clause 8.6.3). kCount: nothing.
[[nodiscard]] inline DropReason check_header(const ShardState& state, PortId in_port,
                                             const Frame& frame, const Parsed& parsed) {
    if (parsed.kind == FrameKind::Malformed) [[unlikely]]
        return parsed.error;
    if (frame.length > state.tables->ports[in_port].frame_bytes_max) [[unlikely]] {
        return DropReason::FrameTooLong;
    }
    if ((read_mac(frame.data).value & kLinkLocalGroupMask) == kLinkLocalGroup) [[unlikely]] {
        return DropReason::LinkLocalGroupAddress;
    }
    return DropReason::kCount;
}

}  // namespace weir
