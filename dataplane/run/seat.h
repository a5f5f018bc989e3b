// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/core/shard.h"
#include "dataplane/io/device.h"
#include "dataplane/run/port_fault.h"
#include "dataplane/run/publisher.h"
#include "dataplane/run/shard_rings.h"

namespace weir {

// A port as the worker polls it.
struct PolledPort {
    std::uint16_t ethdev = kNoDevice;
    PortId port = kNoPort;
    bool stopped = false;  // what arrives is dropped, so that the other end does not fill up
    const rte_ring* rx_ring = nullptr;  // of a ring:NAME port
    std::unique_ptr<PortFault> fault;   // or none
};

// A shard's place at a worker: what the loop needs to serve it. Once the worker runs, only it
// touches this.
struct Seat {
    Shard* shard = nullptr;
    const Publisher* publisher = nullptr;
    ShardRings* rings = nullptr;  // to and from the other shards of the switch
    std::uint16_t switch_index = 0;
    std::vector<PolledPort> ports;
    std::array<std::uint16_t, kPortsMax> send_devices;  // by port; kNoDevice: not to be sent to
    PortSet silent;  // ports from which nothing leaves, by an experiment (PortFaultSettings)
    const Tables* adopted = nullptr;
    unsigned turns_without_tick = 0;
    Time ticked_at;

    Seat() { send_devices.fill(kNoDevice); }
};

// An event on its way to the control thread.
struct EventRecord {
    Event event;
    std::uint16_t switch_index = 0;
    ShardId shard = 0;
};

}  // namespace weir
