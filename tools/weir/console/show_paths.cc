// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_paths.h"

#include <algorithm>

#include "config/value_text.h"
#include "tools/weir/console/show_forwarding.h"
#include "tools/weir/console/text_table.h"

namespace weir {
namespace {

// Of the rules that are not on their primary way, `show paths` lists so many.
constexpr std::size_t kListedMax = 20;

void add_row(const PathView& path, const Snapshot& snapshot, TextTable& table) {
    std::string way = "-";
    if (path.place != kNoPlace) {
        way = format(path.ways[path.place].gateway) + " port " +
              snapshot.port_label(path.ways[path.place].port);
    }
    table.add({std::to_string(path.number), path_match_text(path.rule, snapshot),
               path_state_text(path), way, std::to_string(path.totals.frames),
               std::to_string(path.totals.bytes)});
}

TextTable path_table() {
    return TextTable({">rule", "for", "state", "by", ">frames", ">bytes"});
}

std::string head(const Snapshot& snapshot) {
    std::size_t primary = 0;
    std::size_t backup = 0;
    std::size_t hash = 0;
    std::size_t lost = 0;
    PathTotals sum;
    for (const PathView& path : snapshot.paths) {
        const bool on_hash = path.place == kNoPlace && path.reachable;
        primary += path.place == 0 ? 1 : 0;
        backup += path.place != 0 && path.place != kNoPlace ? 1 : 0;
        hash += on_hash ? 1 : 0;
        lost += path.reachable ? 0 : 1;
        sum.frames += path.totals.frames;
        sum.bytes += path.totals.bytes;
    }
    return "rules: " + std::to_string(snapshot.paths.size()) +
           "; on primary: " + std::to_string(primary) + ", backup: " + std::to_string(backup) +
           ", hash: " + std::to_string(hash) + ", no way: " + std::to_string(lost) +
           "; frames: " + std::to_string(sum.frames) + ", bytes: " + std::to_string(sum.bytes) +
           "\nplan: " + show(snapshot.plan) + "; other flows: " + show(snapshot.selector) + "\n";
}

}  // namespace

std::string path_match_text(const PathRule& rule, const Snapshot& snapshot) {
    if (rule.match == PathMatch::Ingress) {
        return "from port " + snapshot.port_label(static_cast<PortId>(rule.detail)) + " to " +
               format(IpPrefix{rule.destination, rule.prefix_length});
    }
    std::string text = format(rule.source) + " -> " + format(rule.destination);
    if (rule.match == PathMatch::SourcePort) text += ", UDP from " + std::to_string(rule.detail);
    if (rule.match == PathMatch::DestQp) text += ", queue pair " + std::to_string(rule.detail);
    return text;
}

std::string path_state_text(const PathView& path) {
    if (path.place == 0) return "primary";
    if (path.place != kNoPlace) return "backup " + std::to_string(path.place);
    return path.reachable ? "hash" : "no way";
}

Reply show_paths(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    if (snapshot.paths.empty()) {
        return Reply::shown("no rule; all flows by " + show(snapshot.selector) + "\n");
    }
    TextTable table = path_table();
    std::size_t others = 0;
    for (const PathView& path : snapshot.paths) {
        if (path.place == 0) continue;
        if (++others <= kListedMax) add_row(path, snapshot, table);
    }
    std::string text = head(snapshot) + (table.empty() ? "" : table.text());
    if (others > kListedMax) {
        text += "... and " + std::to_string(others - kListedMax) + " more; see show paths all\n";
    }
    return Reply::shown(text);
}

Reply show_all_paths(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table = path_table();
    for (const PathView& path : snapshot.paths) add_row(path, snapshot, table);
    return Reply::shown(table.empty() ? "no rule\n" : head(snapshot) + table.text());
}

Reply show_path(const Arguments& arguments, const Snapshot& snapshot) {
    const std::uint64_t number = arguments.number("rule", 0);
    const auto found =
        std::find_if(snapshot.paths.begin(), snapshot.paths.end(),
                     [number](const PathView& path) { return path.number == number; });
    if (found == snapshot.paths.end()) {
        return Reply::error("there is no rule " + std::to_string(number));
    }
    std::string text = "rule " + std::to_string(number) + ": " +
                       path_match_text(found->rule, snapshot) + "\n  state  " +
                       path_state_text(*found) + "\n  sent   " +
                       std::to_string(found->totals.frames) + " frames, " +
                       std::to_string(found->totals.bytes) + " bytes\n";
    for (std::size_t i = 0; i < found->ways.size(); ++i) {
        const NextHopView& way = found->ways[i];
        text += (i == 0 ? std::string("  primary   ") : "  backup " + std::to_string(i) + "  ") +
                format(way.gateway) + " port " + snapshot.port_label(way.port) +
                (way.usable ? "" : " (not usable)") + "\n";
    }
    return Reply::shown(text);
}

}  // namespace weir
