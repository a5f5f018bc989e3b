// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/results.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weir::lab {

Distribution distribution_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto percentile = [&](double percent) {
        const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
        return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
    };
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {.count = values.size(),
            .mean = sum / static_cast<double>(values.size()),
            .p50 = percentile(50),
            .p99 = percentile(99),
            .max = values.back()};
}

Evenness evenness_of(const std::vector<double>& loads) {
    double sum = 0;
    double squares = 0;
    double largest = 0;
    for (const double load : loads) {
        sum += load;
        squares += load * load;
        largest = std::max(largest, load);
    }
    if (sum == 0) return {};
    const auto count = static_cast<double>(loads.size());
    return {.max_over_mean = largest * count / sum, .jain = sum * sum / (count * squares)};
}

}  // namespace weir::lab
