// Evaluates programs in floating point with a proven bound of the error, to know how many limbs an
// exact run needs.
//
// Beside every value stands a bound of its distance from the exact value. One rounding adds at most
// |result| 2^-53; the bounds themselves are computed in floating point too, and each is widened by
// a factor that covers their own roundings. A number n known to lie in [value - error, value +
// error] and in [0, infinity) is less than 2^bits for a bits found so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "counting/program.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

class EnclosureMachine {
   public:
    void reserve(Slot slots) {
        if (cells_.size() < slots) cells_.resize(std::size_t{slots} + slots / 2, Cell{0, 0});
    }
    void set(Slot s, double exact) { cells_[s] = {exact, 0}; }

    struct Cell {
        double value;
        double error;
    };
    const Cell& cell(Slot s) const { return cells_[s]; }
    void set(Slot s, const Cell& cell) { cells_[s] = cell; }
    // Those of the slots below `top`, and back.
    Vector<Cell> save(Slot top) const {
        return {cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(top)};
    }
    void load(const Vector<Cell>& saved) { std::copy(saved.begin(), saved.end(), cells_.begin()); }

    // Runs the instructions from `code` on, to the first that does not begin before `stop`, or to a
    // block (dense.hpp).
    void run(const std::uint32_t* code, const std::uint32_t* stop);

    // The natural number in slot s is less than two to this; infinity where nothing is known.
    double bits(Slot s) const;

   private:
    Vector<Cell> cells_;
};

}  // namespace cattleya::counting
