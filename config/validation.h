// SPDX-License-Identifier: BSD-3-Clause
// What the parts of validate() share.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "config/load.h"
#include "config/port_facts.h"
#include "config/port_index.h"
#include "config/problem.h"

namespace weir {

class Validation {
  public:
    Validation(const Loaded& loaded, Problems& problems);

    const Settings& settings;
    const PortIndex ports;

    void add(std::string path, std::string text);
    // The same of the file that `paths_file` names.
    void add_to_plan(std::string path, std::string text);
    [[nodiscard]] bool good() const { return problems_.empty(); }

    // Reading `section`[index] failed: its values are not those of the file.
    [[nodiscard]] bool misread(const char* section, std::size_t index) const {
        return !misread_.empty() && misread_.contains({section, index});
    }
    // The same of any value in `section`.
    [[nodiscard]] bool misread(const char* section) const {
        const auto first = misread_.lower_bound({section, 0});
        return first != misread_.end() && first->first == section;
    }
    // Every port was understood, so that names and subnets can be looked up.
    [[nodiscard]] bool ports_read() const { return ports_read_; }

    [[nodiscard]] std::string port_name(PortId port) const { return settings.ports[port].name; }

  private:
    const Loaded& loaded_;
    Problems& problems_;
    std::set<std::pair<std::string, std::size_t>, std::less<>> misread_;
    bool ports_read_ = true;
};

// "ports[3]" + ".name"
[[nodiscard]] std::string item_path(const char* section, std::size_t index,
                                    std::string_view field = {});
[[nodiscard]] std::string quoted(std::string_view text);

void validate_ports(Validation& validation);      // validate_ports.cc
void validate_addresses(Validation& validation);  // validate_addresses.cc
void validate_routes(Validation& validation);     // validate_routes.cc
void validate_neighbors(Validation& validation);  // validate_routes.cc
void validate_paths(Validation& validation);      // validate_paths.cc
void validate_macs(Validation& validation);       // validate_ports.cc
void validate_lossless(Validation& validation);   // validate_lossless.cc

void validate_links(Validation& validation);    // validate_links.cc
void validate_guards(Validation& validation);   // validate_guards.cc
void validate_notices(Validation& validation);  // validate_notices.cc

// Whether the buffer has as many mbufs as it needs. validate_lossless.cc
void validate_memory(const Loaded& loaded, const PortFacts& facts, Problems& problems);
// What a file says about memory before there are devices.
[[nodiscard]] PortFacts facts_of_frames(const Settings& settings);

// Says what is wrong with a port's name at `path`, if anything.
bool check_port_exists(Validation& validation, std::string_view path, std::string_view name);
// The same for the address of a gateway or neighbor: it must be a host next to us.
bool check_next_to_us(Validation& validation, std::string_view path, const IpAddress& address,
                      std::string_view port_name);
void check_interval(Validation& validation, const char* path, Interval value, Interval first,
                    Interval last);
void check_unicast(Validation& validation, const std::string& path, MacAddress mac);

}  // namespace weir
