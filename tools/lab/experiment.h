// SPDX-License-Identifier: BSD-3-Clause
// What an experiment's file says, as plain data; a field has the name of its key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/document.h"
#include "config/problem.h"
#include "config/units.h"
#include "dataplane/core/time.h"
#include "tools/lab/switch_file.h"
#include "tools/lab/topology.h"
#include "tools/roce/collective.h"
#include "tools/roce/queue_pair_types.h"

namespace weir::lab {

struct LinkSettings {
    BitRate rate{100'000'000'000};
    Interval delay = Interval::microseconds(1);
    Bytes overhead = 24;       // on the wire beside the frame: preamble 8, FCS 4, gap 12
    Probability loss{};        // of each frame
    Probability corruption{};  // of each frame; the receiver's FCS check drops it
};

// A fabric that has no name: every switch, host and link is listed.
struct GraphSettings {
    struct Host {
        std::string name;
        std::string at;                    // its switch
        std::optional<LinkSettings> link;  // default: `link`
    };
    struct Cable {
        std::string a;
        std::string b;
        unsigned count = 1;                // parallel links
        std::optional<LinkSettings> link;  // default: `fabric_link`
    };
    std::vector<std::string> switches;
    std::vector<Host> hosts;
    std::vector<Cable> links;
};

struct RouteOverride {
    std::string at;
    std::string to;  // a switch with hosts
    std::vector<std::string> via;
};

// The ports of a switch that lead up, for `hook_moves`.
struct UplinkSettings {
    std::string at;
    std::vector<std::string> to;
};

struct FabricSettings {
    std::variant<std::monostate, LeafSpine, FatTree, Ring, GraphSettings> shape;
    LinkSettings link{};                      // of hosts, and of switches without `fabric_link`
    std::optional<LinkSettings> fabric_link;  // between switches
    HashSeeds hash_seeds = HashSeeds::Own;
    bool hash_dest_qp = false;
    unsigned shards = 1;  // per switch
    Interval detection{};
    std::vector<RouteOverride> routes;
    std::vector<UplinkSettings> uplinks;
    std::string plan;        // folder with a plan file NAME.yaml for each switch that has rules
    std::string hook_moves;  // `hooks.moves` of every switch in `uplinks`, as YAML
    std::string sessions;    // `link` of every port between switches, without its peer, as YAML
    // A routing protocol instead: so long after a link was cut, every switch knows. 0: none.
    Interval reconvergence{};
};

enum class Dcqcn : std::uint8_t { Off, Paper, Hpcc, HpccPaper };

struct HostSettings {
    unsigned mtu = 1024;
    Dcqcn dcqcn = Dcqcn::Off;
    unsigned fast_recovery_steps = 0;  // 0: as the set says
    std::optional<BitRate> additive;   // R_AI and R_HAI; default: as the set says
    std::optional<BitRate> hyper;
    Interval cnp_interval = Interval::microseconds(50);
    unsigned ack_every = 0;  // frames that one ACK is asked for; 0: only the last of a message
    unsigned dscp = 24;      // of data and ACKs: priority 3
    Interval pause_response{};
    Interval timeout = roce::ack_timeout(14);
    bool retry_forever = false;  // else a queue pair gives up after seven retries without progress
};

struct JobSettings {
    std::string name;
    std::optional<roce::Pattern> pattern;
    std::string arrivals;  // name of a distribution of flow sizes, instead of a pattern
    Bytes bytes = 1'000'000;
    std::vector<std::string> hosts;  // empty: all
    unsigned qps = 1;                // per pair
    unsigned repeats = 1;
    unsigned shift = 1;
    Interval start{};
    Interval duration = Interval::milliseconds(10);  // of arrivals
    Probability load{300'000};                       // of arrivals
    bool barrier = false;
    std::optional<unsigned> dscp;  // default: `hosts.dscp`
};

struct FaultSettings {
    Interval at{};
    std::vector<std::string> link;  // the two ends, or
    std::string kill;               // a switch all of whose links are cut, or
    std::string stall;              // one whose worker is away, or
    std::string reload;             // a switch whose file is saved anew, with
    std::string switches;           // these keys instead of the experiment's `switches`, as YAML
    std::optional<Interval> lasts;  // default: for ever
    bool silent = false;            // nobody sees the signal go
    bool one_way = false;           // only what the first end sends is lost
};

// How the run is to end: every job finished; queues that wait for one another; or the jobs still
// running when `duration` is over.
enum class Expectation : std::uint8_t { Finished, Deadlock, Running };

struct Experiment {
    std::string name;
    std::string about;
    std::uint64_t seed = 1;  // unless the command line gives one
    FabricSettings fabric;
    std::string switches;  // further keys of every switch's file, as YAML
    HostSettings hosts;
    std::vector<JobSettings> jobs;
    std::vector<FaultSettings> faults;
    Interval duration = Interval::milliseconds(100);  // at most; the jobs may end it earlier
    Interval sample{};                                // of the time series at first; 0: 1 us
    Expectation expect = Expectation::Finished;
    // Runs without the faults first: what they cost is JobResult's ratio to that.
    bool compare_no_failure = false;
};

// Reads a file. Null, and the reasons in `problems`, when anything is wrong.
[[nodiscard]] std::unique_ptr<const Experiment> read_experiment(const std::string& file,
                                                                std::string_view text,
                                                                Problems& problems);

// The fabric that the settings describe; all names in them are known.
[[nodiscard]] Topology make_topology(const FabricSettings& settings);

}  // namespace weir::lab
