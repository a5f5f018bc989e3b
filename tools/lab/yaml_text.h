// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/document.h"

namespace weir::lab {

// A node of a document as YAML on one line: {key: "value", list: ["a", "b"]}.
[[nodiscard]] std::string yaml_text(const Document& document, Document::Node node);

}  // namespace weir::lab
