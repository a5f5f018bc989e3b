// SPDX-License-Identifier: BSD-3-Clause
// Crashes on one input on purpose: the proof that the fuzz frame finds crashes and reports them.
#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view kPlanted = "WEIR";
    std::size_t matched = 0;
    // Byte by byte, so that coverage leads there.
    while (matched < kPlanted.size() && matched < size &&
           data[matched] == static_cast<std::uint8_t>(kPlanted[matched])) {
        ++matched;
    }
    if (matched == kPlanted.size()) __builtin_trap();
    return 0;
}
