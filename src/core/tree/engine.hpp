// A decision tree made ready for walking.
//
// The tree tests *conditions*, numbered 0..n-1: condition i holds in a row where
// row[feature[i]] <= threshold[i], or where that value is NaN and missing_left[i] is set. The
// left child of a node is taken where its condition holds. A row is reduced once to its truth
// vector (one byte per condition); everything after that looks at condition numbers alone.
//
// An Engine never changes after construction, so any number of threads may walk it at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/vector.hpp"
#include "tree/arrays.hpp"

namespace cattleya::tree {

class Engine {
   public:
    Engine(const TreeArrays& tree, const ConditionArrays& conditions, std::int32_t n_features,
           std::int32_t n_classes);

    [[nodiscard]] std::size_t n_conditions() const { return feature_.size(); }
    [[nodiscard]] std::int32_t n_classes() const { return n_classes_; }
    [[nodiscard]] std::size_t n_features() const { return n_features_; }

    // Writes the truth of each condition in this row.
    //
    // Where the conditions stand in the order of feature and threshold, as a rule, the truth of
    // those on one feature is a run of zeros and then a run of ones.
    void evaluate(std::span<const double> row, std::span<std::uint8_t> truth) const;

    // The path that the row takes through the tree as it was given.
    [[nodiscard]] Path path(std::span<const std::uint8_t> truth) const;

    // Throws std::invalid_argument unless there is one entry per condition.
    void check_truth(std::span<const std::uint8_t> truth) const;

    // A preorder layout: the left child of node i is node i + 1, so a node is eight bytes and a
    // walk to the left is a walk through memory.
    struct Node {
        std::int32_t test;   // a condition; at a leaf, ~class
        std::int32_t right;  // unused at leaves
        [[nodiscard]] bool is_leaf() const { return test < 0; }
    };

    // The tree with every condition at most once on a path, and without tests that decide nothing.
    [[nodiscard]] std::span<const Node> nodes() const { return node_; }
    // The leaf among the nodes that a row without missing values comes to.
    [[nodiscard]] std::int32_t leaf_of(std::span<const double> row) const;

    // The conditions on one feature that stand together, their thresholds rising: first .. last
    // - 1.
    struct Stretch {
        std::int32_t feature, first, last;
    };
    // All conditions as stretches, a feature each; none where they do not stand in that order.
    [[nodiscard]] std::span<const Stretch> stretches() const { return stretch_; }
    // The first condition of a stretch that holds for a number; `last` where none does.
    [[nodiscard]] std::int32_t first_true(const Stretch& stretch, double value) const;

    // By condition: is it tested at more than one of the nodes?
    [[nodiscard]] const std::vector<std::uint8_t>& repeated() const { return repeated_; }

   private:
    void build_stretches();
    void build_read_once();

    std::vector<std::int32_t> left_, right_, condition_, leaf_class_;
    std::vector<std::int32_t> feature_;
    std::vector<double> threshold_;
    std::vector<std::uint8_t> missing_left_;
    std::size_t n_features_;
    std::int32_t n_classes_;
    Vector<Node> node_;
    std::vector<std::uint8_t> repeated_;
    std::vector<Stretch> stretch_;
};

}  // namespace cattleya::tree
