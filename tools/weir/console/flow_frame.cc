// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/flow_frame.h"

#include <algorithm>

#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {
namespace {

constexpr MacAddress kSomeHost{0x0200'0000'00fe};
constexpr std::uint8_t kTtl = 64;                 // RFC 1700's default
constexpr std::uint16_t kSourcePort = 49'152;     // first of the dynamic ports (RFC 6335)
constexpr std::uint16_t kEtherTypeTest = 0x88b5;  // IEEE 802: local experiments

// Appends fields to the frame.
class Writer {
  public:
    explicit Writer(FlowFrame& frame) : frame_(frame) {}

    void mac(MacAddress address) {
        write_mac(at(), address);
        frame_.length = static_cast<std::uint16_t>(frame_.length + kMacBytes);
    }
    void byte(std::uint8_t value) { frame_.bytes[frame_.length++] = value; }
    void be16(std::uint16_t value) {
        write_be16(at(), value);
        frame_.length = static_cast<std::uint16_t>(frame_.length + 2);
    }
    void be32(std::uint32_t value) {
        write_be32(at(), value);
        frame_.length = static_cast<std::uint16_t>(frame_.length + 4);
    }
    void ipv6(const IpAddress& address) {
        write_ipv6(at(), address);
        frame_.length = static_cast<std::uint16_t>(frame_.length + 16);
    }
    [[nodiscard]] std::uint8_t* at() { return frame_.bytes.data() + frame_.length; }

  private:
    FlowFrame& frame_;
};

MacAddress mac_or(const Arguments& arguments, std::string_view key, MacAddress otherwise) {
    const Value* value = arguments.find(key);
    return value == nullptr ? otherwise : value->mac;
}

void write_ethernet(const Arguments& arguments, MacAddress own, Writer& writer) {
    writer.mac(mac_or(arguments, "mac-dst", own));
    writer.mac(mac_or(arguments, "mac-src", kSomeHost));
    if (arguments.find("vlan") != nullptr || arguments.find("pcp") != nullptr) {
        writer.be16(kEtherTypeVlan);
        // Without a VLAN the tag is a priority tag: VID 0.
        writer.be16(static_cast<std::uint16_t>((arguments.number("pcp", 0) << 13) |
                                               arguments.number("vlan", 0)));
    }
}

// RFC 1071 over a header whose checksum field is 0.
std::uint16_t header_checksum(const std::uint8_t* header) {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < kIpv4BytesMin; i += 2) sum += read_be16(header + i);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~(sum + (sum >> 16)));
}

void write_ip(const Arguments& arguments, std::uint16_t payload_bytes, Writer& writer) {
    const IpAddress source = arguments.find("src")->prefix.address;
    const IpAddress destination = arguments.find("dst")->prefix.address;
    const auto traffic_class = static_cast<std::uint8_t>(arguments.number("dscp", 0) << 2);
    if (!source.is_v4()) {
        writer.be16(kEtherTypeIpv6);
        writer.be32(0x6000'0000u | (std::uint32_t{traffic_class} << 20));
        writer.be16(payload_bytes);
        writer.byte(kProtocolUdp);
        writer.byte(kTtl);
        writer.ipv6(source);
        writer.ipv6(destination);
        return;
    }
    writer.be16(kEtherTypeIpv4);
    std::uint8_t* header = writer.at();
    writer.byte(0x45);  // version 4, five words
    writer.byte(traffic_class);
    writer.be16(static_cast<std::uint16_t>(kIpv4BytesMin + payload_bytes));
    writer.be32(0x0000'4000);  // do not fragment
    writer.byte(kTtl);
    writer.byte(kProtocolUdp);
    writer.be16(0);
    writer.be32(source.v4_value());
    writer.be32(destination.v4_value());
    write_be16(header + 10, header_checksum(header));
}

void write_udp(const Arguments& arguments, std::uint16_t bytes, Writer& writer) {
    writer.be16(static_cast<std::uint16_t>(arguments.number("sport", kSourcePort)));
    writer.be16(static_cast<std::uint16_t>(arguments.number("dport", kRoceUdpPort)));
    writer.be16(bytes);
    writer.be16(0);  // no checksum: the ICRC protects more
    // BTH of an RC "send only", and an ICRC that no switch looks at. To another port it is payload.
    writer.be32(0x0400'ffff);
    writer.be32(static_cast<std::uint32_t>(arguments.number("qp", 1)));
    writer.be32(0);
    writer.be32(0);
}

}  // namespace

Reading<FlowFrame> make_flow_frame(const Arguments& arguments, const Snapshot& snapshot) {
    FlowFrame frame;
    frame.in_port = arguments.find("in")->port;
    const PortView* port = snapshot.port(frame.in_port);
    if (port == nullptr) return Reading<FlowFrame>::bad("the port is gone");
    const Value* source = arguments.find("src");
    if (source != nullptr) {
        if (source->prefix.is_v4() != arguments.find("dst")->prefix.is_v4()) {
            return Reading<FlowFrame>::bad("src and dst are of one kind: both IPv4 or both IPv6");
        }
        if (port->table.mode == PortMode::Bridged && arguments.find("mac-dst") == nullptr) {
            return Reading<FlowFrame>::bad(
                "port " + port->name +
                " is bridged: add mac-dst, the MAC address the frame is for");
        }
    }
    Writer writer(frame);
    write_ethernet(arguments, port->table.mac, writer);
    if (source == nullptr) {
        writer.be16(kEtherTypeTest);
    } else {
        constexpr std::uint16_t kUdpPayload = kUdpBytes + kBthBytes + kIcrcBytes;
        write_ip(arguments, kUdpPayload, writer);
        write_udp(arguments, kUdpPayload, writer);
    }
    frame.length = std::max(frame.length, kEthernetFrameBytesMin);
    return Reading<FlowFrame>::good(frame);
}

}  // namespace weir
