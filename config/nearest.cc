// SPDX-License-Identifier: BSD-3-Clause
#include "config/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace weir {

unsigned edit_distance(std::string_view a, std::string_view b) {
    // Three rows of the matrix of "optimal string alignment": a swap looks two rows back.
    std::vector<unsigned> before_last(b.size() + 1);
    std::vector<unsigned> last(b.size() + 1);
    std::vector<unsigned> row(b.size() + 1);
    for (unsigned j = 0; j <= b.size(); ++j) last[j] = j;
    for (unsigned i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (unsigned j = 1; j <= b.size(); ++j) {
            const unsigned replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

namespace {

// What SONiC calls it: BUFFER_PROFILE, WRED_PROFILE, SCHEDULER, PFC_WD, CABLE_LENGTH, port QoS
// maps.
struct Habit {
    std::string_view theirs;
    std::string_view ours;
};
constexpr Habit kHabits[] = {{"dynamic_th", "alpha"},
                             {"static_th", "limit"},
                             {"size", "reserve"},
                             {"xoff", "headroom"},
                             {"xon", "xon_offset"},
                             {"green_min_threshold", "kmin"},
                             {"green_max_threshold", "kmax"},
                             {"green_drop_probability", "pmax"},
                             {"wred", "ecn"},
                             {"weight", "weights"},
                             {"pfc_enable", "pfc"},
                             {"pfcwd", "watchdog"},
                             {"pfc_wd", "watchdog"},
                             {"detection_time", "detection"},
                             {"restoration_time", "restoration"},
                             {"cable_length", "cable"},
                             {"mtu", "frame_bytes_max"}};

std::string_view habitual_word(std::string_view word, std::span<const std::string_view> known) {
    for (const Habit& habit : kHabits) {
        if (habit.theirs != word) continue;
        if (std::find(known.begin(), known.end(), habit.ours) != known.end()) return habit.ours;
    }
    return {};
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
    constexpr std::size_t kWordMax = 64;  // the cost is quadratic, and no key is as long
    if (word.size() > kWordMax) return {};
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::replace(lower.begin(), lower.end(), '-', '_');
    std::string_view best = habitual_word(lower, known);
    if (!best.empty()) return best;
    unsigned best_distance = 4;  // four wrong letters are another word
    for (const std::string_view candidate : known) {
        const unsigned distance = edit_distance(lower, candidate);
        // More than half of the letters wrong is another word as well.
        if (distance < best_distance && distance * 2 <= candidate.size()) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
    const std::string_view near = nearest_word(word, known);
    if (!near.empty()) return "did you mean '" + std::string(near) + "'?";
    std::string out = "known here: ";
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (i > 0) out += ", ";
        out += known[i];
    }
    return out;
}

}  // namespace weir
