// SPDX-License-Identifier: BSD-3-Clause
// What the values of one file, and the files of one process, mean together.
#pragma once

#include <cstdint>
#include <span>

#include "config/load.h"
#include "config/port_facts.h"
#include "config/problem.h"
#include "dataplane/core/limits.h"

namespace weir {

// A gateway that is no longer configured keeps its index for one more generation, so at worst three
// sets share the indexes: the current one and those freed by the last two reloads.
inline constexpr unsigned kGatewaysConfiguredMax = kGatewaysMax / 3;
inline constexpr unsigned kNoticeDestinationsConfiguredMax = kDestinationGroupsMax / 3;
// The hash table of static MACs is at most half full.
inline constexpr unsigned kStaticMacsMax = kMacEntriesMax / 2;
// The other half of a shard's neighbor table is for those that are resolved.
inline constexpr unsigned kStaticNeighborsMax = kNeighborsMax / 2;
// Beside the configured routes there are "no route", the blackhole, and per port one Connected and
// one Local route.
inline constexpr unsigned kRoutesConfiguredMax = kRoutesMax - 2 - 2 * kPortsMax;

// At most so many mbufs are in a device's rings and in a worker's hands; static_asserted in run/.
inline constexpr std::uint32_t kFramesPerPortMax = 1'280;
inline constexpr std::uint32_t kFramesPerWorkerMax = 416;

// Adds every problem of one file. `problems` holds those of reading it: what was not understood is
// not judged a second time.
void validate(const Loaded& loaded, Problems& problems);

// Problems between the files of one process: names, sockets and virtual devices that are used
// twice, and rings that do not join exactly two ports.
void validate_together(std::span<const Loaded* const> files, Problems& problems);

// Cores that this machine, or the EAL options, do not have.
void validate_cores(const Loaded& loaded, std::span<const unsigned> available, Problems& problems);

// Values that the file asks for and the devices, or the memory, cannot do.
void validate_facts(const Loaded& loaded, const PortFacts& facts, Problems& problems);

}  // namespace weir
