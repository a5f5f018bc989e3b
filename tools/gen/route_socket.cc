// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/route_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

#include "tools/gen/failure.h"

namespace weir::gen {
namespace {

constexpr std::size_t kAnswerBytesMax = 16'384;

std::size_t aligned(std::size_t bytes) {
    return NLMSG_ALIGN(bytes);
}

template <typename Value>
Value load(std::span<const std::uint8_t> bytes) {
    Value value{};
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
}

}  // namespace

void RouteRequest::add(std::uint16_t type, std::span<const std::uint8_t> value) {
    rtattr attribute{};
    attribute.rta_type = type;
    attribute.rta_len = static_cast<std::uint16_t>(RTA_LENGTH(value.size()));
    const std::size_t at = bytes_.size();
    bytes_.resize(at + RTA_SPACE(value.size()));
    std::memcpy(&bytes_[at], &attribute, sizeof attribute);
    std::ranges::copy(value, bytes_.begin() + static_cast<std::ptrdiff_t>(at + RTA_LENGTH(0)));
}

void RouteRequest::add(std::uint16_t type, int value) {
    std::array<std::uint8_t, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    add(type, bytes);
}

std::span<const std::uint8_t> RouteRequest::finish() {
    const auto length = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data() + offsetof(nlmsghdr, nlmsg_len), &length, sizeof length);
    return bytes_;
}

RouteSocket::RouteSocket() : socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
    if (socket_.get() < 0) fail_with_errno("cannot ask the kernel for routes");
}

std::vector<std::uint8_t> RouteSocket::ask(RouteRequest request, int& error) {
    error = 0;
    const std::span<const std::uint8_t> bytes = request.finish();
    std::vector<std::uint8_t> answer(kAnswerBytesMax);
    if (send(socket_.get(), bytes.data(), bytes.size(), 0) < 0) {
        fail_with_errno("cannot ask the kernel for routes");
    }
    const ssize_t received = recv(socket_.get(), answer.data(), answer.size(), 0);
    if (received < 0) fail_with_errno("no answer from the kernel about routes");
    answer.resize(static_cast<std::size_t>(received));
    const auto header = load<nlmsghdr>(answer);
    if (header.nlmsg_type != NLMSG_ERROR) return answer;
    error = -body_of<nlmsgerr>(answer).error;
    return {};
}

void for_each_attribute(std::span<const std::uint8_t> answer, std::size_t body_bytes,
                        const AttributeVisitor& visit) {
    const std::size_t start = NLMSG_HDRLEN + aligned(body_bytes);
    std::span<const std::uint8_t> left = answer.subspan(std::min(start, answer.size()));
    while (left.size() >= sizeof(rtattr)) {
        const auto attribute = load<rtattr>(left);
        if (attribute.rta_len < RTA_LENGTH(0) || attribute.rta_len > left.size()) return;
        visit(attribute.rta_type, left.subspan(RTA_LENGTH(0), attribute.rta_len - RTA_LENGTH(0)));
        left = left.subspan(std::min<std::size_t>(RTA_ALIGN(attribute.rta_len), left.size()));
    }
}

}  // namespace weir::gen
