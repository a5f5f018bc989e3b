// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/stale_socket.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace weir {

void remove_stale_socket(const std::string& path) {
    sockaddr_un address{};
    struct stat status {};
    if (path.size() >= sizeof address.sun_path) return;
    if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const int caller = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (caller < 0) return;
    const int error = connect(caller, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const bool nobody = error != 0 && errno == ECONNREFUSED;
    close(caller);
    if (nobody) unlink(path.c_str());
}

}  // namespace weir
