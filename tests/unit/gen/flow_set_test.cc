// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/flow_set.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tools/roce/address.h"
#include "tools/roce/frame_reader.h"

namespace weir::gen {
namespace {

Endpoints endpoints(const char* source, const char* destination) {
    return {.destination_mac = {{2, 0, 0, 0, 0, 2}},
            .source_mac = {{2, 0, 0, 0, 0, 1}},
            .source = roce::parse_ip(source).value(),
            .destination = roce::parse_ip(destination).value()};
}

struct Written {
    std::vector<std::uint8_t> bytes;
    roce::Reading reading{};
};

Written next(FlowSet& flows) {
    Written written{.bytes = std::vector<std::uint8_t>(flows.frame_bytes())};
    EXPECT_EQ(flows.write_next(written.bytes), written.bytes.size());
    EXPECT_EQ(roce::read_frame(written.bytes, written.reading), roce::ReadError::None);
    EXPECT_TRUE(written.reading.icrc_right);
    return written;
}

TEST(FlowSet, FlowsTakeTurnsAndCountTheirOwnPsns) {
    FlowSet flows({.flows = 3, .queue_pair_first = 0x100, .psn_first = 0xff'ffff},
                  endpoints("192.0.2.1", "192.0.2.2"));
    const std::vector<std::uint32_t> psns{0xff'ffff, 0, 1};
    for (const std::uint32_t psn : psns) {
        for (std::uint32_t flow = 0; flow < 3; ++flow) {
            const Written written = next(flows);
            EXPECT_EQ(written.reading.frame.bth.psn, psn);
            EXPECT_EQ(written.reading.frame.bth.destination_qp, 0x100 + flow);
            EXPECT_EQ(written.reading.frame.source_port, 49'152 + flow);
        }
    }
}

TEST(FlowSet, QpAndSourcePortWrap) {
    FlowSet flows({.flows = 2, .queue_pair_first = 0xff'ffff, .source_port_first = 0xffff},
                  endpoints("192.0.2.1", "192.0.2.2"));
    next(flows);
    const Written second = next(flows);
    EXPECT_EQ(second.reading.frame.bth.destination_qp, 0u);
    EXPECT_EQ(second.reading.frame.source_port, 0);
}

TEST(FlowSet, CarriesWhatTheOptionsSay) {
    FlowSet flows({.payload_bytes = 5,
                   .operation = Operation::Write,
                   .dscp = 24,
                   .ecn = 1,
                   .hop_limit = 9,
                   .vlan = roce::VlanTag{.vid = 7, .pcp = 4}},
                  endpoints("2001:db8::1", "2001:db8::2"));
    const Written written = next(flows);
    const roce::Frame& frame = written.reading.frame;
    EXPECT_EQ(frame.bth.opcode, roce::Opcode::WriteOnly);
    EXPECT_EQ(frame.reth.length_bytes, 5u);
    EXPECT_EQ(frame.payload.size(), 5u);
    EXPECT_EQ(frame.dscp, 24);
    EXPECT_EQ(frame.ecn, 1);
    EXPECT_EQ(frame.hop_limit, 9);
    EXPECT_EQ(frame.vlan, (roce::VlanTag{.vid = 7, .pcp = 4}));
    EXPECT_EQ(to_string(frame.source), "2001:db8::1");
    EXPECT_EQ(to_string(frame.destination_mac), "02:00:00:00:00:02");
}

TEST(FlowSet, NoPayloadMakesAFrameOfSixtyBytes) {
    FlowSet flows({.payload_bytes = 0}, endpoints("192.0.2.1", "192.0.2.2"));
    EXPECT_EQ(next(flows).bytes.size(), 60u);
}

TEST(FlowSet, RecordedFlowsDifferInEveryPartOfTheTuple) {
    PcapOptions options{.from = {.address = roce::parse_ip("10.1.0.0").value(), .length = 16},
                        .to = {.address = roce::parse_ip("10.2.0.0").value(), .length = 24},
                        .traffic = {.flows = 300}};
    FlowSet flows(options);
    std::set<std::string> sources;
    std::set<std::string> destinations;
    std::set<std::uint16_t> ports;
    for (int i = 0; i < 300; ++i) {
        const Written written = next(flows);
        sources.insert(to_string(written.reading.frame.source));
        destinations.insert(to_string(written.reading.frame.destination));
        ports.insert(written.reading.frame.source_port);
    }
    EXPECT_EQ(sources.size(), 300u);
    EXPECT_TRUE(sources.contains("10.1.0.1") && sources.contains("10.1.1.44"));
    // A /24 has 254 hosts, .1 to .254.
    EXPECT_EQ(destinations.size(), 254u);
    EXPECT_FALSE(destinations.contains("10.2.0.0") || destinations.contains("10.2.0.255"));
    EXPECT_EQ(ports.size(), 300u);
}

TEST(HostIn, CountsThroughThePrefixAndStartsAgain) {
    const auto host = [](const char* address, unsigned length, std::uint32_t index) {
        return to_string(
            host_in({.address = roce::parse_ip(address).value(), .length = length}, index));
    };
    // The host bits of what was given do not count.
    EXPECT_EQ(host("10.1.2.3", 24, 0), "10.1.2.1");
    EXPECT_EQ(host("10.1.2.3", 24, 253), "10.1.2.254");
    EXPECT_EQ(host("10.1.2.3", 24, 254), "10.1.2.1");
    EXPECT_EQ(host("10.1.2.3", 22, 255), "10.1.1.0");
    EXPECT_EQ(host("10.1.2.3", 30, 2), "10.1.2.1");
    EXPECT_EQ(host("10.1.2.3", 31, 1), "10.1.2.3");
    EXPECT_EQ(host("10.1.2.3", 32, 5), "10.1.2.3");
    EXPECT_EQ(host("0.0.0.0", 0, 0), "0.0.0.1");
    EXPECT_EQ(host("2001:db8::", 64, 0xffff), "2001:db8::1:0");
    EXPECT_EQ(host("2001:db8::5", 128, 9), "2001:db8::5");
}

}  // namespace
}  // namespace weir::gen
