// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/experiment_check.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "tools/lab/fabric_check.h"
#include "tools/roce/flow_sizes.h"

namespace weir::lab {

namespace {

class Check {
  public:
    Check(const Experiment& experiment, const Value::Source& source)
        : experiment_(experiment), source_(source) {}

    void all() {
        if (!check_fabric(experiment_.fabric, source_)) return;
        topology_ = make_topology(experiment_.fabric);
        for (std::size_t i = 0; i < experiment_.jobs.size(); ++i) check_job(i);
        for (std::size_t i = 0; i < experiment_.faults.size(); ++i) check_fault(i);
        const std::string& plan = experiment_.fabric.plan;
        if (!plan.empty() && !std::filesystem::is_directory(plan)) {
            problem("fabric.plan", "no folder '" + plan + "'; weir-plan run FILE --out makes one");
        }
        if (experiment_.jobs.empty()) problem("jobs", "no job; the fabric would be idle");
        if (experiment_.duration <= Interval{}) problem("duration", "nothing happens in no time");
    }

  private:
    void problem(const std::string& path, const std::string& text) {
        source_.problems.add({source_.file, source_.document.locate(path), path, text});
    }
    static std::string item(const char* list, std::size_t index, const char* key = "") {
        return std::string(list) + "[" + std::to_string(index) + "]" + key;
    }

    [[nodiscard]] NodeId node_named(const std::string& path, const std::string& name, bool host) {
        const NodeId node = topology_.find(name);
        if (node != Topology::kNoNode && topology_.is_switch(node) != host) return node;
        problem(path, std::string("no ") + (host ? "host" : "switch") + " '" + name +
                          "'; there are " + topology_.name(host ? topology_.host(0) : 0) + " to " +
                          topology_.name(host ? topology_.nodes() - 1 : topology_.switches() - 1));
        return Topology::kNoNode;
    }

    [[nodiscard]] bool joined(NodeId a, NodeId b) const {
        for (PortId port = 0; port < topology_.links_of(a).size(); ++port) {
            if (topology_.far_end(a, port).node == b) return true;
        }
        return false;
    }

    void check_job(std::size_t index) {
        const JobSettings& job = experiment_.jobs[index];
        if (job.pattern.has_value() == !job.arrivals.empty()) {
            return problem(item("jobs", index), "a job has either a pattern or arrivals");
        }
        for (const std::string& name : job.hosts) {
            static_cast<void>(node_named(item("jobs", index, ".hosts"), name, true));
        }
        const std::size_t hosts = job.hosts.empty() ? topology_.hosts() : job.hosts.size();
        if (std::set<std::string>(job.hosts.begin(), job.hosts.end()).size() != job.hosts.size()) {
            problem(item("jobs", index, ".hosts"), "a host is listed twice");
        } else if (hosts < 2) {
            problem(item("jobs", index, ".hosts"), "a job needs two hosts or more");
        } else if (job.pattern) {
            const char* text = roce::Phases::problem({.pattern = *job.pattern,
                                                      .ranks = static_cast<roce::Rank>(hosts),
                                                      .bytes = job.bytes,
                                                      .shift = job.shift});
            if (*text != '\0') problem(item("jobs", index), text);
        } else if (roce::flow_sizes_named(job.arrivals).points.empty()) {
            problem(item("jobs", index, ".arrivals"),
                    "'" + job.arrivals + "' is unknown; write websearch or hadoop");
        }
    }

    void check_fault(std::size_t index) {
        const FaultSettings& fault = experiment_.faults[index];
        const int kinds = (fault.link.empty() ? 0 : 1) + (fault.stall.empty() ? 0 : 1) +
                          (fault.reload.empty() ? 0 : 1) + (fault.kill.empty() ? 0 : 1);
        if (kinds != 1) {
            return problem(item("faults", index),
                           "a fault has one of link, kill, stall and reload");
        }
        if (!fault.reload.empty()) return check_reload(index);
        if (!fault.switches.empty()) {
            problem(item("faults", index, ".switches"), "only a reload changes the switch's file");
        }
        if (fault.one_way && fault.link.empty()) {
            return problem(item("faults", index, ".one_way"), "only a link has two ways");
        }
        if (!fault.kill.empty()) {
            static_cast<void>(node_named(item("faults", index, ".kill"), fault.kill, false));
            return;
        }
        if (!fault.stall.empty()) {
            static_cast<void>(node_named(item("faults", index, ".stall"), fault.stall, false));
            if (!fault.lasts) problem(item("faults", index), "a stall ends; write lasts: 20us");
            return;
        }
        const std::string path = item("faults", index, ".link");
        if (fault.link.size() != 2) return problem(path, "a link has two ends: [leaf0, spine0]");
        const NodeId a = topology_.find(fault.link[0]);
        const NodeId b = topology_.find(fault.link[1]);
        if (a != Topology::kNoNode && b != Topology::kNoNode && joined(a, b)) return;
        problem(path, "no link between '" + fault.link[0] + "' and '" + fault.link[1] + "'");
    }

    // The file that the switch will read: what is wrong with it is known before anything runs.
    void check_reload(std::size_t index) {
        const FaultSettings& fault = experiment_.faults[index];
        static_cast<void>(node_named(item("faults", index, ".reload"), fault.reload, false));
        if (fault.lasts || fault.silent) {
            problem(item("faults", index), "a reload takes no time; leave out lasts and silent");
        }
    }

    const Experiment& experiment_;
    const Value::Source& source_;
    Topology topology_;
};

}  // namespace

void check_experiment(const Experiment& experiment, const Value::Source& source) {
    Check(experiment, source).all();
}

}  // namespace weir::lab
