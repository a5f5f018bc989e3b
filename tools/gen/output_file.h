// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <string>

#include "tools/gen/failure.h"

namespace weir::gen {

// A file that is being written; opened before the run, so that a wrong path is known at once.
class OutputFile {
  public:
    explicit OutputFile(const std::string& path) : path_(path) {
        stream_.open(path, std::ios::binary | std::ios::trunc);
        if (!stream_) fail_with_errno("cannot write " + path);
    }

    std::ostream& stream() { return stream_; }

    void finish() {
        stream_.close();
        if (!stream_) fail_with_errno("cannot write " + path_);
    }

  private:
    std::string path_;
    std::ofstream stream_;
};

}  // namespace weir::gen
