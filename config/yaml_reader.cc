// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <yaml.h>

namespace weir {
namespace {

Mark mark_of(const yaml_mark_t& mark) {
    return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

std::string_view view(const yaml_char_t* text, std::size_t bytes) {
    return {reinterpret_cast<const char*>(text), bytes};
}

// libyaml's parser and its current event, freed on every way out.
class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {
        initialized_ = yaml_parser_initialize(&parser_) != 0;
        if (!initialized_) return;
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size());
    }
    ~Parser() {
        drop_event();
        if (initialized_) yaml_parser_delete(&parser_);
    }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    // False when the text is no YAML; error() and error_mark() then say why.
    [[nodiscard]] bool next() {
        drop_event();
        has_event_ = initialized_ && yaml_parser_parse(&parser_, &event_) != 0;
        return has_event_;
    }
    [[nodiscard]] const yaml_event_t& event() const { return event_; }

    [[nodiscard]] std::string error() const {
        if (parser_.problem == nullptr) return "out of memory";
        std::string text = parser_.problem;
        if (parser_.context != nullptr) text += std::string(", ") + parser_.context;
        // The context is where the list or map in question begins: often far above.
        if (parser_.context != nullptr && parser_.context_mark.line != parser_.problem_mark.line) {
            text += " that begins in line " + std::to_string(parser_.context_mark.line + 1);
        }
        return text;
    }
    [[nodiscard]] Mark error_mark() const {
        // The reader of bytes knows no lines, only how far it came.
        if (parser_.error == YAML_READER_ERROR) return mark_at(parser_.problem_offset);
        return mark_of(parser_.problem_mark);
    }

  private:
    [[nodiscard]] Mark mark_at(std::size_t offset) const {
        const std::string_view before = text_.substr(0, offset);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
        return {static_cast<std::uint32_t>(lines + 1),
                static_cast<std::uint32_t>(before.size() - line_start + 1)};
    }
    void drop_event() {
        if (has_event_) yaml_event_delete(&event_);
        has_event_ = false;
    }

    std::string_view text_;
    yaml_parser_t parser_{};
    yaml_event_t event_{};
    bool initialized_ = false;
    bool has_event_ = false;
};

bool is_null(const yaml_event_t& event) {
    if (event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return false;
    const std::string_view text = view(event.data.scalar.value, event.data.scalar.length);
    return text.empty() || text == "~" || text == "null";
}

// Builds the tree from the events. Each take() returns false when reading must stop.
class Builder {
  public:
    Builder(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

    [[nodiscard]] bool take(const yaml_event_t& event);
    [[nodiscard]] bool finished() const { return finished_; }
    Document document;

  private:
    struct Level {
        Document::Node node = Document::kNone;
        Document::Node last_child = Document::kNone;
        std::uint32_t children = 0;
    };

    bool refuse(Mark mark, std::string text) {
        problems_.add({file_, mark, {}, std::move(text)});
        return false;
    }
    [[nodiscard]] bool plain(const yaml_event_t& event);
    [[nodiscard]] bool add(Document::Kind kind, Mark mark, std::string_view text);
    [[nodiscard]] bool open(Document::Kind kind, Mark mark);
    [[nodiscard]] bool key_next() const {
        return depth_ > 0 && document.kind(levels_[depth_ - 1].node) == Document::Kind::Map &&
               levels_[depth_ - 1].children % 2 == 0;
    }

    const std::string& file_;
    Problems& problems_;
    std::array<Level, kYamlDepthMax> levels_;
    unsigned depth_ = 0;
    unsigned documents_ = 0;
    bool finished_ = false;
};

bool Builder::take(const yaml_event_t& event) {
    const Mark mark = mark_of(event.start_mark);
    switch (event.type) {
        case YAML_DOCUMENT_START_EVENT:
            if (++documents_ == 1) return true;
            return refuse(mark, "a second document begins here; one file describes one switch");
        case YAML_ALIAS_EVENT:
            return refuse(mark, "aliases (*name) are not supported; write the value itself");
        case YAML_SCALAR_EVENT: {
            if (!plain(event)) return false;
            const bool null = is_null(event) && !key_next();
            return add(null ? Document::Kind::Null : Document::Kind::Scalar, mark,
                       view(event.data.scalar.value, event.data.scalar.length));
        }
        case YAML_SEQUENCE_START_EVENT:
            return plain(event) && open(Document::Kind::List, mark);
        case YAML_MAPPING_START_EVENT:
            return plain(event) && open(Document::Kind::Map, mark);
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            --depth_;
            return true;
        case YAML_STREAM_END_EVENT:
            finished_ = true;
            return true;
        default:
            return true;
    }
}

// Anchors and tags change what a reader sees into something else.
bool Builder::plain(const yaml_event_t& event) {
    const yaml_char_t* anchor = nullptr;
    const yaml_char_t* tag = nullptr;
    if (event.type == YAML_SCALAR_EVENT) {
        anchor = event.data.scalar.anchor;
        tag = event.data.scalar.tag;
    } else if (event.type == YAML_SEQUENCE_START_EVENT) {
        anchor = event.data.sequence_start.anchor;
        tag = event.data.sequence_start.tag;
    } else {
        anchor = event.data.mapping_start.anchor;
        tag = event.data.mapping_start.tag;
    }
    const Mark mark = mark_of(event.start_mark);
    if (anchor != nullptr) {
        return refuse(mark, "anchors (&name) are not supported; write the value where it is used");
    }
    if (tag != nullptr) {
        return refuse(mark, "tags (!name) are not supported; write the value without it");
    }
    return true;
}

bool Builder::add(Document::Kind kind, Mark mark, std::string_view text) {
    if (depth_ == 0) {
        (void)document.add(kind, mark, text, Document::kNone, Document::kNone);
        return true;
    }
    Level& level = levels_[depth_ - 1];
    if (key_next() && kind != Document::Kind::Scalar) {
        return refuse(mark, "a list or map stands where a key is expected");
    }
    level.last_child = document.add(kind, mark, text, level.node, level.last_child);
    ++level.children;
    return true;
}

bool Builder::open(Document::Kind kind, Mark mark) {
    if (depth_ == kYamlDepthMax) {
        return refuse(mark, "more than " + std::to_string(kYamlDepthMax) +
                                " lists and maps inside each other");
    }
    const auto node = static_cast<Document::Node>(document.size());
    if (!add(kind, mark, {})) return false;
    levels_[depth_++] = {node, Document::kNone, 0};
    return true;
}

}  // namespace

Document read_yaml(const std::string& file, std::string_view text, Problems& problems) {
    if (text.size() > kYamlBytesMax) {
        problems.add({file, {}, {}, "is larger than 64 MiB"});
        return {};
    }
    Parser parser(text);
    Builder builder(file, problems);
    builder.document.reserve(text.size());
    while (!builder.finished()) {
        if (!parser.next()) {
            problems.add({file, parser.error_mark(), {}, "no valid YAML: " + parser.error()});
            break;
        }
        if (!builder.take(parser.event())) break;
    }
    return std::move(builder.document);
}

}  // namespace weir
