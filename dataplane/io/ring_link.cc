// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/ring_link.h"

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "dataplane/io/device_name.h"

namespace weir {

namespace {

// Frames on the way in one direction: as many as a NIC's TX ring holds, for the same reason.
constexpr unsigned kRingFrames = 256;

std::string end_name(const std::string& link, unsigned end) {
    return link + (end == 0 ? 'a' : 'b');
}

void free_ring(rte_ring* ring) {
    if (ring == nullptr) return;
    void* frame = nullptr;
    while (rte_ring_sc_dequeue(ring, &frame) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(frame));
    rte_ring_free(ring);
}

}  // namespace

std::string RingLinks::add_link(const std::string& name) {
    Link link;
    link.name = "weir_ring" + std::to_string(links_.size());
    for (unsigned end = 0; end < 2; ++end) {
        const std::string ring_name = end_name(link.name, end);
        // Each direction has one sender and one receiver: the workers of its two ports.
        link.rings[end] =
            rte_ring_create(ring_name.c_str(), kRingFrames, static_cast<int>(rte_socket_id()),
                            RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
        if (link.rings[end] == nullptr) {
            const std::string why = rte_strerror(rte_errno);
            free_ring(link.rings[0]);
            std::string problem = "no memory for ring:";
            problem.append(name).append(" (").append(why);
            return problem.append("): write a larger eal: [-m ...]");
        }
    }
    links_[name] = link;
    return {};
}

std::string RingLinks::open_end(const DeviceRequest& request, Device& device,
                                std::vector<std::string>& warnings) {
    const DeviceName name = parse_device(request.device);
    const std::string prefix = "port " + request.port + ": ";
    if (!name.problem.empty()) return prefix + name.problem;
    if (!links_.contains(name.name)) {
        const std::string problem = add_link(name.name);
        if (!problem.empty()) return prefix + problem;
    }
    Link& link = links_[name.name];
    const unsigned end = link.ports[0].empty() ? 0 : 1;
    if (!link.ports[end].empty()) {
        return prefix + request.device + " joins " + link.ports[0] + " and " + link.ports[1] +
               " already: write another name";
    }
    const std::string ethdev = end_name(link.name, end);
    const int port = rte_eth_from_rings(ethdev.c_str(), &link.rings[1 - end], 1, &link.rings[end],
                                        1, rte_socket_id());
    if (port < 0)
        return prefix + "no device for " + request.device + ": " + rte_strerror(rte_errno);
    device.ethdev = static_cast<std::uint16_t>(port);
    device.bus_name = "net_ring_" + ethdev;
    device.rx_ring = link.rings[1 - end];
    device.tx_ring = link.rings[end];
    link.ports[end] = request.port;
    std::string problem = start_device(request, device, warnings);
    device.facts.link_source = LinkSource::RingPeer;
    return problem;
}

void RingLinks::close() {
    for (auto& [name, link] : links_) {
        for (rte_ring* ring : link.rings) free_ring(ring);
    }
    links_.clear();
}

}  // namespace weir
