// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/reload.h"

#include <utility>

#include "config/diff.h"
#include "config/validate.h"
#include "tools/weir/log.h"

namespace weir {
namespace {

// Problems of the new file on its own, with the other switches' files, and with our devices.
std::unique_ptr<const Loaded> load_for(const Running& running, std::size_t switch_index,
                                       const std::string& file, Problems& problems) {
    auto loaded = load(file, problems);
    if (!loaded) return nullptr;
    std::vector<const Loaded*> together;
    for (std::size_t i = 0; i < running.switches.size(); ++i) {
        together.push_back(i == switch_index ? loaded.get() : running.switches[i].loaded.get());
    }
    validate_together(together, problems);
    return loaded;
}

std::string lines_of(const std::vector<Change>& changes) {
    std::string text;
    for (const Change& change : changes) text += change.path + ": " + change.text + '\n';
    return text;
}

Reply refuse(Running& running, std::size_t switch_index, std::string why) {
    while (!why.empty() && why.back() == '\n') why.pop_back();
    note_event(running, switch_index, "reload_refused", {}, why);
    return Reply::error("nothing was changed:\n" + why);
}

void publish_next(Running& running, std::size_t switch_index,
                  std::unique_ptr<const Loaded> loaded) {
    RunningSwitch& one = running.switches[switch_index];
    auto compiled = compile(loaded->settings, one.facts, one.compiled);
    one.compiled = compiled.get();
    const Tables& tables = one.compiled->tables;
    running.dataplane.publish(static_cast<unsigned>(switch_index), std::move(compiled), tables);
    if (loaded->file != one.loaded->file) {
        one.watcher = std::make_unique<Watcher>(loaded->file);
        if (one.watcher->fd() < 0) log_warning(one.watcher->why());
    }
    one.loaded = std::move(loaded);
}

}  // namespace

Reply reload(Running& running, std::size_t switch_index, const std::string& file) {
    RunningSwitch& one = running.switches[switch_index];
    Problems problems;
    auto loaded = load_for(running, switch_index, file.empty() ? one.loaded->file : file, problems);
    if (!problems.empty()) return refuse(running, switch_index, problems.text());
    const Difference difference = diff(one.settings(), loaded->settings);
    if (!difference.refused.empty()) {
        return refuse(running, switch_index, lines_of(difference.refused));
    }
    validate_facts(*loaded, one.facts, problems);
    if (!problems.empty()) return refuse(running, switch_index, problems.text());
    const std::string changes = lines_of(difference.live);
    publish_next(running, switch_index, std::move(loaded));
    note_event(running, switch_index, "reloaded", {}, changes);
    return Reply::shown(changes.empty() ? "nothing is different\n" : changes);
}

}  // namespace weir
