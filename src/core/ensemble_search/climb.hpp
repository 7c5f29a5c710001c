// Better rows: one attribute of a row is moved to the cell where all trees together add most to a
// margin. One walk through the trees gives the sums of all cells of a number.
#pragma once

#include <cstdint>

#include "ensemble_search/forest.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Climb {
   public:
    Climb(const Forest& forest, const Margin& margin) : forest_(forest), margin_(margin) {}

    // Whether there is a better cell from `first` to `last`; the row then has it.
    bool number(Vector<std::int32_t>& cells, std::int32_t attribute, std::int32_t first,
                std::int32_t last, Budget& budget);
    // The same in a set.
    bool category(Vector<std::int32_t>& cells, std::int32_t attribute, const std::uint64_t* set,
                  Budget& budget);
    // What all trees add to the margin at each cell from `first` to `last`; of a category, with
    // each.
    const Vector<std::int64_t>& sums(const Vector<std::int32_t>& cells, std::int32_t attribute,
                                     std::int32_t first, std::int32_t last, Budget& budget);
    // Moves all attributes in turn, inside a box that has the row, until the outcome is another one
    // than the margin's own; false where no move is better, or after some rounds.
    bool leaves(Vector<std::int32_t>& cells, const Box& box, Budget& budget);

   private:
    [[nodiscard]] std::int64_t sum(const Vector<std::int32_t>& cells, Budget& budget) const;

    struct Part {
        std::int32_t node, low, high;
    };

    const Forest& forest_;
    const Margin& margin_;
    Vector<std::int64_t> sum_;
    Vector<Part> open_;
};

}  // namespace cattleya::ensemble_search
