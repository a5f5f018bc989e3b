// SPDX-License-Identifier: BSD-3-Clause
// The commands of weir. docs/operating.md describes each; a test holds the two against each other.
#include <array>

#include "tools/weir/console/command_table.h"
#include "tools/weir/console/explain_flow.h"
#include "tools/weir/console/set.h"
#include "tools/weir/console/set_fault.h"
#include "tools/weir/console/show_forwarding.h"
#include "tools/weir/console/show_links.h"
#include "tools/weir/console/show_lossless.h"
#include "tools/weir/console/show_paths.h"
#include "tools/weir/console/show_port.h"
#include "tools/weir/console/show_process.h"

namespace weir {
namespace {

Reply help(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const Value* about = arguments.find("help");
    Reply reply;
    for (const Command& command : weir_commands().commands()) {
        const std::string_view first = command.grammar.substr(0, command.grammar.find(' '));
        if (about != nullptr && first != about->text) continue;
        reply.text +=
            "  " + std::string(command.grammar) + "\n      " + std::string(command.help) + '\n';
    }
    if (reply.text.empty()) return Reply::error("no command begins with " + about->text);
    return reply;
}

Reply quit(const Arguments& /*arguments*/, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::Quit);
}

Reply use(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::Use, arguments.find("use")->text);
}

Reply clear_stats(const Arguments& /*arguments*/, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::ClearStats);
}

Reply reload(const Arguments& /*arguments*/, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::Reload);
}

Reply load(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::Reload, arguments.find("load")->text);
}

Reply port_start(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::StartPort, {}, arguments.find("start")->port);
}

Reply port_stop(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    return Reply::ask(Act::StopPort, {}, arguments.find("stop")->port);
}

