// Counting: the program is evaluated piece by piece as the search writes it, and forgotten.
//
// The number of limbs. The program runs with a guess, beside floating point with proven errors
// (enclosure.hpp), which blocks need too; if the enclosure ends above the guess (the guess is
// generous, so this is rare) the count is done once more with what the enclosure or the bound by
// splitting allows. Both bounds are proven, so the result never depends on the guess.
#include <algorithm>
#include <cmath>

#include "counting/bound.hpp"
#include "counting/dense.hpp"
#include "counting/enclosure.hpp"
#include "counting/evaluate.hpp"
#include "counting/machine.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 14;

struct Outcome {
    Natural count;
    double bits;  // proven
};

Outcome count_with(int limbs, ComponentSearch& run, bool done, Budget& budget) {
    BlockMachine machine(limbs);
    load_units(machine.ring, run.inputs);
    load_units(machine.enclosure, run.inputs);
    while (true) {
        budget.tick(static_cast<std::int64_t>(run.emit.words()) * limbs * limbs);
        machine.reserve(run.emit.high_water());
        machine.run(run.emit.code(), run.emit.end(), budget);
        run.emit.clear_code();
        if (done) break;
        done = run.search.advance(kPiece);
    }
    const Slot result = run.search.result();
    return Outcome{natural_from(machine.ring.value(result), machine.ring.limbs()),
                   machine.enclosure.bits(result)};
}

}  // namespace

int limbs_for(double bits) {
    constexpr int most = 1 << 24;  // a gigabit: no machine gets that far
    return bits < 64.0 * most ? std::max(1, static_cast<int>(std::ceil(bits / 64))) : most;
}

int guess_limbs(double bound_bits) {
    return limbs_for(std::min(bound_bits, 0.35 * bound_bits + 6));
}

bool is_single_clause(const Component& component) {
    return component.clauses.size() == 1 && component.kind.empty() &&
           std::none_of(component.included.begin(), component.included.end(),
                        [](bool b) { return b; });
}

Natural count_component(const Component& component, Budget& budget, Effort& effort, int threads) {
    if (is_single_clause(component)) {
        return {static_cast<std::uint64_t>(component.clauses.n_atoms)};
    }
    const double bound = count_bits_bound(component.clauses, budget);
    const int limbs = guess_limbs(bound);
    ComponentSearch run(component, budget, true);
    const bool done = run.search.advance(threads > 1 ? kShortProgram : kPiece);
    if (!done && threads > 1) {
        return count_in_parallel(component, false, threads, budget, effort).count;
    }
    Outcome outcome = count_with(limbs, run, done, budget);
    const int enough = limbs_for(std::min(bound, outcome.bits));
    if (enough > limbs) {
        ComponentSearch again(component, budget, true);
        outcome = count_with(enough, again, false, budget);
    }
    effort.nodes += run.search.nodes();
    effort.instructions += run.emit.instructions();
    return std::move(outcome.count);
}

CountResult count(const ClauseSet& clauses, Budget& budget, int threads) {
    check(clauses);
    CountResult result;
    const auto components = split_into_components(clauses, budget);
    if (!components) return result;
    Vector<Natural> counts;
    for (const Component& component : *components) {
        counts.push_back(count_component(component, budget, result.effort, threads));
        budget.tick(100);
    }
    result.count = product(std::move(counts));
    return result;
}

}  // namespace cattleya::counting
