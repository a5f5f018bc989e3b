// SPDX-License-Identifier: BSD-3-Clause
// How much memory a data plane needs, from its options alone: EAL has to know before it starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/run/dataplane.h"

namespace weir {

// Frames that wait in queues, besides those in the devices' rings: 16 MiB of 1 KiB frames.
inline constexpr std::uint32_t kQueuedFrames = 16'384;
// With less than this a switch is of no use.
inline constexpr std::uint32_t kQueuedFramesMin = 2'048;

[[nodiscard]] bool is_ring(const std::string& device);
[[nodiscard]] std::vector<std::string> pci_devices_of(const DataplaneOptions& options);
[[nodiscard]] std::uint16_t frame_bytes_max_of(const DataplaneOptions& options);
// Frames in devices' rings and in workers' hands.
[[nodiscard]] std::uint32_t frames_of_ports(const DataplaneOptions& options);
// Frames for the queues of all switches, where the settings do not say how many there are.
[[nodiscard]] std::uint32_t queued_frames_of(const DataplaneOptions& options);
// Of `queued` frames, those of one switch: in the ratio of what their buffers need.
[[nodiscard]] std::uint32_t queued_share_of(const DataplaneOptions& options, std::size_t index,
                                            std::uint32_t queued);
// Memory for all but the frames: shards, rings, devices, workers, EAL's own.
[[nodiscard]] std::uint64_t other_bytes_of(const DataplaneOptions& options);
// Memory for everything.
[[nodiscard]] std::uint32_t memory_mebibytes_of(const DataplaneOptions& options);

}  // namespace weir
