// Importance: one backward pass through the program gives, for every atom, the number of minimal
// hitting sets with it.
//
// The backward pass visits the instructions last first, and there can be a thousand million of
// them. So the forward pass is cut into pieces. At the start of each piece a checkpoint is kept:
// the stack of the search and the values then alive, some hundred kilobytes. The backward pass
// takes the pieces last first, brings each back from its checkpoint, runs it forward once more with
// a log, and then backward. The instructions are kept too as long as they fit in an eighth of the
// memory allowed; beyond that, they are written again by the search, which takes the same way
// again. When there are too many checkpoints every other one is dropped, so the memory needed does
// not grow with the length of the program.
//
// Cost, in parts of counting: search 1 (2 where instructions were not kept), evaluation twice,
// backward pass.
#include <algorithm>

#include "bound.hpp"
#include "enclosure.hpp"
#include "evaluate.hpp"
#include "natural.hpp"

namespace cattleya {
namespace {

struct Piece {
    Search::Checkpoint search;
    std::vector<Limb> values;
    std::vector<std::uint32_t> code;  // empty where not kept
    std::size_t words;
};

struct Outcome {
    ComponentImportance importance;
    double bits;
};

template <class AnyMachine>
class ImportanceRun {
   public:
    ImportanceRun(AnyMachine& machine, ComponentSearch& run, Budget& budget)
        : machine_(machine), run_(run), budget_(budget) {
        // an instruction takes three to four words, and its log the width of a number and four
        // bytes
        const std::int64_t log_bytes = 2 * (8 * machine.limbs() + 4);
        const std::int64_t piece = budget.memory_limit / 16 * 3 / log_bytes;
        piece_words_ = static_cast<std::size_t>(std::clamp<std::int64_t>(piece, 1 << 12, 1 << 20));
        load_units(machine_, run_.inputs);
    }

    Outcome operator()(bool enclose) {
        EnclosureMachine enclosure;
        if (enclose) load_units(enclosure, run_.inputs);
        forward(enclose ? &enclosure : nullptr);
        const Slot result = run_.search.result();
        Outcome outcome;
        outcome.importance.count = natural_from(machine_.value(result), machine_.limbs());
        outcome.bits = enclose ? enclosure.bits(result) : 0;
        if (enclose && limbs_for(outcome.bits) > machine_.limbs()) return outcome;
        machine_.start_back(result);
        while (!pieces_.empty()) {
            back(pieces_.back());
            pieces_.pop_back();
        }
        for (Slot v = 0; v < run_.inputs; ++v) {
            outcome.importance.atom_count.push_back(
                natural_from(machine_.adjoint(kFirstInput + v), machine_.limbs()));
        }
        return outcome;
    }

   private:
    static constexpr std::size_t kMaxPieces = 512;

    void forward(EnclosureMachine* enclosure) {
        bool done = false;
        // What ComponentSearch wrote before the search proper belongs to the first piece: its
        // checkpoint is empty of code.
        while (!done) {
            Piece piece;
            const std::size_t before = run_.emit.words();
            if (before == 0) {
                piece.search = run_.search.checkpoint();
                piece.values = machine_.save(run_.emit.top());
            } else {
                piece.values = machine_.save(kFirstInput + run_.inputs);
            }
            done = run_.search.advance(piece_words_);
            machine_.reserve(run_.emit.high_water());
            evaluate(enclosure);
            piece.words = run_.emit.words();
            if (before != 0) {
                piece.code.assign(run_.emit.code(), run_.emit.code() + piece.words);
            } else {
                keep_code(piece);
            }
            checkpoint_bytes_ += piece.search.bytes() + bytes_of(piece.values);
            pieces_.push_back(std::move(piece));
            run_.emit.clear_code();
            if (pieces_.size() > kMaxPieces || checkpoint_bytes_ > budget_.memory_limit / 4) thin();
        }
    }

    static std::int64_t bytes_of(const std::vector<Limb>& values) {
        return static_cast<std::int64_t>(values.size() * sizeof(Limb));
    }

    void evaluate(EnclosureMachine* enclosure) {
        const std::int64_t slots = run_.emit.high_water();
        budget_.require_memory(slots * 8 * (3 * machine_.limbs() + 4));
        for_each_stretch(run_.emit.code(), run_.emit.words(),
                         [&](const std::uint32_t* code, std::size_t words) {
                             machine_.run(code, words);
                             if (enclosure != nullptr) {
                                 enclosure->reserve(run_.emit.high_water());
                                 enclosure->run(code, words);
                             }
                         });
    }

