// Evaluates programs in floating point with a proven bound of the error, to know how many limbs an
// exact run needs.
//
// Beside every value stands a bound of its distance from the exact value. One rounding adds at most
// |result| 2^-53; the bounds themselves are computed in floating point too, and each is widened by
// a factor that covers their own roundings. A number n known to lie in [value - error, value +
// error] and in [0, infinity) is less than 2^bits for a bits found so.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "../vector.hpp"
#include "program.hpp"

namespace cattleya {

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

    // Runs the instructions from `code` on, to the first that does not begin before `stop`.
    void run(const std::uint32_t* code, const std::uint32_t* stop) {
        Cell* const cell = cells_.data();
        while (code < stop) {
            const Slot target = *code & kTargetMask;
            switch (static_cast<Operation>(*code >> kTargetBits)) {
                case Operation::add:
                    cell[target] = sum(cell[code[1]], cell[code[2]]);
                    code += 3;
                    break;
                case Operation::mul:
                    cell[target] = product(cell[code[1]], cell[code[2]]);
                    code += 3;
                    break;
                case Operation::fma:
                    cell[target] = sum(cell[code[1]], product(cell[code[2]], cell[code[3]]));
                    code += 4;
                    break;
                case Operation::affine: {
                    const Cell d = {-cell[code[4]].value, cell[code[4]].error};
                    cell[target] =
                        sum(cell[code[1]], product(cell[code[2]], sum(cell[code[3]], d)));
                    code += 5;
                    break;
                }
            }
        }
    }

    // The natural number in slot s is less than two to this; infinity where nothing is known.
    double bits(Slot s) const {
        const double upper = cells_[s].value + cells_[s].error;
        if (!(upper < std::numeric_limits<double>::infinity())) {
            return std::numeric_limits<double>::infinity();
        }
        return upper < 1 ? 1.0 : std::log2(upper) + 0.01;
    }

   private:
    static constexpr double kHalfUnit = 0x1.0p-53;
    static constexpr double kWiden = 1 + 0x1.0p-50;

    static Cell sum(const Cell& a, const Cell& b) {
        const double v = a.value + b.value;
        return {v, (a.error + b.error + std::fabs(v) * kHalfUnit) * kWiden};
    }
    static Cell product(const Cell& a, const Cell& b) {
        const double v = a.value * b.value;
        const double reach = std::fabs(b.value) + b.error;
        return {v, (std::fabs(a.value) * b.error + reach * a.error + std::fabs(v) * kHalfUnit) *
                       kWiden};
    }

    Vector<Cell> cells_;
};

}  // namespace cattleya
