// SPDX-License-Identifier: BSD-3-Clause
// How long a stream is interrupted when a link on its way falls silent: near the sender, and behind
// a spine, where only a failure notice can tell the leaf. tools/bench/failover puts it beside FRR.
//
// The exit status says whether the stream always came back, and went by the link again when that
// was whole; times decide nothing. Frames that others overtake when the way changes are counted:
// the old way may have the longer queue, after a stall of the worker above all.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <rte_mbuf.h>
#include <sys/prctl.h>

#include "tests/bench/failover_fabric.h"
#include "tests/bench/failover_stream.h"
#include "tools/roce/wire.h"

namespace weir::bench {
namespace {

constexpr std::uint32_t kStreamFrames = 1'023;
constexpr Interval kLook = Interval::milliseconds(5);
// Around a cut: long enough for sessions a hundred times slower than the default.
constexpr Interval kCutWindow = Interval::milliseconds(40);
constexpr int kLooksMax = 6'000;  // 30 s: only ends what has failed already
constexpr unsigned kSourcePorts = 64;

struct Options {
    unsigned rounds = 50;
    Timers timers;
    std::string json;
};

struct Round {
    Interval outage;
    Interval detection;
    Interval own_pause;
    std::uint64_t lost = 0;
    std::uint64_t lost_on_return = 0;
    std::uint64_t overtaken = 0;
};

double ms(Interval span) {
    return static_cast<double>(span.ps) / 1e9;
}

// The smallest value that at least `percent` of them are not above.
double percentile(std::vector<double> values, unsigned percent) {
    std::ranges::sort(values);
    const std::size_t rank = (values.size() * percent + 99) / 100;
    return values.empty() ? 0 : values[std::max<std::size_t>(rank, 1) - 1];
}

class Bench {
  public:
    explicit Bench(const Options& options) : options_(options) {}

    [[nodiscard]] int run();

  private:
    [[nodiscard]] std::string open();
    [[nodiscard]] std::string find_flow();
    [[nodiscard]] std::string cut_once(Place place, Round& round);
    [[nodiscard]] std::string heal(Place place, Round& round);
    [[nodiscard]] std::string wait_for_spine1();
    [[nodiscard]] std::string cut_all(Place place, std::vector<Round>& rounds);
    [[nodiscard]] bool by_spine1();
    void add(const std::string& key, double value);
    void report_column(const std::string& name, const char* unit, std::vector<double> values);
    void report(const char* name, const std::vector<Round>& rounds);
    [[nodiscard]] bool save() const;