constexpr std::array kCommands = {
    Command{"show port stats all|PORT",
            "what ports received, sent and dropped, and the rates since the last look",
            Needs::Rates, show_port_stats},
    Command{"show port info all|PORT", "how ports are set up, and what their devices can do",
            Needs::Ports, show_port_info},
    Command{"show pfc [port PORT]", "who pauses whom by priority, and PFC frames so far",
            Needs::Groups, show_pfc},
    Command{"show buffer [port PORT]", "what the priority groups hold, may hold, and held at most",
            Needs::Groups, show_buffer},
    Command{"show queue [port PORT]", "what waits in the egress queues, was sent and dropped",
            Needs::Queues, show_queue},
    Command{"show ecn [port PORT]", "marking profile of each egress queue, and its marks",
            Needs::Queues, show_ecn},
    Command{"show watchdog [port PORT]", "pause storms of the egress queues", Needs::Groups,
            show_watchdog},
    Command{"show balance", "frames received, sent, dropped and held, all at one moment",
            Needs::Balance, show_balance},
    Command{"show hooks [port PORT]",
            "frames that came by an uplink and leave by an uplink, moved to another priority",
            Needs::Ports, show_hooks},
    Command{"show drops", "dropped frames by port and reason", Needs::Ports, show_drops},
    Command{"show links [PORT]",
            "link state of each port, what decides it, and the sessions that watch links",
            Needs::Links, show_links},
    Command{"show routes [PREFIX]", "routes, or those inside of and around a prefix", Needs::Routes,
            show_routes},
    Command{"show paths",
            "path tables: how many rules are on which way, and those not on their primary",
            Needs::Paths, show_paths},
    Command{"show paths all", "every rule of the path tables: way in use, frames", Needs::Paths,
            show_all_paths},
    Command{"show paths rule RULE", "one rule: its ways, and which of them are usable",
            Needs::Paths, show_path},
    Command{"show neighbors", "hosts and routers next to us, and their MAC addresses (ARP, ND)",
            Needs::Neighbors, show_neighbors},
    Command{"show mac", "MAC addresses that the bridge has learned", Needs::Macs, show_mac},
    Command{"show config", "the configuration in use", Needs::Config, show_config},
    Command{"show workers", "worker threads: core, load, longest turn, ports", Needs::Workers,
            show_workers},
    Command{"show switches", "the switches of this process", Needs::Ports, show_switches},
    Command{"explain flow in PORT src IP dst IP [sport UDP] [dport UDP] [qp QP] [dscp DSCP] "
            "[mac-src MAC] [mac-dst MAC] [vlan VLAN] [pcp PCP]",
            "what the switch would do with a RoCEv2 frame, decision by decision",
            Needs::Routes | Needs::Flow, explain_flow},
    Command{"explain flow in PORT mac-src MAC mac-dst MAC [vlan VLAN] [pcp PCP]",
            "the same for a frame that is not IP", Needs::Routes | Needs::Flow, explain_flow},
    Command{"set ecn all|PORT PRIORITY kmin SIZE kmax SIZE pmax SHARE",
            "marking thresholds of an egress queue, until the file is loaded again", Needs::Ports,
            set_ecn},
    Command{"set ecn all|PORT PRIORITY off", "no marking, until the file is loaded again",
            Needs::Ports, set_ecn_off},
    Command{"set pfc all|PORT PRIORITY on|off",
            "make a priority lossless or lossy, until the file is loaded again", Needs::Ports,
            set_pfc},
    Command{"set buffer all|PORT PRIORITY [alpha ALPHA] [limit SIZE] [headroom auto|SIZE] "
            "[reserve SIZE] [xon_offset SIZE]",
            "limits of a priority group, until the file is loaded again", Needs::Ports, set_buffer},
    Command{"set scheduler all|PORT PRIORITY weight WEIGHT",
            "share of an egress queue, until the file is loaded again", Needs::Ports,
            set_scheduler},
    Command{"set scheduler all|PORT PRIORITY strict",
            "send an egress queue before the weighted ones, until the file is loaded again",
            Needs::Ports, set_scheduler},
    Command{"set port all|PORT speed RATE",
            "rate that a port sends at, until the file is loaded again", Needs::Ports, set_port},
    Command{"set port PORT fault [loss SHARE] [corrupt SHARE] [delay TIME]",
            "an experiment: lose, damage or delay what arrives on a port", Needs::Ports, set_fault},
    Command{"set port PORT fault pause-storm PRIORITY",
            "an experiment: pause a priority of the port's peer without end", Needs::Ports,
            set_pause_storm},
    Command{"set port PORT fault none", "end the experiments on a port", Needs::Ports,
            set_fault_none},
    Command{
        "set link PORT up|down|silent-drop|none",
        "take a link out of use or give it back; an experiment: lose all that passes, both ways",
        Needs::Ports, set_link},
    Command{"set watchdog on [detection TIME] [restoration TIME] [poll TIME] "
            "[action drop|forward|alert]",
            "watch for pause storms, until the file is loaded again", Needs::Ports, set_watchdog},
    Command{"set watchdog off", "stop watching, until the file is loaded again", Needs::Ports,
            set_watchdog_off},
    Command{"use SWITCH", "make the next commands about another switch of this process",
            Needs::Ports, use},
    Command{"port start PORT", "let a stopped port carry frames again", Needs::Ports, port_start},
    Command{"port stop PORT", "take a port out of service until `port start`", Needs::Ports,
            port_stop},
    Command{"clear stats", "set every shown counter and watermark of every switch to 0",
            Needs::Ports, clear_stats},
    Command{"reload", "read the configuration file again and apply what changed", Needs::Ports,
            reload},
    Command{"load FILE", "apply another configuration file", Needs::Ports, load},
    Command{"help [WORD]", "this list, or the commands that begin with a word", Needs::Ports, help},
    Command{"quit", "end the switch (over a socket: end the session)", Needs::Ports, quit},
};

}  // namespace

const CommandTable& weir_commands() {
    static const CommandTable table(kCommands);
    return table;
}

}  // namespace weir
