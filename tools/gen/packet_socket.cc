// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/packet_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "tools/gen/failure.h"
#include "tools/roce/wire.h"

namespace weir::gen {
namespace {

constexpr std::size_t kBatch = 64;
// Jumbo frames of other traffic fit whole, so that their UDP port is seen: 9600 + 18 and some.
constexpr std::size_t kBufferBytes = 9728;
static_assert(kBufferBytes >= roce::kFrameBytesMax);
// Ten milliseconds of 25 Gb/s: 31 MB.
constexpr int kReceiveBufferBytes = 32 << 20;

int open_packet_socket() {
    const int number = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (number < 0 && errno == EPERM) {
        throw Failure("raw sockets are not permitted: run as root, or give the file CAP_NET_RAW");
    }
    if (number < 0) fail_with_errno("cannot open a raw socket");
    return number;
}

// Protocol 0 receives nothing.
void bind_to(const FileDescriptor& socket, const Interface& interface, std::uint16_t protocol) {
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_ifindex = interface.index;
    address.sll_protocol = htons(protocol);
    if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail_with_errno("cannot use interface " + interface.name);
    }
}

void set_option(const FileDescriptor& socket, int level, int option, int value) {
    setsockopt(socket.get(), level, option, &value, sizeof value);
}

ifreq ask(const FileDescriptor& socket, const std::string& name, unsigned long request) {
    ifreq answer{};
    name.copy(answer.ifr_name, IFNAMSIZ - 1);
    if (ioctl(socket.get(), request, &answer) != 0) fail_with_errno("interface " + name);
    return answer;
}

// The tag that the kernel moved from the frame to the message's control data.
std::optional<roce::VlanTag> tag_of(msghdr& message) {
    for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
         control = CMSG_NXTHDR(&message, control)) {
        if (control->cmsg_level != SOL_PACKET || control->cmsg_type != PACKET_AUXDATA) continue;
        tpacket_auxdata data{};
        std::memcpy(&data, CMSG_DATA(control), sizeof data);
        if ((data.tp_status & TP_STATUS_VLAN_VALID) == 0) return std::nullopt;
        return roce::VlanTag{.vid = static_cast<std::uint16_t>(data.tp_vlan_tci & 0x0fff),
                             .pcp = static_cast<std::uint8_t>(data.tp_vlan_tci >> 13),
                             .drop_eligible = (data.tp_vlan_tci & 0x1000) != 0};
    }
    return std::nullopt;
}

}  // namespace

Interface find_interface(const std::string& name) {
    if (name.empty() || name.size() >= IFNAMSIZ || if_nametoindex(name.c_str()) == 0) {
        throw Failure("there is no interface " + name);
    }
    const FileDescriptor socket(open_packet_socket());
    Interface interface { .name = name, .index = ask(socket, name, SIOCGIFINDEX).ifr_ifindex };
    const ifreq hardware = ask(socket, name, SIOCGIFHWADDR);
    if (hardware.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
        hardware.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK) {
        throw Failure("interface " + name + " does not carry Ethernet frames");
    }
    std::memcpy(interface.mac.bytes.data(), hardware.ifr_hwaddr.sa_data,
                interface.mac.bytes.size());
    interface.mtu_bytes = static_cast<std::size_t>(ask(socket, name, SIOCGIFMTU).ifr_mtu);
    if ((ask(socket, name, SIOCGIFFLAGS).ifr_flags & IFF_UP) == 0) {
        throw Failure("interface " + name + " is down: ip link set " + name + " up");
    }
    return interface;
}

SendSocket::SendSocket(const Interface& interface)
    : name_(interface.name), socket_(open_packet_socket()) {
    bind_to(socket_, interface, 0);
}

std::size_t SendSocket::send(std::span<const std::span<const std::uint8_t>> frames) {
    std::array<iovec, kBatch> parts{};
    std::array<mmsghdr, kBatch> messages{};
    const std::size_t count = std::min(frames.size(), kBatch);
    for (std::size_t i = 0; i < count; ++i) {
        // sendmmsg does not write through it.
        parts[i] = {const_cast<std::uint8_t*>(frames[i].data()), frames[i].size()};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int sent = sendmmsg(socket_.get(), messages.data(), static_cast<unsigned>(count), 0);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    // ENOBUFS: the queue of the interface refused the frame.
    if (errno == ENOBUFS || errno == EAGAIN || errno == EINTR) return 0;
    if (errno == EMSGSIZE) {
        throw Failure("frames of " + std::to_string(frames[0].size()) +
                      " bytes are larger than interface " + name_ + " takes: use a smaller --size");
    }
    fail_with_errno("cannot send on " + name_);
}

ReceiveSocket::ReceiveSocket(const Interface& interface)
    : name_(interface.name), socket_(open_packet_socket()), buffers_(kBatch * kBufferBytes) {
    set_option(socket_, SOL_PACKET, PACKET_AUXDATA, 1);
    set_option(socket_, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
    // Beyond the system's limit as root, up to it otherwise.
    set_option(socket_, SOL_SOCKET, SO_RCVBUF, kReceiveBufferBytes);
    set_option(socket_, SOL_SOCKET, SO_RCVBUFFORCE, kReceiveBufferBytes);
    bind_to(socket_, interface, ETH_P_ALL);
}

void ReceiveSocket::receive(Interval timeout,
                            const std::function<void(const ReceivedFrame&)>& take) {
    pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const auto timeout_ms = static_cast<int>(timeout.ps / Interval::milliseconds(1).ps);
    if (poll(&waiting, 1, timeout_ms) > 0) receive_batch(take);
}

void ReceiveSocket::receive_batch(const std::function<void(const ReceivedFrame&)>& take) {
    struct alignas(cmsghdr) Control {
        std::array<std::uint8_t, CMSG_SPACE(sizeof(tpacket_auxdata))> bytes;
    };
    std::array<iovec, kBatch> parts{};
    std::array<Control, kBatch> controls{};
    std::array<sockaddr_ll, kBatch> sources{};
    std::array<mmsghdr, kBatch> messages{};
    for (std::size_t i = 0; i < kBatch; ++i) {
        parts[i] = {&buffers_[i * kBufferBytes], kBufferBytes};
        messages[i].msg_hdr = {.msg_name = &sources[i],
                               .msg_namelen = sizeof sources[i],
                               .msg_iov = &parts[i],
                               .msg_iovlen = 1,
                               .msg_control = &controls[i],
                               .msg_controllen = sizeof controls[i],
                               .msg_flags = 0};
    }
    const int count = recvmmsg(socket_.get(), messages.data(), kBatch, MSG_DONTWAIT, nullptr);
    if (count < 0) {
        // The interface may go down and come up again while we listen; its removal is the end.
        if (errno == ENETDOWN && if_nametoindex(name_.c_str()) != 0) return;
        if (errno == EAGAIN || errno == EINTR) return;
        fail_with_errno("cannot receive on " + name_);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        take({.bytes = std::span(buffers_).subspan(i * kBufferBytes, messages[i].msg_len),
              .stripped_tag = tag_of(messages[i].msg_hdr),
              .for_other_mac = sources[i].sll_pkttype == PACKET_OTHERHOST});
    }
}

std::uint64_t ReceiveSocket::take_drops() {
    tpacket_stats statistics{};
    socklen_t size = sizeof statistics;
    // The kernel clears the counters when they are read.
    if (getsockopt(socket_.get(), SOL_PACKET, PACKET_STATISTICS, &statistics, &size) != 0) return 0;
    return statistics.tp_drops;
}

}  // namespace weir::gen
