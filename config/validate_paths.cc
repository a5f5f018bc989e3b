// SPDX-License-Identifier: BSD-3-Clause
// Rules of path tables, and the plan that they belong to.
#include <algorithm>
#include <set>
#include <tuple>

#include "config/path_resolver.h"
#include "config/units.h"
#include "config/validate.h"
#include "config/validation.h"
#include "config/value_text.h"

namespace weir {
namespace {

// A gap shorter than 1 us is within a burst; one of 10 s never comes.
constexpr Interval kGapMin = Interval::microseconds(1);
constexpr Interval kGapMax = Interval::seconds(10);

// The parts that say which frames a rule is for.
auto match_of(const PathSettings& path) {
    return std::tie(path.source, path.ingress, path.destination, path.source_port, path.dest_qp);
}

class PathCheck {
  public:
    explicit PathCheck(Validation& validation)
        : validation_(validation),
          settings_(validation.settings),
          resolver_(validation.settings, validation.ports) {}

    void check_all() {
        for (std::size_t i = 0; i < settings_.path_count(); ++i) check(i);
        check_twice();
        check_gateway_count();
    }

  private:
    // One line a rule: the first thing that is wrong with it.
    void check(std::size_t index) {
        const PathSettings& path = settings_.path(index);
        std::string why = why_no_match(path);
        if (why.empty() && path.source) why = why_nobody(*path.source, "source");
        if (why.empty()) why = why_no_destination(path);
        if (!why.empty()) return add(index, {}, why);
        if (path.via.empty() || path.via.size() > kPathHopsMax) {
            return add(index, ".via",
                       std::to_string(path.via.size()) + " ways; write 1 to " +
                           std::to_string(kPathHopsMax));
        }
        check_ways(index, path);
    }

    [[nodiscard]] std::string why_no_match(const PathSettings& path) const {
        if (path.source.has_value() == path.ingress.has_value()) {
            return path.source ? "has both source and ingress; keep one"
                               : "has neither source nor ingress; write source: ADDRESS or "
                                 "ingress: PORT";
        }
        if (path.source_port && path.dest_qp) return "has source_port and dest_qp; keep one";
        if (path.ingress) {
            if (path.source_port || path.dest_qp) {
                return "has ingress, which takes no source_port or dest_qp";
            }
            const PortId port = validation_.ports.by_name(*path.ingress);
            if (port == kNoPort) return "there is no port " + *path.ingress;
            if (!settings_.ports[port].routed()) return "port " + *path.ingress + " is not routed";
            return {};
        }
        if (path.destination.length != 128) {
            return format(path.destination) + " is a prefix; a rule with a source is for one " +
                   "address";
        }
        if (path.source->is_v4() != path.destination.is_v4()) {
            return "source and destination are not of one family";
        }
        if (*path.source == path.destination.address) return "source and destination are the same";
        return {};
    }

    // Addresses that no host has.
    [[nodiscard]] std::string why_nobody(const IpAddress& address, const char* what) const {
        const std::string start = std::string(what) + " " + format(address);
        const std::uint32_t v4 = address.v4_value();
        const bool none = address.is_v4() ? (v4 >> 24) == 0 || (v4 >> 24) == 127 || v4 >> 28 == 15
                                          : address.high == 0 && address.low <= 1;
        if (none) return start + " is no host's";
        if (address.is_multicast()) return start + " is multicast, which is not routed";
        if (address.is_link_local()) return start + " is link-local, which is not routed";
        const PortId owner = validation_.ports.owner_of(address);
        if (owner != kNoPort) {
            return start + " is the switch's own, on port " + validation_.port_name(owner);
        }
        const Subnet* subnet = validation_.ports.subnet_of(address);
        if (subnet != nullptr && address.is_v4() && subnet->prefix.length < 127 &&
            (address == subnet->prefix.address || address == last_of(subnet->prefix))) {
            return start + " is no host of " + format(subnet->prefix);
        }
        return {};
    }

    [[nodiscard]] std::string why_no_destination(const PathSettings& path) const {
        const IpPrefix& to = path.destination;
        if (network_of(to) != to) {
            return format(to) + " has bits behind its length; write " + format(network_of(to));
        }
        if (to.length == 128) {
            std::string why = why_nobody(to.address, "destination");
            if (!why.empty()) return why;
        }
        const std::string text = to.length == 128 ? format(to.address) : format(to);
        const std::size_t around = resolver_.route_around(to);
        const Subnet* subnet = validation_.ports.subnet_of(to.address);
        const bool next_to_us = subnet != nullptr && subnet->prefix.length <= to.length &&
                                (around == kNoRouteSettings ||
                                 settings_.routes[around].prefix.length <= subnet->prefix.length);
        if (next_to_us) {
            return text + " is next to us, on port " + validation_.port_name(subnet->port) +
                   ": there is no path to choose";
        }
        const std::size_t route = resolver_.route_of(to);
        if (route == kNoRouteSettings) return "there is no route to " + text;
        return settings_.routes[route].blackhole ? "the route to " + text + " is a blackhole"
                                                 : std::string();
    }

    void check_ways(std::size_t index, const PathSettings& path) {
        const std::size_t route = resolver_.route_of(path.destination);
        std::vector<PathHop> ways;
        for (std::size_t i = 0; i < path.via.size(); ++i) {
            const auto refuse = [&](const std::string& why) {
                add(index, ".via[" + std::to_string(i) + "]", why);
            };
            const Reading<PathHop> hop = resolver_.hop(path.via[i], route);
            if (!hop) return refuse(hop.problem);
            if (path.via[i].gateway) {
                const std::string why = why_no_gateway(path, path.via[i]);
                if (!why.empty()) return refuse(why);
            }
            if (std::find(ways.begin(), ways.end(), *hop) != ways.end()) {
                return refuse(format(hop->gateway) + " on port " +
                              validation_.port_name(hop->port) + " is listed twice");
            }
            ways.push_back(*hop);
        }
    }

