// The greedy sufficient reason: the paper's, started from the direct reason.
#include "reasons/greedy.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cattleya::reasons {

std::vector<std::int32_t> greedy_hitting_set(const ClauseView& clauses,
                                             std::span<const std::int32_t> start,
                                             std::size_t n_conditions) {
    constexpr std::int32_t kAbsent = -1;
    clauses.check(n_conditions);
    std::vector<std::int32_t> place(n_conditions, kAbsent);
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (start[i] < 0 || static_cast<std::size_t>(start[i]) >= n_conditions) {
            throw std::invalid_argument("condition " + std::to_string(start[i]) +
                                        " is out of range");
        }
        place[start[i]] = static_cast<std::int32_t>(i);
    }

    // For each condition of the start its clauses; for each clause, how often it is hit.
    std::vector<std::vector<std::int32_t>> on(start.size());
    std::vector<std::int32_t> hits(clauses.size(), 0);
    for (std::size_t clause = 0; clause < clauses.size(); ++clause) {
        for (auto k = clauses.start[clause]; k < clauses.start[clause + 1]; ++k) {
            const std::int32_t at = place[clauses.atom[k]];
            if (at == kAbsent) continue;
            ++hits[clause];
            on[at].push_back(static_cast<std::int32_t>(clause));
        }
        if (hits[clause] == 0) {
            throw std::invalid_argument("the start does not hit clause " + std::to_string(clause));
        }
    }

    std::vector<std::int32_t> kept;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const bool needed = std::any_of(on[i].begin(), on[i].end(),
                                        [&](std::int32_t clause) { return hits[clause] == 1; });
        if (needed) {
            kept.push_back(start[i]);
        } else {
            for (const std::int32_t clause : on[i]) --hits[clause];
        }
    }
    return kept;
}

}  // namespace cattleya::reasons
