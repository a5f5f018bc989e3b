// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/flow_set.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "tools/roce/frame_writer.h"
#include "tools/roce/wire.h"

namespace weir::gen {
namespace {

// Where a WRITE goes: any address and key do, no end point looks at them.
constexpr std::uint64_t kWriteAddress = 0x10'0000;
constexpr std::uint32_t kRemoteKey = 0x1234;

constexpr unsigned kSourcePorts = 65'536;

roce::IpAddress network_of(const Prefix& prefix) {
    roce::IpAddress network = prefix.address;
    const std::size_t bits = 8 * network.wire().size();
    for (std::size_t bit = prefix.length; bit < bits; ++bit) {
        network.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80u >> bit % 8));
    }
    return network;
}

}  // namespace

roce::IpAddress host_in(const Prefix& prefix, std::uint32_t index) {
    roce::IpAddress host = network_of(prefix);
    const std::size_t bytes = host.wire().size();
    const auto host_bits = static_cast<unsigned>(8 * bytes - prefix.length);
    const std::uint64_t addresses = std::uint64_t{1} << std::min(host_bits, 32u);
    const std::uint64_t number = addresses > 2 ? 1 + index % (addresses - 2) : index % addresses;
    for (std::size_t i = 0; i < 4; ++i) {
        host.bytes[bytes - 1 - i] |= static_cast<std::uint8_t>(number >> (8 * i));
    }
    return host;
}

FlowSet::FlowSet(const TrafficOptions& traffic, const Endpoints& endpoints) {
    frame_.destination_mac = endpoints.destination_mac;
    frame_.source_mac = endpoints.source_mac;
    flows_.assign(traffic.flows, {endpoints.source, endpoints.destination, traffic.psn_first});
    adopt(traffic);
}

FlowSet::FlowSet(const PcapOptions& options) {
    frame_.destination_mac = options.to_mac;
    frame_.source_mac = options.from_mac;
    for (std::uint32_t i = 0; i < options.traffic.flows; ++i) {
        flows_.push_back(
            {host_in(options.from, i), host_in(options.to, i), options.traffic.psn_first});
    }
    adopt(options.traffic);
}

void FlowSet::adopt(const TrafficOptions& traffic) {
    assert(!flows_.empty());
    traffic_ = traffic;
    payload_.resize(traffic.payload_bytes);
    std::iota(payload_.begin(), payload_.end(), std::uint8_t{0});

    frame_.vlan = traffic.vlan;
    frame_.dscp = traffic.dscp;
    frame_.ecn = traffic.ecn;
    frame_.hop_limit = traffic.hop_limit;
    frame_.bth.opcode =
        traffic.operation == Operation::Write ? roce::Opcode::WriteOnly : roce::Opcode::SendOnly;
    frame_.reth = {.address = kWriteAddress,
                   .remote_key = kRemoteKey,
                   .length_bytes = static_cast<std::uint32_t>(traffic.payload_bytes)};
    frame_.payload = payload_;
    frame_.source = flows_.front().source;
    frame_.destination = flows_.front().destination;
}

std::size_t FlowSet::frame_bytes() const {
    return roce::frame_bytes(frame_);
}

std::size_t FlowSet::write_next(std::span<std::uint8_t> out) {
    Flow& flow = flows_[turn_];
    const auto index = static_cast<std::uint32_t>(turn_);
    frame_.source = flow.source;
    frame_.destination = flow.destination;
    frame_.source_port =
        static_cast<std::uint16_t>((traffic_.source_port_first + index) % kSourcePorts);
    frame_.bth.destination_qp = (traffic_.queue_pair_first + index) & roce::kPsnMask;
    frame_.bth.psn = flow.psn;
    flow.psn = (flow.psn + 1) & roce::kPsnMask;
    turn_ = (turn_ + 1) % flows_.size();
    return roce::write_frame(frame_, out);
}

}  // namespace weir::gen
