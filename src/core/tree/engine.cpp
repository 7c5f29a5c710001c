#include "tree/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tree/shape.hpp"

namespace cattleya::tree {
namespace {

template <class T>
std::vector<T> copy(std::span<const T> values) {
    return {values.begin(), values.end()};
}

void check_length(std::size_t given, std::size_t expected, const char* what) {
    if (given != expected) {
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) +
                                    " entries, expected " + std::to_string(expected));
    }
}

}  // namespace

Engine::Engine(const TreeArrays& tree, const ConditionArrays& conditions, std::int32_t n_features,
               std::int32_t n_classes)
    : left_(copy(tree.left)),
      right_(copy(tree.right)),
      condition_(copy(tree.condition)),
      leaf_class_(copy(tree.leaf_class)),
      feature_(copy(conditions.feature)),
      threshold_(copy(conditions.threshold)),
      missing_left_(copy(conditions.missing_left)),
      n_features_(static_cast<std::size_t>(n_features)),
      n_classes_(n_classes) {
    if (n_features < 0) throw std::invalid_argument("n_features is negative");
    check_shape(left_, right_);
    check_length(condition_.size(), left_.size(), "condition");
    check_length(leaf_class_.size(), left_.size(), "leaf_class");
    check_length(threshold_.size(), feature_.size(), "threshold");
    check_length(missing_left_.size(), feature_.size(), "missing_left");
    for (const std::int32_t feature : feature_) {
        if (feature < 0 || feature >= n_features) {
            throw std::invalid_argument("a condition tests feature " + std::to_string(feature) +
                                        " of " + std::to_string(n_features));
        }
    }
    for (std::size_t node = 0; node < left_.size(); ++node) {
        const bool leaf = left_[node] < 0;
        const std::int32_t value = leaf ? leaf_class_[node] : condition_[node];
        const auto bound = leaf ? n_classes : static_cast<std::int32_t>(feature_.size());
        if (value < 0 || value >= bound) {
            throw std::invalid_argument("node " + std::to_string(node) + " has the " +
                                        (leaf ? "class " : "condition ") + std::to_string(value) +
                                        ", out of range 0 to " + std::to_string(bound - 1));
        }
    }
    build_stretches();
    build_read_once();
}

void Engine::build_stretches() {
    const auto n = static_cast<std::int32_t>(n_conditions());
    for (std::int32_t i = 0; i < n; ++i) {
        if (i > 0 && feature_[i] == feature_[i - 1] && threshold_[i - 1] <= threshold_[i]) {
            ++stretch_.back().last;
        } else if (!std::isnan(threshold_[i]) && (i == 0 || feature_[i - 1] < feature_[i])) {
            stretch_.push_back({feature_[i], i, i + 1});
        } else {
            stretch_.clear();
            return;
        }
    }
}

std::int32_t Engine::leaf_of(std::span<const double> row) const {
    std::int32_t at = 0;
    while (!node_[at].is_leaf()) {
        const std::int32_t test = node_[at].test;
        at = row[feature_[test]] <= threshold_[test] ? at + 1 : node_[at].right;
    }
    return at;
}

std::int32_t Engine::first_true(const Stretch& stretch, double value) const {
    const auto begin = threshold_.begin();
    const auto found = std::lower_bound(begin + stretch.first, begin + stretch.last, value);
    return static_cast<std::int32_t>(found - begin);
}

// Copies the tree in preorder. A condition met for the second time on a path is skipped: its
// value is known there (the paper's read-once form). A subtree all of whose leaves are of one
// class becomes a leaf: for every row, the clauses of its leaves contain the clause of its top.
void Engine::build_read_once() {
    struct Frame {
        std::int32_t source;  // node of the tree as given
        std::int32_t copy;    // node of the copy
        std::int8_t stage;    // children done
    };
    constexpr std::int8_t kFree = -1;
    std::vector<std::int8_t> known(n_conditions(), kFree);
    std::vector<Frame> open;

    // Follows known conditions from `source`, then opens the node it ends at.
    const auto enter = [&](std::int32_t source) {
        while (left_[source] >= 0 && known[condition_[source]] != kFree) {
            source = known[condition_[source]] ? left_[source] : right_[source];
        }
        const auto copy = static_cast<std::int32_t>(node_.size());
        if (left_[source] < 0) {
            node_.push_back({~leaf_class_[source], -1});
        } else {
            node_.push_back({condition_[source], -1});
            open.push_back({source, copy, 0});
        }
    };

    node_.reserve(left_.size());
    enter(0);
    while (!open.empty()) {
        Frame& top = open.back();
        const std::int32_t test = condition_[top.source];
        const std::int32_t source = top.source;
        const std::int32_t copy = top.copy;
        switch (top.stage++) {
            case 0:
                known[test] = 1;
                enter(left_[source]);
                break;
            case 1:
                known[test] = 0;
                node_[copy].right = static_cast<std::int32_t>(node_.size());
                enter(right_[source]);
                break;
            default: {
                known[test] = kFree;
                open.pop_back();
                const Node first = node_[copy + 1];
                const Node second = node_[node_[copy].right];
                if (first.is_leaf() && second.is_leaf() && first.test == second.test) {
                    node_.resize(copy);
                    node_.push_back({first.test, -1});
                }
            }
        }
    }
    node_.shrink_to_fit();

    std::vector<std::uint8_t> tested(n_conditions(), 0);
    repeated_.assign(n_conditions(), 0);
    for (const Node& node : node_) {
        if (node.is_leaf()) continue;
        repeated_[node.test] = tested[node.test];
        tested[node.test] = 1;
    }
}

void Engine::evaluate(std::span<const double> row, std::span<std::uint8_t> truth) const {
    check_length(row.size(), n_features_, "the row");
    check_length(truth.size(), n_conditions(), "truth");
    for (const Stretch& stretch : stretch_) {
        const double value = row[stretch.feature];
        const auto to = truth.begin();
        if (std::isnan(value)) {
            for (std::int32_t i = stretch.first; i < stretch.last; ++i) {
                truth[i] = missing_left_[i] != 0 ? 1 : 0;
            }
        } else {
            const std::int32_t first = first_true(stretch, value);
            std::fill(to + stretch.first, to + first, std::uint8_t{0});
            std::fill(to + first, to + stretch.last, std::uint8_t{1});
        }
    }
    if (!stretch_.empty()) return;
    for (std::size_t i = 0; i < feature_.size(); ++i) {
        const double value = row[feature_[i]];
        // NaN compares false, so the sum is the condition with its routing of missing values.
        truth[i] = static_cast<std::uint8_t>((value <= threshold_[i]) |
                                             (std::isnan(value) & (missing_left_[i] != 0)));
    }
}

void Engine::check_truth(std::span<const std::uint8_t> truth) const {
    check_length(truth.size(), n_conditions(), "truth");
}

Path Engine::path(std::span<const std::uint8_t> truth) const {
    check_truth(truth);
    Path path{};
    std::vector<bool> met(n_conditions(), false);
    std::int32_t node = 0;
    while (left_[node] >= 0) {
        const std::int32_t test = condition_[node];
        if (!met[test]) {
            met[test] = true;
            path.conditions.push_back(test);
        }
        node = truth[test] ? left_[node] : right_[node];
    }
    path.leaf_class = leaf_class_[node];
    return path;
}

}  // namespace cattleya::tree
