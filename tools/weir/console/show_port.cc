// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_port.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "config/address_text.h"
#include "config/units.h"
#include "tools/weir/console/text_table.h"

namespace weir {
namespace {

// The ports that `all|PORT` or `[port PORT]` asks for.
std::vector<const PortView*> chosen_ports(const Arguments& arguments, std::string_view key,
                                          const Snapshot& snapshot) {
    const Value* value = arguments.find(key);
    std::vector<const PortView*> chosen;
    for (const PortView& port : snapshot.ports) {
        if (value == nullptr || value->kind == ValueKind::Keyword || value->port == port.id) {
            chosen.push_back(&port);
        }
    }
    return chosen;
}

// "frames: 12              " : a counter in a column, as testpmd sets them.
std::string counter(const char* name, std::uint64_t value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s: %-20llu ", name,
                  static_cast<unsigned long long>(value));
    return text.data();
}

std::string without_trailing_blanks(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

// One direction's rate. Bits are those of the frames without FCS, as the byte counters.
std::string rate_line(const char* direction, std::uint64_t frames, std::uint64_t bytes,
                      Interval over) {
    const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(over.ps / 1'000'000, 1));
    // A frame per microsecond is a million a second, so is a bit.
    std::array<char, 96> line{};
    std::snprintf(line.data(), line.size(), "  %-9s %12s Mpps %14s Mbps\n", direction,
                  thousandths(frames, us).c_str(), thousandths(bytes * 8, us).c_str());
    return line.data();
}

std::string port_stats_text(const PortView& port) {
    const Interval lately = port.lately;
    const PortCounts& counts = port.counts;
    const std::string title =
        "port " + std::to_string(port.id) + " (" + port.name + ")" + (port.usable ? "" : ", down");
    std::string text = "\n  ######## statistics of " + title + " ########\n";
    text += without_trailing_blanks("  received  " + counter("frames", counts.received_frames) +
                                    counter("bytes", counts.received_bytes) +
                                    counter("roce_frames", counts.received_roce_frames));
    text += without_trailing_blanks("  sent      " + counter("frames", counts.sent_frames) +
                                    counter("bytes", counts.sent_bytes) +
                                    counter("refused_frames", counts.refused_frames));
    text += without_trailing_blanks("  dropped   " + counter("frames", counts.dropped()));
    text += without_trailing_blanks("  device    " + counter("missed", counts.device_missed) +
                                    counter("errors", counts.device_errors) +
                                    counter("no_memory", counts.device_no_memory));
    if (lately.ps > 0) {
        text += "  over the last " +
                thousandths(static_cast<std::uint64_t>(lately.ps), 1'000'000'000'000) + " s\n";
        text += rate_line("received", port.recently.received_frames, port.recently.received_bytes,
                          lately);
        text += rate_line("sent", port.recently.sent_frames, port.recently.sent_bytes, lately);
    }
    return text;
}

std::string mode_text(const PortView& port) {
    if (port.table.mode == PortMode::Routed) return "routed";
    return "bridged, VLAN " + std::to_string(port.table.native_vlan) + " untagged" +
           (port.vlans.empty() ? "" : ", tagged " + port.vlans);
}

std::string port_info_text(const PortView& port) {
    std::string text = "\n  port " + std::to_string(port.id) + " (" + port.name + ")\n";
    const auto line = [&text](const char* name, const std::string& value) {
        std::string title = std::string(name) + ":";
        title.resize(18, ' ');
        text += "    " + title + value + '\n';
    };
    line("state", state_text(port));
    line("device", port.device + (port.driver.empty() ? "" : ", driver " + port.driver));
    line("device link", std::string(port.device_link ? "up" : "down") +
                            (port.device_decides ? "" : " (this driver always says so)"));
    line("MAC address", format(port.table.mac));
    line("speed",
         port.table.speed_bps == 0 ? "unknown" : format_rate(BitRate{port.table.speed_bps}));
    line("mode", mode_text(port));
    for (const std::string& address : port.addresses) line("address", address);
    line("longest frame", std::to_string(port.table.frame_bytes_max) + " B without FCS");
    line("priority from", std::string(port.table.trust == Trust::Dscp ? "DSCP" : "PCP") +
                              ", otherwise " + std::to_string(port.table.default_priority));
    line("worker", "core " + std::to_string(port.core));
    line("rings",
         std::to_string(port.rx_ring) + " RX, " + std::to_string(port.tx_ring) + " TX descriptors");
    if (!port.fault.empty()) line("fault", port.fault);
    for (const std::string& note : port.notes) line("note", note);
    return text;
}

}  // namespace

std::string state_text(const PortView& port) {
    if (port.stopped) return "stopped";
    if (!port.table.enabled) return "disabled in the file";
    return port.usable ? "up" : "down";
}

Reply show_port_stats(const Arguments& arguments, const Snapshot& snapshot) {
    Reply reply;
    for (const PortView* port : chosen_ports(arguments, "stats", snapshot)) {
        reply.text += port_stats_text(*port);
    }
    return reply;
}

Reply show_port_info(const Arguments& arguments, const Snapshot& snapshot) {
    Reply reply;
    for (const PortView* port : chosen_ports(arguments, "info", snapshot)) {
        reply.text += port_info_text(*port);
    }
    return reply;
}

Reply show_drops(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table({"port", "reason", ">frames"});
    std::uint64_t total = 0;
    for (const PortView& port : snapshot.ports) {
        for (unsigned i = 0; i < kDropReasons; ++i) {
            if (port.counts.drops[i] == 0) continue;
            table.add({snapshot.port_label(port.id),
                       std::string(drop_reason_text(static_cast<DropReason>(i))),
                       std::to_string(port.counts.drops[i])});
            total += port.counts.drops[i];
        }
    }
    table.add({"all", "", std::to_string(total)});
    return Reply::shown(total == 0 ? "no frame was dropped\n" : table.text());
}

}  // namespace weir
