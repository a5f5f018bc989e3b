// SPDX-License-Identifier: BSD-3-Clause
// The loop of one poll-mode thread. It serves one or more shards, also of different switches.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <rte_mempool.h>

#include "dataplane/run/clock.h"
#include "dataplane/run/outlet.h"
#include "dataplane/run/publisher.h"
#include "dataplane/run/request.h"
#include "dataplane/run/seat.h"
#include "dataplane/run/worker_counters.h"

namespace weir {

struct WorkerOptions {
    unsigned index = 0;
    unsigned core = 0;              // for people
    bool yields_when_idle = false;  // its core is also the control thread's
};

class Worker {
  public:
    Worker(const WorkerOptions& options, const Clock& clock, QuiescentState& quiescent,
           rte_mempool* pool);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Before it runs. Its index is the seat's number in the calls below.
    unsigned add_seat(Seat seat);

    // On the worker's own thread, until stop(): once per turn reads the clock and calls turn().
    void run();
    void stop() { stop_.store(true, std::memory_order_relaxed); }
    // Acquire: what the worker did is seen by whoever sees that it has ended.
    [[nodiscard]] bool running() const { return running_.load(std::memory_order_acquire); }
    void set_running() { running_.store(true, std::memory_order_relaxed); }
    void set_stopped() { running_.store(false, std::memory_order_relaxed); }

    // One turn: new tables, then everything that has arrived, then timers, then sending. True if
    // there was something to do.
    bool turn(Time now);

    // Between two turns, on the same thread: does what was asked for. True if there was something.
    bool answer(Time now);

    // Any thread.
    [[nodiscard]] RequestBox& requests() { return requests_; }
    [[nodiscard]] const WorkerCounters& counters() const { return counters_; }
    [[nodiscard]] const WorkerOptions& options() const { return options_; }
    [[nodiscard]] unsigned seats() const { return static_cast<unsigned>(seats_.size()); }

    // The control thread: the oldest events, as many as fit; how many.
    unsigned take_events(std::span<EventRecord> events) { return event_ring_.pop(events); }

    // For functions in requests (or while the worker does not run); `number` is the seat's.
    [[nodiscard]] Seat& seat(unsigned number) { return seats_[number]; }
    void link_changed(Time now, unsigned number, PortId port, bool up);
    void set_port_stopped(unsigned number, PortId port, bool stopped);
    // What arrives on `port` passes this fault from now on. The port takes it, or only its settings
    // while frames are on their way through an older one, which is given back when done with:
    // memory is the caller's business.
    void set_fault(unsigned number, PortId port, std::unique_ptr<PortFault>& fault);
    // Pauses these priorities of the port's peer (0: none) as long as it is not told otherwise.
    void force_pause(Time now, unsigned number, PortId port, std::uint8_t priorities);
    // The operator takes a link out of use, or gives it back.
    void administer_link(Time now, unsigned number, PortId port, bool down);
    void clear_longest_turn() { counters_.longest_turn_ps.store(0, std::memory_order_relaxed); }
    // Frees all frames that the shard, its rings and its queues hold; it must not run any more.
    void release_frames(Time now, unsigned number);

  private:
    bool adopt_news(Time now, Seat& seat);
    void settle(Time now, Seat& seat);
    void reroute(Time now, Seat& seat);
    bool receive(Time now, Seat& seat, bool& drained);
    unsigned pass_fault(Time now, Seat& seat, const PolledPort& polled, unsigned count);
    bool receive_hand_offs(Time now, Seat& seat);
    void guard_ring(Time now, Seat& seat, const PolledPort& polled, unsigned burst);
    void tick(Time now, Seat& seat, bool drained);
    bool transmit(Time now, Seat& seat);
    unsigned transmit_port(Time now, Seat& seat, PortId port);
    unsigned swallow(Seat& seat, PortId port, std::span<rte_mbuf*> mbufs);
    void discard(Seat& seat, PortId port, std::span<rte_mbuf*> mbufs);

    WorkerOptions options_;
    const Clock* clock_;
    QuiescentState* quiescent_;
    ItemRing<EventRecord> event_ring_;
    std::vector<Seat> seats_;
    RequestBox requests_;
    WorkerCounters counters_;
    Outlet outlet_;
    MbufBurst mbufs_;
    std::array<Frame, kBurstMax> frames_;
    // Read by the worker every turn, written once.
    alignas(64) std::atomic<bool> stop_{false};
    std::atomic<bool> running_{false};
};

}  // namespace weir
