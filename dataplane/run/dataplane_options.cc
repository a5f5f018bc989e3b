// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/dataplane_options.h"

#include <algorithm>

#include "config/buffer_plan.h"
#include "config/validate.h"
#include "dataplane/run/dataplane_sizes.h"

namespace weir {

namespace {

// What the settings' reader takes for the most.
static_assert(kRxDescriptors + kTxDescriptors <= kFramesPerPortMax);
static_assert(FramePool::kCacheFrames * 3 / 2 + kBurstMax <= kFramesPerWorkerMax);

SwitchOptions switch_options(const Settings& settings) {
    SwitchOptions options;
    options.buffer_frames =
        static_cast<std::uint32_t>(plan_buffer(settings, facts_without_devices(settings)).frames());
    options.name = settings.switch_.name;
    options.cores = settings.workers.cores;
    const auto shards = static_cast<unsigned>(std::max<std::size_t>(options.cores.size(), 1));
    for (const PortSettings& port : settings.ports) {
        const auto index = static_cast<PortId>(options.ports.size());
        options.ports.push_back(
            {.name = port.name,
             .device = port.device,
             .frame_bytes_max = port.frame_bytes_max.value_or(settings.frame_bytes_max),
             .shard = shard_of(settings, index, shards)});
    }
    return options;
}

// The sum over the switches; one that does not say takes what it would have alone. 0: none says.
std::uint32_t frames_in_all(std::span<const Settings* const> switches,
                            const DataplaneOptions& options) {
    std::uint32_t said = 0;
    std::uint32_t unsaid = 0;
    for (std::size_t i = 0; i < switches.size(); ++i) {
        DataplaneOptions alone;
        alone.switches = {options.switches[i]};
        said += switches[i]->frames.value_or(0);
        if (!switches[i]->frames) unsaid += frames_of_ports(alone) + queued_frames_of(alone);
    }
    return said == 0 ? 0 : said + unsaid;
}

}  // namespace

DataplaneOptions dataplane_options(std::span<const Settings* const> switches,
                                   const std::vector<std::string>& eal) {
    DataplaneOptions options;
    for (const Settings* settings : switches) {
        options.eal.insert(options.eal.end(), settings->eal.begin(), settings->eal.end());
        options.switches.push_back(switch_options(*settings));
    }
    options.frames = frames_in_all(switches, options);
    options.eal.insert(options.eal.end(), eal.begin(), eal.end());
    return options;
}

PortFacts port_facts(const SwitchRecord& record) {
    PortFacts facts;
    facts.shards = static_cast<unsigned>(record.shards.size());
    facts.queued_frames = record.queued_frames;
    facts.device_frames = record.device_frames;
    facts.reaction = record.reaction;
    for (const PortRecord& port : record.ports) {
        const DeviceFacts& device = port.device.facts;
        facts.ports.push_back({.mac = device.mac,
                               .frame_bytes_max = device.frame_bytes_max,
                               .speed_bps = device.speed_bps,
                               .rx_ring_frames = device.rx_descriptors});
    }
    return facts;
}

}  // namespace weir
