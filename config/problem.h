// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// A place in a file, counted from 1 as editors do. Line 0: the file as a whole.
struct Mark {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

// What is wrong with a file: one line that says where, what, and what to write instead.
struct Problem {
    std::string file;
    Mark mark;
    std::string path;  // "ports[1].speed"; empty: no key
    std::string text;  // "'25' has no unit; write 25G"

    // "leaf.yaml:12:15: ports[1].speed: '25' has no unit; write 25G"
    [[nodiscard]] std::string line() const;
};

// The problems of one reading. Bounded: a file of the wrong kind has one per line.
class Problems {
  public:
    static constexpr std::size_t kKeptMax = 50;

    void add(Problem problem);
    void add_all(const Problems& others);

    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t count() const { return count_; }  // with those that were not kept
    [[nodiscard]] std::span<const Problem> kept() const { return kept_; }
    // One line each, in the order of the file, and a last line when there are more.
    [[nodiscard]] std::string text() const;

  private:
    std::vector<Problem> kept_;
    std::size_t count_ = 0;
};

}  // namespace weir
