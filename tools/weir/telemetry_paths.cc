// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <rte_telemetry.h>

#include "config/value_text.h"
#include "tools/weir/telemetry_lossless.h"

namespace weir {

int put_paths(const Snapshot& snapshot, const TelemetrySubject& /*subject*/, TelemetryOut out) {
    const auto count = [&](auto of) {
        return static_cast<std::uint64_t>(
            std::count_if(snapshot.paths.begin(), snapshot.paths.end(), of));
    };
    PathTotals sum;
    for (const PathView& path : snapshot.paths) {
        sum.frames += path.totals.frames;
        sum.bytes += path.totals.bytes;
    }
    rte_tel_data_start_dict(out);
    rte_tel_data_add_dict_string(out, "selector", show(snapshot.selector).c_str());
    rte_tel_data_add_dict_string(out, "generated_by", snapshot.plan.generated_by.c_str());
    rte_tel_data_add_dict_u64(out, "rules", snapshot.paths.size());
    rte_tel_data_add_dict_u64(out, "on_primary",
                              count([](const PathView& path) { return path.place == 0; }));
    rte_tel_data_add_dict_u64(out, "on_backup", count([](const PathView& path) {
                                  return path.place != 0 && path.place != kNoPlace;
                              }));
    rte_tel_data_add_dict_u64(out, "on_hash", count([](const PathView& path) {
                                  return path.place == kNoPlace && path.reachable;
                              }));
    rte_tel_data_add_dict_u64(out, "no_way",
                              count([](const PathView& path) { return !path.reachable; }));
    rte_tel_data_add_dict_u64(out, "frames", sum.frames);
    rte_tel_data_add_dict_u64(out, "bytes", sum.bytes);
    return 0;
}

}  // namespace weir
