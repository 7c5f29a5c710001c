// A clause is kept if no kept clause lies inside it; smaller clauses are looked at first, so a kept
// one never has to go. Every kept clause is listed under one of its atoms only, the one that the
// fewest clauses have: whatever contains it has that atom too, and the lists stay short.
#include "reasons/antichain.hpp"

#include <algorithm>
#include <numeric>

namespace cattleya::reasons {

Clauses minimal_clauses(const ClauseView& clauses, std::size_t n_atoms, Budget& budget) {
    clauses.check(n_atoms);
    const auto atoms_of = [&](std::size_t clause) {
        return clauses.atom.subspan(clauses.start[clause],
                                    clauses.start[clause + 1] - clauses.start[clause]);
    };
    Vector<std::size_t> order(clauses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return atoms_of(a).size() < atoms_of(b).size();
    });
    Vector<std::size_t> occurrences(n_atoms, 0);
    for (const std::int32_t atom : clauses.atom) ++occurrences[atom];

    Clauses kept;
    Vector<Vector<std::size_t>> listed(n_atoms);
    Vector<std::uint8_t> marked(n_atoms, 0);
    const auto lies_inside = [&](std::size_t small) {
        budget.tick(static_cast<std::int64_t>(atoms_of(small).size()) + 2);
        return std::ranges::all_of(atoms_of(small), [&](auto atom) { return marked[atom] != 0; });
    };
    for (const std::size_t clause : order) {
        const auto atoms = atoms_of(clause);
        budget.tick(static_cast<std::int64_t>(atoms.size()) + 2);
        if (atoms.empty()) return Clauses{{0, 0}, {}};  // it lies inside every other
        for (const std::int32_t atom : atoms) marked[atom] = 1;
        const bool redundant = std::ranges::any_of(
            atoms, [&](auto atom) { return std::ranges::any_of(listed[atom], lies_inside); });
        for (const std::int32_t atom : atoms) marked[atom] = 0;
        if (redundant) continue;
        const auto rarest = std::ranges::min(
            atoms, [&](auto a, auto b) { return occurrences[a] < occurrences[b]; });
        listed[rarest].push_back(clause);
        kept.atom.insert(kept.atom.end(), atoms.begin(), atoms.end());
        kept.start.push_back(static_cast<std::int64_t>(kept.atom.size()));
    }
    return kept;
}

}  // namespace cattleya::reasons
