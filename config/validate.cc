// SPDX-License-Identifier: BSD-3-Clause
#include "config/validate.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "config/units.h"
#include "config/validation.h"

namespace weir {
namespace {

constexpr std::size_t kNameBytesMax = 32;
constexpr std::size_t kSocketPathBytesMax = 107;  // sun_path of unix(7) has 108 with its end mark

// MacSlot::seen_ms has 32 bits, whose differences are right up to 2^31 ms (24.8 days); 802.1Q
// table 8-6 allows 10 s to 1,000,000 s (11.6 days). Shorter ones are for tests.
constexpr Interval kAgeingMin = Interval::milliseconds(100);
constexpr Interval kAgeingMax = Interval::seconds(1'000'000);
// RFC 4861 6.2.1: AdvReachableTime is at most one hour.
constexpr Interval kReachableMin = Interval::milliseconds(100);
constexpr Interval kReachableMax = Interval::seconds(3'600);

void check_switch_name(Validation& validation) {
    const std::string& name = validation.settings.switch_.name;
    // Missing, or the whole map misread.
    if (validation.misread("switch", 0) || (name.empty() && validation.misread("", 0))) return;
    const bool fits = !name.empty() && name.size() <= kNameBytesMax &&
                      name.find_first_not_of(
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789-_.") == std::string_view::npos;
    if (fits) return;
    validation.add("switch.name", quoted(name) + " is no name; write 1 to " +
                                      std::to_string(kNameBytesMax) +
                                      " letters, digits, '-', '_' or '.'");
}

void check_workers(Validation& validation) {
    const std::vector<unsigned>& cores = validation.settings.workers.cores;
    if (cores.size() > kShardsMax) {
        validation.add("workers.cores", std::to_string(cores.size()) + " cores; at most " +
                                            std::to_string(kShardsMax));
    }
    for (std::size_t i = 0; i < cores.size(); ++i) {
        const auto first = std::find(cores.begin(), cores.begin() + static_cast<long>(i), cores[i]);
        if (first == cores.begin() + static_cast<long>(i)) continue;
        validation.add(item_path("workers.cores", i),
                       "core " + std::to_string(cores[i]) + " is listed twice");
    }
}

void check_socket(Validation& validation) {
    const std::string& path = validation.settings.console;
    if (path.empty()) return;
    if (path[0] != '/') {
        validation.add("console", quoted(path) + " is no absolute path; write one like /run/weir/" +
                                      validation.settings.switch_.name + ".sock");
    }
    if (path.size() > kSocketPathBytesMax) {
        validation.add("console", "the path has " + std::to_string(path.size()) +
                                      " bytes; a UNIX socket's has at most " +
                                      std::to_string(kSocketPathBytesMax));
    }
}

void check_queues(Validation& validation) {
    const Settings& settings = validation.settings;
    Bytes longest = 0;
    for (const PortSettings& port : settings.ports) {
        longest = std::max<Bytes>(longest, port.frame_bytes_max.value_or(settings.frame_bytes_max));
    }
    if (settings.queues.limit >= longest) return;
    validation.add("queues.limit", format_bytes(settings.queues.limit) +
                                       " is less than the longest frame; write at least " +
                                       format_bytes(longest));
}

void check_eal(Validation& validation) {
    const std::vector<std::string>& eal = validation.settings.eal;
    const auto has = [&](std::string_view option) {
        return std::find(eal.begin(), eal.end(), option) != eal.end();
    };
    if (has("--no-huge") && has("--in-memory")) {
        validation.add("eal", "--no-huge and --in-memory exclude each other; keep one");
    }
}

// Values that stand for something of which a process has one.
class Uses {
  public:
    explicit Uses(const char* what) : what_(what) {}

    void add(const Loaded& file, const std::string& value, std::string path, Problems& problems) {
        if (value.empty()) return;
        for (const Use& use : uses_) {
            if (use.value != value) continue;
            problems.add(file.problem(std::move(path), std::string(what_) + " " + quoted(value) +
                                                           " is already that of " + use.file));
            return;
        }
        uses_.push_back({value, file.file});
    }

  private:
    struct Use {
        std::string value;
        std::string file;
    };
    const char* what_;
    std::vector<Use> uses_;
};

struct RingEnd {
    const Loaded* file;
    std::size_t port;
    std::string_view ring;
};

void check_rings(std::span<const Loaded* const> files, Problems& problems) {
    std::vector<RingEnd> ends;
    for (const Loaded* file : files) {
        for (std::size_t i = 0; i < file->settings.ports.size(); ++i) {
            const std::string_view device = file->settings.ports[i].device;
            if (device.starts_with("ring:")) ends.push_back({file, i, device});
        }
    }
    for (const RingEnd& end : ends) {
        const auto uses = std::count_if(
            ends.begin(), ends.end(), [&](const RingEnd& other) { return other.ring == end.ring; });
        if (uses == 2) continue;
        problems.add(end.file->problem(
            item_path("ports", end.port, ".device"),
            quoted(end.ring) +
                (uses == 1 ? " has no other end; write it at one more port, of this or of another "
                             "file given with -c"
                           : " is at " + std::to_string(uses) + " ports; a ring joins two")));
    }
}

}  // namespace

void validate(const Loaded& loaded, Problems& problems) {
    Validation validation(loaded, problems);
    check_switch_name(validation);
    check_workers(validation);
    check_eal(validation);
    check_socket(validation);
    validate_ports(validation);
    validate_addresses(validation);
    validate_routes(validation);
    validate_neighbors(validation);
    validate_macs(validation);
    check_queues(validation);
    validate_lossless(validation);
    validate_guards(validation);
    validate_links(validation);
    validate_notices(validation);
    check_interval(validation, "ageing", loaded.settings.ageing, kAgeingMin, kAgeingMax);
    check_interval(validation, "neighbor_reachable", loaded.settings.neighbor_reachable,
                   kReachableMin, kReachableMax);
    validate_paths(validation);
    if (problems.empty()) validate_memory(loaded, facts_of_frames(loaded.settings), problems);
}

void validate_together(std::span<const Loaded* const> files, Problems& problems) {
    Uses names("the name");
    Uses sockets("the socket");
    Uses events("the file");
    Uses devices("the device");
    for (const Loaded* file : files) {
        const Settings& settings = file->settings;
        names.add(*file, settings.switch_.name, "switch.name", problems);
        sockets.add(*file, settings.console, "console", problems);
        events.add(*file, settings.events, "events", problems);
        for (std::size_t i = 0; i < settings.ports.size(); ++i) {
            const std::string& device = settings.ports[i].device;
            if (device.starts_with("ring:")) continue;
            devices.add(*file, device.substr(0, device.find(',')), item_path("ports", i, ".device"),
                        problems);
        }
    }
    check_rings(files, problems);
}

void validate_cores(const Loaded& loaded, std::span<const unsigned> available, Problems& problems) {
    const std::vector<unsigned>& cores = loaded.settings.workers.cores;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        if (std::find(available.begin(), available.end(), cores[i]) != available.end()) continue;
        std::string list;
        for (const unsigned core : available)
            list += (list.empty() ? "" : ", ") + std::to_string(core);
        problems.add(loaded.problem(
            item_path("workers.cores", i),
            "core " + std::to_string(cores[i]) + " does not exist here; there are: " + list));
    }
}

void validate_facts(const Loaded& loaded, const PortFacts& facts, Problems& problems) {
    const std::vector<PortSettings>& ports = loaded.settings.ports;
    for (std::size_t i = 0; i < std::min(ports.size(), facts.ports.size()); ++i) {
        const std::uint16_t most = facts.ports[i].frame_bytes_max;
        if (!ports[i].frame_bytes_max || *ports[i].frame_bytes_max <= most) continue;
        problems.add(loaded.problem(item_path("ports", i, ".frame_bytes_max"),
                                    std::to_string(*ports[i].frame_bytes_max) +
                                        " is more than the device takes; write at most " +
                                        std::to_string(most)));
    }
    validate_memory(loaded, facts, problems);
}

Validation::Validation(const Loaded& loaded, Problems& problems)
    : settings(loaded.settings),
      ports(loaded.settings.ports),
      loaded_(loaded),
      problems_(problems) {
    for (const Problem& problem : problems.kept()) {
        const std::string_view path = problem.path;
        const std::size_t bracket = path.find_first_of("[.");
        const std::string_view section = path.substr(0, bracket);
        std::size_t index = 0;
        if (bracket != std::string_view::npos) {
            std::from_chars(path.data() + bracket + 1, path.data() + path.size(), index);
        }
        misread_.emplace(section, index);
        // A key that is not known at the top may have been meant as `ports`.
        if (section == "ports" || section.empty()) ports_read_ = false;
    }
}

void Validation::add(std::string path, std::string text) {
    // Past the limit only the count matters: no need to look for the line.
    if (problems_.kept().size() == Problems::kKeptMax) {
        problems_.add({});
        return;
    }
    problems_.add(loaded_.problem(std::move(path), std::move(text)));
}

void Validation::add_to_plan(std::string path, std::string text) {
    problems_.add(problems_.kept().size() == Problems::kKeptMax
                      ? Problem{}
                      : loaded_.paths_problem(std::move(path), std::move(text)));
}

void check_interval(Validation& validation, const char* path, Interval value, Interval first,
                    Interval last) {
    if (value >= first && value <= last) return;
    validation.add(path, format_interval(value) + " is out of range; write " +
                             format_interval(first) + " to " + format_interval(last));
}

std::string item_path(const char* section, std::size_t index, std::string_view field) {
    return std::string(section) + "[" + std::to_string(index) + "]" + std::string(field);
}

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

}  // namespace weir
