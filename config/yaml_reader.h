// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/document.h"
#include "config/problem.h"

namespace weir {

// A file of 10,000 routes and 16,000 MACs has 1.4 MB; offsets in a Document have 32 bits.
inline constexpr std::size_t kYamlBytesMax = std::size_t{64} << 20;
inline constexpr unsigned kYamlDepthMax = 16;  // ports -> port -> vlan -> tagged is four

// Reads one YAML document. Everything that this project's files do not need and that hides what a
// file says is refused: anchors, aliases, tags, keys that are no words, a second document.
// `file` is the name in the problems. On a problem the document is incomplete.
[[nodiscard]] Document read_yaml(const std::string& file, std::string_view text,
                                 Problems& problems);

}  // namespace weir
