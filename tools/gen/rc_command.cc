// SPDX-License-Identifier: BSD-3-Clause
// The end point of tools/roce on a Linux interface, in real time. Both ends are this program: their
// queue pairs have the same numbers and first PSNs, so that nothing need be agreed on beforehand.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include <unistd.h>

#include "tools/gen/clock.h"
#include "tools/gen/commands.h"
#include "tools/gen/endpoints.h"
#include "tools/gen/output_file.h"
#include "tools/gen/packet_socket.h"
#include "tools/gen/rc_result.h"
#include "tools/gen/stop_signal.h"
#include "tools/roce/address.h"

namespace weir::gen {
namespace {

constexpr Interval kLiveInterval = Interval::seconds(1);
// How late an end by time may be noticed when nothing happens.
constexpr Interval kWaitMax = Interval::milliseconds(50);
// A full queue of 1000 frames of 1 KB drains in 8 ms at 1 Gb/s.
constexpr std::chrono::microseconds kQueueFullWait{100};
// What a loop turn may be late: a process shares its core with others.
constexpr Interval kCatchUp = Interval::milliseconds(1);
// 4.096 us * 2^16 = 268 ms: longer than a busy machine keeps a process waiting.
constexpr unsigned kTimeoutExponent = 16;

roce::QpProfile profile_of(const RcOptions& options) {
    roce::QpProfile profile;
    profile.mtu_bytes = options.mtu_bytes;
    profile.dscp = options.dscp;
    profile.priority = options.dscp >> 3;
    profile.ack_dscp = options.dscp;
    profile.ack_priority = profile.priority;
    profile.timeout = roce::ack_timeout(kTimeoutExponent);
    // The other end may start a little later.
    profile.ack_request_every = 16;
    profile.dcqcn_on = options.dcqcn;
    if (options.dcqcn) profile.dcqcn = roce::dcqcn_paper(options.megabits_per_s * 1'000'000);
    return profile;
}

roce::HostConfig config_of(const RcOptions& options, const Endpoints& endpoints) {
    roce::HostConfig config;
    config.mac = endpoints.source_mac;
    config.ip = endpoints.source;
    config.speed_bps = options.megabits_per_s * 1'000'000;
    config.catch_up = kCatchUp;
    return config;
}

class RcRun {
  public:
    RcRun(const RcOptions& options, const Interface& interface, const Endpoints& endpoints)
        : options_(options),
          profile_(profile_of(options)),
          port_(config_of(options, endpoints)),
          sending_(interface),
          receiving_(interface),
          posted_(std::size_t{options.queue_pairs} * options.depth),
          live_(isatty(STDERR_FILENO) == 1) {
        for (std::uint32_t i = 0; i < options.queue_pairs; ++i) {
            const roce::QpNumber qp = port_.add_qp(
                {.profile = &profile_,
                 .peer_ip = endpoints.destination,
                 .next_hop = endpoints.destination_mac,
                 .source_port = static_cast<std::uint16_t>(roce::kSourcePortFirst + i)});
            port_.set_peer_qp(qp, qp);
        }
    }

    RcResult run() {
        start_ = live_since_ = now();
        if (!options_.answers) post_first();
        for (Time time = start_; !finished(time); time = now()) {
            send_all();
            receive(time);
            take_completions();
            if (live_ && time - live_since_ >= kLiveInterval) show_live(time);
        }
        send_all();  // the last acknowledgements
        result_.elapsed = (last_ ? *last_ : now()) - start_;
        result_.socket_drops = receiving_.take_drops();
        count();
        return result_;
    }

  private:
    [[nodiscard]] bool finished(Time time) const {
        if (stop_requested()) return true;
        if (options_.idle && last_ && time - *last_ >= *options_.idle) return true;
        if (options_.answers) {
            const bool over = options_.duration && time - start_ >= *options_.duration;
            // The last acknowledgement may be lost: the asking end then repeats, and is answered
            // until it is silent (--idle).
            return over ||
                   (options_.count && !options_.idle && result_.messages >= *options_.count);
        }
        return under_way_ == 0;
    }

    void post_first() {
        for (std::uint32_t lane = 0; lane < options_.depth; ++lane) {
            for (std::uint32_t i = 0; i < options_.queue_pairs; ++i) {
                post(start_, roce::kQpNumberFirst + i, i * options_.depth + lane);
            }
        }
    }

