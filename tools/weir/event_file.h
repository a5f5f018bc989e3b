// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

// Where JSON lines go: a file (appended to), a pipe, or stdout. Never waits for a reader: the
// control thread has switches to look after. Lines that find no room are counted.
class EventFile {
  public:
    EventFile() = default;
    ~EventFile() { close_file(); }
    EventFile(EventFile&& other) noexcept;
    EventFile& operator=(EventFile&& other) noexcept;
    EventFile(const EventFile&) = delete;
    EventFile& operator=(const EventFile&) = delete;

    // What is wrong, or empty. "-": stdout; "": no lines are kept.
    [[nodiscard]] std::string open(const std::string& path);
    void write_line(std::string_view line);
    [[nodiscard]] std::uint64_t lost_lines() const { return lost_lines_; }
    void clear_lost_lines() { lost_lines_ = 0; }

  private:
    void close_file();

    int fd_ = -1;
    bool owned_ = false;
    std::uint64_t lost_lines_ = 0;
};

}  // namespace weir
