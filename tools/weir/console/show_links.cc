// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_links.h"

#include "config/units.h"
#include "tools/weir/console/show_port.h"
#include "tools/weir/console/text_table.h"

namespace weir {
namespace {

std::string us(Interval interval) {
    return thousandths(static_cast<std::uint64_t>(std::max<std::int64_t>(interval.ps, 0)),
                       1'000'000) +
           " us";
}

std::string ms(Interval interval) {
    return thousandths(static_cast<std::uint64_t>(std::max<std::int64_t>(interval.ps, 0)),
                       1'000'000'000) +
           " ms";
}

std::string outage_text(const LinkView& link) {
    if (link.down_for) return "since " + ms(*link.down_for);
    return link.last_outage.ps == 0 ? "none" : ms(link.last_outage);
}

// Why it was last lost, in the words of both ends.
std::string reason_text(const LinkView& link) {
    if (link.counters.flaps == 0 && !link.down_for && link.last_down == Diagnostic::None) return "";
    std::string text(diagnostic_text(link.last_down));
    if (link.last_peer_down != Diagnostic::None) {
        text += " (peer: " + std::string(diagnostic_text(link.last_peer_down)) + ")";
    }
    return text;
}

std::string use_text(const LinkView& link) {
    std::string text(link_use_text(link.use));
    if (link.held_for) text += ", " + ms(*link.held_for) + " left";
    return text;
}

std::string device_table(const Snapshot& snapshot) {
    TextTable table({"port", "state", "device link", "speed", "device"});
    for (const PortView& port : snapshot.ports) {
        table.add(
            {snapshot.port_label(port.id), state_text(port),
             std::string(port.device_link ? "up" : "down") +
                 (port.device_decides ? "" : " (always)"),
             port.table.speed_bps == 0 ? "unknown" : format_rate(BitRate{port.table.speed_bps}),
             port.device});
    }
    return table.text();
}

std::string session_table(const Snapshot& snapshot) {
    TextTable table(
        {"port", "peer", "link", "session", "peer says", ">flaps", ">outage", "last lost because"});
    for (const LinkView& link : snapshot.links) {
        table.add({snapshot.port_label(link.port), link.watched ? format(link.peer) : "-",
                   use_text(link),
                   link.watched ? std::string(session_state_text(link.state)) : "none",
                   link.watched ? std::string(session_state_text(link.peer_state)) : "-",
                   std::to_string(link.counters.flaps), outage_text(link), reason_text(link)});
    }
    return table.empty() ? "" : table.text();
}

std::string line(const std::string& name, const std::string& text) {
    std::string out = "  " + name;
    out.resize(std::max<std::size_t>(out.size() + 1, 22), ' ');
    return out + text + '\n';
}

std::string discards_text(const LinkCounters& counters) {
    std::string text;
    for (unsigned i = 0; i < kBfdDiscards; ++i) {
        if (counters.discards[i] == 0) continue;
        text += (text.empty() ? "" : ", ") +
                std::string(bfd_discard_text(static_cast<BfdDiscard>(i))) + " " +
                std::to_string(counters.discards[i]);
    }
    return text.empty() ? "none" : text;
}

std::string hex(std::uint32_t value) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "0x";
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 0xf];
    return text;
}

std::string arrivals_text(const LinkView& link) {
    if (link.arrivals == 0) return "none yet";
    return "min " + us(link.arrival_min) + ", p50 " + us(link.arrival_p50) + ", p99 " +
           us(link.arrival_p99) + ", max " + us(link.arrival_max);
}

std::string details(const LinkView& link) {
    const LinkCounters& counters = link.counters;
    return line("discriminators",
                "ours " + hex(link.discriminator) + ", peer's " + hex(link.peer_discriminator)) +
           line("diagnostics", "ours " + std::string(diagnostic_text(link.diagnostic)) +
                                   ", peer's " +
                                   std::string(diagnostic_text(link.peer_diagnostic))) +
           line("we send every", (link.tx_interval.ps == 0 ? "never: the peer wants nothing"
                                                           : us(link.tx_interval)) +
                                     (link.polling ? ", polling" : "")) +
           line("lost after", us(link.detection_time) + " of silence") +
           line("packets", "sent " + std::to_string(counters.packets_sent) + ", received " +
                               std::to_string(counters.packets_received) +
                               ", not sent (MAC unknown) " +
                               std::to_string(counters.neighbor_unresolved)) +
           line("between arrivals", arrivals_text(link)) +
           line("discarded", discards_text(counters)) +
           line("own stalls", std::to_string(counters.stalls)) +
           line("flap penalty", std::to_string(link.penalty));
}

}  // namespace

Reply show_links(const Arguments& arguments, const Snapshot& snapshot) {
    const Value* port = arguments.find("links");
    if (port == nullptr) {
        const std::string sessions = session_table(snapshot);
        return Reply::shown(device_table(snapshot) + sessions);
    }
    Snapshot one;
    for (const PortView& view : snapshot.ports) {
        if (view.id == port->port) one.ports.push_back(view);
    }
    for (const LinkView& link : snapshot.links) {
        if (link.port == port->port) one.links.push_back(link);
    }
    std::string text = device_table(one) + session_table(one);
    if (!one.links.empty() && one.links[0].watched) text += details(one.links[0]);
    return Reply::shown(text);
}

Reply set_link(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const std::string& word = arguments.find("link", 1)->text;
    const PortId port = arguments.find("link")->port;
    if (word == "up" || word == "down") {
        return Reply::ask(word == "up" ? Act::LinkUp : Act::LinkDown, {}, port);
    }
    Reply reply = Reply::ask(Act::SetFault, {}, port);
    reply.request.fault.silent = word == "silent-drop";
    return reply;
}

}  // namespace weir
