// SPDX-License-Identifier: BSD-3-Clause
// Captured frames, which are not part of the project: a test that wants them skips without.
#pragma once

#include <filesystem>
#include <vector>

#include "tests/unit/roce/samples.h"

namespace weir::roce {

std::filesystem::path captures_dir();

// The frames of a classic pcap with little-endian headers, as it is on most machines.
std::vector<Bytes> frames_in(const std::filesystem::path& path);

// Of every capture.
std::vector<Bytes> captured_frames();

}  // namespace weir::roce
