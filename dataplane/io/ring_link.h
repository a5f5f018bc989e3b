// SPDX-License-Identifier: BSD-3-Clause
// `ring:NAME`: a link inside the process. Two ports, also of different switches, are joined by one
// rte_ring per direction; each end is an ethdev like any other.
#pragma once

#include <array>
#include <map>
#include <string>

#include <rte_ring.h>

#include "dataplane/io/device.h"

namespace weir {

class RingLinks {
  public:
    RingLinks() = default;
    ~RingLinks() { close(); }
    RingLinks(const RingLinks&) = delete;
    RingLinks& operator=(const RingLinks&) = delete;

    // One end of the link that request.device ("ring:NAME") names.
    [[nodiscard]] std::string open_end(const DeviceRequest& request, Device& device,
                                       std::vector<std::string>& warnings);
    // The ports' devices are closed. Frames still on the way are freed.
    void close();

  private:
    struct Link {
        std::string name;                  // of rings and devices; EAL's names are short
        std::array<rte_ring*, 2> rings{};  // [end]: what that end sends into
        std::array<std::string, 2> ports;  // names, empty: not open
    };

    [[nodiscard]] std::string add_link(const std::string& name);

    std::map<std::string, Link> links_;
};

}  // namespace weir