    // Visits the code in stretches short enough for the budget to be looked at in between.
    template <class Visit>
    void for_each_stretch(const std::uint32_t* code, std::size_t words, Visit&& visit) {
        const std::int64_t work = 2 * machine_.limbs() * machine_.limbs();
        const std::size_t stretch =
            static_cast<std::size_t>(std::max<std::int64_t>(16, 2'000'000 / work));
        while (words != 0) {
            std::size_t taken = 0;
            while (taken < words && taken < stretch) {
                taken += 1 + static_cast<std::size_t>(kOperandWords[code[taken] >> kTargetBits]);
            }
            visit(code, taken);
            budget_.tick(static_cast<std::int64_t>(taken) * work);
            code += taken;
            words -= taken;
        }
    }

    void keep_code(Piece& piece) {
        if (!keeping_) return;
        kept_words_ += static_cast<std::int64_t>(piece.words);
        if (4 * kept_words_ > budget_.memory_limit / 8) {
            keeping_ = false;
            for (std::size_t i = 1; i < pieces_.size(); ++i) pieces_[i].code = {};
            return;
        }
        piece.code.assign(run_.emit.code(), run_.emit.code() + piece.words);
    }

    // Joins pieces two by two; the first stands alone.
    void thin() {
        keeping_ = false;
        std::vector<Piece> kept;
        checkpoint_bytes_ = 0;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            if (i != 0) pieces_[i].code = {};
            if (i >= 2 && i % 2 == 0) {
                kept.back().words += pieces_[i].words;
            } else {
                checkpoint_bytes_ += pieces_[i].search.bytes() + bytes_of(pieces_[i].values);
                kept.push_back(std::move(pieces_[i]));
            }
        }
        pieces_ = std::move(kept);
        piece_words_ *= 2;
        const std::int64_t log =
            static_cast<std::int64_t>(piece_words_) / 3 * (8 * machine_.limbs() + 8);
        budget_.require_memory(log + checkpoint_bytes_);
    }

    void back(Piece& piece) {
        machine_.load(piece.values);
        const std::uint32_t* code = piece.code.data();
        if (piece.code.empty() && piece.words != 0) {
            run_.search.restore(piece.search);
            run_.search.advance(piece.words);
            code = run_.emit.code();
        }
        machine_.start_log();
        for_each_stretch(code, piece.words, [&](const std::uint32_t* at, std::size_t words) {
            machine_.run_logged(code, at, words);
        });
        while (machine_.run_back(code, 4096))
            budget_.tick(4096 * 4 * machine_.limbs() * machine_.limbs());
    }

    AnyMachine& machine_;
    ComponentSearch& run_;
    Budget& budget_;
    std::size_t piece_words_;
    std::vector<Piece> pieces_;
    bool keeping_ = true;
    std::int64_t kept_words_ = 0;
    std::int64_t checkpoint_bytes_ = 0;
};

Outcome importance_with(int limbs, const Component& component, bool enclose, Budget& budget,
                        Effort& effort) {
    ComponentSearch run(component, budget);
    Outcome outcome = with_machine(
        limbs, [&](auto& machine) { return ImportanceRun(machine, run, budget)(enclose); });
    effort.nodes += run.search.nodes();
    effort.instructions += run.emit.instructions();
    return outcome;
}

}  // namespace

ComponentImportance importance_of_component(const Component& component, Budget& budget,
                                            Effort& effort) {
    if (is_single_clause(component)) {
        const std::size_t n = component.atoms.size();
        return {{n}, std::vector<Natural>(n, Natural{1})};
    }
    const double bound = count_bits_bound(component.clauses, budget);
    const int limbs = guess_limbs(bound);
    Outcome outcome = importance_with(limbs, component, limbs < limbs_for(bound), budget, effort);
    if (outcome.importance.atom_count.empty()) {  // the guess was too small
        outcome = importance_with(limbs_for(std::min(bound, outcome.bits)), component, false,
                                  budget, effort);
    }
    return std::move(outcome.importance);
}

ImportanceResult importance(const ClauseSet& clauses, Budget& budget,
                            const Assumptions& assumptions) {
    check(clauses, assumptions);
    ImportanceResult result;
    result.component_of.assign(static_cast<std::size_t>(clauses.n_atoms), -1);
    result.atom_count.resize(static_cast<std::size_t>(clauses.n_atoms));
    const auto components = split_into_components(clauses, assumptions, {}, budget);
    if (!components) return result;
    for (const Component& component : *components) {
        ComponentImportance part = importance_of_component(component, budget, result.effort);
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

}  // namespace cattleya
