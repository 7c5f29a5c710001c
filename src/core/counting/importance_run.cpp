#include "counting/importance_run.hpp"

#include <algorithm>
#include <utility>

namespace cattleya::counting {
namespace {

constexpr std::size_t kMaxPieces = 512;
constexpr std::size_t kMoreThanAsked = std::size_t{1} << 14;  // words of a last step

}  // namespace

void PiecewiseRun::Piece::save(const BlockMachine& machine, Slot top) {
    values = machine.ring.save(top);
    cells = machine.enclosure.save(top);
}

std::int64_t PiecewiseRun::Piece::bytes_of_checkpoint() const {
    return search.bytes() + static_cast<std::int64_t>(values.size() * sizeof(values[0]) +
                                                      cells.size() * sizeof(cells[0]));
}

void PiecewiseRun::forward(BlockMachine& machine) {
    limbs_ = machine.ring.limbs();
    // an instruction takes three to four words, and its log the width of a number and four
    // bytes
    const std::int64_t words = budget_.memory_limit / 16 * 3 / (2 * (8 * limbs_ + 4));
    piece_words_ = static_cast<std::size_t>(std::clamp<std::int64_t>(words, 1 << 12, 1 << 20));
    machine.keep_outcomes(budget_.memory_limit / 16);
    bool done = false;
    // What was written before the search proper belongs to the first piece, which cannot be
    // written again.
    while (!done) {
        Piece piece;
        const std::size_t before = emit_.words();
        if (before == 0) {
            piece.search = search_.checkpoint();
            piece.save(machine, emit_.top());
        } else {
            piece.save(machine, first_free_);
        }
        emit_.reserve_code(piece_words_ + kMoreThanAsked);
        done = search_.advance(piece_words_);
        evaluate(machine);
        piece.outcomes = machine.take_outcomes();
        piece.words = emit_.words();
        if (before != 0) {
            piece.code.append(emit_.code(), piece.words, emit_.high_water());
        } else {
            keep_code(piece);
        }
        checkpoint_bytes_ += piece.bytes_of_checkpoint();
        pieces_.push_back(std::move(piece));
        emit_.clear_code();
        if (pieces_.size() > kMaxPieces || checkpoint_bytes_ > budget_.memory_limit / 4) thin();
    }
}

void PiecewiseRun::backward(BlockMachine& machine) {
    while (!pieces_.empty()) {
        back(machine, pieces_.back());
        pieces_.pop_back();
    }
}

void PiecewiseRun::evaluate(BlockMachine& machine) {
    machine.reserve(emit_.high_water());
    in_short_stretches(emit_.code(), emit_.words(),
                       [&](const std::uint32_t* code, const std::uint32_t* stop) {
                           return machine.run(code, stop, budget_);
                       });
}

// Short enough for the budget to be looked at in between.
template <class Run>
void PiecewiseRun::in_short_stretches(const std::uint32_t* code, std::size_t words, Run&& run) {
    const std::int64_t work = 2 * limbs_ * limbs_;
    const auto stretch = static_cast<std::size_t>(std::max<std::int64_t>(16, 2'000'000 / work));
    in_stretches(code, words, stretch, [&](const std::uint32_t* at, const std::uint32_t* stop) {
        budget_.tick((stop - at) * work);
        return run(at, stop);
    });
}

void PiecewiseRun::keep_code(Piece& piece) {
    if (kept_bytes_ > budget_.memory_limit / 4) return;
    piece.code.append(emit_.code(), piece.words, emit_.high_water());
    kept_bytes_ += piece.code.bytes();
}

// Joins pieces two by two; the first stands alone. It happens to long programs only, most of
// which is not kept; so none of what can be written again is kept from then on.
void PiecewiseRun::thin() {
    kept_bytes_ = budget_.memory_limit;
    Vector<Piece> kept;
    checkpoint_bytes_ = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (i != 0) pieces_[i].code = {};
        if (i >= 2 && i % 2 == 0) {
            Piece& first = kept.back();
            first.joints.push_back(first.words);
            for (const std::size_t joint : pieces_[i].joints)
                first.joints.push_back(first.words + joint);
            first.words += pieces_[i].words;
            const Vector<Limb>& outcomes = pieces_[i].outcomes;
            first.outcomes.insert(first.outcomes.end(), outcomes.begin(), outcomes.end());
        } else {
            checkpoint_bytes_ += pieces_[i].bytes_of_checkpoint();
            kept.push_back(std::move(pieces_[i]));
        }
    }
    pieces_ = std::move(kept);
    piece_words_ *= 2;
}

void PiecewiseRun::back(BlockMachine& machine, Piece& piece) {
    machine.ring.load(piece.values, limbs_);
    machine.enclosure.load(piece.cells);
    machine.give_outcomes(std::move(piece.outcomes), limbs_);
    const std::uint32_t* code = piece.code.unpack(unpacked_);
    if (piece.code.empty() && piece.words != 0) {
        search_.restore(piece.search);
        emit_.reserve_code(piece.words);
        // the emitter forgot what it remembered wherever a checkpoint was taken; so it must
        // now, to write the same
        for (const std::size_t joint : piece.joints) {
            search_.advance(joint);
            emit_.release(emit_.top());
        }
        search_.advance(piece.words);
        code = emit_.code();
    }
    machine.start_log(piece.words);
    in_short_stretches(code, piece.words, [&](const std::uint32_t* at, const std::uint32_t* stop) {
        return machine.run_logged(code, at, stop, budget_);
    });
    while (machine.run_back(code, 4096, budget_)) budget_.tick(4 * limbs_ * limbs_);
}

}  // namespace cattleya::counting
