// SPDX-License-Identifier: BSD-3-Clause
// Whole Ethernet frames through a Linux interface (AF_PACKET).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/core/time.h"
#include "tools/gen/file_descriptor.h"
#include "tools/roce/frame.h"

namespace weir::gen {

struct Interface {
    std::string name;
    int index = 0;
    roce::MacAddress mac{};
    std::size_t mtu_bytes = 0;
};

// Throws Failure if there is no such Ethernet interface or it is down.
Interface find_interface(const std::string& name);

class SendSocket {
  public:
    explicit SendSocket(const Interface& interface);

    // Hands frames over, in order; returns how many the interface took. Fewer than given: its queue
    // is full now, and those not taken were not sent.
    std::size_t send(std::span<const std::span<const std::uint8_t>> frames);

  private:
    std::string name_;
    FileDescriptor socket_;
};

struct ReceivedFrame {
    std::span<const std::uint8_t> bytes;
    std::optional<roce::VlanTag> stripped_tag{};  // the kernel takes the tag out of the frame
    bool for_other_mac = false;
};

class ReceiveSocket {
  public:
    explicit ReceiveSocket(const Interface& interface);

    // Calls `take` with the frames that are there, waiting up to `timeout` for the first.
    void receive(Interval timeout, const std::function<void(const ReceivedFrame&)>& take);

    // Frames lost since the call before because nobody took them in time.
    std::uint64_t take_drops();

  private:
    void receive_batch(const std::function<void(const ReceivedFrame&)>& take);

    std::string name_;
    FileDescriptor socket_;
    std::vector<std::uint8_t> buffers_;
};

}  // namespace weir::gen
