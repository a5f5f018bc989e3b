// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/eal_plan.h"

#include <algorithm>
#include <initializer_list>

namespace weir {

namespace {

constexpr std::uint64_t kMebibyte = 1u << 20;

bool has_any_option(const std::vector<std::string>& words,
                    std::initializer_list<std::string_view> options) {
    return std::any_of(options.begin(), options.end(),
                       [&](std::string_view option) { return has_option(words, option); });
}

void refuse(EalPlan& plan, std::string problem, std::string path) {
    plan.problem = std::move(problem);
    plan.problem_path = std::move(path);
}

// Looks for what stands against starting at all.
void check(const EalRequest& request, const Machine& machine, EalPlan& plan) {
    const std::vector<std::string>& words = request.words;
    if (!machine.root) {
        return refuse(plan, "weir opens devices and pins memory: run it as root (sudo)", "");
    }
    if (has_option(words, "--no-huge") && has_option(words, "--in-memory")) {
        return refuse(plan, "eal: --no-huge and --in-memory exclude each other: leave one out",
                      "eal");
    }
    if (has_option(words, "--no-pci") && !request.pci_devices.empty()) {
        return refuse(plan,
                      "eal: --no-pci, but " + request.pci_devices.front() +
                          " is the device of a port: leave --no-pci out",
                      "eal");
    }
    for (const unsigned core : request.worker_cores) {
        if (std::binary_search(machine.cores.begin(), machine.cores.end(), core)) continue;
        return refuse(plan,
                      "workers: there is no core " + std::to_string(core) +
                          " (or this process may not use it): write cores out of " +
                          core_list_text(machine.cores),
                      "workers.cores");
    }
}

void plan_cores(const EalRequest& request, const Machine& machine, EalPlan& plan) {
    if (has_any_option(request.words, {"-l", "-c", "-s", "-S", "--lcores"})) return;
    plan.worker_cores = request.worker_cores;
    if (plan.worker_cores.empty()) plan.worker_cores = {machine.cores.back()};
    std::vector<unsigned> control;
    for (const unsigned core : machine.cores) {
        if (std::count(plan.worker_cores.begin(), plan.worker_cores.end(), core) == 0) {
            control.push_back(core);
        }
    }
    plan.shares_cores = control.empty();
    if (control.empty()) control = machine.cores;
    // EAL's lcore 0 is the control thread and may float; lcore i + 1 is worker i, pinned.
    std::string lcores = "--lcores=0@(" + core_list_text(control) + ')';
    for (std::size_t i = 0; i < plan.worker_cores.size(); ++i) {
        lcores += ',' + std::to_string(i + 1) + '@' + std::to_string(plan.worker_cores[i]);
    }
    plan.arguments.push_back(lcores);
    plan.arguments.emplace_back("--main-lcore=0");
}

void plan_devices(const EalRequest& request, EalPlan& plan) {
    if (has_any_option(request.words, {"--no-pci", "-a", "--allow", "-b", "--block"})) return;
    if (request.pci_devices.empty()) plan.arguments.emplace_back("--no-pci");
    // Only the ports' devices: EAL would take every NIC that is bound to a user-space driver.
    for (const std::string& address : request.pci_devices) {
        plan.arguments.emplace_back("-a");
        plan.arguments.push_back(address);
    }
}

std::string hugepage_shortage(const Machine& machine, std::uint64_t bytes) {
    if (machine.hugepage_bytes_free < bytes) {
        return std::to_string(machine.hugepage_bytes_free / kMebibyte) +
               " MiB of hugepages are free, " + std::to_string(bytes / kMebibyte) + " are needed";
    }
    if (!machine.hugetlbfs_mounted) return "no hugetlbfs is mounted";
    return {};
}

void plan_memory(const EalRequest& request, const Machine& machine, EalPlan& plan) {
    if (has_option(request.words, "--no-huge")) return;
    const bool user_decides = has_any_option(
        request.words, {"-m", "--socket-mem", "--in-memory", "--huge-dir", "--legacy-mem",
                        "--single-file-segments", "--huge-unlink", "--socket-limit"});
    const std::uint64_t bytes = request.memory_mebibytes * kMebibyte;
    if (user_decides) {
        if (machine.hugepage_bytes_free != 0) return;
        return refuse(plan,
                      "eal: no hugepages are free: reserve some (echo 512 > "
                      "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages) or write --no-huge",
                      "eal");
    }
    const std::string shortage = hugepage_shortage(machine, bytes);
    if (shortage.empty()) return;
    plan.warnings.push_back(shortage + ": using ordinary pages (--no-huge), which is slower");
    plan.arguments.emplace_back("--no-huge");
    plan.arguments.emplace_back("-m");
    plan.arguments.push_back(std::to_string(request.memory_mebibytes));
}

std::string value_of(const std::vector<std::string>& words, const std::string& option) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == option && i + 1 < words.size()) return words[i + 1];
        if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
    }
    return {};
}

void plan_names(const EalRequest& request, const Machine& machine, EalPlan& plan) {
    plan.file_prefix = value_of(request.words, "--file-prefix");
    if (plan.file_prefix.empty()) {
        plan.own_prefix = true;
        plan.file_prefix = "weir-" + std::to_string(machine.process_id);
        plan.arguments.push_back("--file-prefix=" + plan.file_prefix);
    }
    if (!has_option(request.words, "--log-level")) {
        plan.arguments.emplace_back("--log-level=warning");
        // It warns that nobody registered commands in its old style.
        plan.arguments.emplace_back("--log-level=lib.telemetry:error");
    }
}

}  // namespace

bool has_option(const std::vector<std::string>& words, std::string_view option) {
    const bool is_short = !option.starts_with("--");
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        if (word == option) return true;
        if (is_short) return word.starts_with(option) && !word.starts_with("--");
        return word.starts_with(option) && word[option.size()] == '=';
    });
}

std::string core_list_text(const std::vector<unsigned>& cores) {
    std::string text;
    for (std::size_t first = 0; first < cores.size();) {
        std::size_t last = first;
        while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += std::to_string(cores[first]);
        if (last > first) text += '-' + std::to_string(cores[last]);
        first = last + 1;
    }
    return text;
}

EalPlan plan_eal(const EalRequest& request, const Machine& machine) {
    EalPlan plan;
    check(request, machine, plan);
    if (!plan.problem.empty()) return plan;
    plan.arguments.emplace_back("weir");
    plan.arguments.insert(plan.arguments.end(), request.words.begin(), request.words.end());
    plan_cores(request, machine, plan);
    plan_devices(request, plan);
    plan_memory(request, machine, plan);
    plan_names(request, machine, plan);
    return plan;
}

}  // namespace weir
