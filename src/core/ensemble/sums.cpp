#include "ensemble/sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "ensemble/shape.hpp"

namespace cattleya::ensemble {
namespace {

constexpr std::size_t kBlock = 2048, kLanes = 8;  // rows: of a block, and in step
constexpr std::size_t kMostLevels = 15;           // so that leaves have numbers of 16 bits
constexpr std::int16_t kMostCuts = 32767;         // of a column, likewise
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostCodes = 1ULL << 31;  // more than any code

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Sums::Sums(const NodeArrays& nodes, const SetArrays& sets, const SumArrays& sums,
           std::int32_t n_features)
    : n_features_(static_cast<std::size_t>(n_features)),
      base_(sums.base.begin(), sums.base.end()),
      offset_(sums.offset.begin(), sums.offset.end()),
      divide_by_(sums.divide_by),
      scale_(sums.scale),
      in_float32_(sums.in_float32) {
    require(n_features >= 0 && static_cast<std::uint32_t>(n_features) <= kFeature,
            "too many features");
    const std::size_t n = nodes.left.size();
    require(nodes.right.size() == n && nodes.feature.size() == n && nodes.threshold.size() == n &&
                nodes.missing_left.size() == n && nodes.category_set.size() == n,
            "the arrays of nodes have different lengths");
    check_trees(nodes.tree_start, nodes.left, nodes.right);
    pack(sets);
    pack(nodes, n_features);

    const std::size_t n_trees = nodes.tree_start.size() - 1, n_outputs = base_.size();
    const bool one_each = !sums.output_of_tree.empty();
    require(n_outputs > 0 && offset_.size() == n_outputs, "base and offset must have all outputs");
    require(!one_each || sums.output_of_tree.size() == n_trees, "one output per tree is needed");
    output_of_tree_.assign(n_trees, kAllOutputs);
    for (std::size_t t = 0; one_each && t < n_trees; ++t) {
        output_of_tree_[t] = sums.output_of_tree[t];
        require(output_of_tree_[t] >= 0 && static_cast<std::size_t>(output_of_tree_[t]) < n_outputs,
                "an output of a tree is out of range");
    }
    const auto leaves =
        static_cast<std::size_t>(std::count(nodes.left.begin(), nodes.left.end(), -1));
    require(sums.value.size() == leaves * (one_each ? 1 : n_outputs),
            "value does not fit the leaves");
    if (in_float32_) {
        value32_.assign(sums.value.begin(), sums.value.end());
    } else {
        value_.assign(sums.value.begin(), sums.value.end());
    }
}

void Sums::pack(const SetArrays& sets) {
    require(sets.start.size() == sets.goes_left.size() + 1 && sets.start.front() == 0 &&
                static_cast<std::size_t>(sets.start.back()) == sets.codes.size() &&
                std::ranges::is_sorted(sets.start),
            "the sets of categories do not fit their codes");
    codes_.assign(sets.codes.begin(), sets.codes.end());
    for (std::size_t s = 0; s + 1 < sets.start.size(); ++s) {
        const auto first = static_cast<std::uint32_t>(sets.start[s]);
        const auto codes = sets.codes.subspan(first, sets.start[s + 1] - first);
        require(codes.empty() || codes.front() >= 0, "a code is negative");
        require(std::ranges::adjacent_find(codes, std::ranges::greater_equal()) == codes.end(),
                "the codes of a set must ascend");
        const std::size_t words = codes.empty() ? 0 : codes.back() / 64 + 1;
        Set set{first, static_cast<std::uint32_t>(codes.size()), false, sets.goes_left[s] != 0};
        if (words <= 8 + 2 * codes.size()) {  // bits that take no more than the codes do
            set = {static_cast<std::uint32_t>(words_.size()), static_cast<std::uint32_t>(words),
                   true, set.goes_left};
            words_.resize(words_.size() + words);
            for (const std::int32_t code : codes) {
                words_[set.begin + code / 64] |= std::uint64_t{1} << (code % 64);
            }
        }
        sets_.push_back(set);
    }
}

// Numbers the nodes anew, tree by tree: a root, then its children, side by side, then theirs.
void Sums::pack(const NodeArrays& nodes, std::int32_t n_features) {
    std::vector<std::int32_t> line(nodes.left.size());
    std::int32_t leaves = 0;
    for (std::size_t node = 0; node < line.size(); ++node) {
        line[node] = nodes.left[node] < 0 ? leaves++ : -1;
    }
    std::vector<std::int32_t> given;  // the nodes of a tree in their new order
    std::vector<Node> asked;          // by the levels of symmetric trees
    nodes_.reserve(nodes.left.size());
    for (std::size_t t = 0; t + 1 < nodes.tree_start.size(); ++t) {
        root_.push_back(static_cast<std::int32_t>(nodes_.size()));
        given.assign(1, nodes.tree_start[t]);
        for (std::size_t at = 0; at < given.size(); ++at) {
            const std::int32_t node = given[at];
            if (nodes.left[node] < 0) {
                const auto own = static_cast<std::int32_t>(nodes_.size());
                nodes_.push_back({kInfinity, own, kLeaf | kMissingLeft});
                line_.push_back(line[node]);
                continue;
            }
            const std::int32_t feature = nodes.feature[node], set = nodes.category_set[node];
            require(feature >= 0 && feature < n_features, "a feature is out of range");
            require(set >= -1 && set < static_cast<std::int32_t>(sets_.size()),
                    "a set of categories is out of range");
            Node packed{nodes.threshold[node],
                        root_.back() + static_cast<std::int32_t>(given.size()),
                        static_cast<std::uint32_t>(feature)};
            if (nodes.missing_left[node] != 0) packed.feature |= kMissingLeft;
            if (set >= 0) {
                packed.feature |= kSet;
                packed.threshold = set;
            }
            nodes_.push_back(packed);
            line_.push_back(-1);
            given.push_back(nodes.left[node]);
            given.push_back(nodes.right[node]);
        }
        find_levels(root_.back(), given.size(), asked);
    }
    number_levels(asked);
}

// Finds what the levels of a tree ask, if all nodes of each ask the same: then its nodes, which are
// in the order of their levels, are 1, 2, 4, ... of each level.
void Sums::find_levels(std::int32_t root, std::size_t size, std::vector<Node>& asked) {
    const Node* const nodes = nodes_.data() + root;
    const std::size_t first = asked.size();
    bool same = std::has_single_bit(size + 1) && size > 1 && size >> (kMostLevels + 1) == 0;
    for (std::size_t begin = 0, width = 1; same && begin < size; begin += width, width *= 2) {
        const bool last = begin + width == size;
        same = ((nodes[begin].feature & kLeaf) != 0) == last &&
               std::all_of(nodes + begin, nodes + begin + width, [&](const Node& node) {
                   return node.feature == nodes[begin].feature &&
                          node.threshold == nodes[begin].threshold;
               });
        if (same && !last) asked.push_back(nodes[begin]);
    }
    if (!same) asked.resize(first);
    level_start_.push_back(asked.size());
}

// Symmetric trees ask about few thresholds of each feature, again and again. So each value is
// looked up among those once, and all trees compare its place there: 16 bits, eight rows at a time.
void Sums::number_levels(const std::vector<Node>& asked) {
    const auto before = [](const Node& a, const Node& b) {
        return a.feature != b.feature ? a.feature < b.feature : a.threshold < b.threshold;
    };
    std::vector<Node> sorted(asked);
    std::ranges::sort(sorted, before);
    std::vector<Level> level(sorted.size());  // by place in there
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const Node& one = sorted[i];
        if (i > 0 && !before(sorted[i - 1], one)) continue;  // the same as before
        if (columns_.empty() || columns_.back().feature != one.feature ||
            columns_.back().size == ((one.feature & kSet) != 0 ? 1 : kMostCuts)) {
            columns_.push_back({one.feature, static_cast<std::uint32_t>(cuts_.size()), 0});
        }
        level[i] = {static_cast<std::uint32_t>(columns_.size() - 1), columns_.back().size++};
        cuts_.push_back(one.threshold);
    }
    levels_.reserve(asked.size());
    for (const Node& one : asked) {
        levels_.push_back(level[std::ranges::lower_bound(sorted, one, before) - sorted.begin()]);
    }
}

// How many thresholds of a column are below the value of each row: of a set, one where the row
// goes right; none or all where the value is missing.
void Sums::rank(const Column& column, const double* rows, std::size_t count,
                std::int16_t* below) const {
    const double* const cuts = cuts_.data() + column.begin;
    const auto size = static_cast<std::size_t>(column.size);
    const bool is_set = (column.feature & kSet) != 0;
    for (std::size_t r = 0; r < count; ++r) {
        const double value = rows[r * n_features_ + (column.feature & kFeature)];
        std::size_t at = 0;
        if (is_set || std::isnan(value)) {
            at = goes_left({*cuts, 0, column.feature}, value) ? 0 : size;
        } else {
            for (std::size_t left = size; left > 0;) {  // without jumps that must be guessed
                const std::size_t half = (left + 1) / 2;
                at += cuts[at + half - 1] < value ? half : 0;
                left -= half;
            }
        }
        below[r] = static_cast<std::int16_t>(at);
    }
}

bool Sums::in_set(const Set& set, double value) const {
    if (!(value >= 0 && value < kMostCodes)) return false;
    const auto code = static_cast<std::uint32_t>(value);
    if (set.is_bits) {
        return code / 64 < set.size && (words_[set.begin + code / 64] >> (code % 64) & 1) != 0;
    }
    const auto first = codes_.begin() + set.begin;
    return std::binary_search(first, first + set.size, static_cast<std::int32_t>(code));
}

inline bool Sums::goes_left(const Node& node, double value) const {
    if (std::isnan(value)) return (node.feature & kMissingLeft) != 0;
    if ((node.feature & kSet) == 0) return value <= node.threshold;
    const Set& set = sets_[static_cast<std::size_t>(node.threshold)];
    return in_set(set, value) == set.goes_left;
}

// Of a symmetric tree; `below`: the ranks of the rows, column by column.
void Sums::number_leaves(std::size_t tree, const std::int16_t* below, std::size_t count,
                         std::int16_t* leaf, std::int32_t* line) const {
    const std::size_t begin = level_start_[tree], end = level_start_[tree + 1];
    std::fill_n(leaf, count, std::int16_t{0});
    for (std::size_t k = begin; k < end; ++k) {
        const std::int16_t* const own = below + levels_[k].column * count;
        const std::int16_t place = levels_[k].place;
        for (std::size_t r = 0; r < count; ++r) {
            leaf[r] = static_cast<std::int16_t>(2 * leaf[r] + (own[r] > place ? 1 : 0));
        }
    }
    const std::int32_t* const leaves =
        line_.data() + root_[tree] + ((std::size_t{1} << (end - begin)) - 1);
    for (std::size_t r = 0; r < count; ++r) line[r] = leaves[leaf[r]];
}

// No sets; `missing`: maybe missing values.
template <bool missing>
void Sums::walk(std::int32_t root, const double* rows, std::size_t count,
                std::int32_t* line) const {
    const Node* const nodes = nodes_.data();
    for (std::size_t first = 0; first < count; first += kLanes) {
        const std::size_t lanes = std::min(kLanes, count - first);
        const double* row[kLanes];
        std::int32_t at[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l) {
            row[l] = rows + (first + std::min(l, lanes - 1)) * n_features_;
            at[l] = root;
        }
        std::uint32_t arrived = 0;
        while ((arrived & kLeaf) == 0) {
            arrived = kLeaf;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const Node& node = nodes[at[l]];
                const double value = row[l][node.feature & kFeature];
                bool left = value <= node.threshold;
                if constexpr (missing) {
                    left |= (value != value) & ((node.feature & kMissingLeft) != 0);
                }
                arrived &= node.feature;
                at[l] = node.child + static_cast<std::int32_t>(!left);
            }
        }
        for (std::size_t l = 0; l < lanes; ++l) line[first + l] = line_[at[l]];
    }
}

