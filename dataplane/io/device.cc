// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/device.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <unistd.h>

#include "dataplane/core/wire.h"
#include "dataplane/io/captured_output.h"
#include "dataplane/io/device_name.h"
#include "dataplane/io/host_interface.h"
#include "dataplane/io/stale_socket.h"

namespace weir {

namespace {

// Devices that a port has, by ethdev. (EAL's owners would hide them from dpdk-dumpcap.)
std::array<bool, RTE_MAX_ETHPORTS> opened{};

std::string problem_of(const DeviceRequest& request, const std::string& text) {
    return "port " + request.port + ": " + text;
}

// The number at the end of the name is the user's choice: "net_null0".
std::string driver_of(const std::string& device) {
    return device.substr(0, device.find_last_not_of("0123456789") + 1);
}

// Drivers that sit on an interface of the kernel fail with little more than "error": look first.
std::string missing_below(const DeviceName& name) {
    const std::string driver = driver_of(name.name);
    const bool on_interface = driver == "net_af_packet" || driver == "net_af_xdp";
    if (on_interface && device_argument(name.arguments, "iface").empty()) {
        return name.name + " needs an interface: write " + name.name + ",iface=eth1";
    }
    for (const char* key : {"iface", "rx_iface", "tx_iface", "remote"}) {
        const std::string interface = device_argument(name.arguments, key);
        const bool must_exist = on_interface || driver == "net_pcap" ||
                                (driver == "net_tap" && std::string_view(key) == "remote");
        if (interface.empty() || !must_exist || host_interface_exists(interface)) continue;
        return name.name + ": there is no network interface " + interface +
               " here (`ip link` lists them)";
    }
    const std::string capture = device_argument(name.arguments, "rx_pcap");
    if (!capture.empty() && access(capture.c_str(), R_OK) != 0) {
        return name.name + ": the file " + capture + " cannot be read";
    }
    return {};
}

// Those of a switch that was killed.
void remove_left_sockets(const DeviceName& name) {
    if (driver_of(name.name) == "net_vhost") {
        remove_stale_socket(device_argument(name.arguments, "iface"));
    } else if (driver_of(name.name) == "net_memif" &&
               device_argument(name.arguments, "role") == "server") {
        remove_stale_socket(device_argument(name.arguments, "socket"));
    }
}

std::string probe_virtual(const DeviceName& name, Device& device) {
    std::string missing = missing_below(name);
    if (!missing.empty()) return missing;
    remove_left_sockets(name);
    const int error = rte_eal_hotplug_add("vdev", name.name.c_str(), name.arguments.c_str());
    if (error == 0) {
        device.bus_name = name.name;
        return {};
    }
    // The bus could make nothing of the name.
    if (error == -EFAULT || error == -ENODEV) {
        return "no device " + name.name + ": there is no driver " + driver_of(name.name) +
               ": write a driver's name and a number, as net_af_packet0,iface=eth1 or net_tap0";
    }
    return "no device " + name.name + ": " + driver_of(name.name) + " does not take " +
           (name.arguments.empty() ? "no arguments" : "the arguments " + name.arguments);
}

std::string probe_pci(const DeviceName& name) {
    const std::string devargs =
        name.arguments.empty() ? name.name : name.name + "," + name.arguments;
    if (rte_dev_probe(devargs.c_str()) == 0) return {};
    return "no device " + name.name +
           ": not there, or not bound to a driver that DPDK can use: `dpdk-devbind.py -s` lists "
           "them, `dpdk-devbind.py -b vfio-pci " +
           name.name + "` binds it";
}

std::string find_ethdev(const DeviceName& name, Device& device) {
    if (rte_eth_dev_get_port_by_name(name.name.c_str(), &device.ethdev) == 0) return {};
    std::string problem =
        name.kind == DeviceKind::Pci ? probe_pci(name) : probe_virtual(name, device);
    if (!problem.empty()) return problem;
    if (rte_eth_dev_get_port_by_name(name.name.c_str(), &device.ethdev) == 0) return {};
    // Some drivers name the port otherwise than the device.
    std::uint16_t port = RTE_MAX_ETHPORTS;
    rte_dev_iterator iterator{};
    if (rte_eth_iterator_init(&iterator, name.name.c_str()) == 0) {
        port = rte_eth_iterator_next(&iterator);
        if (port < RTE_MAX_ETHPORTS) rte_eth_iterator_cleanup(&iterator);
    }
    if (port >= RTE_MAX_ETHPORTS) return name.name + " is not a network device";
    device.ethdev = port;
    return {};
}

LinkSource link_source_of(const std::string& driver) {
    if (driver == "net_af_packet") return LinkSource::Kernel;
    for (const char* name : {"net_tap", "net_ring", "net_null", "net_pcap", "net_af_xdp"}) {
        if (driver == name) return LinkSource::Unknown;
    }
    return LinkSource::Driver;
}

MacAddress device_mac(const DeviceRequest& request, std::uint16_t ethdev) {
    rte_ether_addr address{};
    rte_eth_macaddr_get(ethdev, &address);
    const MacAddress mac = read_mac(address.addr_bytes);
    if (!mac.is_zero()) return mac;
    write_mac(address.addr_bytes, request.fallback_mac);
    rte_eth_dev_default_mac_addr_set(ethdev, &address);  // most such devices do not care
    return request.fallback_mac;
}

void read_facts(const DeviceRequest& request, const rte_eth_dev_info& info, Device& device) {
    DeviceFacts& facts = device.facts;
    facts.driver = info.driver_name;
    facts.numa_node = rte_eth_dev_socket_id(device.ethdev);
    facts.host_interface = info.if_index;
    facts.physical = !(std::string(rte_bus_name(rte_dev_bus(info.device))) == "vdev");
    facts.link_source = link_source_of(facts.driver);
    facts.mac = device_mac(request, device.ethdev);
}

// memif says 1518 and carries any length, in as many buffers as it takes.
bool claims_too_little(const std::string& driver) {
    return driver == "net_memif";
}

std::string configure(const DeviceRequest& request, const rte_eth_dev_info& info,
                      std::uint16_t frame_limit, Device& device) {
    DeviceFacts& facts = device.facts;
    rte_eth_conf configuration{};
    configuration.rxmode.mtu = frame_limit - 18u;
    // Every frame is whole in one mbuf of the one pool, and nobody else holds it.
    configuration.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
    int error = rte_eth_dev_configure(device.ethdev, 1, 1, &configuration);
    if (error != 0) return std::string("cannot be configured: ") + rte_strerror(-error);
    facts.rx_descriptors = facts.physical ? kRxDescriptors : kVirtualRxDescriptors;
    facts.tx_descriptors = kTxDescriptors;
    error = rte_eth_dev_adjust_nb_rx_tx_desc(device.ethdev, &facts.rx_descriptors,
                                             &facts.tx_descriptors);
    if (error != 0) return std::string("does not say its ring sizes: ") + rte_strerror(-error);
    const auto socket = static_cast<unsigned>(rte_eth_dev_socket_id(device.ethdev));
    rte_eth_rxconf rx = info.default_rxconf;
    rx.offloads = configuration.rxmode.offloads;
    error =
        rte_eth_rx_queue_setup(device.ethdev, 0, facts.rx_descriptors, socket, &rx, request.pool);
    if (error != 0) return std::string("no RX queue: ") + rte_strerror(-error);
    rte_eth_txconf tx = info.default_txconf;
    tx.offloads = configuration.txmode.offloads;
    error = rte_eth_tx_queue_setup(device.ethdev, 0, facts.tx_descriptors, socket, &tx);
    if (error != 0) return std::string("no TX queue: ") + rte_strerror(-error);
    error = rte_eth_dev_start(device.ethdev);
    if (error != 0) return std::string("does not start: ") + rte_strerror(-error);
    return {};
}

void warn(const DeviceRequest& request, const std::string& text,
          std::vector<std::string>& warnings) {
    warnings.push_back(problem_of(request, text));
}

// A switch takes frames for every address. Virtual devices that get all frames anyhow have no such
// mode.
void set_promiscuous(const DeviceRequest& request, Device& device,
                     std::vector<std::string>& warnings) {
    if (rte_eth_promiscuous_get(device.ethdev) == 1) return;
    const int error = rte_eth_promiscuous_enable(device.ethdev);
    device.set_promiscuous = error == 0;
    if (error == 0 || (!device.facts.physical && device.facts.host_interface == 0)) return;
    warn(request,
         device.facts.driver + " has no promiscuous mode (" + rte_strerror(-error) +
             "): only frames for its own address " + "will arrive",
         warnings);
}

// Pausing is the switch's own business: the NIC must not answer or obey pause frames, and hand them
// to us.
void take_over_flow_control(const DeviceRequest& request, const Device& device,
                            std::vector<std::string>& warnings) {
    rte_eth_fc_conf flow_control{};
    int error = rte_eth_dev_flow_ctrl_get(device.ethdev, &flow_control);
    if (error == 0) {
        flow_control.mode = RTE_ETH_FC_NONE;
        flow_control.mac_ctrl_frame_fwd = 1;
        error = rte_eth_dev_flow_ctrl_set(device.ethdev, &flow_control);
    }
    if (error != 0 && device.facts.physical) {
        warn(request,
             device.facts.driver + " does not let its own pause frames be turned off (" +
                 rte_strerror(-error) +
                 "): it may answer or swallow PFC; turn it off with `ethtool -A` if it has a "
                 "kernel interface",
             warnings);
    }
    rte_eth_pfc_conf priority{};
    priority.fc.mode = RTE_ETH_FC_NONE;
    for (std::uint8_t i = 0; i < kPriorities && error == 0; ++i) {
        priority.priority = i;
        // Most drivers have none unless DCB is on; those that fail otherwise have none either.
        error = rte_eth_dev_priority_flow_ctrl_set(device.ethdev, &priority);
    }
}

void warn_about_frame_limit(const DeviceRequest& request, const DeviceFacts& facts,
                            unsigned host_mtu, std::vector<std::string>& warnings) {
    if (host_mtu != 0 && host_mtu + 18 > facts.frame_bytes_max) {
        warn(request,
             "the kernel interface has MTU " + std::to_string(host_mtu) + ", " + facts.driver +
                 " takes " + std::to_string(facts.frame_bytes_max - 18) +
                 ": longer packets will be dropped; write `ip link set ... mtu " +
                 std::to_string(facts.frame_bytes_max - 18) + "`",
             warnings);
    }
}

}  // namespace

std::uint16_t device_frame_limit(const rte_eth_dev_info& info, std::uint16_t wanted,
                                 unsigned host_mtu) {
    // What the device counts besides the MTU: the difference of its own two limits; a device
    // without an MTU limit counts Ethernet's header and FCS.
    constexpr unsigned kUnlimited = UINT16_MAX;
    const bool has_both = info.max_mtu != kUnlimited && info.max_rx_pktlen != UINT32_MAX &&
                          info.max_rx_pktlen > info.max_mtu;
    const unsigned overhead = has_both ? info.max_rx_pktlen - info.max_mtu : 18;
    // MTU + Ethernet header (14) + one tag (4).
    unsigned mtu = wanted - 18u;
    mtu = std::min<unsigned>(mtu, info.max_mtu);
    if (info.max_rx_pktlen >= overhead) mtu = std::min(mtu, info.max_rx_pktlen - overhead);
    if (host_mtu != 0) mtu = std::min(mtu, host_mtu);
    return static_cast<std::uint16_t>(std::max<unsigned>(mtu, info.min_mtu) + 18u);
}

MacAddress mac_from_text(const std::string& text) {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100'0000'01b3;
    return {0x0200'0000'0000 | (hash & 0x00ff'ffff'ffff)};
}

std::string open_device(const DeviceRequest& request, Device& device,
                        std::vector<std::string>& warnings) {
    const DeviceName name = parse_device(request.device);
    if (!name.problem.empty()) return problem_of(request, name.problem);
    CapturedOutput output;
    std::string problem = find_ethdev(name, device);
    problem =
        problem.empty() ? start_device(request, device, warnings) : problem_of(request, problem);
    const std::string chatter = output.end();
    if (problem.empty()) {
        std::fputs(chatter.c_str(), stderr);
        return {};
    }
    const std::string why = line_of_driver(chatter);
    return why.empty() ? problem : problem + " (" + why + ")";
}

std::string start_device(const DeviceRequest& request, Device& device,
                         std::vector<std::string>& warnings) {
    rte_eth_dev_info info{};
    const int error = rte_eth_dev_info_get(device.ethdev, &info);
    if (error != 0) {
        return problem_of(request, std::string("does not say what it is: ") + rte_strerror(-error));
    }
    if (opened[device.ethdev]) {
        device = {};  // not ours to close
        return problem_of(request, request.device + " is another port's device already");
    }
    opened[device.ethdev] = true;
    read_facts(request, info, device);
    const unsigned host_mtu = host_interface_mtu(device.facts.host_interface).value_or(0);
    const std::uint16_t limit = device_frame_limit(info, request.frame_bytes_max, host_mtu);
    device.facts.frame_bytes_max =
        claims_too_little(device.facts.driver) ? request.frame_bytes_max : limit;
    const std::string problem = configure(request, info, limit, device);
    if (!problem.empty()) return problem_of(request, device.facts.driver + " " + problem);
    set_promiscuous(request, device, warnings);
    take_over_flow_control(request, device, warnings);
    warn_about_frame_limit(request, device.facts, host_mtu, warnings);
    device.facts.speed_bps = device_speed_bps(device);
    return {};
}

void close_device(Device& device) {
    if (device.ethdev == kNoDevice) return;
    opened[device.ethdev] = false;
    if (device.set_promiscuous) rte_eth_promiscuous_disable(device.ethdev);
    rte_eth_dev_stop(device.ethdev);
    rte_eth_dev_close(device.ethdev);
    if (!device.bus_name.empty()) rte_eal_hotplug_remove("vdev", device.bus_name.c_str());
    device = {};
}

std::optional<bool> device_link_up(const Device& device) {
    switch (device.facts.link_source) {
        case LinkSource::Driver: {
            rte_eth_link link{};
            if (rte_eth_link_get_nowait(device.ethdev, &link) != 0) return {};
            return link.link_status == RTE_ETH_LINK_UP;
        }
        case LinkSource::Kernel:
            return host_interface_running(device.facts.host_interface);
        case LinkSource::Unknown:
        case LinkSource::RingPeer:
            return {};
    }
    return {};
}

std::uint64_t device_speed_bps(const Device& device) {
    rte_eth_link link{};
    if (rte_eth_link_get_nowait(device.ethdev, &link) != 0) return 0;
    if (link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN) return 0;
    return link.link_speed * std::uint64_t{1'000'000};
}

DeviceCounters device_counters(const Device& device) {
    rte_eth_stats stats{};
    if (rte_eth_stats_get(device.ethdev, &stats) != 0) return {};
    return {.rx_missed = stats.imissed,
            .rx_errors = stats.ierrors,
            .rx_no_buffer = stats.rx_nombuf,
            .tx_errors = stats.oerrors};
}

std::optional<std::uint32_t> device_rx_waiting(std::uint16_t ethdev, const rte_ring* rx_ring) {
    if (rx_ring != nullptr) return rte_ring_count(rx_ring);
    const int count = rte_eth_rx_queue_count(ethdev, 0);
    if (count < 0) return {};
    return static_cast<std::uint32_t>(count);
}

std::optional<std::uint32_t> device_tx_waiting(const Device& device) {
    if (device.tx_ring != nullptr) return rte_ring_count(device.tx_ring);
    const std::uint16_t descriptors = device.facts.tx_descriptors;
    if (rte_eth_tx_descriptor_status(device.ethdev, 0, 0) < 0) return {};
    return waiting_descriptors(descriptors, [&](std::uint16_t offset) {
        return rte_eth_tx_descriptor_status(device.ethdev, 0, offset) == RTE_ETH_TX_DESC_FULL;
    });
}

void announce_link(const Device& device, bool up) {
    if (!device.facts.physical) return;
    if (up) {
        rte_eth_dev_set_link_up(device.ethdev);
    } else {
        rte_eth_dev_set_link_down(device.ethdev);
    }
}

}  // namespace weir
