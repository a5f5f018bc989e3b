// SPDX-License-Identifier: BSD-3-Clause
// How many bytes may still arrive on a link after XOFF was decided: the headroom that a lossless
// priority group needs. Pure integer arithmetic, exact up to the last rounding.
//
// The formula is that of SONiC's NVIDIA profile (sonic-net/sonic-swss,
// cfgmgr/buffer_headroom_mellanox.lua), general in the memory's cell and the mix of frames. A
// switch that counts real bytes, as weir does, has no cells; but it has a reaction time of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

// A number of bytes that need not be whole: 3.8 KiB are 19,456 fifths of a byte.
struct ByteFraction {
    std::uint64_t count = 0;
    std::uint64_t per_byte = 1;
};

struct HeadroomInputs {
    std::uint64_t speed_bps = 0;
    Bytes lossless_mtu = 0;  // longest frame of the lossless priority
    Bytes port_mtu = 0;      // longest frame that a pause may wait for, both of them with headers
    std::uint64_t cable_mm = 5'000;
    // What the peer sends before it obeys; default: the quanta that 802.3 allows at this speed.
    std::optional<ByteFraction> peer_response = std::nullopt;
    Bytes cell_bytes = 0;            // of the buffer memory; 0: it has no cells
    unsigned smallest_frames = 100;  // percentage of frames of 64 bytes, 0..100
    Bytes gearbox_bytes = 0;         // held by a gearbox, one way
    bool spectrum4_tile = false;     // 15 ns more, in the tiles of Spectrum-4 and -5
    // Of our own: from the arrival of the frame to the leaving of the pause.
    Interval reaction = Interval{0};
};

// Whole KiB.
[[nodiscard]] Bytes headroom_bytes(const HeadroomInputs& inputs);

// The pause quanta, of 512 bit times, that a peer may take to react (IEEE 802.3 31B.3.7). Speeds in
// between have those of the next higher one.
[[nodiscard]] unsigned peer_response_quanta(std::uint64_t speed_bps);

}  // namespace weir
