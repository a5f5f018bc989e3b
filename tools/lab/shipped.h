// SPDX-License-Identifier: BSD-3-Clause
// The experiments that come with the program.
#pragma once

#include <string>
#include <vector>

namespace weir::lab {

struct Shipped {
    std::string name;
    std::string about;  // the file's `about`
};

// From the folder they were installed in, else from the source tree.
[[nodiscard]] std::vector<Shipped> shipped_experiments();

// The file itself if there is one, else the shipped one of that name, else empty.
[[nodiscard]] std::string find_experiment(const std::string& file_or_name);

}  // namespace weir::lab
