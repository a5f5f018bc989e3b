// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace weir {

// Writes all of it, waiting as long as the reader lets us; false when the reader is gone.
[[nodiscard]] bool write_all(int fd, std::string_view text);

// Bytes as they come in, lines as they go out. A line that does not end within the limit is not
// kept: what is read may be anything.
class LineBuffer {
  public:
    static constexpr std::size_t kLineBytesMax = 4096;

    void add(std::string_view bytes) { pending_ += bytes; }
    // Takes the next whole line, without its end; false when there is none.
    [[nodiscard]] bool next(std::string& line);
    // What came behind the last line end, at the end of the input.
    [[nodiscard]] std::string rest();
    [[nodiscard]] bool too_long() const;

  private:
    std::string pending_;
    std::size_t taken_ = 0;  // bytes of pending_ that went out
};

}  // namespace weir
