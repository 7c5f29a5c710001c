// The intervals and sets of values of a reason, as large as they can be.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "domain/domain_tree.hpp"

namespace cattleya::domain {

// One of the row's facts: of a number the row's side of a level; or, where the level is negative,
// a category's value, or that a number is missing or that it is not.
struct Side {
    std::int32_t attribute, level;
};

// Belongs to one thread; kept from one row to the next.
class Widener {
   public:
    explicit Widener(const DomainTree& tree);
    Widener(const Widener&) = delete;
    Widener& operator=(const Widener&) = delete;
    ~Widener();

    // Widens what facts of a row, which force its class, leave of each attribute: one attribute
    // after the other, in their order, gets all that the leaves of other classes leave it.
    //
    // The facts come in the order of their attributes. Of a missing number it is the longest
    // interval, the lowest of several.
    void widen(std::span<const std::int32_t> cells, std::int32_t row_class,
               std::span<const Side> sides, Budget& budget);

    // Calls visit with each part that does not allow everything: an attribute, then of a number the
    // first and the last cell, and whether it may be missing; of a category the allowed cells.
    template <class Visit>
    void each_part(Visit visit) const {
        for (std::size_t i = 0; i + 1 < part_start_.size(); ++i) {
            visit(std::span(part_).subspan(part_start_[i], part_start_[i + 1] - part_start_[i]));
        }
    }

   private:
    class Search;
    std::unique_ptr<Search> search_;
    std::vector<std::int32_t> part_;
    std::vector<std::size_t> part_start_;
};

}  // namespace cattleya::domain
