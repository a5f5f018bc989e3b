// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

#include "tools/gen/clock.h"
#include "tools/gen/commands.h"
#include "tools/gen/failure.h"
#include "tools/gen/output_file.h"
#include "tools/gen/packet_socket.h"
#include "tools/gen/report.h"
#include "tools/gen/stop_signal.h"

namespace weir::gen {
namespace {

// How late an end by time may be noticed when nothing comes.
constexpr Interval kReceiveTimeout = Interval::milliseconds(50);
constexpr Interval kLiveInterval = Interval::seconds(1);

// 64 frames a turn: more than the largest socket buffer holds.
constexpr int kDrainTurns = 1000;

class Sink {
  public:
    Sink(const SinkOptions& options, ReceiveSocket& socket)
        : options_(options), socket_(socket), live_(isatty(STDERR_FILENO) == 1) {
        result_.expected = options.count;
    }

    SinkResult run() {
        try {
            receive_all();
        } catch (const Failure& failure) {  // the interface is gone; what came before counts
            result_.failure = failure.what();
            drain();
        }
        result_.socket_drops += socket_.take_drops();
        if (first_) result_.elapsed = last_ - *first_;
        return std::move(result_);
    }

  private:
    void receive_all() {
        start_ = live_since_ = now();
        for (Time time = start_; !finished(time);) {
            receive(kReceiveTimeout);
            time = now();
            if (live_ && time - live_since_ >= kLiveInterval) print_live(time);
        }
        if (stop_requested()) drain();
    }

    std::uint64_t seen() const {
        const SinkCounters& counters = result_.counters;
        return counters.total.frames + counters.icrc_errors + counters.malformed;
    }

    // Says whether anything came.
    bool receive(Interval timeout) {
        const std::uint64_t before = seen();
        bool came = false;
        socket_.receive(timeout, [&](const ReceivedFrame& frame) {
            came = true;
            take(frame);
        });
        if (seen() != before) {
            last_ = now();
            if (!first_) first_ = last_;
        }
        return came;
    }

    void take(const ReceivedFrame& frame) {
        if (frame.for_other_mac && !options_.any_mac) {
            ++result_.counters.other;
        } else if (!options_.count || result_.counters.total.frames < *options_.count) {
            result_.counters.count(frame.bytes, frame.stripped_tag);
        }
    }

    // What came before the end counts, but under load the socket is never empty.
    void drain() {
        for (int turns = 0; turns < kDrainTurns; ++turns) {
            if (!receive(Interval{})) return;
        }
    }

    bool finished(Time time) const {
        if (stop_requested()) return true;
        if (options_.count && result_.counters.total.frames >= *options_.count) return true;
        if (options_.idle && first_ && time - last_ >= *options_.idle) return true;
        return options_.duration && time - start_ >= *options_.duration;
    }

    void print_live(Time time) {
        const std::string line = live_line(result_.counters, live_before_, time - live_since_);
        std::fprintf(stderr, "%s\n", line.c_str());
        live_before_ = result_.counters.total;
        live_since_ = time;
    }

    const SinkOptions& options_;
    ReceiveSocket& socket_;
    SinkResult result_{};
    Time start_{};
    std::optional<Time> first_;
    Time last_{};
    bool live_;
    FramesAndBytes live_before_{};
    Time live_since_{};
};

}  // namespace

int run_sink(const SinkOptions& options) {
    std::optional<OutputFile> json;
    if (!options.json_path.empty()) json.emplace(options.json_path);
    ReceiveSocket socket(find_interface(options.interface));
    // Scripts wait for this line before they start to send.
    std::printf("listening on %s\n", options.interface.c_str());
    std::fflush(stdout);
    const SinkResult result = Sink(options, socket).run();
    const std::string problem = verdict(result, options.allow_loss);
    std::fputs(to_text(result).c_str(), stdout);
    if (json) {
        json->stream() << to_json(result, problem);
        json->finish();
    }
    if (problem.empty()) return kExitOk;
    std::fflush(stdout);
    std::fprintf(stderr, "weir-gen: %s\n", problem.c_str());
    return kExitLoss;
}

}  // namespace weir::gen
