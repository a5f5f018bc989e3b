// SPDX-License-Identifier: BSD-3-Clause
#include "config/read_link.h"

#include <array>
#include <limits>

#include "config/read_values.h"
#include "config/units.h"

namespace weir {
namespace {

constexpr std::uint64_t kDetectMultMax = std::numeric_limits<std::uint8_t>::max();

constexpr std::array<Field<LinkSettings>, 8> kLinkFields{{
    {"peer", [](const Value& v, LinkSettings& s) { read_parsed(v, parse_ip, s.peer); },
     "peer: 10.0.1.2"},
    {"desired_min_tx",
     [](const Value& v, LinkSettings& s) { read_parsed(v, parse_interval, s.desired_min_tx); },
     {}},
    {"required_min_rx",
     [](const Value& v, LinkSettings& s) { read_parsed(v, parse_interval, s.required_min_rx); },
     {}},
    {"detect_mult",
     [](const Value& v, LinkSettings& s) { read_number(v, 1, kDetectMultMax, s.detect_mult); },
     {}},
    {"passive", [](const Value& v, LinkSettings& s) { read_bool(v, s.passive); }, {}},
    {"required", [](const Value& v, LinkSettings& s) { read_bool(v, s.required); }, {}},
    {"hold_down",
     [](const Value& v, LinkSettings& s) { read_parsed(v, parse_interval, s.hold_down); },
     {}},
    {"damping",
     [](const Value& v, LinkSettings& s) { read_parsed(v, parse_interval, s.damping); },
     {}},
}};

}  // namespace

void read_link(const Value& value, LinkSettings& target) {
    if (value.kind() == Document::Kind::Scalar) {
        read_parsed(value, parse_ip, target.peer);
    } else {
        read_map(value, kLinkFields, target);
    }
}

}  // namespace weir
