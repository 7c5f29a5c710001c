#include "reasons/enumerate.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace cattleya::reasons {

HittingSets::HittingSets(const ClauseView& clauses, std::int32_t n_atoms) {
    if (n_atoms < 0) throw std::invalid_argument("n_atoms is negative");
    clauses.check(static_cast<std::size_t>(n_atoms));
    start_.assign(clauses.start.begin(), clauses.start.end());
    atom_.assign(clauses.atom.begin(), clauses.atom.end());

    const auto n_clauses = static_cast<std::int32_t>(clauses.size());
    on_start_.assign(static_cast<std::size_t>(n_atoms) + 1, 0);
    for (const std::int32_t atom : atom_) ++on_start_[atom + 1];
    for (std::int32_t atom = 0; atom < n_atoms; ++atom) on_start_[atom + 1] += on_start_[atom];
    on_.resize(atom_.size());
    Vector<std::int64_t> fill(on_start_.begin(), on_start_.end() - 1);
    for (std::int32_t clause = 0; clause < n_clauses; ++clause) {
        for (auto k = start_[clause]; k < start_[clause + 1]; ++k) on_[fill[atom_[k]]++] = clause;
    }

    hits_.assign(n_clauses, 0);
    hitters_.assign(n_clauses, 0);
    candidates_.resize(n_clauses);
    place_.resize(n_clauses);
    uncovered_.resize(n_clauses);
    for (std::int32_t clause = 0; clause < n_clauses; ++clause) {
        candidates_[clause] = static_cast<std::int32_t>(start_[clause + 1] - start_[clause]);
        place_[clause] = uncovered_[clause] = clause;
    }
    is_candidate_.assign(n_atoms, 1);
    own_.assign(n_atoms, 0);
}

void HittingSets::add(std::int32_t atom) {
    members_.push_back(atom);
    for (auto k = on_start_[atom]; k < on_start_[atom + 1]; ++k) {
        const std::int32_t clause = on_[k];
        if (hits_[clause] == 0) {
            ++own_[atom];
            const std::int32_t last = uncovered_.back();
            uncovered_[place_[clause]] = last;
            place_[last] = place_[clause];
            uncovered_.pop_back();
        } else if (hits_[clause] == 1) {
            --own_[hitters_[clause]];
        }
        ++hits_[clause];
        hitters_[clause] ^= atom;
    }
}

void HittingSets::remove(std::int32_t atom) {
    members_.pop_back();
    // Backwards, so that the list of uncovered clauses comes back in its old order.
    for (auto k = on_start_[atom + 1]; k-- > on_start_[atom];) {
        const std::int32_t clause = on_[k];
        --hits_[clause];
        hitters_[clause] ^= atom;
        if (hits_[clause] == 0) {
            --own_[atom];
            uncovered_.push_back(clause);
            // It was the last one that took this place; it goes back behind.
            std::swap(uncovered_.back(), uncovered_[place_[clause]]);
            place_[uncovered_.back()] = static_cast<std::int32_t>(uncovered_.size() - 1);
            place_[uncovered_[place_[clause]]] = place_[clause];
        } else if (hits_[clause] == 1) {
            ++own_[hitters_[clause]];
        }
    }
}

// Does every member keep a clause that it alone hits, when an atom of an uncovered one is added?
bool HittingSets::spares(std::int32_t atom) {
    bool all_keep_one = true;
    auto k = on_start_[atom];
    for (; k < on_start_[atom + 1] && all_keep_one; ++k) {
        if (hits_[on_[k]] == 1) all_keep_one = --own_[hitters_[on_[k]]] > 0;
    }
    while (k-- > on_start_[atom]) {
        if (hits_[on_[k]] == 1) ++own_[hitters_[on_[k]]];
    }
    return all_keep_one;
}

void HittingSets::set_candidate(std::int32_t atom, bool is_candidate) {
    is_candidate_[atom] = is_candidate ? 1 : 0;
    const std::int32_t change = is_candidate ? 1 : -1;
    for (auto k = on_start_[atom]; k < on_start_[atom + 1]; ++k) candidates_[on_[k]] += change;
}

// Chooses the uncovered clause with the fewest candidates and takes these out of the game; each
// comes back when it has been tried.
void HittingSets::open_frame() {
    std::int32_t best = -1;
    std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t clause : uncovered_) {
        if (candidates_[clause] < fewest || (candidates_[clause] == fewest && clause < best)) {
            fewest = candidates_[clause];
            best = clause;
            if (fewest == 0) break;
        }
    }
    const auto first = static_cast<std::int32_t>(tried_.size());
    if (fewest > 0) {
        for (auto k = start_[best]; k < start_[best + 1]; ++k) {
            if (is_candidate_[atom_[k]]) tried_.push_back(atom_[k]);
        }
    }
    const auto last = static_cast<std::int32_t>(tried_.size());
    const bool is_last = uncovered_.size() == 1;
    for (std::int32_t k = first; k < last && !is_last; ++k) set_candidate(tried_[k], false);
    frames_.push_back({first, last, first, is_last});
}

void HittingSets::close_frame() {
    const Frame frame = frames_.back();
    for (std::int32_t k = frame.at; k < frame.last; ++k) set_candidate(tried_[k], true);
    tried_.resize(frame.first);
    frames_.pop_back();
}

bool HittingSets::next(std::int64_t limit, Vector<std::int64_t>& start, Vector<std::int32_t>& atom,
                       Budget& budget) {
    std::int64_t given = 0;
    const auto give = [&] {
        atom.insert(atom.end(), members_.begin(), members_.end());
        start.push_back(static_cast<std::int64_t>(atom.size()));
        ++given;
    };
    if (!started_) {
        if (limit <= 0) return true;
        started_ = true;
        if (uncovered_.empty()) {  // no clause at all: the empty set is the only one
            give();
            done_ = true;
        } else {
            open_frame();
        }
    }
    while (!done_ && given < limit) {
        budget.tick(static_cast<std::int64_t>(uncovered_.size()) + 50);
        Frame& frame = frames_.back();
        if (frame.is_last) {
            for (; frame.at < frame.last && given < limit; ++frame.at) {
                if (!spares(tried_[frame.at])) continue;
                members_.push_back(tried_[frame.at]);
                give();
                members_.pop_back();
            }
            if (frame.at < frame.last) break;
        }
        if (frame.at == frame.last) {
            close_frame();
            if (frames_.empty()) {
                done_ = true;
                break;
            }
            // Back in the frame above: its current candidate has been tried.
            Frame& above = frames_.back();
            const std::int32_t tried = tried_[above.at++];
            remove(tried);
            set_candidate(tried, true);
            continue;
        }
        if (spares(tried_[frame.at])) {
            add(tried_[frame.at]);
            if (!uncovered_.empty()) {
                open_frame();
                continue;
            }
            give();
            remove(tried_[frame.at]);
        }
        set_candidate(tried_[frame.at++], true);
    }
    return !done_;
}

}  // namespace cattleya::reasons
