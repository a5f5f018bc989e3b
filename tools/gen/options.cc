// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/options.h"

#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/roce/address.h"

namespace weir::gen {
namespace {

constexpr double kSecondsMax = 1e6;  // 11 days; keeps picoseconds within 63 bits
constexpr double kPicosecondsPerSecond = 1e12;
constexpr std::uint32_t kFlowsMax = 65'536;
constexpr std::uint64_t kPcapFramesMax = 100'000'000;

// The argument texts that have a form of their own; converted after CLI11 has seen all options.
struct Texts {
    std::string to, to_mac, from, from_mac, vlan, operation = "send";
    double duration_s = 0;
    double idle_s = 0;
};

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& expected) {
    throw CLI::ValidationError(option + " " + text, expected);
}

template <typename Parse>
auto convert(const char* option, const std::string& text, Parse parse, const char* expected) {
    const auto value = parse(text);
    if (!value) refuse(option, text, expected);
    return *value;
}

std::optional<unsigned> parse_number(std::string_view text, unsigned max) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > max) {
        return std::nullopt;
    }
    return value;
}

std::optional<roce::VlanTag> parse_vlan(const std::string& text) {
    const std::size_t slash = text.find('/');
    const auto vid = parse_number(std::string_view(text).substr(0, slash), 4094);
    const auto pcp = slash == std::string::npos
                         ? std::optional<unsigned>{0}
                         : parse_number(std::string_view(text).substr(slash + 1), 7);
    if (!vid || !pcp) return std::nullopt;
    return roce::VlanTag{.vid = static_cast<std::uint16_t>(*vid),
                         .pcp = static_cast<std::uint8_t>(*pcp)};
}

std::optional<Prefix> parse_prefix(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return std::nullopt;
    const auto address = roce::parse_ip(text.substr(0, slash));
    if (!address) return std::nullopt;
    const auto length =
        parse_number(std::string_view(text).substr(slash + 1), address->ipv6 ? 128 : 32);
    if (!length) return std::nullopt;
    return Prefix{.address = *address, .length = *length};
}

std::optional<Interval> interval(double seconds) {
    if (seconds == 0) return std::nullopt;
    return Interval::picoseconds(std::llround(seconds * kPicosecondsPerSecond));
}

// CLI11 would show the default of such an option as a character.
void add_byte(CLI::App& app, const char* name, std::uint8_t& value, const CLI::Range& range,
              const char* help) {
    app.add_option(name, value, help)->check(range)->default_str(std::to_string(value));
}

void add_traffic_options(CLI::App& app, TrafficOptions& traffic, Texts& texts) {
    app.add_option("--size", traffic.payload_bytes,
                   "Payload bytes; a SEND over IPv4 makes a frame of 58 + SIZE bytes (SIZE rounded "
                   "up to 4), at least 60, without FCS")
        ->check(CLI::Range(std::size_t{0}, roce::kPayloadBytesMax))
        ->capture_default_str();
    app.add_option("--op", texts.operation, "send: SEND only; write: RDMA WRITE only")
        ->check(CLI::IsMember({"send", "write"}))
        ->capture_default_str();
    add_byte(app, "--dscp", traffic.dscp, CLI::Range(0, 63), "DSCP of the frames");
    add_byte(app, "--ecn", traffic.ecn, CLI::Range(0, 3),
             "ECN field: 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE");
    add_byte(app, "--ttl", traffic.hop_limit, CLI::Range(1, 255), "TTL or hop limit");
    app.add_option("--vlan", texts.vlan, "Tag the frames: VID or VID/PCP");
    app.add_option("--qp", traffic.queue_pair_first, "Destination QP of the first flow")
        ->check(CLI::Range(std::uint32_t{0}, roce::kPsnMask))
        ->capture_default_str();
    app.add_option("--psn", traffic.psn_first, "First PSN of every flow")
        ->check(CLI::Range(std::uint32_t{0}, roce::kPsnMask))
        ->capture_default_str();
    app.add_option("--source-port", traffic.source_port_first, "UDP source port of the first flow")
        ->capture_default_str();
}

