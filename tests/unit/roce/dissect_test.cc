// SPDX-License-Identifier: BSD-3-Clause
// What the end point sends, seen by tshark: an exchange with every kind of packet, and nothing in
// it that the dissector finds malformed.
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/virtual_wire.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

void put_le32(std::ofstream& file, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        file.put(static_cast<char>(value >> shift));
    }
}

std::string write_pcap(const std::vector<Bytes>& frames) {
    std::string path = testing::TempDir() + "weir_roce_dissect.pcap";
    std::ofstream file(path, std::ios::binary);
    for (const std::uint32_t word : {0xa1b2'c3d4u, 0x0004'0002u, 0u, 0u, 65'535u, 1u}) {
        put_le32(file, word);
    }
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        const auto count = static_cast<std::uint32_t>(frames[i].size());
        for (const std::uint32_t word : {0u, i, count, count}) put_le32(file, word);
        for (const std::uint8_t byte : frames[i]) file.put(static_cast<char>(byte));
    }
    return path;
}

std::string output_of(const std::string& command) {
    std::string text;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 4096> part{};
    while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) {
        text += part.data();
    }
    return text;
}

// A SEND of two packets, a WRITE with immediate, a READ; the second packet is lost, so there is a
// NAK; one frame is marked, so there is a CNP.
std::vector<Bytes> exchange() {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile, 100, 500);
    wire.keep_bytes = true;
    bool lost = false;
    wire.fate = [&](const Seen& seen, std::size_t) {
        const bool hit = !lost && seen.from == 0 && seen.frame.bth.psn == 101;
        lost = lost || hit;
        return hit ? Fate{} : Fate{Interval{}};
    };
    wire.mark_ce = true;
    wire.post({.operation = Operation::Send, .bytes = 300});
    wire.post({.operation = Operation::Write, .bytes = 33, .immediate = 7});
    wire.post({.operation = Operation::Read, .bytes = 600});
    wire.run();
    return wire.bytes;
}

// Opcode, PSN, AckReq, AETH syndrome, IP checksum right, and what is malformed: nothing.
constexpr std::array kExchange{
    "0,100,0,,1,",     // SEND first
    "2,101,1,,1,",     // SEND last: lost
    "11,102,1,,1,",    // WRITE only with immediate
    "12,103,1,,1,",    // READ request
    "129,0,0,,1,",     // CNP, as 100 was marked
    "17,101,0,96,1,",  // NAK: 101 is missing
    "2,101,1,,1,",     // and again from there on
    "11,102,1,,1,",    //
    "12,103,1,,1,",    //
    "17,101,0,31,1,",  // ACKs
    "17,102,0,31,1,",  //
    "13,103,0,31,1,",  // READ response first, middle, last
    "14,104,0,,1,",    //
    "15,105,0,31,1,",  //
    "129,0,0,,1,",     // CNP of the other end, as 103 was marked
};

TEST(Dissect, TsharkReadsWhatTheEndPointSends) {
    if (output_of("command -v tshark").empty()) GTEST_SKIP() << "no tshark";
    const std::vector<Bytes> frames = exchange();
    const std::string path = write_pcap(frames);
    const std::string fields =
        output_of("tshark -n -r " + path +
                  " -o ip.check_checksum:TRUE -T fields -E separator=, -e infiniband.bth.opcode "
                  "-e infiniband.bth.psn -e infiniband.bth.a -e infiniband.aeth.syndrome "
                  "-e ip.checksum.status -e _ws.malformed 2>/dev/null");
    std::string expected;
    for (const char* line : kExchange) expected += std::string(line) + "\n";
    EXPECT_EQ(fields, expected);
    std::remove(path.c_str());
}

}  // namespace
}  // namespace weir::roce
