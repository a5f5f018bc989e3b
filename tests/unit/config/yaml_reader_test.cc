// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml_reader.h"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string problem_of(std::string_view text) {
    Problems problems;
    (void)read_yaml("f.yaml", text, problems);
    return problems.text();
}

Document read_good(std::string_view text) {
    Problems problems;
    Document document = read_yaml("f.yaml", text, problems);
    EXPECT_EQ(problems.text(), "");
    return document;
}

TEST(YamlReader, MakesATreeWithMarks) {
    const Document document = read_good("a: 1\nb: [x, 'y']\nc:\n  d: {e: ~}\n");
    const Document::Node root = document.root();
    EXPECT_EQ(document.kind(root), Document::Kind::Map);
    const Document::Node a = document.next(document.first_child(root));
    EXPECT_EQ(document.text(a), "1");
    EXPECT_EQ(document.kind(a), Document::Kind::Scalar);
    const Document::Node b = document.next(document.next(a));
    EXPECT_EQ(document.kind(b), Document::Kind::List);
    EXPECT_EQ(document.text(document.first_child(b)), "x");
    EXPECT_EQ(document.text(document.next(document.first_child(b))), "y");
    EXPECT_EQ(document.next(document.next(document.first_child(b))), Document::kNone);
}

TEST(YamlReader, OnlyPlainNullsAreNull) {
    const Document document = read_good("[~, null, '', '~', nullish]");
    Document::Node node = document.first_child(document.root());
    for (const Document::Kind kind :
         {Document::Kind::Null, Document::Kind::Null, Document::Kind::Scalar,
          Document::Kind::Scalar, Document::Kind::Scalar}) {
        ASSERT_NE(node, Document::kNone);
        EXPECT_EQ(document.kind(node), kind);
        node = document.next(node);
    }
    EXPECT_EQ(node, Document::kNone);
}

TEST(YamlReader, LocatesPaths) {
    const Document document = read_good("a: 1\nb:\n  - {c: 2}\n  - {c: 3, d: [4, 5]}\n");
    const auto at = [&](std::string_view path) {
        const Mark mark = document.locate(path);
        return std::to_string(mark.line) + ":" + std::to_string(mark.column);
    };
    EXPECT_EQ(at("a"), "1:4");
    EXPECT_EQ(at("b[1].c"), "4:9");
    EXPECT_EQ(at("b[1].d[1]"), "4:19");
    // What is not there: the nearest ancestor.
    EXPECT_EQ(at("b[1].x.y"), "4:5");
    EXPECT_EQ(at("b[2]"), "3:3");
    EXPECT_EQ(at("x"), "1:1");
    EXPECT_EQ(at(""), "1:1");
}

TEST(YamlReader, RefusesWhatHidesWhatAFileSays) {
    EXPECT_EQ(problem_of("a: &x 1\n"),
              "f.yaml:1:4: anchors (&name) are not supported; write the value where it is used\n");
    EXPECT_EQ(problem_of("a: &x [1]\n"),
              "f.yaml:1:4: anchors (&name) are not supported; write the value where it is used\n");
    EXPECT_EQ(problem_of("a: 1\nb: *x\n"),
              "f.yaml:2:4: aliases (*name) are not supported; write the value itself\n");
    EXPECT_EQ(problem_of("a: !!str 1\n"),
              "f.yaml:1:4: tags (!name) are not supported; write the value without it\n");
    EXPECT_EQ(problem_of("a: !x {b: 1}\n"),
              "f.yaml:1:4: tags (!name) are not supported; write the value without it\n");
    EXPECT_EQ(problem_of("a: 1\n---\nb: 1\n"),
              "f.yaml:2:1: a second document begins here; one file describes one switch\n");
    EXPECT_EQ(problem_of("[a]: 1\n"), "f.yaml:1:1: a list or map stands where a key is expected\n");
    EXPECT_EQ(problem_of("{a: 1}: 1\n"),
              "f.yaml:1:1: a list or map stands where a key is expected\n");
}

TEST(YamlReader, SaysWhereTextIsNoYaml) {
    EXPECT_EQ(problem_of("a: [1, 2\nb: 3\n"),
              "f.yaml:2:2: no valid YAML: did not find expected ',' or ']', while parsing a flow "
              "sequence that begins in line 1\n");
    EXPECT_EQ(problem_of("a: 1\n\tb: 2\n"),
              "f.yaml:2:1: no valid YAML: found a tab character that violates indentation, while "
              "scanning a plain scalar that begins in line 1\n");
    EXPECT_EQ(problem_of("a: 1\nb: 2\xff\n"),
              "f.yaml:2:5: no valid YAML: invalid leading UTF-8 octet\n");
}

// Sixteen levels are read, the seventeenth is not.
TEST(YamlReader, BoundsTheDepth) {
    EXPECT_EQ(problem_of(std::string(16, '[') + std::string(16, ']')), "");
    EXPECT_EQ(problem_of(std::string(17, '[') + std::string(17, ']')),
              "f.yaml:1:17: more than 16 lists and maps inside each other\n");
    EXPECT_EQ(problem_of(std::string(100'000, '[')),
              "f.yaml:1:17: more than 16 lists and maps inside each other\n");
}

TEST(YamlReader, ReadsNothingAsNothing) {
    EXPECT_EQ(read_good("").root(), Document::kNone);
    EXPECT_EQ(read_good("# only a comment\n").root(), Document::kNone);
}

}  // namespace
}  // namespace weir
