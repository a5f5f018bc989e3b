// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/device_name.h"

#include <array>

#include <rte_dev.h>
#include <rte_pci.h>

#include "dataplane/io/host_interface.h"

namespace weir {

namespace {

constexpr const char* kForms =
    "write a PCI address (0000:03:00.0), a virtual device (net_af_packet0,iface=eth1) or ring:NAME";

bool is_pci_address(const std::string& text, std::string& canonical) {
    rte_pci_addr address{};
    if (rte_pci_addr_parse(text.c_str(), &address) != 0) return false;
    std::array<char, PCI_PRI_STR_SIZE> name{};
    rte_pci_device_name(&address, name.data(), name.size());
    canonical = name.data();
    return true;
}

}  // namespace

DeviceName parse_device(const std::string& device) {
    DeviceName parsed;
    const std::string ring = "ring:";
    if (device.starts_with(ring)) {
        parsed.kind = DeviceKind::Ring;
        parsed.name = device.substr(ring.size());
        if (parsed.name.empty()) parsed.problem = "ring: without a name: write ring:NAME";
        return parsed;
    }
    const std::size_t comma = device.find(',');
    parsed.name = device.substr(0, comma);
    if (comma != std::string::npos) parsed.arguments = device.substr(comma + 1);
    if (is_pci_address(parsed.name, parsed.name)) {
        parsed.kind = DeviceKind::Pci;
    } else if (parsed.name.empty()) {
        parsed.problem = std::string("no device: ") + kForms;
    } else if (!parsed.name.starts_with("net_") && host_interface_exists(parsed.name)) {
        parsed.problem = parsed.name +
                         " is a network interface of the kernel: write net_af_packet0" +
                         ",iface=" + parsed.name + " (the 0 is a number of your choice)";
    } else if (!parsed.name.starts_with("net_") && !parsed.name.starts_with("eth_")) {
        parsed.problem = "no device " + parsed.name + ": " + kForms;
    } else if (parsed.name.size() >= RTE_DEV_NAME_MAX_LEN) {
        parsed.problem = "the device name " + parsed.name + " is too long";
    }
    return parsed;
}

std::string device_argument(const std::string& arguments, const std::string& key) {
    for (std::size_t first = 0; first < arguments.size();) {
        const std::size_t comma = std::min(arguments.find(',', first), arguments.size());
        const std::string argument = arguments.substr(first, comma - first);
        if (argument.starts_with(key + "=")) return argument.substr(key.size() + 1);
        first = comma + 1;
    }
    return {};
}

}  // namespace weir