void finish_traffic(TrafficOptions& traffic, const Texts& texts) {
    traffic.operation = texts.operation == "write" ? Operation::Write : Operation::Send;
    if (!texts.vlan.empty()) {
        traffic.vlan = convert("--vlan", texts.vlan, parse_vlan,
                               "expected VID or VID/PCP, VID 0 to 4094, PCP 0 to 7");
    }
}

CLI::Option* add_seconds(CLI::App& app, const char* name, double& seconds, const char* help) {
    return app.add_option(name, seconds, help)->check(CLI::Range(1e-6, kSecondsMax));
}

// CLI11 writes into these while it parses; they outlive the call of parse().
struct Arguments {
    SendOptions send;
    SinkOptions sink;
    PcapOptions pcap;
    RcOptions rc;
    Texts texts{};
    std::uint64_t count = 0;  // 0: not given
};

CLI::Option* add_count(CLI::App& app, Arguments& arguments, const char* help) {
    return app.add_option("--count", arguments.count, help)
        ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX));
}

void add_send(CLI::App& app, Arguments& arguments) {
    SendOptions& send = arguments.send;
    app.add_option("--iface", send.interface, "Linux interface to send on")->required();
    app.add_option("--to", arguments.texts.to, "Destination IP address")->required();
    app.add_option("--to-mac", arguments.texts.to_mac,
                   "Destination MAC; without it the kernel's route and neighbor are used");
    app.add_option("--from", arguments.texts.from,
                   "Source IP address; without it the one the kernel would use");
    app.add_option("--qps", send.traffic.flows,
                   "Queue pairs, each a flow with its own UDP source port and PSNs")
        ->check(CLI::Range(std::uint32_t{1}, kFlowsMax))
        ->capture_default_str();
    add_traffic_options(app, send.traffic, arguments.texts);
    CLI::Option* count = add_count(app, arguments, "Stop after this many frames");
    add_seconds(app, "--duration", arguments.texts.duration_s, "Stop after this many seconds")
        ->excludes(count);
    app.add_option("--rate", send.frames_per_s,
                   "Frames per second over all flows; 0: as fast as the interface takes them")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
        ->capture_default_str();
    app.add_option("--json", send.json_path, "Write the result to this file");
}

void add_sink(CLI::App& app, Arguments& arguments) {
    SinkOptions& sink = arguments.sink;
    app.add_option("--iface", sink.interface, "Linux interface to receive on")->required();
    add_count(app, arguments, "Stop after this many frames; fewer in the given time is an error");
    add_seconds(app, "--duration", arguments.texts.duration_s, "Stop after this many seconds");
    add_seconds(app, "--idle", arguments.texts.idle_s,
                "Stop after this many seconds without a frame, once one has come");
    app.add_flag("--allow-loss", sink.allow_loss,
                 "Missing, repeated or reordered frames do not change the exit status");
    app.add_flag("--any-mac", sink.any_mac, "Count frames to other MAC addresses too");
    app.add_option("--json", sink.json_path, "Write the result to this file");
}

void add_pcap(CLI::App& app, Arguments& arguments) {
    PcapOptions& pcap = arguments.pcap;
    app.add_option("--out", pcap.path, "File to write")->required();
    pcap.traffic.flows = 64;
    app.add_option("--flows", pcap.traffic.flows,
                   "Flows, each with its own addresses, UDP source port, QP and PSNs")
        ->check(CLI::Range(std::uint32_t{1}, kFlowsMax))
        ->capture_default_str();
    app.add_option("--count", arguments.count, "Frames in all; without it one per flow")
        ->check(CLI::Range(std::uint64_t{1}, kPcapFramesMax));
    app.add_option("--to-mac", arguments.texts.to_mac, "Destination MAC")
        ->default_str(to_string(pcap.to_mac));
    app.add_option("--from-mac", arguments.texts.from_mac, "Source MAC")
        ->default_str(to_string(pcap.from_mac));
    arguments.texts.from = "10.1.0.0/16";
    arguments.texts.to = "10.2.0.0/16";
    app.add_option("--from-prefix", arguments.texts.from, "Prefix of the source addresses")
        ->capture_default_str();
    app.add_option("--to-prefix", arguments.texts.to, "Prefix of the destination addresses")
        ->capture_default_str();
    add_traffic_options(app, pcap.traffic, arguments.texts);
}

