// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of weir-gen. Each returns the exit status and throws Failure if the machine does
// not allow the run.
#pragma once

#include "tools/gen/options.h"

namespace weir::gen {

int run_send(const SendOptions& options);
int run_sink(const SinkOptions& options);
int run_pcap(const PcapOptions& options);
int run_rc(const RcOptions& options);

}  // namespace weir::gen
