// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/roce/samples.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "tools/roce/address.h"
#include "tools/roce/frame_writer.h"

namespace weir::roce {

Bytes from_hex(std::string_view hex) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        const std::string digits(hex.substr(i, 2));
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits, nullptr, 16)));
    }
    return bytes;
}

std::vector<Bytes> acknowledgements() {
    return {
        from_hex(
            "183d5ebf4371183d5ebf51920800450200300000400040112d60c0a84606c0a84604004812b7001c0000"
            "1140ffff000000450000000006000001259cc216"),
        from_hex(
            "183d5ebf5192183d5ebf43710800450200300000400040112d60c0a84604c0a84606004512b7001c0000"
            "1140ffff00000048000000000600000090d7755d"),
        from_hex(
            "183d5ebf5192183d5ebf43710800450200300000400040112d60c0a84604c0a84606004512b7001c0000"
            "1140ffff000000480000000106000001b6ce1217")};
}

Frame sample_ipv4(std::span<const std::uint8_t> payload) {
    return {.destination_mac = {0x02, 0, 0, 0, 0, 0x02},
            .source_mac = {0x02, 0, 0, 0, 0, 0x01},
            .source = parse_ip("192.0.2.1").value(),
            .destination = parse_ip("198.51.100.2").value(),
            .dscp = 26,
            .ecn = kEcnCapable0,
            .source_port = 49'155,
            .bth = {.opcode = Opcode::SendOnly, .destination_qp = 0x12'3456, .psn = 0xab'cdef},
            .payload = payload};
}

Frame sample_ipv6(std::span<const std::uint8_t> payload) {
    Frame frame = sample_ipv4(payload);
    frame.source = parse_ip("2001:db8::1").value();
    frame.destination = parse_ip("2001:db8:0:1::2").value();
    frame.flow_label = 0x5'4321;
    frame.bth.opcode = Opcode::WriteOnly;
    frame.reth = {.address = 0x1122'3344'5566'7788, .remote_key = 0x99aa'bbcc, .length_bytes = 64};
    return frame;
}

Frame sample_vlan(std::span<const std::uint8_t> payload) {
    Frame frame = sample_ipv4(payload);
    frame.vlan = VlanTag{.vid = 100, .pcp = 3};
    return frame;
}

Bytes written(const Frame& frame) {
    Bytes bytes(frame_bytes(frame));
    const std::size_t count = write_frame(frame, bytes);
    if (count != bytes.size()) throw std::logic_error("the frame of the test cannot be written");
    return bytes;
}

GuardedBytes::GuardedBytes(std::span<const std::uint8_t> bytes) {
    const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t data_bytes = (bytes.size() / page_bytes + 1) * page_bytes;
    mapping_bytes_ = data_bytes + page_bytes;
    mapping_ =
        mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::runtime_error("mmap failed");
    auto* guard = static_cast<std::uint8_t*>(mapping_) + data_bytes;
    if (mprotect(guard, page_bytes, PROT_NONE) != 0) throw std::runtime_error("mprotect failed");
    std::ranges::copy(bytes, guard - bytes.size());
    bytes_ = {guard - bytes.size(), bytes.size()};
}

GuardedBytes::~GuardedBytes() {
    munmap(mapping_, mapping_bytes_);
}

}  // namespace weir::roce
