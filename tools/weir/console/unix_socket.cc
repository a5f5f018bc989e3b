// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/unix_socket.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace weir {
namespace {

constexpr int kWaitingMax = 64;  // connections not yet accepted

std::string fill_address(const std::string& path, sockaddr_un& address) {
    address = {};
    address.sun_family = AF_UNIX;
    if (path.empty()) return "the socket needs a file name";
    if (path.size() >= sizeof address.sun_path) {
        return path + ": a socket's name has at most " +
               std::to_string(sizeof address.sun_path - 1) + " bytes; choose a shorter one";
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return {};
}

const sockaddr* generic(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

OpenedSocket failed(int fd, const std::string& path, int error, const std::string& advice) {
    if (fd >= 0) close(fd);
    return {-1, path + ": " + std::strerror(error) + advice};
}

bool is_socket(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

OpenedSocket connect_to(const std::string& path) {
    sockaddr_un address{};
    if (const std::string problem = fill_address(path, address); !problem.empty()) {
        return {-1, problem};
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return failed(fd, path, errno, "");
    if (connect(fd, generic(address), sizeof address) == 0) return {fd, {}};
    const int error = errno;
    const bool nobody = error == ECONNREFUSED || error == ENOENT;
    return failed(fd, path, error,
                  nobody ? "; no switch has its console there (start one with --socket PATH)" : "");
}

OpenedSocket listen_at(const std::string& path) {
    sockaddr_un address{};
    if (const std::string problem = fill_address(path, address); !problem.empty()) {
        return {-1, problem};
    }
    if (const OpenedSocket other = connect_to(path); other.fd >= 0) {
        close(other.fd);
        return {-1, path + ": another switch has its console there; choose another name"};
    }
    if (is_socket(path)) unlink(path.c_str());  // left by a process that died
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return failed(fd, path, errno, "");
    const mode_t mask = umask(0177);  // who may connect may stop ports
    const bool bound = bind(fd, generic(address), sizeof address) == 0;
    const int error = errno;
    umask(mask);
    if (!bound) return failed(fd, path, error, "; choose a name in a directory that you may write");
    if (listen(fd, kWaitingMax) != 0) return failed(fd, path, errno, "");
    return {fd, {}};
}

}  // namespace weir
