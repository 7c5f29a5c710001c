#include "short_reasons/table.hpp"

#include <stdexcept>
#include <string>

namespace cattleya::short_reasons {

namespace {

constexpr std::size_t kKept = 64;  // histograms of all rows, one per outcome

}  // namespace

Table::Table(std::span<const std::int32_t> codes, std::span<const std::int32_t> n_cells,
             std::span<const std::int32_t> outcome)
    : codes_(codes.begin(), codes.end()),
      n_cells_(n_cells.begin(), n_cells.end()),
      outcome_(outcome.begin(), outcome.end()) {
    if (codes.size() != n_cells.size() * outcome.size()) {
        throw std::invalid_argument("codes needs one entry per row and column");
    }
    if (n_rows() >= kMostRows) throw std::invalid_argument("a table may have 2^28 rows at most");
    std::int64_t end = 0;
    for (const std::int32_t cells : n_cells_) {
        if (cells < 1) throw std::invalid_argument("a column needs a cell");
        start_.push_back(static_cast<std::int32_t>(end));
        end += std::int64_t{cells} + 2;
        if (end > (std::int64_t{1} << 30)) throw std::invalid_argument("too many cells");
    }
    start_.push_back(static_cast<std::int32_t>(end));
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        if (codes_[i] < -1 || codes_[i] >= n_cells_[i % n_cells_.size()]) {
            throw std::invalid_argument("code " + std::to_string(codes_[i]) + " is of no cell");
        }
    }
}

void Table::check(const Facts& facts) const {
    const std::size_t n = facts.slot.size();
    if (facts.column.size() != n || facts.first.size() != n || facts.last.size() != n ||
        facts.missing.size() != n) {
        throw std::invalid_argument("the arrays of facts differ in length");
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t column = facts.column[i];
        if (column < 0 || column >= static_cast<std::int32_t>(n_cells_.size()) ||
            facts.first[i] < 0 || facts.last[i] < facts.first[i] - 1 ||
            facts.last[i] >= n_cells_[column]) {
            throw std::invalid_argument("fact " + std::to_string(i) + " is of no cells");
        }
        const std::int32_t before = i == 0 ? -1 : facts.slot[i - 1];
        const bool same = facts.slot[i] == before;
        if (!same && facts.slot[i] != before + 1) {
            throw std::invalid_argument("the slots of facts are not in order");
        }
        if (same &&
            (column != facts.column[i - 1] || facts.first[i] < facts.first[i - 1] ||
             facts.last[i] > facts.last[i - 1] || facts.missing[i] > facts.missing[i - 1])) {
            throw std::invalid_argument("fact " + std::to_string(i) +
                                        " allows more than the one before it in its slot");
        }
    }
}

std::shared_ptr<const Histogram> Table::all(std::int32_t outcome) const {
    {
        const std::lock_guard lock(guard_);
        if (const auto found = made_.find(outcome); found != made_.end()) return found->second;
    }
    const Accounting nothing(nullptr);  // it outlives the question that first needed it
    Rows every(outcome_.size());
    for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::int32_t>(i);
    auto made = std::make_shared<Histogram>();
    fill(every, outcome, *made);
    const std::lock_guard lock(guard_);
    if (made_.size() >= kKept) made_.clear();
    made_[outcome] = made;
    return made;
}

void Table::fill(const Rows& rows, std::int32_t outcome, Histogram& histogram) const {
    histogram.assign(static_cast<std::size_t>(start_.back()), Counts{});
    const std::size_t width = n_cells_.size();
    // Cell c is counted at c + 1, so that prefix sums stand before each cell; gaps come last.
    for (const std::int32_t row : rows) {
        const std::int32_t* const codes = &codes_[static_cast<std::size_t>(row) * width];
        const bool is_right = outcome_[row] == outcome;
        for (std::size_t column = 0; column < width; ++column) {
            const std::int32_t code = codes[column];
            Counts& cell = histogram[start_[column] + (code < 0 ? n_cells_[column] + 1 : code + 1)];
            ++(is_right ? cell.right : cell.wrong);
        }
    }
    for (std::size_t column = 0; column < width; ++column) {
        Counts* const cells = &histogram[start_[column]];
        for (std::int32_t cell = 1; cell <= n_cells_[column]; ++cell) {
            cells[cell].right += cells[cell - 1].right;
            cells[cell].wrong += cells[cell - 1].wrong;
        }
    }
}

}  // namespace cattleya::short_reasons
