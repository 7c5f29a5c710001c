#include <algorithm>
#include <utility>

#include "minimum/minimise.hpp"
#include "minimum/minimum.hpp"
#include "minimum/reduction.hpp"
#include "minimum/tighten.hpp"

namespace cattleya::minimum {

MinimumHittingSets::MinimumHittingSets(const ClauseView& clauses, std::int32_t n_atoms)
    : given_(family_of(clauses, n_atoms)) {}

void MinimumHittingSets::begin(Budget& budget) {
    const auto size = static_cast<std::int32_t>(minimise(given_, budget)->size());
    Reduction reduction(given_, Fold::nothing, budget);
    auto parts = *tighten(reduction, size, budget);
    for (const std::int32_t a : reduction.taken()) members_.push_back(given_.tag[a]);
    given_ = {};
    begun_ = true;
    is_only_set_next_ = parts.empty();
    queue(std::move(parts), kNone);
}

// Puts parts before those that are to come anyway, and opens the first.
bool MinimumHittingSets::queue(Vector<Part> parts, std::int32_t next) {
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        parts_.push_back({std::move(*part), next});
        next = static_cast<std::int32_t>(parts_.size()) - 1;
    }
    if (next == kNone) return false;
    Frame frame{next, members_.size(), parts_.size()};
    const Family& family = parts_[next].part.family;
    if (parts_[next].part.size == 1) {
        // Only an atom of every clause will do.
        const auto degree = degrees(family);
        for (std::int32_t a = 0; a < family.n_atoms(); ++a) {
            if (degree[a] == family.n_clauses()) frame.candidates.push_back(a);
        }
    } else {
        std::int32_t smallest = 0;
        for (std::int32_t c = 1; c < family.n_clauses(); ++c) {
            if (family.size(c) < family.size(smallest)) smallest = c;
        }
        frame.candidates.assign(family.atom.begin() + family.start[smallest],
                                family.atom.begin() + family.start[smallest + 1]);
    }
    frames_.push_back(std::move(frame));
    return true;
}

bool MinimumHittingSets::next(std::int64_t limit, Vector<std::int64_t>& start,
                              Vector<std::int32_t>& atom, Budget& budget) {
    const std::size_t before = start.size();
    try {
        if (limit > 0) search(limit, start, atom, budget);
    } catch (const TimeoutExpired&) {
        if (start.size() == before) throw;
    }
    return is_only_set_next_ || !frames_.empty();
}

void MinimumHittingSets::search(std::int64_t limit, Vector<std::int64_t>& start,
                                Vector<std::int32_t>& atom, Budget& budget) {
    if (!begun_) begin(budget);
    std::int64_t given = 0;
    const auto give = [&] {
        const auto first = static_cast<std::ptrdiff_t>(atom.size());
        atom.insert(atom.end(), members_.begin(), members_.end());
        std::sort(atom.begin() + first, atom.end());
        start.push_back(static_cast<std::int64_t>(atom.size()));
        ++given;
    };
    if (std::exchange(is_only_set_next_, false)) give();
    while (!frames_.empty() && given < limit) {
        Frame& frame = frames_.back();
        members_.resize(frame.members);
        parts_.resize(frame.parts);
        if (frame.at == frame.candidates.size()) {
            frames_.pop_back();
            continue;
        }
        budget.tick(100);
        const auto& [part, next] = parts_[frame.part];
        const std::int32_t tried = frame.candidates[frame.at];
        const std::int32_t to_come = next;
        Vector<Part> parts;
        if (part.size == 1) {
            members_.push_back(part.family.tag[tried]);
        } else {
            Reduction reduction(part.family, Fold::nothing, budget);
            for (std::size_t k = 0; k < frame.at; ++k) reduction.drop(frame.candidates[k]);
            reduction.take(tried);
            auto left = tighten(reduction, part.size, budget);
            if (!left) {
                ++frame.at;
                continue;
            }
            parts = std::move(*left);
            for (const std::int32_t a : reduction.taken()) {
                members_.push_back(part.family.tag[a]);
            }
        }
        ++frame.at;  // only now: what throws above is tried again
        if (!queue(std::move(parts), to_come)) give();
    }
}

}  // namespace cattleya::minimum
