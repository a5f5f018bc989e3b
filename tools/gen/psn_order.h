// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <cstdint>

namespace weir::gen {

// What a frame's PSN says about the frames of its flow.
enum class Arrival : std::uint8_t {
    InOrder,
    AfterGap,   // PSNs before it have not come
    Late,       // fills a gap: was overtaken
    Duplicate,  // had come before
    Stale,      // so old that nobody remembers whether it had come
};

// The order of one flow's PSNs, numbers of 24 bits that wrap.
class PsnOrder {
  public:
    // How far back a late frame is told from a repeated one. 100 Gb/s of 1 KB frames for 0.3 ms,
    // longer than a path change can delay a frame, are 3,700.
    static constexpr std::uint32_t kWindow = 4096;

    Arrival arrived(std::uint32_t psn);

    // PSNs between the first and the newest that have not come.
    std::uint64_t missing() const { return missing_; }
    std::uint32_t first() const { return first_; }
    std::uint32_t newest() const { return newest_; }

  private:
    void move_window(std::uint32_t psn, std::uint32_t ahead);

    bool started_ = false;
    std::uint32_t first_ = 0;
    std::uint32_t newest_ = 0;
    std::uint64_t missing_ = 0;
    std::uint64_t span_ = 1;       // PSNs from the first to the newest, both included
    std::bitset<kWindow> come_{};  // by PSN modulo the window: the newest and those before it
};

}  // namespace weir::gen
