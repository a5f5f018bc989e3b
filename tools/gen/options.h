// SPDX-License-Identifier: BSD-3-Clause
// The command line of weir-gen, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dataplane/core/time.h"
#include "tools/roce/frame.h"

namespace weir::gen {

enum class Operation : std::uint8_t { Send, Write };

// What the frames of all flows have in common, and where the flows start to count.
struct TrafficOptions {
    std::uint32_t flows = 1;
    std::size_t payload_bytes = 1024;
    Operation operation = Operation::Send;
    std::uint8_t dscp = 26;  // the habit for RoCE data
    std::uint8_t ecn = roce::kEcnCapable0;
    std::uint8_t hop_limit = 64;
    std::optional<roce::VlanTag> vlan{};
    std::uint32_t queue_pair_first = 0x100;
    std::uint32_t psn_first = 0;
    std::uint16_t source_port_first = roce::kSourcePortFirst;
};

struct Prefix {
    roce::IpAddress address{};
    unsigned length = 0;
};

struct SendOptions {
    std::string interface {};
    roce::IpAddress to{};
    std::optional<roce::MacAddress> to_mac{};  // empty: ask the kernel
    std::optional<roce::IpAddress> from{};     // empty: the one that the kernel would use
    TrafficOptions traffic{};
    std::optional<std::uint64_t> count{};
    std::optional<Interval> duration{};
    std::uint64_t frames_per_s = 0;  // 0: as fast as the interface takes them
    std::string json_path{};
};

struct SinkOptions {
    std::string interface {};
    std::optional<std::uint64_t> count{};
    std::optional<Interval> duration{};
    std::optional<Interval> idle{};  // after the first frame
    bool allow_loss = false;
    bool any_mac = false;
    std::string json_path{};
};

struct PcapOptions {
    std::string path{};
    roce::MacAddress to_mac{0x02, 0, 0, 0, 0, 0x02};
    roce::MacAddress from_mac{0x02, 0, 0, 0, 0, 0x01};
    Prefix from{};
    Prefix to{};
    TrafficOptions traffic{};
    std::uint64_t count = 0;
};

// Reliable connections: both ends run the program, with the same number of queue pairs.
struct RcOptions {
    std::string interface {};
    roce::IpAddress to{};
    std::optional<roce::MacAddress> to_mac{};
    std::optional<roce::IpAddress> from{};
    bool answers = false;  // else it posts the messages
    bool dcqcn = false;
    Operation operation = Operation::Write;
    std::uint32_t queue_pairs = 1;
    std::uint32_t depth = 1;  // messages under way on each
    std::uint64_t message_bytes = 65'536;
    unsigned mtu_bytes = 1024;
    std::uint8_t dscp = 26;
    std::uint64_t megabits_per_s = 1000;  // that the port may send at
    std::optional<std::uint64_t> count{};
    std::optional<Interval> duration{};
    std::optional<Interval> idle{};
    std::string json_path{};
};

using Command = std::variant<SendOptions, SinkOptions, PcapOptions, RcOptions>;

// What the command line asks for, or what to print (help, version, the mistake) before exiting.
struct ParsedCommand {
    std::optional<Command> command{};
    std::string text{};
    int exit_status = 0;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitLoss = 1;   // the run worked, but frames were lost, damaged or absent
inline constexpr int kExitUsage = 2;  // the command line or the machine does not allow the run

ParsedCommand parse_command(int argc, const char* const* argv);

}  // namespace weir::gen
