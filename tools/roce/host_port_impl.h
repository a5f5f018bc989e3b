// SPDX-License-Identifier: BSD-3-Clause
// Inside of HostPort: host_port_receive.cc has what arrives, host_port_send.cc what leaves.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tools/roce/deadline_heap.h"
#include "tools/roce/fifo.h"
#include "tools/roce/host_port.h"
#include "tools/roce/memory.h"
#include "tools/roce/peer_pause.h"
#include "tools/roce/queue_pair.h"
#include "tools/roce/slow_receiver.h"

namespace weir::roce {

inline constexpr std::uint64_t kBytePicosecondsAt1Bps = 8'000'000'000'000;

class HostPort::Impl {
  public:
    explicit Impl(const HostConfig& with);

    QpNumber add_qp(const QpConfig& with);
    [[nodiscard]] QueuePair& at(QpNumber number);
    [[nodiscard]] const QueuePair& at(QpNumber number) const;

    void post(Time now, QpNumber number, const WorkRequest& request);
    void receive(Time now, const weir::Frame& frame);
    std::optional<OutFrame> next(Time now, std::span<std::uint8_t> room);
    [[nodiscard]] std::optional<Time> next_deadline() const;
    [[nodiscard]] std::uint64_t rate_bps(Time now, QpNumber number);

    HostConfig config;
    HostCounters counters;
    Memory memory;
    SlowReceiver receiver;
    PeerPause pause;
    std::vector<Completion> completions;
    std::vector<std::unique_ptr<QueuePair>> qps;
    Time busy_until{};

  private:
    using OwnFrame = std::array<std::uint8_t, kPfcFrameBytes>;

    // Queue pairs, by index, with something to send in one priority.
    struct Waiting {
        Fifo<std::uint32_t> answers;
        Fifo<std::uint32_t> cnps;
        Fifo<std::uint32_t> data;
        [[nodiscard]] bool empty() const { return answers.empty() && cnps.empty() && data.empty(); }
    };

    // Instants are only compared with others that are near: the port's own begin with the first
    // call.
    void start(Time now) {
        if (started_) return;
        started_ = true;
        busy_until = now;
    }
    [[nodiscard]] QueuePair* find(QpNumber number) {
        const std::size_t index = std::size_t{number} - kQpNumberFirst;  // wraps for 0..15
        return index < qps.size() ? qps[index].get() : nullptr;
    }
    [[nodiscard]] QpTurn turn(Time now, QueuePair& qp) {
        return {now, qp.number, qp.profile(), qp.counters, completions};
    }

    // Puts the queue pair where it belongs after something has changed.
    void arm(Time now, QueuePair& qp);
    void arm_data(Time now, QueuePair& qp);
    void arm_timer(QueuePair& qp);
    void wait_in(Priority priority, Fifo<std::uint32_t> Waiting::*queue, const QueuePair& qp);

    // host_port_receive.cc
    void mac_control_heard(Time now, const weir::Frame& frame);
    void arp_heard(const weir::Frame& frame);
    void packet_heard(Time now, std::uint32_t length, const Packet& packet);
    void give(Time now, QueuePair& qp, const Packet& packet);
    void marked(Time now, QueuePair& qp);

    // host_port_send.cc
    void run_timers(Time now);
    void release_paced(Time now);
    std::optional<OutFrame> next_own(Time now, std::span<std::uint8_t> room);
    [[nodiscard]] std::optional<Priority> choose(std::uint8_t candidates) const;
    std::optional<OutFrame> next_of(Time now, Priority priority, std::span<std::uint8_t> room);
    std::optional<OutFrame> next_answer(Time now, Priority priority, std::span<std::uint8_t> room);
    std::optional<OutFrame> next_cnp(Time now, Priority priority, std::span<std::uint8_t> room);
    std::optional<OutFrame> next_data(Time now, Priority priority, std::span<std::uint8_t> room);
    OutFrame send_data(Time now, QueuePair& qp, std::span<std::uint8_t> room);
    void pace(Time now, QueuePair& qp, std::uint32_t wire_bytes);
    OutFrame emit(Time now, QueuePair& qp, Packet& packet, Priority priority,
                  std::span<std::uint8_t> room);
    OutFrame leave(Time now, const OutFrame& frame);

    std::array<Waiting, kPriorities> waiting_;
    Fifo<OwnFrame> own_;
    DeadlineHeap timers_;
    DeadlineHeap paced_;
    std::uint64_t byte_ps_;       // what a byte takes on the link, if whole picoseconds; else 0
    std::uint8_t occupied_ = 0;   // bit p: waiting_[p] is not empty
    std::uint8_t held_back_ = 0;  // bit p: paused when next() last looked
    Priority last_ = 0;           // the priority that sent last, of those that take turns
    bool started_ = false;
};

}  // namespace weir::roce
