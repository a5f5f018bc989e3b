// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/gen/options.h"
#include "tools/roce/frame.h"

namespace weir::gen {

struct Endpoints {
    roce::MacAddress destination_mac{};
    roce::MacAddress source_mac{};
    roce::IpAddress source{};
    roce::IpAddress destination{};
};

// The host at `index` of a prefix: counted from 1, so that the network's own address is left out,
// and again from the start after the last. Prefixes of two addresses or one have no such address.
roce::IpAddress host_in(const Prefix& prefix, std::uint32_t index);

// Flows that take turns, a frame each.
class FlowSet {
  public:
    // One pair of addresses for all flows.
    FlowSet(const TrafficOptions& traffic, const Endpoints& endpoints);
    // Every flow between its own hosts of the two prefixes.
    explicit FlowSet(const PcapOptions& options);
    // The frame points into the payload.
    FlowSet(const FlowSet&) = delete;
    FlowSet& operator=(const FlowSet&) = delete;

    std::size_t frame_bytes() const;

    // Writes the next frame; `out` has room for frame_bytes().
    std::size_t write_next(std::span<std::uint8_t> out);

  private:
    struct Flow {
        roce::IpAddress source;
        roce::IpAddress destination;
        std::uint32_t psn;
    };

    void adopt(const TrafficOptions& traffic);

    roce::Frame frame_;
    TrafficOptions traffic_;
    std::vector<std::uint8_t> payload_;
    std::vector<Flow> flows_;
    std::size_t turn_ = 0;
};

}  // namespace weir::gen