void add_rc(CLI::App& app, Arguments& arguments) {
    RcOptions& rc = arguments.rc;
    app.add_option("--iface", rc.interface, "Linux interface to use")->required();
    app.add_option("--to", arguments.texts.to, "IP address of the other end")->required();
    app.add_option("--to-mac", arguments.texts.to_mac,
                   "Destination MAC; without it the kernel's route and neighbor are used");
    app.add_option("--from", arguments.texts.from,
                   "Own IP address; without it the one the kernel would use");
    app.add_flag("--answer", rc.answers, "Be the end that answers: acknowledges, NAKs, sends CNPs");
    app.add_option("--qps", rc.queue_pairs, "Queue pairs; the same number at both ends")
        ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{4096}))
        ->capture_default_str();
    app.add_option("--op", arguments.texts.operation, "send or write")
        ->check(CLI::IsMember({"send", "write"}))
        ->default_str("write");
    app.add_option("--size", rc.message_bytes, "Bytes of a message")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
        ->capture_default_str();
    app.add_option("--depth", rc.depth, "Messages under way on each queue pair")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--mtu", rc.mtu_bytes, "RoCE MTU, the same at both ends")
        ->check(CLI::IsMember({256, 512, 1024, 2048, 4096}))
        ->capture_default_str();
    add_byte(app, "--dscp", rc.dscp, CLI::Range(0, 63), "DSCP of data and acknowledgements");
    app.add_option("--mbps", rc.megabits_per_s, "Rate of the port in Mbit/s")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{400'000}))
        ->capture_default_str();
    app.add_flag("--dcqcn", rc.dcqcn, "Slow down on CNPs");
    add_count(app, arguments, "Stop after this many messages in all");
    add_seconds(app, "--duration", arguments.texts.duration_s, "Stop after this many seconds");
    add_seconds(app, "--idle", arguments.texts.idle_s,
                "Stop after this many seconds without a frame, once one has come");
    app.add_option("--json", rc.json_path, "Write the result to this file");
}

constexpr const char* kMacExpected = "expected a MAC address such as 02:00:00:00:00:01";
constexpr const char* kIpExpected = "expected an IPv4 or IPv6 address";
constexpr const char* kPrefixExpected = "expected a prefix such as 10.1.0.0/16";

SendOptions finish_send(Arguments& arguments) {
    SendOptions& send = arguments.send;
    const Texts& texts = arguments.texts;
    finish_traffic(send.traffic, texts);
    send.to = convert("--to", texts.to, roce::parse_ip, kIpExpected);
    if (!texts.to_mac.empty()) {
        send.to_mac = convert("--to-mac", texts.to_mac, roce::parse_mac, kMacExpected);
    }
    if (!texts.from.empty()) {
        send.from = convert("--from", texts.from, roce::parse_ip, kIpExpected);
        if (send.from->ipv6 != send.to.ipv6) {
            refuse("--from", texts.from, "--to and --from must both be IPv4 or both IPv6");
        }
    }
    if (arguments.count != 0) send.count = arguments.count;
    send.duration = interval(texts.duration_s);
    return send;
}

SinkOptions finish_sink(Arguments& arguments) {
    SinkOptions& sink = arguments.sink;
    if (arguments.count != 0) sink.count = arguments.count;
    sink.duration = interval(arguments.texts.duration_s);
    sink.idle = interval(arguments.texts.idle_s);
    return sink;
}

