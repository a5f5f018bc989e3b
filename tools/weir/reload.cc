// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/reload.h"

#include <utility>

#include "config/diff.h"
#include "config/validate.h"
#include "tools/weir/log.h"

namespace weir {
namespace {

// Problems of new settings with the other switches'.
void check_together(const Running& running, std::size_t switch_index, const Loaded& loaded,
                    Problems& problems) {
    std::vector<const Loaded*> together;
    for (std::size_t i = 0; i < running.switches.size(); ++i) {
        together.push_back(i == switch_index ? &loaded : running.switches[i].loaded.get());
    }
    validate_together(together, problems);
}

std::string lines_of(const std::vector<Change>& changes) {
    std::string text;
    for (const Change& change : changes) text += change.path + ": " + change.text + '\n';
    return text;
}

Reply refused(std::string why) {
    while (!why.empty() && why.back() == '\n') why.pop_back();
    return Reply::error("nothing was changed:\n" + why);
}

// Of settings that are no longer those of the file: its lines and columns would mislead.
std::string without_places(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems.kept()) {
        text += problem.path + ": " + problem.text + '\n';
    }
    return text;
}

void publish_next(Running& running, std::size_t switch_index,
                  std::unique_ptr<const Loaded> loaded) {
    RunningSwitch& one = running.switches[switch_index];
    auto compiled = compile(loaded->settings, one.facts, one.compiled);
    one.compiled = compiled.get();
    const Tables& tables = one.compiled->tables;
    running.dataplane.publish(static_cast<unsigned>(switch_index), std::move(compiled), tables);
    if (loaded->files() != one.loaded->files()) {
        one.watcher = std::make_unique<Watcher>(loaded->files());
        if (one.watcher->fd() < 0) log_warning(one.watcher->why());
    }
    one.loaded = std::move(loaded);
}

// All that may speak against new settings whose own problems are known, then their use.
struct Applied {
    std::string refused;  // why nothing was changed
    std::string changes;
};

Applied apply(Running& running, std::size_t switch_index, std::unique_ptr<const Loaded> loaded,
              std::string (*text_of)(const Problems&)) {
    RunningSwitch& one = running.switches[switch_index];
    Problems problems;
    check_together(running, switch_index, *loaded, problems);
    if (!problems.empty()) return {text_of(problems), {}};
    const Difference difference = diff(one.settings(), loaded->settings);
    if (!difference.refused.empty()) return {lines_of(difference.refused), {}};
    validate_facts(*loaded, one.facts, problems);
    if (!problems.empty()) return {text_of(problems), {}};
    publish_next(running, switch_index, std::move(loaded));
    return {{}, lines_of(difference.live)};
}

Reply done(const std::string& changes) {
    return Reply::shown(changes.empty() ? "nothing is different\n" : changes);
}

}  // namespace

Reply reload(Running& running, std::size_t switch_index, const std::string& file) {
    RunningSwitch& one = running.switches[switch_index];
    Problems problems;
    auto loaded = load(file.empty() ? one.loaded->file : file, problems);
    const auto places = [](const Problems& all) { return all.text(); };
    const Applied applied = problems.empty()
                                ? apply(running, switch_index, std::move(loaded), places)
                                : Applied{problems.text(), {}};
    if (!applied.refused.empty()) {
        Reply reply = refused(applied.refused);
        note_event(running, switch_index, "reload_refused", {}, applied.refused);
        return reply;
    }
    one.changes_by_set = 0;
    note_event(running, switch_index, "reloaded", {}, applied.changes);
    return done(applied.changes);
}

Reply change_settings(Running& running, std::size_t switch_index,
                      const std::function<void(Settings&)>& edit) {
    RunningSwitch& one = running.switches[switch_index];
    auto loaded = std::make_unique<Loaded>(*one.loaded);
    edit(loaded->settings);
    if (loaded->settings == one.settings()) return done({});
    Problems problems;
    validate(*loaded, problems);
    if (!problems.empty()) return refused(without_places(problems));
    const Applied applied = apply(running, switch_index, std::move(loaded), without_places);
    if (!applied.refused.empty()) return refused(applied.refused);
    ++one.changes_by_set;
    note_event(running, switch_index, "settings_changed", {}, applied.changes);
    return done(applied.changes);
}

}  // namespace weir
