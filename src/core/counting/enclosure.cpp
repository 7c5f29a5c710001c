#include "counting/enclosure.hpp"

#include <cmath>
#include <limits>

namespace cattleya::counting {
namespace {

using Cell = EnclosureMachine::Cell;

constexpr double kHalfUnit = 0x1.0p-53;
constexpr double kWiden = 1 + 0x1.0p-50;

Cell sum(const Cell& a, const Cell& b) {
    const double v = a.value + b.value;
    return {v, (a.error + b.error + std::fabs(v) * kHalfUnit) * kWiden};
}
Cell product(const Cell& a, const Cell& b) {
    const double v = a.value * b.value;
    const double reach = std::fabs(b.value) + b.error;
    return {v,
            (std::fabs(a.value) * b.error + reach * a.error + std::fabs(v) * kHalfUnit) * kWiden};
}

}  // namespace

void EnclosureMachine::run(const std::uint32_t* code, const std::uint32_t* stop) {
    Cell* const cell = cells_.data();
    while (code < stop && *code != 0) {
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
                cell[target] = sum(cell[code[1]], product(cell[code[2]], sum(cell[code[3]], d)));
                code += 5;
                break;
            }
        }
    }
}

double EnclosureMachine::bits(Slot s) const {
    const double upper = cells_[s].value + cells_[s].error;
    if (!(upper < std::numeric_limits<double>::infinity())) {
        return std::numeric_limits<double>::infinity();
    }
    return upper < 1 ? 1.0 : std::log2(upper) + 0.01;
}

}  // namespace cattleya::counting
