// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/snapshot.h"

#include <algorithm>

namespace weir {

const PortView* Snapshot::port(PortId id) const {
    const auto found =
        std::lower_bound(ports.begin(), ports.end(), id,
                         [](const PortView& p, PortId wanted) { return p.id < wanted; });
    return found == ports.end() || found->id != id ? nullptr : &*found;
}

std::string Snapshot::port_label(PortId id) const {
    const PortView* view = port(id);
    if (view == nullptr) return id == kNoPort ? "-" : std::to_string(id);
    return std::to_string(id) + " (" + view->name + ")";
}

Names Snapshot::names() const {
    Names names;
    for (const PortView& view : ports) names.ports.emplace_back(view.id, view.name);
    for (const SwitchView& view : switches) names.switches.push_back(view.name);
    return names;
}

}  // namespace weir
