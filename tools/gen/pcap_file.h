// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>

namespace weir::gen {

// Writes the classic pcap format: little-endian, microseconds, Ethernet.
class PcapFile {
  public:
    explicit PcapFile(std::ostream& out);

    // A frame without FCS.
    void add(std::uint64_t time_us, std::span<const std::uint8_t> frame);

  private:
    void put_le32(std::uint32_t value);

    std::ostream& out_;
};

}  // namespace weir::gen
