// SPDX-License-Identifier: BSD-3-Clause
// Names, devices, VLANs, and the MACs that are configured behind ports.
#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "config/nearest.h"
#include "config/units.h"
#include "config/validate.h"
#include "config/validation.h"

namespace weir {
namespace {

constexpr std::size_t kPortNameBytesMax = 32;

void check_name(Validation& validation, std::size_t port) {
    const std::string& name = validation.settings.ports[port].name;
    const bool letters = name.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789-_./:") == std::string_view::npos;
    const bool number = name.find_first_not_of("0123456789") == std::string_view::npos;
    // Console commands take a number for a PortId and `all` for every port.
    if (letters && !number && name != "all" && name.size() <= kPortNameBytesMax) return;
    validation.add(item_path("ports", port, ".name"),
                   quoted(name) + " is no name of a port; write 1 to " +
                       std::to_string(kPortNameBytesMax) +
                       " letters, digits, or any of -_./: and neither a number nor 'all'");
}

// "net_af_packet0,iface=veth0" -> "net_af_packet0"
std::string_view device_name(std::string_view device) {
    return device.substr(0, device.find(','));
}

// "0000:03:00.0", or "03:00.0" in domain 0.
bool is_pci_address(std::string_view name) {
    constexpr std::string_view kForm = "hhhh:hh:hh.f";
    constexpr std::size_t kDomainBytes = 5;
    const std::string_view form = name.size() == kForm.size() ? kForm : kForm.substr(kDomainBytes);
    return std::equal(name.begin(), name.end(), form.begin(), form.end(), [](char c, char want) {
        if (want == 'h') return std::isxdigit(static_cast<unsigned char>(c)) != 0;
        if (want == 'f') return c >= '0' && c <= '7';
        return c == want;
    });
}

void check_device(Validation& validation, std::size_t port) {
    const std::string& device = validation.settings.ports[port].device;
    const std::string_view name = device_name(device);
    if (name.starts_with("net_") || name.starts_with("eth_") || is_pci_address(name)) return;
    const std::string path = item_path("ports", port, ".device");
    if (name.starts_with("ring:")) {
        const std::string_view ring = std::string_view(device).substr(5);
        const bool fits = !ring.empty() && ring.size() <= kPortNameBytesMax &&
                          ring.find_first_of(", %\t") == std::string_view::npos;
        if (!fits) {
            validation.add(path, quoted(device) + " is no ring; write one like ring:leaf1-spine1");
        }
        return;
    }
    // What `ip link` shows is the likely mistake.
    const bool interface =
        !name.empty() && name.size() < 16 && name.find_first_of(":/ ") == std::string_view::npos;
    validation.add(path, quoted(device) + " is no device; write " +
                             (interface ? "\"net_af_packet" + std::to_string(port) + ",iface=" +
                                              std::string(name) + "\" for the kernel's interface, "
                                        : "a virtual device (\"net_af_packet0,iface=veth0\"), ") +
                             "a PCI address (0000:03:00.0) or ring:NAME");
}

// Proposes the first free number: net_af_packet0 is taken -> net_af_packet3.
std::string next_free(const Settings& settings, std::string_view taken) {
    std::string stem(taken.substr(0, taken.find_last_not_of("0123456789") + 1));
    for (unsigned number = 0; number <= kPortsMax; ++number) {
        std::string candidate = stem + std::to_string(number);
        const bool used = std::any_of(
            settings.ports.begin(), settings.ports.end(),
            [&](const PortSettings& port) { return device_name(port.device) == candidate; });
        if (!used) return candidate;
    }
    return stem;
}

void check_unique(Validation& validation) {
    const Settings& settings = validation.settings;
    std::unordered_map<std::string_view, std::size_t> names;
    std::unordered_map<std::string_view, std::size_t> devices;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        const PortSettings& port = settings.ports[i];
        const auto [name, new_name] = names.emplace(port.name, i);
        if (!new_name && !port.name.empty()) {
            validation.add(item_path("ports", i, ".name"),
                           quoted(port.name) + " is already the name of ports[" +
                               std::to_string(name->second) + "]; give each port its own");
        }
        if (port.device.empty() || port.device.starts_with("ring:")) continue;
        const std::string_view device_of_port = device_name(port.device);
        const auto [device, new_device] = devices.emplace(device_of_port, i);
        if (new_device) continue;
        const std::string write = device_of_port.starts_with("net_")
                                      ? "write " + next_free(settings, device_of_port)
                                      : "each port has its own device";
        validation.add(item_path("ports", i, ".device"),
                       quoted(device_of_port) + " is already the device of ports[" +
                           std::to_string(device->second) + "]; " + write);
    }
}

void check_vlans(Validation& validation, std::size_t port) {
    const PortSettings& settings = validation.settings.ports[port];
    if (settings.vlan && settings.routed()) {
        validation.add(item_path("ports", port),
                       "has both vlan (bridged) and addresses (routed); keep one");
    }
    if (!settings.vlan) return;
    const std::vector<VlanId>& tagged = settings.vlan->tagged;
    for (std::size_t i = 0; i < tagged.size(); ++i) {
        const std::string path =
            item_path("ports", port, ".vlan.tagged") + "[" + std::to_string(i) + "]";
        if (tagged[i] == settings.vlan->native) {
            validation.add(path, "VLAN " + std::to_string(tagged[i]) +
                                     " is the native one, which leaves untagged; keep one");
        }
        if (std::find(tagged.begin(), tagged.begin() + static_cast<long>(i), tagged[i]) !=
            tagged.begin() + static_cast<long>(i)) {
            validation.add(path, "VLAN " + std::to_string(tagged[i]) + " is listed twice");
        }
    }
}

void check_worker(Validation& validation, std::size_t port) {
    const std::optional<unsigned> worker = validation.settings.ports[port].worker;
    const std::size_t workers = std::max<std::size_t>(1, validation.settings.workers.cores.size());
    if (!worker || *worker < workers) return;
    validation.add(item_path("ports", port, ".worker"),
                   "there is no worker " + std::to_string(*worker) + "; workers.cores makes " +
                       std::to_string(workers) + ", counted from 0");
}

// Slower, the shaper's credit for a burst does not fit into 64 bits; faster, a byte has less than
// ten picoseconds.
void check_speed(Validation& validation, std::size_t port) {
    constexpr BitRate kSlowest{1'000'000};
    constexpr BitRate kFastest{800'000'000'000};
    const std::optional<BitRate> speed = validation.settings.ports[port].speed;
    if (!speed || (*speed >= kSlowest && *speed <= kFastest)) return;
    validation.add(item_path("ports", port, ".speed"),
                   format_rate(*speed) + " is out of range; write " + format_rate(kSlowest) +
                       " to " + format_rate(kFastest));
}

bool carries(const PortSettings& port, VlanId vlan) {
    if (port.transparent()) return true;
    return port.vlan && (port.vlan->native == vlan ||
                         std::find(port.vlan->tagged.begin(), port.vlan->tagged.end(), vlan) !=
                             port.vlan->tagged.end());
}

void check_mac_port(Validation& validation, std::size_t index) {
    const MacSettings& entry = validation.settings.macs[index];
    const PortId port = validation.ports.by_name(entry.port);
    if (port == kNoPort) {
        check_port_exists(validation, item_path("macs", index, ".port"), entry.port);
        return;
    }
    const PortSettings& settings = validation.settings.ports[port];
    if (settings.routed()) {
        validation.add(item_path("macs", index, ".port"),
                       "port " + entry.port + " is routed; write the MAC under neighbors");
    } else if (!carries(settings, entry.vlan)) {
        validation.add(item_path("macs", index, ".vlan"),
                       "port " + entry.port + " does not carry VLAN " + std::to_string(entry.vlan) +
                           "; add it to the port's vlan");
    }
}

}  // namespace

void validate_ports(Validation& validation) {
    const std::vector<PortSettings>& ports = validation.settings.ports;
    if (ports.empty() && validation.ports_read())
        validation.add("ports", "the switch has no ports");
    if (ports.size() > kPortsMax) {
        validation.add(
            "ports", std::to_string(ports.size()) + " ports; at most " + std::to_string(kPortsMax));
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (validation.misread("ports", i)) continue;
        check_name(validation, i);
        check_device(validation, i);
        check_vlans(validation, i);
        check_worker(validation, i);
        check_speed(validation, i);
        if (ports[i].mac) check_unicast(validation, item_path("ports", i, ".mac"), *ports[i].mac);
    }
    check_unique(validation);
}

void validate_macs(Validation& validation) {
    const std::vector<MacSettings>& macs = validation.settings.macs;
    if (macs.size() > kStaticMacsMax) {
        validation.add("macs", std::to_string(macs.size()) + " MACs; at most " +
                                   std::to_string(kStaticMacsMax));
    }
    std::unordered_map<std::uint64_t, std::size_t> seen;
    seen.reserve(macs.size());
    for (std::size_t i = 0; i < macs.size(); ++i) {
        if (validation.misread("macs", i)) continue;
        const MacSettings& entry = macs[i];
        if (entry.mac.is_group() || entry.mac.is_zero()) {
            check_unicast(validation, item_path("macs", i, ".mac"), entry.mac);
            continue;
        }
        const auto [first, is_new] = seen.emplace(mac_key(entry.mac, entry.vlan), i);
        if (!is_new) {
            validation.add(item_path("macs", i),
                           format(entry.mac) + " in VLAN " + std::to_string(entry.vlan) +
                               " is already macs[" + std::to_string(first->second) + "]");
        }
        if (validation.ports_read()) check_mac_port(validation, i);
    }
}

bool check_port_exists(Validation& validation, std::string_view path, std::string_view name) {
    if (validation.ports.by_name(name) != kNoPort) return true;
    std::vector<std::string_view> known;
    for (const PortSettings& port : validation.settings.ports) known.emplace_back(port.name);
    const std::string_view near = nearest_word(name, known);
    validation.add(std::string(path), "there is no port " + quoted(name) +
                                          (near.empty() ? "; write one of those under ports"
                                                        : "; did you mean " + quoted(near) + "?"));
    return false;
}

void check_unicast(Validation& validation, const std::string& path, MacAddress mac) {
    if (mac.is_zero()) {
        validation.add(path, format(mac) + " is no station's MAC");
    } else if (mac.is_group()) {
        const MacAddress single{mac.value & ~(std::uint64_t{1} << 40)};
        validation.add(path, format(mac) + " is a group address; a single station's would be " +
                                 format(single));
    }
}

}  // namespace weir
