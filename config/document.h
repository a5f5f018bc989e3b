// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"

namespace weir {

// A YAML file as a tree of marked nodes. Two arrays and no pointers: ten thousand routes are about
// 150,000 nodes, and a tree of heap objects would cost more than the parser.
class Document {
  public:
    using Node = std::uint32_t;
    static constexpr Node kNone = 0xffff'ffff;

    enum class Kind : std::uint8_t { Null, Scalar, List, Map };

    [[nodiscard]] Node root() const { return nodes_.empty() ? kNone : 0; }
    [[nodiscard]] Kind kind(Node node) const { return nodes_[node].kind; }
    [[nodiscard]] Mark mark(Node node) const { return nodes_[node].mark; }
    [[nodiscard]] std::string_view text(Node node) const {
        return std::string_view(texts_).substr(nodes_[node].text_at, nodes_[node].text_bytes);
    }
    // Children of a list; of a map: key, value, key, value ... Keys are scalars.
    [[nodiscard]] Node first_child(Node node) const { return nodes_[node].first_child; }
    [[nodiscard]] Node next(Node node) const { return nodes_[node].next; }

    // Where "ports[1].speed" stands; of a path that is not in the file, its nearest ancestor.
    [[nodiscard]] Mark locate(std::string_view path) const;

    // Building, in the order of the file. `before` is the sibling in front, or kNone.
    Node add(Kind kind, Mark mark, std::string_view text, Node parent, Node before);
    void reserve(std::size_t bytes_of_file);
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  private:
    struct Item {
        Mark mark;
        std::uint32_t text_at = 0;
        std::uint32_t text_bytes = 0;
        Node first_child = kNone;
        Node next = kNone;
        Kind kind = Kind::Null;
    };

    [[nodiscard]] Node step(Node from, std::string_view part) const;

    std::vector<Item> nodes_;
    std::string texts_;
};

}  // namespace weir
