// SPDX-License-Identifier: BSD-3-Clause
// Several files of one process, and what only the machine knows.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/validate.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

struct NamedText {
    const char* file;
    std::string text;
};

std::string problems_together(const std::vector<NamedText>& texts) {
    Problems problems;
    std::vector<std::unique_ptr<const Loaded>> loaded;
    std::vector<const Loaded*> files;
    for (const NamedText& text : texts) {
        loaded.push_back(load_text(text.file, text.text, problems));
        EXPECT_NE(loaded.back(), nullptr);
        files.push_back(loaded.back().get());
    }
    validate_together(files, problems);
    return problems.text();
}

std::string text_with(const std::string& name, const std::string& device) {
    return "switch: {name: " + name + "}\nports: [{name: p, device: '" + device + "'}]\n";
}

TEST(ValidateTogether, RingsJoinExactlyTwoPorts) {
    EXPECT_EQ(problems_together(
                  {{"a.yaml", text_with("a", "ring:x")}, {"b.yaml", text_with("b", "ring:x")}}),
              "");
    EXPECT_EQ(problems_together({{"a.yaml", text_with("a", "ring:x")}}),
              "a.yaml:2:27: ports[0].device: 'ring:x' has no other end; write it at one more "
              "port, of this or of another file given with -c\n");
    EXPECT_EQ(problems_together({{"a.yaml", text_with("a", "ring:x")},
                                 {"b.yaml", text_with("b", "ring:x")},
                                 {"c.yaml", text_with("c", "ring:x")}}),
              "a.yaml:2:27: ports[0].device: 'ring:x' is at 3 ports; a ring joins two\n"
              "b.yaml:2:27: ports[0].device: 'ring:x' is at 3 ports; a ring joins two\n"
              "c.yaml:2:27: ports[0].device: 'ring:x' is at 3 ports; a ring joins two\n");
    EXPECT_EQ(problems_together({{"a.yaml",
                                  "switch: {name: a}\n"
                                  "ports:\n"
                                  "  - {name: p, device: 'ring:x'}\n"
                                  "  - {name: q, device: 'ring:x'}\n"}}),
              "");
}

TEST(ValidateTogether, NamesDevicesAndPathsAreUsedOnce) {
    const std::string paths = "console: /run/c.sock\nevents: /tmp/e.jsonl\n";
    EXPECT_EQ(problems_together({{"a.yaml", text_with("s", "net_tap0,iface=x") + paths},
                                 {"b.yaml", text_with("s", "net_tap0,iface=y") + paths}}),
              "b.yaml:1:16: switch.name: the name 's' is already that of a.yaml\n"
              "b.yaml:2:27: ports[0].device: the device 'net_tap0' is already that of a.yaml\n"
              "b.yaml:3:10: console: the socket '/run/c.sock' is already that of a.yaml\n"
              "b.yaml:4:9: events: the file '/tmp/e.jsonl' is already that of a.yaml\n");
}

TEST(ValidateCores, ExistOnTheMachine) {
    const auto loaded = load_with_three_ports("workers: {cores: [0, 2]}\n");
    Problems problems;
    validate_cores(*loaded, std::array{0u, 1u}, problems);
    EXPECT_EQ(problems.text(),
              "f.yaml:6:22: workers.cores[1]: core 2 does not exist here; there are: 0, 1\n");
    Problems none;
    validate_cores(*loaded, std::array{0u, 1u, 2u}, none);
    EXPECT_TRUE(none.empty());
}

TEST(ValidateFacts, FramesFitTheDevice) {
    const auto loaded = load_good(
        "switch: {name: s}\nports: [{name: p, device: net_null0, frame_bytes_max: 1518}]\n");
    PortFacts facts;
    facts.ports = {{MacAddress{1}, 1'518, 0}};
    Problems none;
    validate_facts(*loaded, facts, none);
    EXPECT_EQ(none.text(), "");
    facts.ports[0].frame_bytes_max = 1'517;
    Problems problems;
    validate_facts(*loaded, facts, problems);
    EXPECT_EQ(problems.text(),
              "f.yaml:2:55: ports[0].frame_bytes_max: 1518 is more than the device takes; write at "
              "most 1517\n");
}

}  // namespace
}  // namespace weir
