#include "batch/table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace cattleya::batch {

Table::Table(const tree::Engine& engine, std::span<const double> matrix,
             std::span<const std::int64_t> times)
    : engine_(engine),
      stretch_of_(engine.n_conditions()),
      first_(engine.nodes().size() + 1, 0),
      total_(static_cast<std::size_t>(engine.n_classes()), 0) {
    const auto stretches = engine.stretches();
    if (stretches.empty() && engine.n_conditions() > 0) {
        throw std::invalid_argument("the conditions do not stand in the order of their thresholds");
    }
    for (std::size_t s = 0; s < stretches.size(); ++s) {
        for (std::int32_t i = stretches[s].first; i < stretches[s].last; ++i) {
            stretch_of_[i] = static_cast<std::int32_t>(s);
        }
    }
    if (times.empty()) return;
    const std::size_t width = matrix.size() / times.size();
    if (width * times.size() != matrix.size() || width < engine.n_features()) {
        throw std::invalid_argument("the table has rows of another length than the tree");
    }
    const auto nodes = engine.nodes();
    std::vector<std::int32_t> leaf(times.size());
    for (std::size_t row = 0; row < times.size(); ++row) {
        leaf[row] = engine.leaf_of(matrix.subspan(row * width, width));
        ++first_[leaf[row] + 1];
        total_[~nodes[leaf[row]].test] += times[row];
    }
    for (std::size_t node = 1; node < first_.size(); ++node) first_[node] += first_[node - 1];
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    cell_.resize(times.size() * stretches.size());
    times_.resize(times.size());
    for (std::size_t row = 0; row < times.size(); ++row) {
        const auto to = static_cast<std::size_t>(next[leaf[row]]++);
        times_[to] = times[row];
        for (std::size_t s = 0; s < stretches.size(); ++s) {
            const double value = matrix[row * width + stretches[s].feature];
            if (std::isnan(value)) throw std::invalid_argument("a value of the table is missing");
            cell_[to * stretches.size() + s] = engine.first_true(stretches[s], value);
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
        count += in_leaf(at);
    }
    for (const std::int32_t stretch : bound_) {
        const auto& all = table_.engine_.stretches()[stretch];
        interval_[stretch] = {all.first - 1, all.last};
    }
    bound_.clear();
    return count;
}

std::int64_t Table::Counter::in_leaf(std::int32_t leaf) const {
    const auto width = static_cast<std::int64_t>(interval_.size());
    std::int64_t count = 0;
    for (std::int64_t row = table_.first_[leaf]; row < table_.first_[leaf + 1]; ++row) {
        const std::int32_t* const cell = table_.cell_.data() + row * width;
        const bool is_covered = std::ranges::all_of(bound_, [&](std::int32_t stretch) {
            return cell[stretch] > interval_[stretch].above &&
                   cell[stretch] <= interval_[stretch].up_to;
        });
        if (is_covered) count += table_.times_[row];
    }
    return count;
}

}  // namespace cattleya::batch
