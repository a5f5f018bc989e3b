// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/yaml_text.h"

namespace weir::lab {

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string list_text(const Document& document, Document::Node node) {
    std::string out;
    for (Document::Node item = document.first_child(node); item != Document::kNone;
         item = document.next(item)) {
        out += (out.empty() ? "" : ", ") + yaml_text(document, item);
    }
    return '[' + out + ']';
}

std::string map_text(const Document& document, Document::Node node) {
    std::string out;
    for (Document::Node key = document.first_child(node); key != Document::kNone;) {
        const Document::Node value = document.next(key);
        out += (out.empty() ? "" : ", ") + std::string(document.text(key)) + ": " +
               yaml_text(document, value);
        key = document.next(value);
    }
    return '{' + out + '}';
}

}  // namespace

// The depth of a document is bounded (kYamlDepthMax). NOLINTNEXTLINE(misc-no-recursion)
std::string yaml_text(const Document& document, Document::Node node) {
    switch (document.kind(node)) {
        case Document::Kind::Null:
            return "null";
        case Document::Kind::Scalar:
            return quoted(document.text(node));
        case Document::Kind::List:
            return list_text(document, node);
        case Document::Kind::Map:
            return map_text(document, node);
    }
    return {};
}

}  // namespace weir::lab
