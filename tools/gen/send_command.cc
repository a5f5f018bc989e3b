// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tools/gen/clock.h"
#include "tools/gen/commands.h"
#include "tools/gen/endpoints.h"
#include "tools/gen/flow_set.h"
#include "tools/gen/output_file.h"
#include "tools/gen/pacer.h"
#include "tools/gen/packet_socket.h"
#include "tools/gen/report.h"
#include "tools/gen/stop_signal.h"
#include "tools/roce/address.h"

namespace weir::gen {
namespace {

constexpr std::size_t kBurst = 32;
// A full queue of 1000 frames of 1 KB drains in 8 ms at 1 Gb/s.
constexpr std::chrono::microseconds kQueueFullWait{100};

// Frames that are written but not yet taken by the interface.
class Burst {
  public:
    explicit Burst(FlowSet& flows)
        : flows_(flows), frame_bytes_(flows.frame_bytes()), bytes_(kBurst * frame_bytes_) {}

    std::size_t size() const { return frames_.size() - first_; }

    void fill(std::size_t count) {
        frames_.clear();
        first_ = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<std::uint8_t> place =
                std::span(bytes_).subspan(i * frame_bytes_, frame_bytes_);
            frames_.emplace_back(place.first(flows_.write_next(place)));
        }
    }

    std::size_t send_to(SendSocket& socket) {
        const std::size_t taken = socket.send(std::span(frames_).subspan(first_));
        first_ += taken;
        return taken;
    }

    std::size_t frame_bytes() const { return frame_bytes_; }

  private:
    FlowSet& flows_;
    std::size_t frame_bytes_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::span<const std::uint8_t>> frames_;
    std::size_t first_ = 0;
};

class Sender {
  public:
    Sender(const SendOptions& options, FlowSet& flows, SendSocket& socket)
        : options_(options), socket_(socket), burst_(flows), start_(now()) {
        if (options.frames_per_s > 0) pacer_.emplace(start_, options.frames_per_s);
    }

    void run(SendResult& result) {
        Time time = start_;
        while (!finished(time, result)) {
            if (burst_.size() == 0) refill(time, result);
            if (burst_.size() == 0) {
                wait_until_due();
            } else {
                send_once(result);
            }
            time = now();
        }
        result.elapsed = time - start_;
    }

  private:
    bool finished(Time time, const SendResult& result) const {
        if (stop_requested()) return true;
        if (options_.count && result.sent.frames >= *options_.count) return true;
        return options_.duration && time - start_ >= *options_.duration;
    }

    void refill(Time time, const SendResult& result) {
        std::uint64_t count = kBurst;
        if (options_.count) count = std::min(count, *options_.count - result.sent.frames);
        if (pacer_) {
            count = std::min(count, pacer_->due(time));
            pacer_->sent(count);
        }
        burst_.fill(count);
    }

    void wait_until_due() const {
        const Interval wait = pacer_->next() - now();
        if (wait.ps > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(wait.ps / 1000));
    }

    void send_once(SendResult& result) {
        const std::size_t taken = burst_.send_to(socket_);
        result.sent.frames += taken;
        result.sent.bytes += taken * burst_.frame_bytes();
        if (taken > 0) return;
        ++result.retries;
        std::this_thread::sleep_for(kQueueFullWait);
    }

    const SendOptions& options_;
    SendSocket& socket_;
    Burst burst_;
    Time start_;
    std::optional<Pacer> pacer_;
};

}  // namespace

int run_send(const SendOptions& options) {
    std::optional<OutputFile> json;
    if (!options.json_path.empty()) json.emplace(options.json_path);
    const Interface interface = find_interface(options.interface);
    SendResult result{
        .endpoints = find_endpoints(
            {.to = options.to, .to_mac = options.to_mac, .from = options.from}, interface),
        .flows = options.traffic.flows,
        .frames_per_s_asked = options.frames_per_s};
    FlowSet flows(options.traffic, result.endpoints);
    SendSocket socket(interface);
    std::printf("sending from %s to %s (%s) on %s\n", to_string(result.endpoints.source).c_str(),
                to_string(result.endpoints.destination).c_str(),
                to_string(result.endpoints.destination_mac).c_str(), interface.name.c_str());
    std::fflush(stdout);
    Sender(options, flows, socket).run(result);
    std::fputs(to_text(result).c_str(), stdout);
    if (json) {
        json->stream() << to_json(result);
        json->finish();
    }
    return kExitOk;
}

}  // namespace weir::gen
