// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/line_input.h"

#include <array>
#include <cerrno>

#include <unistd.h>

namespace weir {

bool LineInput::read_input() {
    std::array<char, 4096> bytes{};
    const ssize_t count = read(fd_, bytes.data(), bytes.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count > 0) input_.add({bytes.data(), static_cast<std::size_t>(count)});
    std::string line;
    while (!session_.ended && input_.next(line)) run(line);
    if (session_.ended) return false;
    if (input_.too_long()) {
        (void)write_all(STDERR_FILENO, "error: a line has at most " +
                                           std::to_string(LineBuffer::kLineBytesMax) +
                                           " bytes; what follows is not read\n");
        any_failed_ = true;
        return false;
    }
    if (count > 0) return true;
    run(input_.rest());
    return false;
}

void LineInput::run(const std::string& line) {
    const Reply reply = host_.answer(session_, line);
    if (reply.failed) any_failed_ = true;
    // Whoever started us may be gone; that is seen at the end of the input.
    (void)write_all(reply.failed ? STDERR_FILENO : STDOUT_FILENO, reply.text);
}

}  // namespace weir
