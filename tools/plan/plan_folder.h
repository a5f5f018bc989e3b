// SPDX-License-Identifier: BSD-3-Clause
// A folder with one plan file per switch, and the input that they were made of (input.yaml).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/plan/path_tables.h"

namespace weir::plan {

inline constexpr const char* kInputName = "input.yaml";

// Throws if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

// The plan files of a folder, in order of their names; of a file, itself.
[[nodiscard]] std::vector<std::string> files_of(const std::string& path);
// The input that belongs to them.
[[nodiscard]] std::string input_of(const std::string& path);

// The files as tables of this fabric.
void read_tables(const std::string& path, PathTables& tables, Problems& problems);

// Writes the files, and takes away those of an older plan. Each is whole at any time: a switch may
// be watching it.
void write_folder(const std::string& path, const std::vector<PlanFile>& files,
                  const std::string& input);

}  // namespace weir::plan
