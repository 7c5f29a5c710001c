// Every question of the core about the hitting sets of clauses, against brute force.
#pragma once

#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "brute_force.hpp"
#include "counting/circuit.hpp"
#include "counting/counting.hpp"
#include "counting/sample.hpp"
#include "drawn_tree.hpp"
#include "minimum/minimum.hpp"
#include "reasons/antichain.hpp"
#include "reasons/enumerate.hpp"
#include "reasons/greedy.hpp"

namespace fuzz {

inline void expect(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

template <class Atoms>
Set set_of(const Atoms& atoms) {
    Set set = 0;
    for (const std::int32_t atom : atoms) {
        expect((set >> atom & 1) == 0, "an atom twice");
        set |= 1u << atom;
    }
    return set;
}

template <class Start, class Atom>
Sets sets_of(const Start& start, const Atom& atom) {
    Sets sets;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
        sets.push_back(set_of(std::span(atom).subspan(start[i], start[i + 1] - start[i])));
    }
    return sets;
}

inline Sets sorted(Sets sets) {
    std::ranges::sort(sets);
    return sets;
}

inline cattleya::Vector<std::int32_t> atoms_of(Set set) {
    cattleya::Vector<std::int32_t> atoms;
    for (; set != 0; set &= set - 1) atoms.push_back(std::countr_zero(set));
    return atoms;
}

inline std::uint64_t small(const cattleya::Natural& number) {
    expect(number.size() <= 1, "a count that is far too large");
    return number.empty() ? 0 : number[0];
}

inline void check_contrasts(const cattleya::Clauses& found, const Sets& expected) {
    const Sets sets = sets_of(found.start, found.atom);
    expect(sorted(sets) == expected, "other contrastive explanations");
    expect(std::ranges::is_sorted(sets, {}, [](Set s) { return std::popcount(s); }),
           "contrastive explanations out of order");
}

inline void check_importance(const cattleya::counting::ImportanceResult& found, const Truth& truth,
                             Set including, Set excluding, const Sets& clauses) {
    const std::uint64_t total = truth.count(including, excluding);
    expect(small(found.count) == total, "another count beside the importance");
    for (int atom = 0; atom < truth.n_atoms; ++atom) {
        const Set bit = 1u << atom;
        const auto component = found.component_of[atom];
        const bool in_clause =
            std::ranges::any_of(clauses, [&](Set clause) { return (clause & bit) != 0; });
        expect((component >= 0) == in_clause, "an atom of no component");
        if (component < 0) continue;
        const std::uint64_t with = truth.count(including | bit, excluding);
        expect(
            small(found.atom_count[atom]) * total == with * small(found.component_count[component]),
            "another importance");
    }
}

// All questions about clauses whose minimal hitting sets are the reasons of `truth`.
inline void check_hitting_sets(const cattleya::Clauses& given, const Truth& truth, Random& random) {
    using namespace cattleya;
    using namespace cattleya::counting;
    using namespace cattleya::minimum;
    using namespace cattleya::reasons;
    Budget budget;
    const int n = truth.n_atoms;
    const ClauseView view{given.start, given.atom};
    const ClauseSet set{
        n, {given.start.begin(), given.start.end()}, {given.atom.begin(), given.atom.end()}};
    const Sets clauses = sets_of(given.start, given.atom);
    const auto& reasons = truth.reasons;
    const auto is_reason = [&](Set s) { return std::ranges::binary_search(reasons, s); };

    // With what contains a clause and what comes twice, the same clauses are left.
    Clauses more = given;
    for (const Set clause : clauses) {
        const Set larger = clause | (random.below(1 << n) & random.below(1 << n));
        for (const std::int32_t atom : atoms_of(larger)) more.atom.push_back(atom);
        more.start.push_back(static_cast<std::int64_t>(more.atom.size()));
    }
    const Clauses least = minimal_clauses({more.start, more.atom}, n, budget);
    expect(sorted(sets_of(least.start, least.atom)) == sorted(clauses), "other minimal clauses");

    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (int i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    expect(is_reason(set_of(greedy_hitting_set(view, order, n))), "no reason by the greedy way");

    expect(small(count(set, budget, random.chance(1) ? 2 : 1).count) == reasons.size(),
           "another count");
    check_importance(importance(set, budget), truth, 0, 0, clauses);
    const auto sizes = count_by_size(set, budget).count_of_size;
    std::vector<std::uint64_t> of_size(n + 1, 0);
    for (const Set reason : reasons) ++of_size[std::popcount(reason)];
    for (int size = 0; size <= n; ++size) {
        const bool there = size < static_cast<int>(sizes.size());
        expect((there ? small(sizes[size]) : 0) == of_size[size], "another count of a size");
    }

    const std::uint64_t seed = static_cast<std::uint64_t>(random.below(1 << 30));
    const auto drawn = sample(set, 3, seed, budget);
    expect(drawn == sample(set, 3, seed, budget), "another sample from the same seed");
    expect(drawn.size() == 3, "not as many samples as asked for");
    for (const auto& one : drawn) expect(is_reason(set_of(one)), "a sample that is no reason");

    const Set relevant = std::accumulate(clauses.begin(), clauses.end(), Set{0}, std::bit_or<>());
    const Set including = static_cast<Set>(random.below(1 << n) & random.below(1 << n)) & relevant;
    const Set excluding = static_cast<Set>(random.below(1 << n)) & relevant & ~including;
    const Assumptions assumed{atoms_of(including), atoms_of(excluding)};
    const Circuit circuit = compile(set, budget);
    check(circuit);
    expect(small(count(circuit, budget)) == reasons.size(), "another count of the circuit");
    expect(small(count(circuit, budget, assumed)) == truth.count(including, excluding),
           "another count of the circuit under assumptions");
    check_importance(importance(circuit, budget, assumed), truth, including, excluding, clauses);

    const auto all_of = [&](auto& source) {
        Vector<std::int64_t> start{0};
        Vector<std::int32_t> atom;
        while (source.next(1 + random.below(3), start, atom, budget)) {
        }
        return sorted(sets_of(start, atom));
    };
    HittingSets every(view, n);
    expect(all_of(every) == reasons, "other reasons");
    int fewest = n;
    for (const Set reason : reasons) fewest = std::min(fewest, std::popcount(reason));
    Sets shortest;
    std::ranges::copy_if(reasons, std::back_inserter(shortest),
                         [&](Set s) { return std::popcount(s) == fewest; });
    MinimumHittingSets every_shortest(view, n);
    expect(all_of(every_shortest) == shortest, "other minimal reasons");
    const MinimumCount counted = count_minimum_hitting_sets(view, n, budget);
    expect(counted.size == fewest && small(counted.count) == shortest.size(),
           "another count of minimal reasons");
    expect(std::ranges::binary_search(shortest, set_of(minimum_hitting_set(view, n, {}, budget))),
           "no minimal reason");
    std::vector<std::uint64_t> weights(2 * static_cast<std::size_t>(n), 0);
    for (int i = 0; i < n; ++i) weights[2 * i] = 1 + random.below(9);
    const auto weight = [&](Set s) {
        std::uint64_t total = 0;
        for (const std::int32_t atom : atoms_of(s)) total += weights[2 * atom];
        return total;
    };
    const Set light = set_of(minimum_hitting_set(view, n, weights, budget));
    expect(is_reason(light) && weight(light) == weight(std::ranges::min(reasons, {}, weight)),
           "no reason of least weight");
}

}  // namespace fuzz
