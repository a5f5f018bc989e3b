// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/dataplane_sizes.h"

#include <algorithm>

#include "dataplane/io/device_name.h"

namespace weir {

namespace {

std::uint32_t frames_of(const DataplaneOptions& options) {
    return options.frames != 0 ? options.frames
                               : frames_of_ports(options) + queued_frames_of(options);
}

// A switch that promises nothing still needs some.
std::uint64_t weight_of(const SwitchOptions& options) {
    return std::max(options.buffer_frames, kQueuedFramesMin);
}

}  // namespace

bool is_ring(const std::string& device) {
    return parse_device(device).kind == DeviceKind::Ring;
}

std::vector<std::string> pci_devices_of(const DataplaneOptions& options) {
    std::vector<std::string> addresses;
    for (const SwitchOptions& one : options.switches) {
        for (const PortOptions& port : one.ports) {
            const DeviceName name = parse_device(port.device);
            if (name.kind != DeviceKind::Pci) continue;
            addresses.push_back(name.arguments.empty() ? name.name
                                                       : name.name + ',' + name.arguments);
        }
    }
    return addresses;
}

std::uint16_t frame_bytes_max_of(const DataplaneOptions& options) {
    std::uint16_t bytes = kEthernetFrameBytesMin;
    for (const SwitchOptions& one : options.switches) {
        for (const PortOptions& port : one.ports) bytes = std::max(bytes, port.frame_bytes_max);
    }
    return bytes;
}

std::uint32_t frames_of_ports(const DataplaneOptions& options) {
    std::uint32_t frames = 0;
    std::uint32_t workers = 1;
    for (const SwitchOptions& one : options.switches) {
        workers = std::max(workers, static_cast<std::uint32_t>(one.cores.size()));
        for (const PortOptions& port : one.ports) {
            const bool physical = parse_device(port.device).kind == DeviceKind::Pci;
            frames += (physical ? kRxDescriptors : kVirtualRxDescriptors) + kTxDescriptors;
        }
    }
    // A worker's cache of free mbufs, and the control thread's, may hold half as much again as its
    // size; and one burst is in a worker's hands.
    return frames + (workers + 1) * (FramePool::kCacheFrames * 3 / 2 + kBurstMax);
}

std::uint32_t queued_frames_of(const DataplaneOptions& options) {
    std::uint32_t frames = 0;
    for (const SwitchOptions& one : options.switches) frames += one.buffer_frames;
    return std::max(frames, kQueuedFrames);
}

std::uint32_t queued_share_of(const DataplaneOptions& options, std::size_t index,
                              std::uint32_t queued) {
    std::uint64_t all = 0;
    for (const SwitchOptions& one : options.switches) all += weight_of(one);
    return static_cast<std::uint32_t>(queued * weight_of(options.switches[index]) / all);
}

std::uint64_t other_bytes_of(const DataplaneOptions& options) {
    const std::uint32_t frames = frames_of(options);
    // Device structures, workers, EAL's own, and what the heap loses between its blocks.
    std::uint64_t bytes = 16u << 20;
    for (const SwitchOptions& one : options.switches) {
        const std::uint64_t shards = std::max<std::uint64_t>(one.cores.size(), 1);
        const ShardOptions shard{.shards = static_cast<ShardId>(shards),
                                 .ports = static_cast<std::uint16_t>(one.ports.size()),
                                 .frames_max = frames,
                                 .path_rules = kPathRulesMax};
        bytes += shards * Shard::memory_bytes(shard);
        // Hand-off rings have 2^n slots: up to twice as many as frames.
        bytes += shards * (shards - 1) * 2 * frames * sizeof(Frame);
    }
    return bytes;
}

std::uint32_t memory_mebibytes_of(const DataplaneOptions& options) {
    constexpr std::uint64_t kMebibyte = 1u << 20;
    const std::uint64_t frame_bytes =
        FramePool::memory_bytes(frames_of(options), frame_bytes_max_of(options));
    // The heap keeps whole pages apart and rounds the pool's chunks up to them.
    constexpr std::uint64_t kRounding = 8 * kMebibyte;
    return static_cast<std::uint32_t>((frame_bytes + other_bytes_of(options) + kRounding) /
                                      kMebibyte);
}

}  // namespace weir
