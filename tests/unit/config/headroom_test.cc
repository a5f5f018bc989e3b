// SPDX-License-Identifier: BSD-3-Clause
// The formula against a vendor's table, row by row, and against sums done by hand.
#include "config/headroom.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr std::uint64_t kGbps = 1'000'000'000;
constexpr ByteFraction kPeer3Point8KiB{19'456, 5};  // 3.8 * 1,024 = 3,891.2

struct Row {
    unsigned speed_mbps;
    unsigned cable_m;
    Bytes size_bytes;
    Bytes xon_bytes;
    Bytes xoff_bytes;
};

// The vendor's table for the SN2700 (its pg_profile_lookup.ini in SONiC): cell 96, peer response
// 3.8 KiB, lossless MTU 1,024, port MTU 9,216, all frames small, no gearbox.
constexpr Row kSn2700[] = {
    {10'000, 5, 49'152, 19'456, 29'696},     {25'000, 5, 49'152, 19'456, 29'696},
    {40'000, 5, 49'152, 19'456, 29'696},     {50'000, 5, 49'152, 19'456, 29'696},
    {100'000, 5, 50'176, 19'456, 30'720},    {10'000, 40, 49'152, 19'456, 29'696},
    {25'000, 40, 51'200, 19'456, 31'744},    {40'000, 40, 52'224, 19'456, 32'768},
    {50'000, 40, 53'248, 19'456, 33'792},    {100'000, 40, 58'368, 19'456, 38'912},
    {10'000, 300, 56'320, 19'456, 36'864},   {25'000, 300, 67'584, 19'456, 48'128},
    {40'000, 300, 78'848, 19'456, 59'392},   {50'000, 300, 86'016, 19'456, 66'560},
    {100'000, 300, 123'904, 19'456, 104'448}};

HeadroomInputs sn2700(const Row& row) {
    return {.speed_bps = std::uint64_t{row.speed_mbps} * 1'000'000,
            .lossless_mtu = 1'024,
            .port_mtu = 9'216,
            .cable_mm = std::uint64_t{row.cable_m} * 1'000,
            .peer_response = kPeer3Point8KiB,
            .cell_bytes = 96};
}

TEST(Headroom, GivesEveryRowOfTheVendorsTable) {
    unsigned rows = 0;
    for (const Row& row : kSn2700) {
        const Bytes xoff = headroom_bytes(sn2700(row));
        EXPECT_EQ(xoff, row.xoff_bytes) << row.speed_mbps << " " << row.cable_m;
        EXPECT_EQ(row.xon_bytes + xoff, row.size_bytes) << row.speed_mbps << " " << row.cable_m;
        ++rows;
    }
    EXPECT_EQ(rows, 15u);
}

// Without a cable, an MTU, a peer and cells only the 0.8 KiB are left, 819.2 bytes. A KiB has room
// for 204 bytes more, and 205 are the next KiB.
TEST(Headroom, IsRoundedUpToKibibytesExactly) {
    HeadroomInputs inputs{.speed_bps = kGbps, .cable_mm = 0, .peer_response = ByteFraction{}};
    inputs.lossless_mtu = 204;
    EXPECT_EQ(headroom_bytes(inputs), 1'024u);
    inputs.lossless_mtu = 205;
    EXPECT_EQ(headroom_bytes(inputs), 2'048u);
    // 204 + 819.2 + 4/5 is a KiB to the byte; a tenth more is not.
    inputs.lossless_mtu = 204;
    inputs.peer_response = ByteFraction{4, 5};
    EXPECT_EQ(headroom_bytes(inputs), 1'024u);
    inputs.peer_response = ByteFraction{9, 10};
    EXPECT_EQ(headroom_bytes(inputs), 2'048u);
}

// 79.2 m at 100 Gb/s: 2 * 79.2 * 10^11 / 1.98e8 / 8 = 10,000 bytes in flight.
// 10,000 + 819.2 + 444.8 (2,224 fifths) = 11,264 = 11 KiB; a millimetre more (0.126 B) is 12.
TEST(Headroom, CountsTheCableBothWays) {
    HeadroomInputs inputs{
        .speed_bps = 100 * kGbps, .cable_mm = 79'200, .peer_response = ByteFraction{2'224, 5}};
    EXPECT_EQ(headroom_bytes(inputs), 11u * 1'024);
    inputs.cable_mm = 79'201;
    EXPECT_EQ(headroom_bytes(inputs), 12u * 1'024);
}

// Cell 144: a frame of 64 bytes costs 144, w = 2.25. 2.25 * (port_mtu + 819.2 + 3,891.2) + 1,024
// = 2.25 * port_mtu + 11,622.4. With port_mtu 1,512 that is 15,024.4, under 15 KiB (15,360); the
// most that fits is (15,360 - 11,622.4) / 2.25 = 1,661.16.
TEST(Headroom, LargeCellsHoldOneSmallFrameEach) {
    HeadroomInputs inputs{.speed_bps = 10 * kGbps,
                          .lossless_mtu = 1'024,
                          .port_mtu = 1'661,
                          .cable_mm = 0,
                          .peer_response = kPeer3Point8KiB,
                          .cell_bytes = 144};
    EXPECT_EQ(headroom_bytes(inputs), 15u * 1'024);
    inputs.port_mtu = 1'662;
    EXPECT_EQ(headroom_bytes(inputs), 16u * 1'024);
}

// Cell 192, w = 3, of the quanta of 802.3 and the tile. 400 Gb/s: 905 * 64 = 57,920 for the peer,
// 400 * 15 = 6,000 for the tile. 3 * (9,216 + 819.2 + 57,920 + 6,000) + 1,024 = 222,889.6 ->
// 218 KiB (223,232); without the tile 204,889.6 -> 201 KiB (205,824).
TEST(Headroom, OfSpectrum4HasTheTileAndQuanta) {
    HeadroomInputs inputs{.speed_bps = 400 * kGbps,
                          .lossless_mtu = 1'024,
                          .port_mtu = 9'216,
                          .cable_mm = 0,
                          .cell_bytes = 192,
                          .spectrum4_tile = true};
    EXPECT_EQ(headroom_bytes(inputs), 218u * 1'024);
    inputs.spectrum4_tile = false;
    EXPECT_EQ(headroom_bytes(inputs), 201u * 1'024);
}

// A cell of 128 bytes is still a small one: w = 256/129 = 1.984. One of 129 is not: w = 129/64 =
// 2.016. 100,000 + 819.2 bytes: 200,075.3 -> 196 KiB (200,704), and 203,213.7 -> 199 KiB (203,776).
TEST(Headroom, CellsUpTo128BytesAreWastedByAFrameOfOneByteMore) {
    HeadroomInputs inputs{.speed_bps = kGbps,
                          .port_mtu = 100'000,
                          .cable_mm = 0,
                          .peer_response = ByteFraction{},
                          .cell_bytes = 128};
    EXPECT_EQ(headroom_bytes(inputs), 196u * 1'024);
    inputs.cell_bytes = 129;
    EXPECT_EQ(headroom_bytes(inputs), 199u * 1'024);
}

// Half of the frames have 64 bytes, the others 936: the mean is 500, and b = 12.8 % of the bytes
// are in small frames. Cell 192, w = 3: 1 + 0.128 * 2 = 1.256. 1.256 * (9,180.8 + 819.2) = 12,560,
// and 936 + 12,560 = 13,496 -> 14 KiB (14,336); 840 bytes more still fit, 841 do not.
TEST(Headroom, CountsTheMixOfFrames) {
    HeadroomInputs inputs{.speed_bps = kGbps,
                          .lossless_mtu = 936,
                          .cable_mm = 0,
                          .peer_response = ByteFraction{45'904, 5},
                          .cell_bytes = 192,
                          .smallest_frames = 50};
    EXPECT_EQ(headroom_bytes(inputs), 14u * 1'024);
    // 840 / 1.256 = 668.79.
    inputs.port_mtu = 668;
    EXPECT_EQ(headroom_bytes(inputs), 14u * 1'024);
    inputs.port_mtu = 669;
    EXPECT_EQ(headroom_bytes(inputs), 15u * 1'024);
    // None small: the cells are all full, nothing is wasted but on 64 bytes of 936.
    inputs.smallest_frames = 0;
    inputs.port_mtu = 0;
    // b = 6,400 / 936 = 6.84 %, 1.1368 * 10,000 + 936 = 12,303.5 -> 13 KiB (13,312).
    EXPECT_EQ(headroom_bytes(inputs), 13u * 1'024);
}

// 2 * 100 bytes of a gearbox: 819.2 + 204 fits into a KiB, 819.2 + 200 + 5 does not.
TEST(Headroom, CountsAGearboxBothWays) {
    HeadroomInputs inputs{.speed_bps = kGbps, .cable_mm = 0, .peer_response = ByteFraction{}};
    inputs.gearbox_bytes = 102;
    EXPECT_EQ(headroom_bytes(inputs), 1'024u);
    inputs.gearbox_bytes = 103;
    EXPECT_EQ(headroom_bytes(inputs), 2'048u);
}

// weir itself, 25 Gb/s, frames of 4,200, 5 m, 100 us: 2 * 4,200 + 157.8 (cable) + 819.2 + 80 * 64 +
// 25e9 * 100e-6 / 8 (312,500) = 326,997.0 -> 320 KiB (327,680).
// 683 bytes are left of that: 218.5 ns. (326,997.028.. + 682.97.. = 327,680: 218 ns more are 681.25
// bytes and fit; 219 ns are 684.4, rounded up 685, and do not.)
TEST(Headroom, AddsTheReactionTime) {
    HeadroomInputs inputs{.speed_bps = 25 * kGbps,
                          .lossless_mtu = 4'200,
                          .port_mtu = 4'200,
                          .reaction = Interval::microseconds(100)};
    EXPECT_EQ(headroom_bytes(inputs), 320u * 1'024);
    inputs.reaction = Interval::nanoseconds(100'218);
    EXPECT_EQ(headroom_bytes(inputs), 320u * 1'024);
    inputs.reaction = Interval::nanoseconds(100'219);
    EXPECT_EQ(headroom_bytes(inputs), 321u * 1'024);
}

// IEEE 802.3 31B.3.7.
TEST(Headroom, PeersMayTakeTheQuantaOfTheirSpeed) {
    struct {
        std::uint64_t mbps;
        unsigned quanta;
    } constexpr kRows[] = {{100, 1},       {1'000, 2},    {10'000, 67},   {25'000, 80},
                           {40'000, 118},  {50'000, 147}, {100'000, 394}, {200'000, 453},
                           {400'000, 905}, {800'000, 905}};
    for (const auto& row : kRows) {
        EXPECT_EQ(peer_response_quanta(row.mbps * 1'000'000), row.quanta) << row.mbps;
    }
    EXPECT_EQ(peer_response_quanta(1), 1u);
    EXPECT_EQ(peer_response_quanta(2'500'000'000), 67u) << "2.5G: as 10G";
    EXPECT_EQ(peer_response_quanta(100 * kGbps + 1), 453u);
    EXPECT_EQ(peer_response_quanta(1'600 * kGbps), 905u);
}

// The largest inputs that a file may have stay within the arithmetic: 800 Gb/s, 100 km, a tenth of
// a second. 100 km: 10^8 mm * 8e11 / 7.92e11 = 101,010,101.01; 0.1 s: 10^10; 2 * 9,234; 819.2;
// 905 * 64. In all 10,101,087,308.2 -> 9,864,344 KiB (10,101,088,256).
TEST(Headroom, DoesNotOverflow) {
    EXPECT_EQ(headroom_bytes({.speed_bps = 800 * kGbps,
                              .lossless_mtu = 9'234,
                              .port_mtu = 9'234,
                              .cable_mm = 100'000'000,
                              .reaction = Interval::milliseconds(100)}),
              9'864'344ull * 1'024);
}

}  // namespace
}  // namespace weir