void Sums::walk_with_sets(std::int32_t root, const double* rows, std::size_t count,
                          std::int32_t* line) const {
    for (std::size_t r = 0; r < count; ++r) {
        line[r] = line_of(root, {rows + r * n_features_, n_features_});
    }
}

std::int32_t Sums::line_of(std::int32_t root, std::span<const double> row) const {
    std::int32_t at = root;
    while ((nodes_[at].feature & kLeaf) == 0) {
        const Node& node = nodes_[at];
        const bool left = goes_left(node, row[node.feature & kFeature]);
        at = node.child + static_cast<std::int32_t>(!left);
    }
    return line_[at];
}

template <class Number>
Number Sums::ended(Number sum, std::size_t output) const {
    if (divide_by_ != 1) sum /= static_cast<Number>(divide_by_);
    if (scale_ != 1) sum *= static_cast<Number>(scale_);
    return sum + static_cast<Number>(offset_[output]);
}

template <class Number>
void Sums::add(std::span<const double> matrix, std::size_t n_rows, const std::vector<Number>& value,
               std::vector<double>& total, Budget& budget) const {
    const std::size_t outputs = base_.size();
    const std::size_t block_rows = std::min(kBlock, n_rows);
    std::vector<Number> sum(block_rows * outputs);
    std::vector<std::int32_t> line(block_rows);
    std::vector<std::int16_t> leaf(block_rows), below(block_rows * columns_.size());
    std::vector<Number> base(base_.begin(), base_.end());
    for (std::size_t first = 0; first < n_rows; first += kBlock) {
        const std::size_t rows = std::min(kBlock, n_rows - first);
        const auto block = matrix.subspan(first * n_features_, rows * n_features_);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy(base.begin(), base.end(),
                      sum.begin() + static_cast<std::ptrdiff_t>(r * outputs));
        }
        const bool missing =
            std::any_of(block.begin(), block.end(), [](double x) { return std::isnan(x); });
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            rank(columns_[c], block.data(), rows, below.data() + c * rows);
        }
        for (std::size_t t = 0; t < root_.size(); ++t) {
            if (level_start_[t] != level_start_[t + 1]) {
                number_leaves(t, below.data(), rows, leaf.data(), line.data());
            } else if (!sets_.empty() || n_features_ == 0) {  // then there is nothing to load
                walk_with_sets(root_[t], block.data(), rows, line.data());
            } else if (missing) {
                walk<true>(root_[t], block.data(), rows, line.data());
            } else {
                walk<false>(root_[t], block.data(), rows, line.data());
            }
            const std::int32_t output = output_of_tree_[t];
            if (output != kAllOutputs) {
                for (std::size_t r = 0; r < rows; ++r) sum[r * outputs + output] += value[line[r]];
            } else {
                for (std::size_t r = 0; r < rows; ++r) {
                    const Number* const added = value.data() + line[r] * outputs;
                    for (std::size_t k = 0; k < outputs; ++k) sum[r * outputs + k] += added[k];
                }
            }
            budget.tick(static_cast<std::int64_t>(rows) * 20);
        }
        for (std::size_t i = 0; i < rows * outputs; ++i) {
            total[first * outputs + i] = ended(sum[i], i % outputs);
        }
    }
}

