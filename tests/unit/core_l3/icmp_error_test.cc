// SPDX-License-Identifier: BSD-3-Clause
// ICMP errors. The checksums in the bytes were computed apart from the code under test.
#include <gtest/gtest.h>

#include "dataplane/core/checksum.h"
#include "dataplane/core/icmp.h"
#include "dataplane/core/icmpv6.h"
#include "tests/unit/core_l3/l3_rig.h"

namespace weir {
namespace {

constexpr Time kNow{1'000'000'000'000};
constexpr Interval kPs = Interval::picoseconds(1);

// 192.0.2.50 to 198.51.100.9, TTL 1, UDP.
constexpr std::string_view kExpired =
    "02 00 00 00 00 a0  02 00 00 00 00 b1  08 00"
    "45 00 00 20  00 00 40 00  01 11 8d 5e  c0 00 02 32  c6 33 64 09"
    "04 d2 16 2e 00 0c 00 00  de ad be ef";
constexpr std::string_view kTimeExceeded =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  08 00"
    "45 c0 00 3c  00 00 40 00  40 01 b5 cd  c0 00 02 01  c0 00 02 32"
    "0b 00 3c 56  00 00 00 00"
    "45 00 00 20  00 00 40 00  01 11 8d 5e  c0 00 02 32  c6 33 64 09"
    "04 d2 16 2e 00 0c 00 00  de ad be ef";
constexpr std::string_view kFragmentationNeeded =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  08 00"
    "45 c0 00 3c  00 00 40 00  40 01 b5 cd  c0 00 02 01  c0 00 02 32"
    "03 04 3e 76  00 00 05 dc"
    "45 00 00 20  00 00 40 00  01 11 8d 5e  c0 00 02 32  c6 33 64 09"
    "04 d2 16 2e 00 0c 00 00  de ad be ef";

constexpr std::string_view kExpiredV6 =
    "02 00 00 00 00 a0  02 00 00 00 00 b1  86 dd"
    "60 00 00 00  00 0c 11 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "20 01 0d b8 00 00 00 0b  00 00 00 00 00 00 00 09"
    "04 d2 16 2e 00 0c 00 00  de ad be ef";
constexpr std::string_view kTimeExceededV6 =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  86 dd"
    "6c 00 00 00  00 3c 3a 40"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "03 00 1b 1b  00 00 00 00"
    "60 00 00 00  00 0c 11 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "20 01 0d b8 00 00 00 0b  00 00 00 00 00 00 00 09"
    "04 d2 16 2e 00 0c 00 00  de ad be ef";
constexpr std::string_view kTooBigV6 =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  86 dd"
    "6c 00 00 00  00 3c 3a 40"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "02 00 16 3f  00 00 05 dc"
    "60 00 00 00  00 0c 11 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "20 01 0d b8 00 00 00 0b  00 00 00 00 00 00 00 09"
    "04 d2 16 2e 00 0c 00 00  de ad be ef";

constexpr std::size_t kIp = 14;

class IcmpErrorTest : public testing::Test {
  protected:
    Frame& parsed_frame(const Octets& bytes, PortId port = 0) {
        Frame& frame = rig_.frame(bytes, port);
        EXPECT_NE(parse(frame).kind, FrameKind::Malformed);
        return frame;
    }
    void report(const Octets& bytes, IcmpError error = IcmpError::TimeExceeded, PortId port = 0) {
        rig_.clear();
        icmp_error(rig_.state, kNow, parsed_frame(bytes, port), error, rig_.out);
    }
    // The frame with bytes replaced from `at` on.
    static Octets changed(std::string_view hex, std::size_t at, std::string_view with) {
        Octets bytes = octets(hex);
        const Octets patch = octets(with);
        std::copy(patch.begin(), patch.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        return bytes;
    }
    void expect_silence(const Octets& bytes, const char* why) {
        SCOPED_TRACE(why);
        report(bytes);
        EXPECT_EQ(rig_.out.own.size(), 0u);
    }
    void expect_report(const Octets& bytes, const char* why) {
        SCOPED_TRACE(why);
        report(bytes);
        EXPECT_EQ(rig_.out.own.size(), 1u);
    }
    unsigned sent_at(Time now) {
        rig_.clear();
        Frame& frame = parsed_frame(octets(kExpired));
        unsigned sent = 0;
        for (unsigned i = 0; i < 100; ++i) {
            icmp_error(rig_.state, now, frame, IcmpError::TimeExceeded, rig_.out);
            sent += static_cast<unsigned>(rig_.out.own.size());
            rig_.clear();
        }
        return sent;
    }

    L3Rig rig_;
};

TEST_F(IcmpErrorTest, TellsThatTheTimeIsExceeded) {
    report(octets(kExpired));
    EXPECT_EQ(rig_.only_own(0), octets(kTimeExceeded));
    report(octets(kExpiredV6));
    EXPECT_EQ(rig_.only_own(0), octets(kTimeExceededV6));
}

TEST_F(IcmpErrorTest, TellsTheMtuThatWouldFit) {
    icmp_too_big(rig_.state, kNow, parsed_frame(octets(kExpired)), 1500, rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets(kFragmentationNeeded));
    rig_.clear();
    icmp_too_big(rig_.state, kNow, parsed_frame(octets(kExpiredV6)), 1500, rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets(kTooBigV6));
}

// RFC 792 and RFC 1812: 3/0, 3/1, 3/3. RFC 4443 3.1: 1/0 no route, 1/3 address, 1/4 port.
TEST_F(IcmpErrorTest, TellsWhatIsUnreachable) {
    struct Case {
        IcmpError error;
        std::uint8_t code;
        std::uint8_t code_v6;
    };
    for (const Case& c :
         {Case{IcmpError::NetUnreachable, 0, 0}, Case{IcmpError::HostUnreachable, 1, 3},
          Case{IcmpError::PortUnreachable, 3, 4}}) {
        report(octets(kExpired), c.error);
        EXPECT_EQ(rig_.only_own(0).at(34), 3);
        EXPECT_EQ(rig_.only_own(0).at(35), c.code);
        report(octets(kExpiredV6), c.error);
        EXPECT_EQ(rig_.only_own(0).at(54), 1);
        EXPECT_EQ(rig_.only_own(0).at(55), c.code_v6);
    }
}

TEST_F(IcmpErrorTest, GoesBackUntaggedFromBehindAPriorityTag) {
    Octets tagged = octets(kExpired);
    const Octets tag = octets("81 00 60 00");
    tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
    report(tagged);
    EXPECT_EQ(rig_.only_own(0), octets(kTimeExceeded));
}

TEST_F(IcmpErrorTest, IsPaddedToTheShortestFrame) {
    // The shortest quote: 20 B of IP header. 14 + 20 + 8 + 20 = 62 is above 60 already.
    Octets bytes = changed(kExpired, kIp + 2, "00 14");
    bytes[kIp + 9] = 47;
    report(bytes);
    EXPECT_EQ(rig_.only_own(0).size(), 62u);
}

// IPv4: 576 B in all, so 14 + 576 = 590 on the wire. IPv6: 512 B are quoted, 14 + 40 + 8 + 512.
TEST_F(IcmpErrorTest, QuotesUpToItsLimit) {
    for (const unsigned total : {547u, 548u, 549u, 1500u}) {
        Octets bytes = octets(kExpired);
        bytes.resize(kIp + total, 0x5a);
        write_be16(&bytes[kIp + 2], static_cast<std::uint16_t>(total));
        report(bytes);
        const Octets error = rig_.only_own(0);
        const unsigned quoted = std::min(total, 548u);
        ASSERT_EQ(error.size(), 14u + 20 + 8 + quoted);
        EXPECT_EQ(read_be16(&error[kIp + 2]), 28 + quoted);
        EXPECT_TRUE(std::equal(error.begin() + 42, error.end(), bytes.begin() + kIp));
        EXPECT_EQ(checksum_of(checksum_sum(&error[34], error.size() - 34)), 0);
    }
    for (const unsigned payload : {471u, 472u, 473u, 1400u}) {
        Octets bytes = octets(kExpiredV6);
        bytes.resize(kIp + 40 + payload, 0x5a);
        write_be16(&bytes[kIp + 4], static_cast<std::uint16_t>(payload));
        report(bytes);
        const Octets error = rig_.only_own(0);
        const unsigned quoted = std::min(40 + payload, 512u);
        ASSERT_EQ(error.size(), 14u + 40 + 8 + quoted);
        EXPECT_TRUE(std::equal(error.begin() + 62, error.end(), bytes.begin() + kIp));
        EXPECT_EQ(icmpv6_checksum(&error[kIp], static_cast<std::uint16_t>(8 + quoted)), 0);
    }
}

TEST_F(IcmpErrorTest, DoesNotQuotePaddingNorWhatCannotBeRead) {
    Octets padded = octets(kExpired);
    padded.resize(60, 0x77);
    report(padded);
    EXPECT_EQ(rig_.only_own(0), octets(kTimeExceeded));
    Frame& frame = parsed_frame(octets(kExpired));
    frame.readable = kIp + 28;
    rig_.clear();
    icmp_error(rig_.state, kNow, frame, IcmpError::TimeExceeded, rig_.out);
    EXPECT_EQ(rig_.only_own(0).size(), 14u + 20 + 8 + 28);
}

// RFC 1812 4.3.2.7.
TEST_F(IcmpErrorTest, IsNotSentWhereRfc1812ForbidsIt) {
    expect_report(octets(kExpired), "as it is");
    expect_silence(changed(kExpired, 0, "01 00 5e 00 00 01"), "to a group of MACs");
    expect_silence(changed(kExpired, kIp + 16, "e0 00 00 05"), "to a group");
    expect_silence(changed(kExpired, kIp + 16, "ff ff ff ff"), "to everybody");
    expect_silence(changed(kExpired, kIp + 6, "00 01"), "the second fragment");
    expect_report(changed(kExpired, kIp + 6, "20 00"), "the first fragment");
    expect_silence(changed(kExpired, kIp + 12, "00 00 00 00"), "from nobody");
    expect_silence(changed(kExpired, kIp + 12, "7f 00 00 01"), "from loopback");
    expect_silence(changed(kExpired, kIp + 12, "e0 00 00 05"), "from a group");
    expect_silence(changed(kExpired, kIp + 12, "ff ff ff ff"), "from everybody");
    expect_silence(changed(kExpired, kIp + 12, "c0 00 02 ff"), "from the subnet's broadcast");
    expect_silence(changed(kExpired, kIp + 12, "c0 00 02 00"), "from the subnet itself");
    expect_silence(changed(kExpired, kIp + 12, "c0 00 02 01"), "from ourselves");
    expect_report(changed(kExpired, kIp + 12, "0a 01 02 03"), "from far away");
}

TEST_F(IcmpErrorTest, IsNotSentAboutAnError) {
    for (unsigned type = 0; type < 20; ++type) {
        Octets bytes = changed(kExpired, kIp + 9, "01");
        bytes[kIp + 20] = static_cast<std::uint8_t>(type);
        const bool is_error = type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
        report(bytes);
        EXPECT_EQ(rig_.out.own.size(), is_error ? 0u : 1u) << "type " << type;
    }
    for (const unsigned type : {1u, 3u, 127u, 128u, 129u, 136u, 137u}) {
        Octets bytes = changed(kExpiredV6, kIp + 6, "3a");
        bytes[kIp + 40] = static_cast<std::uint8_t>(type);
        const bool is_error = type < 128 || type == 137;
        report(bytes);
        EXPECT_EQ(rig_.out.own.size(), is_error ? 0u : 1u) << "type " << type;
    }
}

TEST_F(IcmpErrorTest, IsNotSentAboutIcmpWhoseTypeCannotBeRead) {
    Octets echo = changed(kExpired, kIp + 9, "01");
    echo[kIp + 20] = 8;
    Frame& frame = parsed_frame(echo);
    frame.readable = kIp + 20;
    rig_.clear();
    icmp_error(rig_.state, kNow, frame, IcmpError::TimeExceeded, rig_.out);
    EXPECT_EQ(rig_.out.own.size(), 0u);
    frame.readable = kIp + 21;
    icmp_error(rig_.state, kNow, frame, IcmpError::TimeExceeded, rig_.out);
    EXPECT_EQ(rig_.out.own.size(), 1u);
}

// RFC 4443 2.4 e.
TEST_F(IcmpErrorTest, IsNotSentWhereRfc4443ForbidsIt) {
    expect_report(octets(kExpiredV6), "as it is");
    expect_silence(changed(kExpiredV6, 0, "33 33 00 00 00 01"), "to a group of MACs");
    expect_silence(changed(kExpiredV6, kIp + 24, "ff 0e"), "to a group");
    expect_silence(changed(kExpiredV6, kIp + 8, "ff 0e"), "from a group");
    Octets bytes = octets(kExpiredV6);
    std::fill_n(bytes.begin() + kIp + 8, 16, std::uint8_t{0});
    expect_silence(bytes, "from nobody");
    bytes[kIp + 23] = 1;
    expect_silence(bytes, "from loopback");
}

// Hop-by-hop options (8 B), then what the test says.
TEST_F(IcmpErrorTest, LooksBehindExtensionHeadersForErrors) {
    constexpr std::string_view kExtended =
        "02 00 00 00 00 a0  02 00 00 00 00 b1  86 dd"
        "60 00 00 00  00 18 00 01"
        "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
        "20 01 0d b8 00 00 00 0b  00 00 00 00 00 00 00 09"
        "2c 00 01 04 00 00 00 00"   // next: fragment
        "3a 00 00 01 00 00 00 07"   // next: ICMPv6, offset 0, more fragments
        "80 00 00 00 00 00 00 00";  // echo request
    expect_report(octets(kExtended), "an echo request");
    expect_silence(changed(kExtended, 70, "01"), "an error");
    expect_silence(changed(kExtended, 64, "00 09"), "a later fragment says nothing of its kind");
    expect_silence(changed(kExtended, 55, "10"), "options that end behind the frame");
    Octets endless = octets(kExtended);
    for (const std::size_t at : {54u, 62u, 70u}) endless[at] = 0;
    expect_silence(endless, "more headers than there is frame for");
}

// Four are looked behind: `n` empty destination options (8 B each), then UDP.
TEST_F(IcmpErrorTest, LooksBehindFourExtensionHeaders) {
    for (const unsigned n : {4u, 5u}) {
        Octets bytes = changed(kExpiredV6, kIp + 6, "3c");
        Octets options;
        for (unsigned i = 1; i <= n; ++i) {
            const Octets one =
                octets(i < n ? "3c 00 01 04 00 00 00 00" : "11 00 01 04 00 00 00 00");
            options.insert(options.end(), one.begin(), one.end());
        }
        bytes.insert(bytes.begin() + kIp + 40, options.begin(), options.end());
        write_be16(&bytes[kIp + 4], static_cast<std::uint16_t>(bytes.size() - kIp - 40));
        report(bytes);
        EXPECT_EQ(rig_.out.own.size(), n == 4 ? 1u : 0u) << n;
    }
}

TEST_F(IcmpErrorTest, GoesFromThePortsLinkLocalAddressIfItHasNoOther) {
    rig_.ports[0].address_count = 1;  // IPv4 only
    report(octets(kExpiredV6));
    const Octets error = rig_.only_own(0);
    EXPECT_EQ(read_ipv6(&error.at(kIp + 8)),
              (IpAddress{0xfe80'0000'0000'0000, 0x0000'00ff'fe00'00a0}));
    rig_.ports[0].address_count = 0;
    report(octets(kExpired));
    EXPECT_EQ(rig_.out.own.size(), 0u) << "no IPv4 address to speak from";
}

TEST_F(IcmpErrorTest, LeavesPortsOfAnotherShardAlone) {
    report(octets(kExpired), IcmpError::TimeExceeded, 2);
    EXPECT_EQ(rig_.out.own.size(), 0u);
}

TEST_F(IcmpErrorTest, NeedsRoom) {
    while (rig_.out.own.room() > 0) rig_.out.own.push({});
    icmp_error(rig_.state, kNow, parsed_frame(octets(kExpired)), IcmpError::TimeExceeded, rig_.out);
    EXPECT_EQ(rig_.out.own.room(), 0u);
}

// 50 at once, then one every 10 ms.
TEST_F(IcmpErrorTest, IsSentFiftyTimesAtOnceAndAHundredTimesASecond) {
    EXPECT_EQ(sent_at(Time{}), 50u) << "full from the start of time";
    EXPECT_EQ(sent_at(Time{} + Interval::milliseconds(10) - kPs), 0u);
    EXPECT_EQ(sent_at(Time{} + Interval::milliseconds(10)), 1u);
    EXPECT_EQ(sent_at(Time{} + Interval::milliseconds(40)), 3u);
    EXPECT_EQ(sent_at(Time{} + Interval::seconds(10)), 50u);
}

TEST_F(IcmpErrorTest, IsSentAgainAfterAPauseInWhichTimeWrapped) {
    EXPECT_EQ(sent_at(kNow), 50u);
    // Half of the range of Time later, "full again" seems to lie in the future.
    EXPECT_EQ(sent_at(kNow + Interval::picoseconds(INT64_MIN) + Interval::seconds(1)), 50u);
}

TEST_F(IcmpErrorTest, DoesNotSpendTokensOnWhatIsNotSent) {
    for (unsigned i = 0; i < 100; ++i) {
        expect_silence(changed(kExpired, kIp + 16, "e0 00 00 05"), "to a group");
    }
    EXPECT_EQ(sent_at(kNow), 50u);
}

}  // namespace
}  // namespace weir