    [[nodiscard]] std::string why_no_gateway(const PathSettings& path,
                                             const PathHopSettings& via) const {
        const IpAddress& gateway = *via.gateway;
        if (gateway.is_v4() != path.destination.is_v4()) {
            return format(gateway) + " is of another family than the destination";
        }
        if (gateway.is_link_local()) {
            return via.port.empty() ? format(gateway) + " is link-local and needs its port"
                                    : std::string();
        }
        const Subnet* subnet = validation_.ports.subnet_of(gateway);
        if (subnet == nullptr) return format(gateway) + " is in no connected subnet";
        if (!via.port.empty() && validation_.ports.by_name(via.port) != subnet->port) {
            return format(gateway) + " is on port " + validation_.port_name(subnet->port) +
                   ", not on " + via.port;
        }
        return why_nobody(gateway, "gateway");
    }

    void check_twice() {
        std::vector<std::size_t> order(settings_.path_count());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto less = [this](std::size_t a, std::size_t b) {
            return match_of(settings_.path(a)) < match_of(settings_.path(b));
        };
        std::stable_sort(order.begin(), order.end(), less);
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (less(order[i - 1], order[i])) continue;
            add(order[i], {}, "is for the same frames as " + where(order[i - 1]));
        }
    }

    void check_gateway_count() {
        std::set<std::pair<IpAddress, std::string_view>> gateways;
        for (const RouteSettings& route : settings_.routes) {
            for (const GatewayAddress& gateway : route.via) {
                gateways.emplace(gateway.address, gateway.port);
            }
        }
        for (std::size_t i = 0; i < settings_.path_count(); ++i) {
            for (const PathHopSettings& via : settings_.path(i).via) {
                if (via.gateway) gateways.emplace(*via.gateway, via.port);
            }
        }
        if (gateways.size() <= kGatewaysConfiguredMax) return;
        validation_.add("paths", std::to_string(gateways.size()) +
                                     " different gateways with those of the routes; at most " +
                                     std::to_string(kGatewaysConfiguredMax));
    }

    [[nodiscard]] bool in_plan_file(std::size_t index) const {
        return index >= settings_.paths.size();
    }
    [[nodiscard]] std::string where(std::size_t index) const {
        return in_plan_file(index) ? item_path("paths", index - settings_.paths.size()) + " of " +
                                         settings_.paths_file
                                   : item_path("paths", index);
    }
    void add(std::size_t index, const std::string& field, const std::string& why) {
        if (in_plan_file(index)) {
            validation_.add_to_plan(item_path("paths", index - settings_.paths.size(), field), why);
        } else {
            validation_.add(item_path("paths", index, field), why);
        }
    }

    Validation& validation_;
    const Settings& settings_;
    const PathResolver resolver_;
};

std::string why_no_plan(const Validation& validation, const PlanSettings& plan) {
    const std::string& name = validation.settings.switch_.name;
    if (!plan.switch_.empty() && plan.switch_ != name) {
        return "the plan is for switch " + plan.switch_ + ", this is " + name;
    }
    if (plan.gap >= kGapMin && plan.gap <= kGapMax) return {};
    return "gap " + format_interval(plan.gap) + " is out of range; write " +
           format_interval(kGapMin) + " to " + format_interval(kGapMax);
}

void check_plans(Validation& validation) {
    const Settings& settings = validation.settings;
    if (settings.plan && settings.plan_file.plan) {
        validation.add("plan", settings.paths_file + " has a plan as well; keep one");
    }
    if (settings.plan) {
        const std::string why = why_no_plan(validation, *settings.plan);
        if (!why.empty()) validation.add("plan", why);
    }
    if (settings.plan_file.plan) {
        const std::string why = why_no_plan(validation, *settings.plan_file.plan);
        if (!why.empty()) validation.add_to_plan("plan", why);
    }
}

void check_selectors(Validation& validation) {
    const Settings& settings = validation.settings;
    const auto without_paths = [&](Selector selector, const std::string& path) {
        if (selector != Selector::Paths || settings.path_count() != 0) return;
        validation.add(path, "there are no paths; write paths or paths_file");
    };
    without_paths(settings.selector, "selector");
    for (std::size_t i = 0; i < settings.routes.size(); ++i) {
        if (!settings.routes[i].selector) continue;
        without_paths(*settings.routes[i].selector, item_path("routes", i, ".selector"));
    }
}

}  // namespace

void validate_paths(Validation& validation) {
    const Settings& settings = validation.settings;
    if (validation.misread("paths") || validation.misread("plan")) return;
    check_interval(validation, "flowlet.gap", settings.flowlet.gap, kGapMin, kGapMax);
    check_plans(validation);
    check_selectors(validation);
    if (settings.path_count() > kPathRulesMax) {
        const std::string why = std::to_string(settings.path_count()) + " rules; at most " +
                                std::to_string(kPathRulesMax);
        if (settings.paths.size() > kPathRulesMax) return validation.add("paths", why);
        return validation.add_to_plan("paths", why);
    }
    // Rules are about ports and routes: these come first.
    if (settings.path_count() == 0 || !validation.good()) return;
    PathCheck(validation).check_all();
}

}  // namespace weir
