// SPDX-License-Identifier: BSD-3-Clause
// Frames for the tests of tools/roce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/roce/frame.h"

namespace weir::roce {

using Bytes = std::vector<std::uint8_t>;

Bytes from_hex(std::string_view hex);

// Three acknowledgements between two RDMA NICs, as they stood on the wire.
std::vector<Bytes> acknowledgements();

Frame sample_ipv4(std::span<const std::uint8_t> payload);
Frame sample_ipv6(std::span<const std::uint8_t> payload);
Frame sample_vlan(std::span<const std::uint8_t> payload);

// The bytes of a frame, which must be one that can be written.
Bytes written(const Frame& frame);

// Bytes that end where a page begins that cannot be read: one step too far ends the test.
class GuardedBytes {
  public:
    explicit GuardedBytes(std::span<const std::uint8_t> bytes);
    ~GuardedBytes();
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;

    std::span<const std::uint8_t> get() const { return bytes_; }

  private:
    void* mapping_;
    std::size_t mapping_bytes_;
    std::span<const std::uint8_t> bytes_;
};

}  // namespace weir::roce