    Options options_;
    Fabric fabric_;
    std::unique_ptr<Stream> stream_;
    std::string json_;
};

std::string Bench::open() {
    std::string problem = fabric_.open(options_.timers);
    if (!problem.empty()) return problem;
    // Ends with EAL: until then frames of it may be in the fabric's rings.
    rte_mempool* pool = rte_pktmbuf_pool_create("failover_stream", kStreamFrames, 0, 0,
                                                RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    if (pool == nullptr) return "no memory for the stream's frames";
    stream_ = std::make_unique<Stream>(fabric_.clock(), pool,
                                       StreamEnds{.sending_ethdev = fabric_.host_ethdev(1),
                                                  .receiving_ethdev = fabric_.host_ethdev(2),
                                                  .gateway = fabric_.gateway_mac()});
    for (int look = 0; look < kLooksMax; ++look) {
        stream_->run(kLook);
        fabric_.poll();
        if (fabric_.whole()) return find_flow();
    }
    return "the sessions did not come up";
}

bool Bench::by_spine1() {
    const std::uint64_t before = fabric_.frames_by(1);
    const std::uint64_t beside = fabric_.frames_by(2);
    stream_->run(kLook);
    return fabric_.frames_by(1) - before > 5 * (fabric_.frames_by(2) - beside + 1);
}

// A source port that the hash sends by spine 1.
std::string Bench::find_flow() {
    for (std::uint16_t i = 0; i < kSourcePorts; ++i) {
        stream_->use_source_port(static_cast<std::uint16_t>(roce::kSourcePortFirst + i));
        stream_->run(kLook);
        (void)stream_->take();
        if (by_spine1() && stream_->take().received > 0) return {};
    }
    return "no flow goes by spine 1";
}

std::string Bench::cut_once(Place place, Round& round) {
    stream_->run(kLook);
    (void)stream_->take();
    const Time cut_at = fabric_.clock().now();
    if (!fabric_.set_cut(place, true)) return "the worker does not answer";
    stream_->run(kCutWindow);
    Tally tally = stream_->take();
    for (int look = 0; look < kLooksMax && tally.received == 0; ++look) {
        stream_->run(kLook);
        tally = stream_->take();
    }
    if (tally.received == 0) return "the stream did not come back after the cut";
    round = {.outage = tally.outage,
             .detection = fabric_.lost_at(place) - cut_at,
             .own_pause = tally.own_pause,
             .lost = tally.lost,
             .overtaken = tally.overtaken};
    return {};
}

// Until the stream goes by spine 1 again.
std::string Bench::wait_for_spine1() {
    for (int look = 0; look < kLooksMax; ++look) {
        fabric_.poll();
        if (by_spine1() && fabric_.whole()) return {};
    }
    return "the stream did not return to the link that was whole again";
}

std::string Bench::heal(Place place, Round& round) {
    if (!fabric_.set_cut(place, false)) return "the worker does not answer";
    (void)stream_->take();
    const std::string problem = wait_for_spine1();
    const Tally tally = stream_->take();
    round.lost_on_return = tally.lost;
    round.overtaken += tally.overtaken;
    return problem;
}

std::string Bench::cut_all(Place place, std::vector<Round>& rounds) {
    for (unsigned i = 0; i < options_.rounds; ++i) {
        Round round;
        std::string problem = cut_once(place, round);
        if (problem.empty()) problem = heal(place, round);
        if (!problem.empty()) return "round " + std::to_string(i + 1) + ": " + problem;
        rounds.push_back(round);
    }
    return {};
}

void Bench::add(const std::string& key, double value) {
    json_ += (json_.empty() ? "{\"" : ", \"") + key + "\": " + std::to_string(value);
}

// Adds NAME_p50UNIT and so on, and prints them.
void Bench::report_column(const std::string& name, const char* unit, std::vector<double> values) {
    for (const unsigned percent : {50u, 99u, 100u}) {
        const double value = percentile(values, percent);
        const std::string end = percent == 100 ? "max" : "p" + std::to_string(percent);
        add(name + end + unit, value);
        std::printf(" %9.*f", *unit == '\0' ? 0 : 3, value);
    }
}

void Bench::report(const char* name, const std::vector<Round>& rounds) {
    std::array<std::vector<double>, 4> columns;
    double lost_on_return = 0;
    double overtaken = 0;
    for (const Round& round : rounds) {
        columns[0].push_back(ms(round.outage));
        columns[1].push_back(ms(round.detection));
        columns[2].push_back(ms(round.own_pause));
        columns[3].push_back(static_cast<double>(round.lost));
        lost_on_return += static_cast<double>(round.lost_on_return);
        overtaken += static_cast<double>(round.overtaken);
    }
    const std::string prefix = std::string("weir_") + name + "_";
    std::printf("%-8s", name);
    report_column(prefix, "_ms", columns[0]);
    report_column(prefix + "detection_", "_ms", columns[1]);
    report_column(prefix + "own_pause_", "_ms", columns[2]);
    report_column(prefix + "lost_", "", columns[3]);
    add(prefix + "rounds", static_cast<double>(rounds.size()));
    add(prefix + "lost_on_return", lost_on_return);
    add(prefix + "overtaken", overtaken);
    std::printf("\n         on the way back: %.0f lost; overtaken: %.0f\n", lost_on_return,
                overtaken);
}

bool Bench::save() const {
    if (options_.json.empty()) return true;
    std::ofstream file(options_.json);
    file << json_ << "}\n";
    return static_cast<bool>(file);
}

int Bench::run() {
    std::string problem = open();
    std::printf("%u cuts each, sessions %u us x %u, a frame each 10 us; ms, and frames lost\n",
                options_.rounds, options_.timers.interval_us, options_.timers.multiplier);
    std::printf("%-8s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "cut", "gap p50", "p99",
                "max", "detect 50", "p99", "max", "pause 50", "p99", "max", "lost 50", "p99",
                "max");
    for (const Place place : {Place::Local, Place::Remote}) {
        if (!problem.empty()) break;
        std::vector<Round> rounds;
        problem = cut_all(place, rounds);
        report(place == Place::Local ? "local" : "remote", rounds);
    }
    if (problem.empty() && !save()) problem = "cannot write " + options_.json;
    if (stream_ != nullptr) fabric_.stop();
    if (problem.empty()) return 0;
    std::fprintf(stderr, "failover_bench: %s\n", problem.c_str());
    return 1;
}

int run(int count, char** words) {
    Options options;
    CLI::App app{"Cuts a link under a stream, again and again, and says how long nothing came."};
    app.add_option("--rounds", options.rounds, "Cuts, each")->check(CLI::Range(1, 10'000));
    app.add_option("--interval-us", options.timers.interval_us, "Between a session's packets")
        ->check(CLI::Range(50, 1'000'000));
    app.add_option("--multiplier", options.timers.multiplier, "Packets that may be missing")
        ->check(CLI::Range(1, 255));
    app.add_option("--json", options.json, "Write the figures to FILE");
    CLI11_PARSE(app, count, words);
    // The default lets a sleep of 20 us, in a request to the worker, last 70 us.
    prctl(PR_SET_TIMERSLACK, 1);
    return Bench(options).run();
}

}  // namespace
}  // namespace weir::bench

int main(int count, char** words) {
    return weir::bench::run(count, words);
}