    [[nodiscard]] bool wants_more(Time time) const {
        if (stop_requested() || result_.failed != 0) return false;
        if (options_.count) return posted_messages_ < *options_.count;
        return !options_.duration || time - start_ < *options_.duration;
    }

    void post(Time time, roce::QpNumber qp, std::uint64_t place) {
        if (!wants_more(time)) return;
        posted_[place] = time;
        ++posted_messages_;
        ++under_way_;
        port_.post(time, qp,
                   {.id = place,
                    .operation = options_.operation == Operation::Send ? roce::Operation::Send
                                                                       : roce::Operation::Write,
                    .bytes = options_.message_bytes});
    }

    void send_all() {
        while (const auto out = port_.next(now(), room_)) {
            const std::span<const std::uint8_t> frame = std::span(room_).first(out->readable);
            while (sending_.send(std::span(&frame, 1)) == 0 && !stop_requested()) {
                std::this_thread::sleep_for(kQueueFullWait);
            }
        }
    }

    void receive(Time time) {
        Interval wait = kWaitMax;
        const std::optional<Time> due = port_.next_deadline();
        if (due) wait = std::clamp(*due - time, Interval{}, kWaitMax);
        receiving_.receive(wait, [this](const ReceivedFrame& frame) {
            if (frame.for_other_mac || frame.stripped_tag) return;
            const auto length = static_cast<std::uint16_t>(frame.bytes.size());
            // The end point only reads.
            const weir::Frame arrived{.data = const_cast<std::uint8_t*>(frame.bytes.data()),
                                      .length = length,
                                      .readable = length};
            port_.receive(now(), std::span(&arrived, 1));
        });
    }

    void take_completions() {
        for (const roce::Completion& one : port_.completions()) {
            done_.push_back(one);
        }
        port_.clear_completions();
        for (const roce::Completion& one : done_) completed(one);
        done_.clear();
    }

    void completed(const roce::Completion& one) {
        last_ = one.at;
        if (one.kind == roce::CompletionKind::Received) {
            if (!options_.answers) return;
            ++result_.messages;
            result_.bytes += one.bytes;
            return;
        }
        --under_way_;
        if (one.status != roce::CompletionStatus::Done) {
            ++result_.failed;
            return;
        }
        ++result_.messages;
        result_.bytes += one.bytes;
        result_.latency.add(one.at - posted_[one.id]);
        post(one.at, one.qp, one.id);
    }

    void count() {
        result_.port = port_.counters();
        result_.pairs = sum_of(port_, options_.queue_pairs);
    }

    void show_live(Time time) {
        count();
        std::fprintf(stderr, "%s\n", live_line(result_, before_, time - live_since_).c_str());
        before_ = result_;
        live_since_ = time;
    }

    const RcOptions& options_;
    roce::QpProfile profile_;
    roce::HostPort port_;
    SendSocket sending_;
    ReceiveSocket receiving_;
    std::array<std::uint8_t, roce::kFrameBytesMax> room_{};
    std::vector<Time> posted_;  // of the message under way, by queue pair and lane
    std::vector<roce::Completion> done_;
    std::uint64_t posted_messages_ = 0;
    std::uint64_t under_way_ = 0;
    RcResult result_{};
    RcResult before_{};
    Time start_{};
    std::optional<Time> last_;
    bool live_;
    Time live_since_{};
};

}  // namespace

int run_rc(const RcOptions& options) {
    std::optional<OutputFile> json;
    if (!options.json_path.empty()) json.emplace(options.json_path);
    const Interface interface = find_interface(options.interface);
    const Endpoints endpoints = find_endpoints(
        {.to = options.to, .to_mac = options.to_mac, .from = options.from}, interface);
    RcRun run(options, interface, endpoints);
    // Scripts wait for this line of the answering end.
    std::printf("%s %s on %s, %u queue pairs\n", options.answers ? "answering" : "asking",
                to_string(endpoints.destination).c_str(), interface.name.c_str(),
                options.queue_pairs);
    std::fflush(stdout);
    const RcResult result = run.run();
    const std::string problem = verdict(options, result);
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
