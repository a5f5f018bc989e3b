// SPDX-License-Identifier: BSD-3-Clause
// A whole process as `weir` runs it: two switches joined by a ring, frames from one capture file to
// another. EAL starts once per process, so the steps are one test.
#include "dataplane/run/dataplane.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "dataplane/run/dataplane_options.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFrames = 100;

// Looks again for at most 20 s; the machine may be busy with other things.
bool comes_true(Dataplane& dataplane, const std::function<bool()>& condition) {
    for (int i = 0; i < 4000; ++i) {
        dataplane.poll();
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

// A capture file's header, or one frame's: little-endian words.
template <std::size_t N>
void write_words(std::ostream& file, const std::array<std::uint32_t, N>& words) {
    file.write(reinterpret_cast<const char*>(words.data()), sizeof words);
}

std::vector<std::string> numbered_frames() {
    std::vector<std::string> frames;
    for (std::size_t i = 0; i < kFrames; ++i) {
        std::string frame = std::string("\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x88\xb5", 14);
        frame += std::string(46 + 40 * i, static_cast<char>(i));  // 60 .. 4020 B
        frames.push_back(frame);
    }
    return frames;
}

void write_capture(const fs::path& path, const std::vector<std::string>& frames) {
    std::ofstream file(path, std::ios::binary);
    write_words<6>(file, {0xa1b2c3d4, 0x0004'0002, 0, 0, 65535, 1});
    for (const std::string& frame : frames) {
        const auto length = static_cast<std::uint32_t>(frame.size());
        write_words<4>(file, {0, 0, length, length});
        file << frame;
    }
}

std::vector<std::string> read_capture(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(24);
    std::vector<std::string> frames;
    std::array<std::uint32_t, 4> header{};
    while (file.read(reinterpret_cast<char*>(header.data()), sizeof header)) {
        std::string frame(header[2], '\0');
        file.read(frame.data(), header[2]);
        frames.push_back(frame);
    }
    return frames;
}

Settings switch_settings(const std::string& name, const std::string& device) {
    Settings settings;
    settings.switch_.name = name;
    PortSettings outside;
    outside.name = "outside";
    outside.device = device;
    PortSettings link;
    link.name = "link";
    link.device = "ring:between";
    settings.ports = {outside, link};
    return settings;
}

class DataplaneTest : public testing::Test {
  protected:
    DataplaneTest() {
        fs::create_directory(directory_);
        write_capture(directory_ / "in.pcap", numbered_frames());
        settings_.push_back(
            switch_settings("one", "net_pcap0,rx_pcap=" + (directory_ / "in.pcap").string() +
                                       ",tx_pcap=" + (directory_ / "back.pcap").string()));
        settings_.push_back(
            switch_settings("two", "net_pcap1,tx_pcap=" + (directory_ / "out.pcap").string()));
        settings_[0].eal = {"--no-huge", "-m", "192"};
    }
    ~DataplaneTest() override { fs::remove_all(directory_); }

    void publish(unsigned index) {
        auto compiled =
            compile(settings_[index], port_facts(dataplane_.switch_at(index)), last_[index]);
        last_[index] = compiled.get();
        const Tables& tables = compiled->tables;
        dataplane_.publish(index, std::move(compiled), tables);
    }
    const PortCounters& counters(unsigned index, PortId port) {
        return dataplane_.switch_at(index).shards[0].shard->counters(port);
    }
    // Counts events of a kind for a port since the last call.
    unsigned events(EventKind kind, unsigned switch_index, PortId port) {
        std::array<EventRecord, 64> records;
        unsigned count = 0;
        for (unsigned n = 0; (n = dataplane_.take_events(0, records)) > 0;) {
            for (const EventRecord& record : std::span(records).first(n)) {
                if (record.event.kind == kind && record.switch_index == switch_index &&
                    record.event.port == port) {
                    ++count;
                }
            }
        }
        return count;
    }

    void open_and_check_facts();
    void carry_frames();
    void stop_and_start_a_port();
    void exchange_tables();

    fs::path directory_ =
        fs::temp_directory_path() / ("weir-dataplane-test-" + std::to_string(getpid()));
    std::vector<Settings> settings_;
    std::array<const CompiledTables*, 2> last_{};
    Dataplane dataplane_;
};

void DataplaneTest::open_and_check_facts() {
    const std::array<const Settings*, 2> all{&settings_[0], &settings_[1]};
    const SetupProblem problem = dataplane_.open(dataplane_options(all, {}));
    ASSERT_EQ(problem.text, "");
    EXPECT_TRUE(dataplane_.warnings().empty());
    ASSERT_EQ(dataplane_.switches(), 2u);
    for (unsigned i = 0; i < 2; ++i) {
        const SwitchRecord& record = dataplane_.switch_at(i);
        EXPECT_EQ(record.ports[0].device.facts.driver, "net_pcap");
        EXPECT_EQ(record.ports[1].device.facts.driver, "net_ring");
        for (const PortRecord& port : record.ports) {
            EXPECT_EQ(port.device.facts.frame_bytes_max, kFrameBytesDefault);
            EXPECT_FALSE(port.device.facts.mac.is_zero());
        }
    }
    EXPECT_NE(dataplane_.switch_at(0).ports[1].device.facts.mac,
              dataplane_.switch_at(1).ports[1].device.facts.mac);
}

void DataplaneTest::carry_frames() {
    EXPECT_TRUE(
        comes_true(dataplane_, [&] { return counters(1, 0).sent_frames.read() == kFrames; }));
    EXPECT_EQ(counters(0, 0).received_frames.read(), kFrames);
    // The host behind "outside" was learned.
    std::uint32_t macs = 0;
    EXPECT_TRUE(dataplane_.run_on_shard(
        1, 0, [&](const Shard& shard, Time) { macs = shard.macs().size(); }));
    EXPECT_EQ(macs, 1u);
}

// The other end of the ring sees the link go down and come back.
void DataplaneTest::stop_and_start_a_port() {
    EXPECT_EQ(events(EventKind::LinkDown, 1, 1), 0u);
    ASSERT_TRUE(dataplane_.set_port_stopped(0, 1, true));
    EXPECT_FALSE(dataplane_.switch_at(1).ports[1].up());
    EXPECT_EQ(events(EventKind::LinkDown, 1, 1), 1u);
    ASSERT_TRUE(dataplane_.set_port_stopped(0, 1, false));
    EXPECT_TRUE(dataplane_.switch_at(1).ports[1].up());
    EXPECT_EQ(events(EventKind::LinkUp, 1, 1), 1u);
}

void DataplaneTest::exchange_tables() {
    for (int i = 0; i < 3; ++i) {
        const Tables* wanted = nullptr;
        publish(0);
        wanted = dataplane_.switch_at(0).publisher.current();
        EXPECT_TRUE(comes_true(dataplane_, [&] {
            const Tables* adopted = nullptr;
            (void)dataplane_.run_on_shard(
                0, 0, [&](const Shard& shard, Time) { adopted = &shard.tables(); });
            return adopted == wanted;
        }));
    }
}

TEST_F(DataplaneTest, RunsTwoSwitchesFromOpenToClose) {
    if (geteuid() != 0) GTEST_SKIP() << "DPDK's devices need root";
    open_and_check_facts();
    if (HasFatalFailure()) return;
    EXPECT_EQ(dataplane_.mbufs_in_use(), 0u);
    publish(0);
    publish(1);
    ASSERT_EQ(dataplane_.start(), "");
    carry_frames();
    stop_and_start_a_port();
    exchange_tables();
    dataplane_.stop();
    EXPECT_EQ(dataplane_.mbufs_in_use(), 0u);
    EXPECT_EQ(dataplane_.close(), 0u);
    EXPECT_EQ(read_capture(directory_ / "out.pcap"), numbered_frames());
    EXPECT_FALSE(fs::exists("/var/run/dpdk/weir-" + std::to_string(getpid())));
}

}  // namespace
}  // namespace weir
