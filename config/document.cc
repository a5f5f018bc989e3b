// SPDX-License-Identifier: BSD-3-Clause
#include "config/document.h"

#include <algorithm>
#include <charconv>

namespace weir {

Document::Node Document::add(Kind kind, Mark mark, std::string_view text, Node parent,
                             Node before) {
    const auto node = static_cast<Node>(nodes_.size());
    Item item;
    item.kind = kind;
    item.mark = mark;
    item.text_at = static_cast<std::uint32_t>(texts_.size());
    item.text_bytes = static_cast<std::uint32_t>(text.size());
    texts_ += text;
    nodes_.push_back(item);
    if (before != kNone) {
        nodes_[before].next = node;
    } else if (parent != kNone) {
        nodes_[parent].first_child = node;
    }
    return node;
}

void Document::reserve(std::size_t bytes_of_file) {
    texts_.reserve(bytes_of_file);
    // "- {mac: 02:00:00:00:00:01, vlan: 10, port: p8}": 7 nodes in 50 bytes. A file of one long
    // text must not reserve gigabytes.
    nodes_.reserve(std::min<std::size_t>(bytes_of_file / 7, 1u << 20));
}

Mark Document::locate(std::string_view path) const {
    Node at = root();
    if (at == kNone) return {};  // settings that no file was read for
    while (!path.empty()) {
        const std::size_t skip = path[0] == '.' ? 1 : 0;
        const std::size_t end = path.find_first_of(".[", skip + 1);
        const Node next = step(
            at,
            path.substr(skip, end == std::string_view::npos ? std::string_view::npos : end - skip));
        if (next == kNone) break;
        at = next;
        path = end == std::string_view::npos ? std::string_view{} : path.substr(end);
    }
    return mark(at);
}

// `part` is "key" or "[7]".
Document::Node Document::step(Node from, std::string_view part) const {
    if (part.size() > 1 && part[0] == '[') {
        if (kind(from) != Kind::List) return kNone;
        std::uint32_t index = 0;
        std::from_chars(part.data() + 1, part.data() + part.size(), index);
        Node child = first_child(from);
        for (; index > 0 && child != kNone; --index) child = next(child);
        return child;
    }
    if (kind(from) != Kind::Map) return kNone;
    for (Node key = first_child(from); key != kNone; key = next(next(key))) {
        if (text(key) == part) return next(key);
    }
    return kNone;
}

}  // namespace weir
