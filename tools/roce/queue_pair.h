// SPDX-License-Identifier: BSD-3-Clause
// One RC queue pair with its place in the port's queues.
#pragma once

#include <cstdint>

#include "tools/roce/dcqcn.h"
#include "tools/roce/packet_writer.h"
#include "tools/roce/requester.h"
#include "tools/roce/responder.h"

namespace weir::roce {

struct QueuePair {
    QueuePair(const HostConfig& host, const QpConfig& with, QpNumber own_number)
        : config(with),
          number(own_number),
          writer(host, with),
          requester(with.first_psn_sent),
          responder(with.first_psn_received),
          rate(with.profile->dcqcn) {}

    [[nodiscard]] const QpProfile& profile() const { return *config.profile; }
    [[nodiscard]] bool has_data() const {
        return responder.read_due() || requester.ready(profile());
    }
    [[nodiscard]] bool failed() const { return requester.failed() || responder.failed(); }

    QpConfig config;
    QpNumber number;
    PacketWriter writer;
    Requester requester;
    Responder responder;
    RateControl rate;
    CnpLimit cnp_limit;
    QpCounters counters;

    Time send_at{};   // with `slowed`: the earliest instant of the next data frame
    Time timer_at{};  // with `timed`: its entry among the port's timers
    bool slowed = false;
    bool timed = false;
    bool paced = false;  // waits for send_at in the port's heap
    bool in_answers = false;
    bool in_cnps = false;
    bool in_data = false;
    bool response_last = false;  // READ responses and requests take turns
};

}  // namespace weir::roce
