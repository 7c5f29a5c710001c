// Forward and backward through the program of a search, in pieces: see importance.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counting/dense.hpp"
#include "counting/enclosure.hpp"
#include "counting/kept_code.hpp"
#include "counting/program.hpp"
#include "counting/search.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

class PiecewiseRun {
   public:
    // The search has not yet been advanced, and the slots below `first_free` are not its own.
    PiecewiseRun(Emitter& emit, Search& search, Slot first_free, Budget& budget)
        : emit_(emit), search_(search), first_free_(first_free), budget_(budget) {}

    // The machine holds the values of the slots below `first_free`.
    void forward(BlockMachine& machine);

    // After machine.ring.start_back: hands the derivatives down to the slots below `first_free`.
    // The machine may be another one than that of `forward`, of as many limbs or fewer: what the
    // forward pass has shown to be enough.
    void backward(BlockMachine& machine);

   private:
    struct Piece {
        Search::Checkpoint search;
        Vector<Limb> values;
        Vector<EnclosureMachine::Cell> cells;
        KeptCode code;          // empty where not kept
        Vector<Limb> outcomes;  // of its first blocks
        std::size_t words;
        Vector<std::size_t> joints;  // in words: where pieces that were joined to this one began

        void save(const BlockMachine& machine, Slot top);
        std::int64_t bytes_of_checkpoint() const;
    };

    void evaluate(BlockMachine& machine);
    template <class Run>
    void in_short_stretches(const std::uint32_t* code, std::size_t words, Run&& run);
    void keep_code(Piece& piece);
    void thin();
    void back(BlockMachine& machine, Piece& piece);

    Emitter& emit_;
    Search& search_;
    Slot first_free_;
    Budget& budget_;
    int limbs_ = 0;  // of the machine of the forward pass
    std::size_t piece_words_ = 0;
    Vector<Piece> pieces_;
    Vector<std::uint32_t> unpacked_;
    std::int64_t kept_bytes_ = 0;
    std::int64_t checkpoint_bytes_ = 0;
};

}  // namespace cattleya::counting
