// SPDX-License-Identifier: BSD-3-Clause
// Requests to the kernel's routing tables (rtnetlink).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "tools/gen/file_descriptor.h"

namespace weir::gen {

// One message: header, a fixed body, attributes.
class RouteRequest {
  public:
    template <typename Body>
    RouteRequest(std::uint16_t type, std::uint16_t flags, const Body& body)
        : bytes_(NLMSG_SPACE(sizeof(Body))) {
        nlmsghdr header{};
        header.nlmsg_type = type;
        header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
        std::memcpy(bytes_.data(), &header, sizeof header);
        std::memcpy(bytes_.data() + NLMSG_HDRLEN, &body, sizeof body);
    }

    void add(std::uint16_t type, std::span<const std::uint8_t> value);
    void add(std::uint16_t type, int value);

    // With the length filled in.
    std::span<const std::uint8_t> finish();

  private:
    std::vector<std::uint8_t> bytes_;
};

class RouteSocket {
  public:
    RouteSocket();

    // Sends the request and returns the kernel's answer: its bytes from the header on, or empty
    // with `error` set to an errno value. A request with NLM_F_ACK is answered by error 0.
    std::vector<std::uint8_t> ask(RouteRequest request, int& error);

  private:
    FileDescriptor socket_;
};

using AttributeVisitor =
    std::function<void(std::uint16_t type, std::span<const std::uint8_t> value)>;

// Calls `visit` with every attribute after the header and a body of `body_bytes`.
void for_each_attribute(std::span<const std::uint8_t> answer, std::size_t body_bytes,
                        const AttributeVisitor& visit);

// The body of an answer, all zero if it is too short.
template <typename Body>
Body body_of(std::span<const std::uint8_t> answer) {
    Body body{};
    if (answer.size() >= NLMSG_HDRLEN + sizeof body) {
        std::memcpy(&body, answer.data() + NLMSG_HDRLEN, sizeof body);
    }
    return body;
}

}  // namespace weir::gen