std::vector<double> Sums::margins(std::span<const double> matrix, std::size_t n_rows,
                                  Budget& budget) const {
    require(n_features_ == 0
                ? matrix.empty()
                : matrix.size() % n_features_ == 0 && matrix.size() / n_features_ == n_rows,
            "the rows have another number of features");
    std::vector<double> total(n_rows * base_.size());
    if (in_float32_) {
        add(matrix, n_rows, value32_, total, budget);
    } else {
        add(matrix, n_rows, value_, total, budget);
    }
    return total;
}

template <class Number>
std::int32_t Sums::decide_in(std::span<const double> row, const std::vector<Number>& value,
                             std::optional<double> cut) const {
    const std::size_t outputs = base_.size();
    std::vector<Number> sum(base_.begin(), base_.end());
    for (std::size_t t = 0; t < root_.size(); ++t) {
        const std::size_t line = line_of(root_[t], row);
        if (const std::int32_t output = output_of_tree_[t]; output != kAllOutputs) {
            sum[output] += value[line];
        } else {
            for (std::size_t k = 0; k < outputs; ++k) sum[k] += value[line * outputs + k];
        }
    }
    for (std::size_t k = 0; k < outputs; ++k) sum[k] = ended(sum[k], k);
    if (cut) return sum[0] >= static_cast<Number>(*cut) ? 1 : 0;
    return static_cast<std::int32_t>(std::max_element(sum.begin(), sum.end()) - sum.begin());
}

std::int32_t Sums::decide(std::span<const double> row, std::optional<double> cut) const {
    require(row.size() == n_features_, "the row has another number of features");
    return in_float32_ ? decide_in(row, value32_, cut) : decide_in(row, value_, cut);
}

}  // namespace cattleya::ensemble
