// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/worker.h"

#include <utility>

#include <rte_ethdev.h>
#include <rte_pause.h>
#include <sched.h>

namespace weir {

namespace {

// Events that wait for the control thread, which looks every few milliseconds.
constexpr unsigned kEvents = 4096;

// Under overload RX rings never run empty, and timers are looked at every so many turns all the
// same: in the time it takes to empty a full one.
constexpr unsigned kTurnsWithoutTickMax = kRxDescriptors / kBurstMax;

// The shortest interval that can be configured: who was away for less has stalled nothing.
constexpr Interval kStallMin = Interval::microseconds(50);

}  // namespace

Worker::Worker(const WorkerOptions& options, const Clock& clock, QuiescentState& quiescent,
               rte_mempool* pool)
    : options_(options),
      clock_(&clock),
      quiescent_(&quiescent),
      event_ring_(make_ring<EventRecord>(kEvents)),
      outlet_(pool, counters_) {
    outlet_.set_event_ring(event_ring_);
}

Worker::~Worker() {
    free_item_ring(event_ring_.ring());
}

unsigned Worker::add_seat(Seat seat) {
    seats_.push_back(std::move(seat));
    return static_cast<unsigned>(seats_.size() - 1);
}

void Worker::run() {
    quiescent_->join(options_.index);
    Time now = clock_->now();
    while (!stop_.load(std::memory_order_relaxed)) {
        bool busy = turn(now);
        if (answer(now)) busy = true;
        quiescent_->report(options_.index);
        if (!busy) {
            if (options_.yields_when_idle) {
                sched_yield();
            } else {
                rte_pause();
            }
        }
        const Time ended = clock_->now();
        counters_.count_turn(ended - now, busy);
        now = ended;
    }
    quiescent_->leave(options_.index);
    running_.store(false, std::memory_order_release);
}

bool Worker::turn(Time now) {
    bool busy = false;
    for (Seat& seat : seats_) {
        busy |= adopt_news(now, seat);
        if (seat.adopted == nullptr) continue;  // nothing published yet
        settle(now, seat);
        reroute(now, seat);
        bool drained = true;
        busy |= receive(now, seat, drained);
        if (seat.rings != nullptr) busy |= receive_hand_offs(now, seat);
        tick(now, seat, drained);
        reroute(now, seat);
        busy |= transmit(now, seat);
    }
    return busy;
}

bool Worker::adopt_news(Time now, Seat& seat) {
    const Tables* tables = seat.publisher->current();
    if (tables == seat.adopted) [[likely]]
        return false;
    if (tables->notices.enabled) seat.notice_key.emplace(tables->notices.key);
    seat.shard->adopt(now, *tables, outlet_.effects());
    seat.adopted = tables;
    outlet_.flush(now, seat);
    return true;
}

// What was published before somebody asked is in use when he is answered.
bool Worker::answer(Time now) {
    if (!requests_.asked()) [[likely]]
        return false;
    for (Seat& seat : seats_) adopt_news(now, seat);
    return requests_.answer(now);
}

// What other shards have sent of our frames makes room for what arrives now.
void Worker::settle(Time now, Seat& seat) {
    if (seat.rings == nullptr) return;
    seat.shard->settle(now, outlet_.effects());
    outlet_.flush(now, seat);
}

// What waits for a port that was lost goes first by the new path, then what arrives.
void Worker::reroute(Time now, Seat& seat) {
    if (!seat.shard->may_reroute()) [[likely]]
        return;
    while (seat.shard->reroute(now, outlet_.effects())) outlet_.flush(now, seat);
    outlet_.flush(now, seat);
}

// One burst from every port. `drained` becomes false when one of them had more.
bool Worker::receive(Time now, Seat& seat, bool& drained) {
    std::uint64_t received = 0;
    for (const PolledPort& polled : seat.ports) {
        unsigned count = rte_eth_rx_burst(polled.ethdev, 0, mbufs_.data(), kBurstMax);
        const unsigned burst = count;
        if (polled.fault != nullptr) [[unlikely]]
            count = pass_fault(now, seat, polled, count);
        if (count == 0) {
            if (seat.shard->guards_ring(polled.port)) guard_ring(now, seat, polled, burst);
            continue;
        }
        received += count;
        if (burst == kBurstMax) drained = false;
        const std::span<rte_mbuf*> mbufs{mbufs_.data(), count};
        if (polled.stopped) [[unlikely]] {
            discard(seat, polled.port, mbufs);
            continue;
        }
        const unsigned frames = frames_of(mbufs, frames_.data());
        if (frames < count) [[unlikely]] {
            seat.shard->count_drop(polled.port, DropReason::FrameTooLong, count - frames);
        }
        seat.shard->receive(now, polled.port, {frames_.data(), frames}, outlet_.effects());
        outlet_.flush(now, seat);
        if (seat.adopted->rx_guard_frames != 0) guard_ring(now, seat, polled, burst);
    }
    if (received == 0) return false;
    counters_.received_frames.add(received);
    return true;
}

// What is left in the RX ring after a burst; a short burst emptied it. Drivers that cannot tell are
// taken at the burst's word.
void Worker::guard_ring(Time now, Seat& seat, const PolledPort& polled, unsigned burst) {
    std::uint32_t left = 0;
    if (burst == kBurstMax) {
        left = device_rx_waiting(polled.ethdev, polled.rx_ring).value_or(burst);
    }
    seat.shard->guard_ring(now, polled.port, left, outlet_.effects());
    outlet_.flush(now, seat);
}

// What the port's fault makes of the `count` frames in mbufs_: as many as have arrived now.
unsigned Worker::pass_fault(Time now, Seat& seat, const PolledPort& polled, unsigned count) {
    PortFault& fault = *polled.fault;
    const unsigned lost = fault.take(now, {mbufs_.data(), count});
    if (lost != 0) seat.shard->count_drop(polled.port, DropReason::FaultInjected, lost);
    return fault.give(now, mbufs_);
}

void Worker::discard(Seat& seat, PortId port, std::span<rte_mbuf*> mbufs) {
    rte_pktmbuf_free_bulk(mbufs.data(), static_cast<unsigned>(mbufs.size()));
    seat.shard->count_drop(port, DropReason::PortDown, mbufs.size());
}

// What other shards of the switch have for this one.
bool Worker::receive_hand_offs(Time now, Seat& seat) {
    bool busy = false;
    const ShardId to = seat.shard->id();
    for (unsigned i = 0; i < seat.rings->shards(); ++i) {
        const auto from = static_cast<ShardId>(i);
        if (from == to) continue;
        std::array<ShardMessage, kBurstMax> messages;
        const unsigned news = seat.rings->messages(from, to).pop(messages);
        for (unsigned m = 0; m < news; ++m) seat.shard->hear(now, messages[m]);
        const unsigned frames = seat.rings->frames(from, to).pop(frames_);
        if (frames > 0) {
            seat.shard->enqueue(now, {frames_.data(), frames}, outlet_.effects());
            outlet_.flush(now, seat);
        }
        busy |= news + frames > 0;
    }
    return busy;
}

// Timers are judged only after everything that had arrived was looked at: what would have stopped a
// timer may still wait in an RX ring. Sessions say what they have to say all the same.
void Worker::tick(Time now, Seat& seat, bool drained) {
    if (!drained && ++seat.turns_without_tick < kTurnsWithoutTickMax) {
        seat.shard->send_session_packets(now, outlet_.effects());
        outlet_.flush(now, seat);
        return;
    }
    seat.turns_without_tick = 0;
    const Interval away = now - seat.ticked_at;
    if (away > kStallMin) [[unlikely]]
        seat.shard->stalled(now, away);
    seat.ticked_at = now;
    seat.shard->tick(now, outlet_.effects());
    outlet_.flush(now, seat);
}

bool Worker::transmit(Time now, Seat& seat) {
    const PortSet ports = seat.shard->backlog();
    if (ports.empty()) return false;
    std::uint64_t sent = 0;
    ports.for_each([&](PortId port) { sent += transmit_port(now, seat, port); });
    counters_.sent_frames.add(sent);
    return sent > 0;
}

unsigned Worker::transmit_port(Time now, Seat& seat, PortId port) {
    const std::uint16_t ethdev = seat.send_devices[port];
    if (ethdev == kNoDevice) return 0;
    // A turn brings in one burst per port and hand-off ring; twice that may leave by one port, so
    // that a queue shrinks while its device takes what it is given.
    const std::size_t bursts_max =
        2 * (seat.ports.size() + (seat.rings != nullptr ? seat.rings->shards() : 0)) + 2;
    unsigned sent = 0;
    for (std::size_t burst = 0; burst < bursts_max; ++burst) {
        const std::span<const Frame> offered = seat.shard->offer(now, port, kBurstMax);
        if (offered.empty()) break;
        mbufs_of(offered, mbufs_);
        const auto count = static_cast<std::uint16_t>(offered.size());
        const unsigned taken = seat.silent.has(port)
                                   ? swallow(seat, port, {mbufs_.data(), count})
                                   : rte_eth_tx_burst(ethdev, 0, mbufs_.data(), count);
        const bool all = taken == offered.size();
        seat.shard->commit(now, port, taken, outlet_.effects());
        outlet_.flush(now, seat);
        sent += taken;
        if (!all) break;
    }
    return sent;
}

// The wire takes them, and nobody is told.
unsigned Worker::swallow(Seat& seat, PortId port, std::span<rte_mbuf*> mbufs) {
    const auto count = static_cast<unsigned>(mbufs.size());
    seat.shard->count_drop(port, DropReason::FaultInjected, count);
    rte_pktmbuf_free_bulk(mbufs.data(), count);
    return count;
}

void Worker::link_changed(Time now, unsigned number, PortId port, bool up) {
    Seat& seat = seats_[number];
    seat.shard->link_changed(now, port, up, outlet_.effects());
    // All shards are told; the one that owns the port tells the operator.
    if (seat.adopted == nullptr || seat.adopted->ports[port].shard != seat.shard->id()) {
        outlet_.effects().events.clear();
    }
    outlet_.flush(now, seat);
}

void Worker::set_port_stopped(unsigned number, PortId port, bool stopped) {
    Seat& seat = seats_[number];
    for (PolledPort& polled : seat.ports) {
        if (polled.port != port) continue;
        polled.stopped = stopped;
        seat.send_devices[port] = stopped ? kNoDevice : polled.ethdev;
    }
}

void Worker::set_fault(unsigned number, PortId port, std::unique_ptr<PortFault>& fault) {
    for (PolledPort& polled : seats_[number].ports) {
        if (polled.port != port) continue;
        const bool wanted = fault->settings().any();
        Seat& seat = seats_[number];
        fault->settings().silent ? seat.silent.add(port) : seat.silent.remove(port);
        if (polled.fault == nullptr) {
            if (wanted) polled.fault = std::move(fault);
        } else if (wanted || !polled.fault->empty()) {
            polled.fault->change(fault->settings());
        } else {
            fault = std::move(polled.fault);
        }
    }
}

void Worker::administer_link(Time now, unsigned number, PortId port, bool down) {
    Seat& seat = seats_[number];
    seat.shard->administer_link(now, port, down, outlet_.effects());
    outlet_.flush(now, seat);
}

void Worker::force_pause(Time now, unsigned number, PortId port, std::uint8_t priorities) {
    Seat& seat = seats_[number];
    seat.shard->force_pause(now, port, priorities, outlet_.effects());
    outlet_.flush(now, seat);
}

void Worker::release_frames(Time now, unsigned number) {
    Seat& seat = seats_[number];
    for (PolledPort& polled : seat.ports) polled.fault.reset();
    if (seat.adopted == nullptr) return;  // it has never had a frame
    if (seat.rings != nullptr) {
        while (receive_hand_offs(now, seat)) {
        }
    }
    // Frames that wait for a neighbor or in a queue are freed when their port is gone.
    std::vector<PortTable> ports(seat.adopted->ports.begin(), seat.adopted->ports.end());
    for (PortTable& port : ports) port.mode = PortMode::Absent;
    Tables tables = *seat.adopted;
    tables.ports = ports;
    seat.shard->adopt(now, tables, outlet_.effects());
    outlet_.effects().events.clear();  // these tables are nobody's news
    outlet_.flush(now, seat);
    while (!seat.shard->backlog().empty()) {
        seat.shard->tick(now, outlet_.effects());
        outlet_.flush(now, seat);
    }
    seat.adopted = nullptr;
}

}  // namespace weir
