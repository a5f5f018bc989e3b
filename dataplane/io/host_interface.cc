// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/host_interface.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weir {

namespace {

// One question to the kernel about the interface with this index.
std::optional<ifreq> ask(unsigned index, unsigned long question) {
    ifreq request{};
    if (if_indextoname(index, request.ifr_name) == nullptr) return {};
    const int asker = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (asker < 0) return {};
    const bool answered = ioctl(asker, question, &request) == 0;
    close(asker);
    if (!answered) return {};
    return request;
}

}  // namespace

bool host_interface_exists(const std::string& name) {
    return name.size() < IF_NAMESIZE && if_nametoindex(name.c_str()) != 0;
}

std::optional<unsigned> host_interface_mtu(unsigned index) {
    const std::optional<ifreq> answer = ask(index, SIOCGIFMTU);
    if (!answer) return {};
    return static_cast<unsigned>(answer->ifr_mtu);
}

std::optional<bool> host_interface_running(unsigned index) {
    const std::optional<ifreq> answer = ask(index, SIOCGIFFLAGS);
    if (!answer) return {};
    constexpr int kRunning = IFF_UP | IFF_RUNNING;
    return (answer->ifr_flags & kRunning) == kRunning;
}

}  // namespace weir