PcapOptions finish_pcap(Arguments& arguments) {
    PcapOptions& pcap = arguments.pcap;
    const Texts& texts = arguments.texts;
    finish_traffic(pcap.traffic, texts);
    if (!texts.to_mac.empty()) {
        pcap.to_mac = convert("--to-mac", texts.to_mac, roce::parse_mac, kMacExpected);
    }
    if (!texts.from_mac.empty()) {
        pcap.from_mac = convert("--from-mac", texts.from_mac, roce::parse_mac, kMacExpected);
    }
    pcap.from = convert("--from-prefix", texts.from, parse_prefix, kPrefixExpected);
    pcap.to = convert("--to-prefix", texts.to, parse_prefix, kPrefixExpected);
    if (pcap.from.address.ipv6 != pcap.to.address.ipv6) {
        refuse("--from-prefix", texts.from, "both prefixes must be IPv4 or both IPv6");
    }
    pcap.count = arguments.count != 0 ? arguments.count : pcap.traffic.flows;
    return pcap;
}

RcOptions finish_rc(Arguments& arguments) {
    RcOptions& rc = arguments.rc;
    const Texts& texts = arguments.texts;
    rc.operation = texts.operation == "send" ? Operation::Send : Operation::Write;
    rc.to = convert("--to", texts.to, roce::parse_ip, kIpExpected);
    if (!texts.to_mac.empty()) {
        rc.to_mac = convert("--to-mac", texts.to_mac, roce::parse_mac, kMacExpected);
    }
    if (!texts.from.empty()) {
        rc.from = convert("--from", texts.from, roce::parse_ip, kIpExpected);
        if (rc.from->ipv6 != rc.to.ipv6) {
            refuse("--from", texts.from, "--to and --from must both be IPv4 or both IPv6");
        }
    }
    if (arguments.count != 0) rc.count = arguments.count;
    rc.duration = interval(texts.duration_s);
    rc.idle = interval(texts.idle_s);
    return rc;
}

std::string one_line(std::string text) {
    for (char& c : text) {
        if (c == '\n') c = ' ';
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

}  // namespace

ParsedCommand parse_command(int argc, const char* const* argv) {
    // Each subcommand has its own arguments: defaults of one must not leak into another.
    auto send_arguments = std::make_unique<Arguments>();
    auto sink_arguments = std::make_unique<Arguments>();
    auto pcap_arguments = std::make_unique<Arguments>();
    auto rc_arguments = std::make_unique<Arguments>();
    rc_arguments->texts.operation = "write";

    CLI::App app{"RoCEv2 traffic generator and sink", "weir-gen"};
    app.set_version_flag("--version", "weir-gen " WEIR_VERSION);
    app.require_subcommand(1);
    CLI::App* send = app.add_subcommand("send", "Send RoCEv2 frames on a Linux interface");
    CLI::App* sink = app.add_subcommand("sink", "Receive, check and count RoCEv2 frames");
    CLI::App* pcap = app.add_subcommand("pcap", "Write RoCEv2 frames to a pcap file");
    add_send(*send, *send_arguments);
    add_sink(*sink, *sink_arguments);
    CLI::App* rc = app.add_subcommand(
        "rc", "Reliable connections: messages, acknowledged, repeated when lost");
    add_pcap(*pcap, *pcap_arguments);
    add_rc(*rc, *rc_arguments);
    try {
        app.parse(argc, argv);
        if (send->parsed()) return {.command = finish_send(*send_arguments)};
        if (rc->parsed()) return {.command = finish_rc(*rc_arguments)};
        if (sink->parsed()) return {.command = finish_sink(*sink_arguments)};
        return {.command = finish_pcap(*pcap_arguments)};
    } catch (const CLI::CallForHelp&) {
        return {.text = app.help()};
    } catch (const CLI::Success& asked) {  // --version
        return {.text = std::string(asked.what()) + "\n"};
    } catch (const CLI::Error& error) {
        return {.text = "weir-gen: " + one_line(error.what()) + " (see weir-gen --help)\n",
                .exit_status = kExitUsage};
    }
}

}  // namespace weir::gen
