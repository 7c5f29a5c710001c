// The greedy sufficient reason: the paper's, started from the direct reason.
#include "reasons/greedy.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cattleya::reasons {

void Greedy::operator()(const ClauseView& clauses, std::span<const std::int32_t> start,
                        std::vector<std::int32_t>& kept) {
    for (std::size_t i = 0; i < start.size(); ++i) place_[start[i]] = static_cast<std::int32_t>(i);
    const auto forget = [&] {
        for (const std::int32_t condition : start) place_[condition] = kAbsent;
    };

    // For each clause, how often it is hit; for each condition of the start, how many it hits.
    hits_.assign(clauses.size(), 0);
    first_.assign(start.size() + 2, 0);
    for (std::size_t clause = 0; clause < clauses.size(); ++clause) {
        for (auto k = clauses.start[clause]; k < clauses.start[clause + 1]; ++k) {
            const std::int32_t at = place_[clauses.atom[k]];
            if (at == kAbsent) continue;
            ++hits_[clause];
            ++first_[at + 2];
        }
        if (hits_[clause] == 0) {
            forget();
            throw std::invalid_argument("the start does not hit clause " + std::to_string(clause));
        }
    }
    for (std::size_t i = 2; i < first_.size(); ++i) first_[i] += first_[i - 1];
    on_.resize(first_.back());
    for (std::size_t clause = 0; clause < clauses.size(); ++clause) {
        for (auto k = clauses.start[clause]; k < clauses.start[clause + 1]; ++k) {
            const std::int32_t at = place_[clauses.atom[k]];
            if (at != kAbsent) on_[first_[at + 1]++] = static_cast<std::int32_t>(clause);
        }
    }
    forget();

    for (std::size_t i = 0; i < start.size(); ++i) {
        const auto own = std::span(on_).subspan(first_[i], first_[i + 1] - first_[i]);
        const bool needed =
            std::ranges::any_of(own, [&](std::int32_t clause) { return hits_[clause] == 1; });
        if (needed) {
            kept.push_back(start[i]);
        } else {
            for (const std::int32_t clause : own) --hits_[clause];
        }
    }
}

std::vector<std::int32_t> greedy_hitting_set(const ClauseView& clauses,
                                             std::span<const std::int32_t> start,
                                             std::size_t n_conditions) {
    clauses.check(n_conditions);
    for (const std::int32_t condition : start) {
        if (condition < 0 || static_cast<std::size_t>(condition) >= n_conditions) {
            throw std::invalid_argument("condition " + std::to_string(condition) +
                                        " is out of range");
        }
    }
    std::vector<std::int32_t> kept;
    Greedy{n_conditions}(clauses, start, kept);
    return kept;
}

}  // namespace cattleya::reasons
