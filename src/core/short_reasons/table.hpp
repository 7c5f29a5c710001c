// The rows of a table as codes, and how often facts are right among some of them.
//
// A column has cells in order, 0 up to its number of cells, and one more for missing values. A fact
// allows the codes from `first` to `last` of one column, and perhaps missing ones. Facts come in
// slots: those of one slot are about one column, and each allows less than the one before it, so
// that a set needs at most one of them. One pass over rows fills a histogram per column, whose
// prefix sums count every fact at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "short_reasons/wilson.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::short_reasons {

using Rows = Vector<std::int32_t>;

struct Counts {
    std::int32_t right = 0, wrong = 0;

    [[nodiscard]] std::int64_t rows() const { return std::int64_t{right} + wrong; }
};

// The facts of one row. Slots are numbered from 0 in the order of the facts.
struct Facts {
    std::span<const std::int32_t> slot, column, first, last;
    std::span<const std::uint8_t> missing;  // whether missing values are allowed, too

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(slot.size()); }
};

// Of each column, the counts of rows up to each cell; then those of all, and of missing values.
using Histogram = Vector<Counts>;

class Table {
   public:
    // One line per row: a code per column, -1 where it is missing; and the outcome of each row.
    Table(std::span<const std::int32_t> codes, std::span<const std::int32_t> n_cells,
          std::span<const std::int32_t> outcome);

    [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(outcome_.size()); }
    [[nodiscard]] const std::vector<std::int32_t>& outcome() const { return outcome_; }

    // Refuses facts that do not fit the columns, or are not in slots.
    void check(const Facts& facts) const;

    // Of all rows; made once for each outcome.
    std::shared_ptr<const Histogram> all(std::int32_t outcome) const;
    // Of some rows, into `histogram`.
    void fill(const Rows& rows, std::int32_t outcome, Histogram& histogram) const;

    [[nodiscard]] Counts count(const Histogram& histogram, const Facts& facts,
                               std::int32_t fact) const {
        const Counts* const cells = &histogram[start_[facts.column[fact]]];
        Counts found{cells[facts.last[fact] + 1].right - cells[facts.first[fact]].right,
                     cells[facts.last[fact] + 1].wrong - cells[facts.first[fact]].wrong};
        if (facts.missing[fact] != 0) {
            const Counts& gaps = cells[n_cells_[facts.column[fact]] + 1];
            found.right += gaps.right;
            found.wrong += gaps.wrong;
        }
        return found;
    }

    [[nodiscard]] bool has(std::int32_t row, const Facts& facts, std::int32_t fact) const {
        const std::int32_t code =
            codes_[static_cast<std::size_t>(row) * n_cells_.size() + facts.column[fact]];
        return code < 0 ? facts.missing[fact] != 0
                        : facts.first[fact] <= code && code <= facts.last[fact];
    }

    // What one pass over some rows costs, roughly in nanoseconds.
    [[nodiscard]] std::int64_t work(std::size_t rows) const {
        return static_cast<std::int64_t>((rows + 64) * n_cells_.size() + start_.back());
    }

   private:
    std::vector<std::int32_t> codes_, n_cells_, outcome_;
    std::vector<std::int32_t> start_;  // of each column in a histogram, and the end
    mutable std::mutex guard_;
    mutable std::map<std::int32_t, std::shared_ptr<const Histogram>> made_;
};

}  // namespace cattleya::short_reasons
