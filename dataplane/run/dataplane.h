// SPDX-License-Identifier: BSD-3-Clause
// Everything of one process that moves frames: EAL, buffers, devices, switches, workers. All calls
// are for the control thread (or under its lock), except where said otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/core/condition.h"
#include "dataplane/core/shard.h"
#include "dataplane/io/device.h"
#include "dataplane/io/eal.h"
#include "dataplane/io/frame_pool.h"
#include "dataplane/io/ring_link.h"
#include "dataplane/run/clock.h"
#include "dataplane/run/huge_memory.h"
#include "dataplane/run/publisher.h"
#include "dataplane/run/rendezvous.h"
#include "dataplane/run/shard_rings.h"
#include "dataplane/run/worker.h"

namespace weir {

struct PortOptions {
    std::string name;
    std::string device;
    std::uint16_t frame_bytes_max = kFrameBytesDefault;
    ShardId shard = 0;
};

struct SwitchOptions {
    std::string name;
    std::vector<unsigned> cores;  // shard i is served by the worker on cores[i]; empty: one worker
    std::vector<PortOptions> ports;
    std::uint32_t buffer_frames = 0;  // mbufs that its buffer needs; 0: as many as there are
};

struct DataplaneOptions {
    std::vector<std::string> eal;  // the user's EAL options
    std::uint32_t frames = 0;      // mbufs in all; 0: computed from the ports
    std::vector<SwitchOptions> switches;
};

// Why the data plane does not open, and which setting is at fault.
struct SetupProblem {
    std::string text;  // empty: nothing is wrong
    unsigned switch_index = 0;
    std::string path;  // "ports[1].device", as the settings' reader calls it; empty: none
};

// A port of a running switch.
struct PortRecord {
    PortOptions options;
    Device device;
    bool stopped = false;  // by the operator
    bool link_up = true;   // the device's (or the ring's other end's) word, true where it has none
    bool told_up = false;  // what the shards were told: up and not stopped
    PortFaultSettings fault{};
    std::uint8_t forced_pauses = 0;  // priorities of the peer, a bit each

    [[nodiscard]] bool up() const { return link_up && !stopped; }
};

struct ShardRecord {
    HugeBlock memory;
    HugePointer<Shard> shard;
    unsigned worker = 0;  // index
    unsigned seat = 0;    // at that worker
};

struct SwitchRecord {
    explicit SwitchRecord(QuiescentState& quiescent) : publisher(quiescent) {}

    std::string name;
    Condition condition;
    Publisher publisher;
    ShardRings rings;
    std::vector<ShardRecord> shards;
    std::vector<PortRecord> ports;  // by PortId
    // Its share of the mbufs: for its queues, and for its devices and workers.
    std::uint32_t queued_frames = 0;
    std::uint32_t device_frames = 0;
    std::optional<Interval> reaction;  // of its workers, when it was measured

    [[nodiscard]] PortId port_count() const { return static_cast<PortId>(ports.size()); }
};

class Dataplane {
  public:
    Dataplane() = default;
    ~Dataplane() { close(); }
    Dataplane(const Dataplane&) = delete;
    Dataplane& operator=(const Dataplane&) = delete;

    // Once per process: EAL cannot be started twice. warnings() may have lines in any case. After a
    // problem only close() is left.
    [[nodiscard]] SetupProblem open(const DataplaneOptions& options);
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

    // New tables for a switch; `owner` holds them. Never waits. Also before start().
    template <typename Owner>
    void publish(unsigned switch_index, std::unique_ptr<Owner> owner, const Tables& tables) {
        switches_[switch_index]->publisher.publish(std::move(owner), tables);
    }

    // Between open() and start(), takes 20 ms: how fast the workers react (run/reaction.h). Lines
    // for the operator, about cores that are not the workers' own.
    [[nodiscard]] std::vector<std::string> measure_reaction();

    // Every switch has tables: the workers begin.
    [[nodiscard]] std::string start();
    // Link states, and memory of old tables: to be called every few milliseconds.
    void poll();
    // Counts up when a device says another speed than before: tables should be compiled anew.
    [[nodiscard]] unsigned facts_version() const { return facts_version_; }
    // Up to events.size() events of one worker.
    unsigned take_events(unsigned worker, std::span<EventRecord> events) {
        return workers_[worker]->take_events(events);
    }

    // The operator's `port stop|start`.
    [[nodiscard]] bool set_port_stopped(unsigned switch_index, PortId index, bool stopped);

