// Importance: one backward pass through the program gives, for every atom, the number of minimal
// hitting sets with it.
//
// The backward pass visits the instructions last first, and there can be a thousand million of
// them. So the forward pass is cut into pieces. At the start of each piece a checkpoint is kept:
// the stack of the search and the values then alive, some hundred kilobytes. The backward pass
// takes the pieces last first, brings each back from its checkpoint, runs it forward once more with
// a log, and then backward. The instructions are kept too as long as they fit in a quarter of the
// memory allowed; those beyond that are written again by the search, which takes the same way
// again. When there are too many checkpoints every other one is dropped, so the memory needed does
// not grow with the length of the program.
//
// Cost, in parts of counting: search 1 (2 where instructions were not kept), evaluation twice,
// backward pass. Blocks (dense_back.cpp) are evaluated twice, or three times where what came out of
// them was not kept.
#include <algorithm>

#include "counting/bound.hpp"
#include "counting/dense.hpp"
#include "counting/evaluate.hpp"
#include "counting/importance_run.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

struct Outcome {
    ComponentImportance importance;
    double bits;
};

// The backward pass is done with no more limbs than the forward pass has shown to be needed, or not
// at all where it had too few itself.
Outcome importance_with(int limbs, const Component& component, double bound, Budget& budget,
                        Effort& effort) {
    ComponentSearch run(component, budget, true);
    PiecewiseRun pieces(run.emit, run.search, kFirstInput + run.inputs, budget);
    Outcome outcome;
    {
        BlockMachine machine(limbs);
        load_units(machine.ring, run.inputs);
        load_units(machine.enclosure, run.inputs);
        pieces.forward(machine);
        const Slot result = run.search.result();
        outcome.importance.count = natural_from(machine.ring.value(result), machine.ring.limbs());
        outcome.bits = std::min(bound, machine.enclosure.bits(result));
    }
    effort.nodes += run.search.nodes();
    effort.instructions += run.emit.instructions();
    const int enough = limbs_for(outcome.bits);
    if (enough > limbs) return outcome;
    BlockMachine machine(enough);
    machine.reserve(run.emit.high_water());
    machine.ring.start_back(run.search.result());
    pieces.backward(machine);
    for (Slot v = 0; v < run.inputs; ++v) {
        outcome.importance.atom_count.push_back(
            natural_from(machine.ring.adjoint(kFirstInput + v), machine.ring.limbs()));
    }
    return outcome;
}

}  // namespace

ComponentImportance importance_of_component(const Component& component, Budget& budget,
                                            Effort& effort, int threads) {
    if (is_single_clause(component)) {
        const std::size_t n = component.atoms.size();
        return {{n}, Vector<Natural>(n, Natural{1})};
    }
    if (threads > 1) {
        ComponentSearch attempt(component, budget, true);
        if (!attempt.search.advance(kShortProgram)) {
            return count_in_parallel(component, true, threads, budget, effort);
        }
    }
    const double bound = count_bits_bound(component.clauses, budget);
    const int limbs = guess_limbs(bound);
    Outcome outcome = importance_with(limbs, component, bound, budget, effort);
    if (outcome.importance.atom_count.empty()) {  // the guess was too small
        outcome = importance_with(limbs_for(outcome.bits), component, bound, budget, effort);
    }
    return std::move(outcome.importance);
}

ImportanceResult importance(const ClauseSet& clauses, Budget& budget, int threads) {
    check(clauses);
    ImportanceResult result;
    result.component_of.assign(static_cast<std::size_t>(clauses.n_atoms), -1);
    result.atom_count.resize(static_cast<std::size_t>(clauses.n_atoms));
    const auto components = split_into_components(clauses, budget);
    if (!components) return result;
    for (const Component& component : *components) {
        ComponentImportance part =
            importance_of_component(component, budget, result.effort, threads);
        for (std::size_t i = 0; i < component.atoms.size(); ++i) {
            const auto atom = static_cast<std::size_t>(component.atoms[i]);
            result.component_of[atom] = static_cast<std::int32_t>(result.component_count.size());
            result.atom_count[atom] = std::move(part.atom_count[i]);
        }
        result.component_count.push_back(std::move(part.count));
    }
    result.count = product(result.component_count);
    return result;
}

}  // namespace cattleya::counting
