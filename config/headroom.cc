// SPDX-License-Identifier: BSD-3-Clause
#include "config/headroom.h"

#include "dataplane/core/check.h"

namespace weir {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr Wide kKibibyte = 1'024;
constexpr Bytes kSmallestFrameBytes = 64;  // 802.3, with FCS

[[nodiscard]] constexpr Wide divide_up(Wide number, Wide by) {
    return (number + by - 1) / by;
}

// A number of at least 0.
struct Ratio {
    Wide top = 0;
    Wide bottom = 1;
};

// Memory used per byte received, at worst. A cell of the memory holds one frame's bytes only: w is
// what a frame of 64 bytes costs in large cells, or one of a cell and a byte in small ones. Of the
// bytes, b = 100 * 64 / (mean frame) percent are in frames of 64 bytes:
//     1 + b / 100 * (w - 1),  mean frame = (p * 64 + (100 - p) * lossless_mtu) / 100
Ratio occupancy(const HeadroomInputs& inputs) {
    constexpr Bytes kSmallCellBytes = 128;
    if (inputs.cell_bytes == 0) return {1, 1};
    const Wide cell = inputs.cell_bytes;
    const Ratio w =
        cell > kSmallCellBytes ? Ratio{cell, kSmallestFrameBytes} : Ratio{2 * cell, cell + 1};
    const Wide frames = Wide{inputs.smallest_frames} * kSmallestFrameBytes +
                        Wide{100 - inputs.smallest_frames} * inputs.lossless_mtu;
    return {frames * w.bottom + 100 * kSmallestFrameBytes * (w.top - w.bottom), frames * w.bottom};
}

// Everything that may be on its way, or be sent, until the peer has stopped.
Ratio propagation(const HeadroomInputs& inputs) {
    // Light travels at 0.66 c in a fibre, 1.98 * 10^8 m/s; both ways, millimetres, bits:
    // 2 * mm * bps / (1,000 * 1.98 * 10^8 * 8) bytes = mm * bps / (792 * 10^9).
    constexpr Wide kBottom = 792'000'000'000;
    constexpr Wide kMacAndPhy = kBottom * 4'096 / 5;  // 0.8 KiB
    constexpr Wide kTilePerBps = 792 * 15;            // speed in Gb/s * 15
    const ByteFraction peer = inputs.peer_response.value_or(
        ByteFraction{Bytes{peer_response_quanta(inputs.speed_bps)} * 64, 1});
    const Wide speed = inputs.speed_bps;
    const Wide whole = kBottom * (inputs.port_mtu + 2 * inputs.gearbox_bytes) +
                       inputs.cable_mm * speed + kMacAndPhy +
                       (inputs.spectrum4_tile ? kTilePerBps * speed : 0);
    return {whole * peer.per_byte + kBottom * peer.count, kBottom * peer.per_byte};
}

// What arrives while we do not look, rounded up to a byte.
Bytes reaction_bytes(const HeadroomInputs& inputs) {
    constexpr Wide kBitPicosecondsPerByte = 8'000'000'000'000;
    return static_cast<Bytes>(
        divide_up(Wide{inputs.speed_bps} * static_cast<std::uint64_t>(inputs.reaction.ps),
                  kBitPicosecondsPerByte));
}

}  // namespace

Bytes headroom_bytes(const HeadroomInputs& inputs) {
    WEIR_CHECK(inputs.smallest_frames <= 100 && inputs.reaction.ps >= 0);
    const Ratio occ = occupancy(inputs);
    const Ratio prop = propagation(inputs);
    const Wide whole = inputs.lossless_mtu + reaction_bytes(inputs);
    // Below 2^128: 10^9 bytes * 792 * 10^9 * 10^3 (per_byte) * 10^8 (occupancy) = 8 * 10^31.
    const Wide bottom = prop.bottom * occ.bottom;
    const Wide top = whole * bottom + prop.top * occ.top;
    return static_cast<Bytes>(divide_up(top, bottom * kKibibyte) * kKibibyte);
}

unsigned peer_response_quanta(std::uint64_t speed_bps) {
    struct Row {
        std::uint64_t mbps;
        unsigned quanta;
    };
    constexpr Row kRows[] = {{100, 1},       {1'000, 2},    {10'000, 67},   {25'000, 80},
                             {40'000, 118},  {50'000, 147}, {100'000, 394}, {200'000, 453},
                             {400'000, 905}, {800'000, 905}};
    for (const Row& row : kRows) {
        if (speed_bps <= row.mbps * 1'000'000) return row.quanta;
    }
    return kRows[std::size(kRows) - 1].quanta;
}

}  // namespace weir
