// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/port_index.h"
#include "config/reading.h"
#include "config/settings.h"

namespace weir {

struct PathHop {
    PortId port = kNoPort;
    IpAddress gateway;
    bool operator==(const PathHop&) const = default;
};

inline constexpr std::size_t kNoRouteSettings = SIZE_MAX;

// Which routes, gateways and ports the rules of one file mean. Refers to `settings` and `ports`,
// which have passed their own validation.
class PathResolver {
  public:
    PathResolver(const Settings& settings, const PortIndex& ports);

    // The route with the longest prefix around `destination`, or kNoRouteSettings.
    [[nodiscard]] std::size_t route_around(const IpPrefix& destination) const;
    // A route that a rule for `destination` is about: around it, else the first one inside of it.
    [[nodiscard]] std::size_t route_of(const IpPrefix& destination) const;

    // The gateway and port of one `via` of a rule whose route is `route`.
    [[nodiscard]] Reading<PathHop> hop(const PathHopSettings& via, std::size_t route) const;

  private:
    struct Known {
        IpPrefix prefix;
        std::size_t route;
    };

    const Settings& settings_;
    const PortIndex& ports_;
    std::vector<Known> known_;                // ascending by prefix
    std::bitset<129> lengths_;                // that any prefix has
    std::vector<std::vector<PathHop>> hops_;  // by route
};

}  // namespace weir