    // The operator's `set port N fault`: for what arrives on the port, and for its peer's lossless
    // traffic (a bit a priority). False: its worker did not answer.
    [[nodiscard]] bool set_port_fault(unsigned switch_index, PortId index,
                                      const PortFaultSettings& settings);
    [[nodiscard]] bool force_pause(unsigned switch_index, PortId index, std::uint8_t priorities);

    // The operator's `set link N up|down`.
    [[nodiscard]] bool administer_link(unsigned switch_index, PortId index, bool down);

    // Runs function(Worker&, Time now) between two turns of a worker and waits for it; false when
    // the worker does not answer within a second. The function has to be short.
    template <typename Function>
    [[nodiscard]] bool run_on_worker(unsigned worker, Function function) {
        struct Call {
            Function* function;
            Worker* worker;
        } call{&function, workers_[worker].get()};
        return ask(
            *workers_[worker],
            [](void* argument, Time now) {
                auto* asked = static_cast<Call*>(argument);
                (*asked->function)(*asked->worker, now);
            },
            &call);
    }

    // Runs function(const Shard&, Time now) on the thread of the shard's worker.
    template <typename Function>
    [[nodiscard]] bool run_on_shard(unsigned switch_index, ShardId shard, Function function) {
        const ShardRecord& record = switches_[switch_index]->shards[shard];
        return run_on_worker(record.worker, [&](Worker&, Time now) {
            function(static_cast<const Shard&>(*record.shard), now);
        });
    }

    // Runs function(Time now) on one of the switch's workers while all of them stand still between
    // two turns: every frame is then either on a shard's account, sent or dropped. False when they
    // did not meet in several tries; the function has then not run. It has to be short.
    template <typename Function>
    [[nodiscard]] bool run_at_rest(unsigned switch_index, Function function) {
        return meet(
            switch_index,
            [](void* argument, Time now) { (*static_cast<Function*>(argument))(now); }, &function);
    }

    // Stops the workers; every frame that the switches hold is freed.
    void stop();
    // Closes the devices and gives back everything; frames that did not come back (0 is right).
    unsigned close();

    [[nodiscard]] unsigned switches() const { return static_cast<unsigned>(switches_.size()); }
    [[nodiscard]] const SwitchRecord& switch_at(unsigned index) const { return *switches_[index]; }
    [[nodiscard]] unsigned workers() const { return static_cast<unsigned>(workers_.size()); }
    [[nodiscard]] const Worker& worker(unsigned index) const { return *workers_[index]; }
    [[nodiscard]] const Clock& clock() const { return *clock_; }
    [[nodiscard]] std::uint32_t mbufs() const { return pool_.frames(); }
    [[nodiscard]] std::uint32_t mbufs_in_use() const { return pool_.in_use(); }

  private:
    [[nodiscard]] SetupProblem start_environment(const DataplaneOptions& options);
    [[nodiscard]] SetupProblem check_cores(const EalRequest& request);
    [[nodiscard]] SetupProblem open_pool(const DataplaneOptions& options);
    [[nodiscard]] SetupProblem make_workers();
    [[nodiscard]] SetupProblem open_switch(const SwitchOptions& options);
    [[nodiscard]] SetupProblem open_ports(const SwitchOptions& options, SwitchRecord& record);
    [[nodiscard]] SetupProblem make_shards(const SwitchOptions& options, SwitchRecord& record);
    void share_frames(const DataplaneOptions& options);
    [[nodiscard]] Seat seat_of(unsigned shard, SwitchRecord& record) const;
    [[nodiscard]] SetupProblem check_rings() const;
    [[nodiscard]] bool ask(Worker& worker, RequestBox::Function run, void* argument);
    [[nodiscard]] bool meet(unsigned switch_index, Rendezvous::Reading read, void* argument);
    void note_reaction(unsigned worker, Interval absence, std::vector<std::string>& warnings);
    void read_link(PortRecord& port);
    void tell_port_state(SwitchRecord& record, PortId index);
    [[nodiscard]] const PortRecord* ring_peer(const PortRecord& port) const;
    void close_devices();

    EalPlan eal_;
    bool eal_started_ = false;
    bool running_ = false;
    unsigned facts_version_ = 0;
    std::vector<std::string> warnings_;
    std::vector<unsigned> cores_;   // of the workers
    std::vector<unsigned> lcores_;  // EAL's, of the workers
    FramePool pool_;
    std::uint32_t held_frames_ = 0;  // in queues, of the switch that is being opened
    RingLinks links_;
    std::unique_ptr<Clock> clock_;
    std::unique_ptr<QuiescentState> quiescent_;
    std::vector<HugePointer<Worker>> workers_;
    std::vector<std::unique_ptr<SwitchRecord>> switches_;
};

}  // namespace weir
