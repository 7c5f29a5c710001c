#include "batch/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cattleya::batch {

Table::Table(const tree::Engine& engine, std::span<const double> matrix,
             std::span<const std::int64_t> times)
    : engine_(engine) {
    fill(matrix, times);
}

Table::Table(const tree::Engine& engine, std::span<const float> matrix,
             std::span<const std::int64_t> times)
    : engine_(engine) {
    fill(matrix, times);
}

bool Table::is_narrow() const {
    return std::ranges::all_of(engine_.stretches(), [](const auto& stretch) {
        return stretch.last - stretch.first <= std::numeric_limits<std::uint16_t>::max();
    });
}

template <class Number>
void Table::fill(std::span<const Number> matrix, std::span<const std::int64_t> times) {
    const auto stretches = engine_.stretches();
    stretch_of_.resize(engine_.n_conditions());
    first_.assign(engine_.nodes().size() + 1, 0);
    total_.assign(static_cast<std::size_t>(engine_.n_classes()), 0);
    if (stretches.empty() && engine_.n_conditions() > 0) {
        throw std::invalid_argument("the conditions do not stand in the order of their thresholds");
    }
    for (std::size_t s = 0; s < stretches.size(); ++s) {
        for (std::int32_t i = stretches[s].first; i < stretches[s].last; ++i) {
            stretch_of_[i] = static_cast<std::int32_t>(s);
        }
    }
    if (times.empty()) return;
    const std::size_t width = matrix.size() / times.size();
    if (width * times.size() != matrix.size() || width < engine_.n_features()) {
        throw std::invalid_argument("the table has rows of another length than the tree");
    }
    const auto nodes = engine_.nodes();
    std::vector<std::int32_t> leaf(times.size());
    std::vector<double> own(width);
    for (std::size_t row = 0; row < times.size(); ++row) {
        const auto from = matrix.subspan(row * width, width);
        std::copy(from.begin(), from.end(), own.begin());
        leaf[row] = engine_.leaf_of(own);
        ++first_[leaf[row] + 1];
        total_[~nodes[leaf[row]].test] += times[row];
    }
    for (std::size_t node = 1; node < first_.size(); ++node) first_[node] += first_[node - 1];
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    const bool narrow = is_narrow();
    if (narrow) {
        narrow_.resize(times.size() * stretches.size());
    } else {
        wide_.resize(times.size() * stretches.size());
    }
    times_.resize(times.size());
    for (std::size_t row = 0; row < times.size(); ++row) {
        const auto to = static_cast<std::size_t>(next[leaf[row]]++);
        times_[to] = times[row];
        for (std::size_t s = 0; s < stretches.size(); ++s) {
            const double value = matrix[row * width + stretches[s].feature];
            if (std::isnan(value)) throw std::invalid_argument("a value of the table is missing");
            const std::int32_t cell = engine_.first_true(stretches[s], value) - stretches[s].first;
            const std::size_t place = to * stretches.size() + s;
            if (narrow) {
                narrow_[place] = static_cast<std::uint16_t>(cell);
            } else {
                wide_[place] = cell;
            }
        }
    }
}

Table::Counter::Counter(const Table& table) : table_(table) {
    for (const auto& all : table.engine_.stretches())
        interval_.push_back({all.first - 1, all.last});
}

std::optional<std::int64_t> Table::Counted::find(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    const auto found = count_.find(reason);
    return found == count_.end() ? std::nullopt : std::optional(found->second);
}

void Table::Counted::put(std::string reason, std::int64_t count) {
    const std::lock_guard lock(mutex_);
    if (count_.size() >= kMost) count_.clear();
    count_.emplace(std::move(reason), count);
}

std::int64_t Table::Counter::operator()(std::span<const std::int32_t> codes) {
    std::string reason(reinterpret_cast<const char*>(codes.data()), codes.size_bytes());
    if (const auto known = table_.counted_->find(reason)) return *known;
    const std::int64_t found = count(codes);
    table_.counted_->put(std::move(reason), found);
    return found;
}

std::int64_t Table::Counter::count(std::span<const std::int32_t> codes) {
    for (const std::int32_t code : codes) {
        const std::int32_t condition = code / 2;
        const std::int32_t stretch = table_.stretch_of_[condition];
        Interval& own = interval_[stretch];
        if (code % 2 == 1) {  // it holds where the first that does is not after it
            own.up_to = std::min(own.up_to, condition);
        } else {
            own.above = std::max(own.above, condition);
        }
        bound_.push_back(stretch);
    }
    const auto nodes = table_.engine_.nodes();
    std::int64_t count = 0;
    open_.assign(1, 0);
    while (!open_.empty()) {
        std::int32_t at = open_.back();
        open_.pop_back();
        while (!nodes[at].is_leaf()) {
            const std::int32_t test = nodes[at].test;
            const Interval& own = interval_[table_.stretch_of_[test]];
            const bool fails = own.above >= test;
            if (!fails && own.up_to > test) open_.push_back(nodes[at].right);
            at = fails ? nodes[at].right : at + 1;
        }
        count += table_.wide_.empty() ? in_leaf(at, table_.narrow_) : in_leaf(at, table_.wide_);
    }
    for (const std::int32_t stretch : bound_) {
        const auto& all = table_.engine_.stretches()[stretch];
        interval_[stretch] = {all.first - 1, all.last};
    }
    bound_.clear();
    return count;
}

template <class Cell>
std::int64_t Table::Counter::in_leaf(std::int32_t leaf, const std::vector<Cell>& cells) const {
    const auto stretches = table_.engine_.stretches();
    const auto width = static_cast<std::int64_t>(interval_.size());
    std::int64_t count = 0;
    for (std::int64_t row = table_.first_[leaf]; row < table_.first_[leaf + 1]; ++row) {
        const Cell* const own = cells.data() + row * width;
        const bool is_covered = std::ranges::all_of(bound_, [&](std::int32_t stretch) {
            const std::int32_t cell = stretches[stretch].first + own[stretch];
            return cell > interval_[stretch].above && cell <= interval_[stretch].up_to;
        });
        if (is_covered) count += table_.times_[row];
    }
    return count;
}

}  // namespace cattleya::batch
