// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "tools/gen/commands.h"
#include "tools/gen/flow_set.h"
#include "tools/gen/output_file.h"
#include "tools/gen/pcap_file.h"

namespace weir::gen {

int run_pcap(const PcapOptions& options) {
    FlowSet flows(options);
    OutputFile file(options.path);
    PcapFile pcap(file.stream());
    std::vector<std::uint8_t> bytes(flows.frame_bytes());
    for (std::uint64_t i = 0; i < options.count; ++i) {
        // A microsecond apart, so that the times tell the order.
        pcap.add(i, std::span(bytes).first(flows.write_next(bytes)));
    }
    file.finish();
    std::printf("%s: %llu frames of %zu bytes, %u flows\n", options.path.c_str(),
                static_cast<unsigned long long>(options.count), bytes.size(),
                options.traffic.flows);
    return kExitOk;
}

}  // namespace weir::gen
