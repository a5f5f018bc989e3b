// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/dataplane_options.h"

#include <gtest/gtest.h>

#include "dataplane/run/dataplane_sizes.h"

namespace weir {
namespace {

Settings two_ports(const std::string& first, const std::string& second) {
    Settings settings;
    settings.switch_.name = "s";
    for (const std::string& device : {first, second}) {
        PortSettings port;
        port.name = "p" + std::to_string(settings.ports.size());
        port.device = device;
        settings.ports.push_back(port);
    }
    return settings;
}

DataplaneOptions options_of(const std::vector<Settings>& switches,
                            const std::vector<std::string>& eal = {}) {
    std::vector<const Settings*> all;
    for (const Settings& settings : switches) all.push_back(&settings);
    return dataplane_options(all, eal);
}

TEST(DataplaneOptions, PortsAreDealtOutToTheCores) {
    Settings settings = two_ports("net_null0", "net_null1");
    settings.workers.cores = {2, 3};
    settings.ports[0].frame_bytes_max = 9000;
    const DataplaneOptions options = options_of({settings});
    ASSERT_EQ(options.switches.size(), 1u);
    EXPECT_EQ(options.switches[0].cores, (std::vector<unsigned>{2, 3}));
    EXPECT_EQ(options.switches[0].ports[0].shard, 0);
    EXPECT_EQ(options.switches[0].ports[1].shard, 1);
    EXPECT_EQ(options.switches[0].ports[0].frame_bytes_max, 9000);
    EXPECT_EQ(options.switches[0].ports[1].frame_bytes_max, kFrameBytesDefault);
    EXPECT_EQ(frame_bytes_max_of(options), 9000);
}

TEST(DataplaneOptions, TheFilesEalWordsComeBeforeTheCommandLines) {
    Settings settings = two_ports("net_null0", "net_null1");
    settings.eal = {"--no-huge"};
    EXPECT_EQ(options_of({settings}, {"-m", "64"}).eal,
              (std::vector<std::string>{"--no-huge", "-m", "64"}));
}

// Two virtual ports: 2 x (256 RX + 256 TX) = 1024. Caches of the one worker and the control thread:
// 2 x (256 x 3 / 2 + 32) = 832. In all 1856, and 16,384 for the queues.
TEST(DataplaneOptions, FramesAreCountedFromThePorts) {
    const DataplaneOptions options = options_of({two_ports("net_null0", "ring:a")});
    EXPECT_EQ(options.frames, 0u);
    EXPECT_EQ(frames_of_ports(options), 1856u);
    // A NIC's RX ring has 1024: 768 more.
    EXPECT_EQ(frames_of_ports(options_of({two_ports("0000:03:00.0", "ring:a")})), 2624u);
}

// One switch says 50,000; the other would have 1856 + 16,384 = 18,240 alone.
TEST(DataplaneOptions, FramesOfSeveralSwitchesAddUp) {
    Settings says = two_ports("net_null0", "net_null1");
    says.frames = 50'000;
    EXPECT_EQ(options_of({says}).frames, 50'000u);
    EXPECT_EQ(options_of({says, two_ports("net_null2", "net_null3")}).frames, 68'240u);
}

// Frames for the queues are at least 16,384; a lossless buffer that needs more gets them (four
// ports with a pool of 16 MiB: config's plan says how many), and each switch its part.
TEST(DataplaneOptions, FramesCoverWhatTheBufferNeeds) {
    Settings lossless = two_ports("net_null0", "net_null1");
    lossless.pfc = PfcSettings{{3}};
    const DataplaneOptions one = options_of({lossless});
    EXPECT_EQ(one.frames, 0u);
    // 16 MiB + 2 * (8,400 + 139,264) = 17,072,544 bytes: 16,672.4 frames of 1,024.
    EXPECT_EQ(one.switches[0].buffer_frames, 16'673u);
    EXPECT_EQ(queued_frames_of(one), 16'673u);
    EXPECT_EQ(queued_share_of(one, 0, 10'000), 10'000u);
    lossless.buffer.shared = 1'024;
    const DataplaneOptions small = options_of({lossless});
    EXPECT_EQ(small.switches[0].buffer_frames, 290u);
    EXPECT_EQ(queued_frames_of(small), kQueuedFrames);
}

// One needs 16,673 frames, the other promises nothing and counts as 2,048: of 18,721 that there
// are, each has its own.
TEST(DataplaneOptions, SwitchesShareTheFrames) {
    Settings lossless = two_ports("net_null0", "net_null1");
    lossless.pfc = PfcSettings{{3}};
    const DataplaneOptions both = options_of({lossless, two_ports("net_null2", "net_null3")});
    EXPECT_EQ(queued_frames_of(both), 16'673u);
    EXPECT_EQ(queued_share_of(both, 0, 18'721), 16'673u);
    EXPECT_EQ(queued_share_of(both, 1, 18'721), 2'048u);
}

TEST(DataplaneOptions, PciDevicesAreFoundWithTheirArguments) {
    const DataplaneOptions options = options_of(
        {two_ports("03:00.0,representor=1", "net_null0"), two_ports("ring:a", "ring:a")});
    EXPECT_EQ(pci_devices_of(options), (std::vector<std::string>{"0000:03:00.0,representor=1"}));
}

}  // namespace
}  // namespace weir
