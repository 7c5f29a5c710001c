// A decision tree made ready for walking, and the walks that cost polynomial time.
//
// The tree tests *conditions*, numbered 0..n-1: condition i holds in a row where
// row[feature[i]] <= threshold[i], or where that value is NaN and missing_left[i] is set. The
// left child of a node is taken where its condition holds. A row is reduced once to its truth
// vector (one byte a condition); everything after that looks at condition numbers alone.
//
// An Engine never changes after construction, so any number of threads may walk it at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "vector.hpp"

namespace cattleya {

// Arrays as they come from the outside; all of them one entry a node.
struct TreeArrays {
    std::span<const std::int32_t> left;
    std::span<const std::int32_t> right;
    std::span<const std::int32_t> condition;  // -1 at leaves
    std::span<const std::int32_t> leaf_class;
};

// One entry a condition.
struct ConditionArrays {
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::uint8_t> missing_left;
};

struct Path {
    std::int32_t leaf_class;
    std::vector<std::int32_t> conditions;  // in the order of the path, each once
};

// Clause i is atom[start[i]] .. atom[start[i + 1] - 1]; smaller clauses come first.
struct Clauses {
    Vector<std::int64_t> start{0};
    Vector<std::int32_t> atom;
};

struct ClauseView {
    std::span<const std::int64_t> start;
    std::span<const std::int32_t> atom;

    [[nodiscard]] std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }

    // Throws std::invalid_argument unless this is a list of clauses over 0..n_atoms-1.
    void check(std::size_t n_atoms) const;
};

class Engine {
   public:
    static constexpr std::int32_t kAnyOther = -1;

    Engine(const TreeArrays& tree, const ConditionArrays& conditions, std::int32_t n_features,
           std::int32_t n_classes);

    [[nodiscard]] std::size_t n_conditions() const { return feature_.size(); }
    [[nodiscard]] std::size_t n_features() const { return n_features_; }

    // Writes the truth of each condition in this row.
    void evaluate(std::span<const double> row, std::span<std::uint8_t> truth) const;

    // The path that the row takes through the tree as it was given.
    [[nodiscard]] Path path(std::span<const std::uint8_t> truth) const;

    // The complete reason: every minimal set of conditions whose change can bring the row of this
    // truth vector and class to another class (or to the one class `toward`).
    [[nodiscard]] Clauses complete_reason(std::span<const std::uint8_t> truth,
                                          std::int32_t row_class, std::int32_t toward,
                                          Budget& budget) const;

   private:
    // A preorder layout: the left child of node i is node i + 1, so a node is eight bytes and a
    // walk to the left is a walk through memory.
    struct Node {
        std::int32_t test;   // a condition; at a leaf, ~class
        std::int32_t right;  // unused at leaves
        [[nodiscard]] bool is_leaf() const { return test < 0; }
    };

    void build_read_once();
    void check_truth(std::span<const std::uint8_t> truth) const;

    std::vector<std::int32_t> left_, right_, condition_, leaf_class_;
    std::vector<std::int32_t> feature_;
    std::vector<double> threshold_;
    std::vector<std::uint8_t> missing_left_;
    std::size_t n_features_;
    std::int32_t n_classes_;
    Vector<Node> node_;                   // read-once, and without tests that decide nothing
    std::vector<std::uint8_t> repeated_;  // by condition: is it tested at more than one node_?
};

// The greedy sufficient reason: starting from `start`, which must hit every clause, conditions
// are dropped in the order given as long as every clause stays hit. Irredundant by construction:
// a condition that could not go when it was tried cannot go later, when less is left.
std::vector<std::int32_t> greedy_hitting_set(const ClauseView& clauses,
                                             std::span<const std::int32_t> start,
                                             std::size_t n_conditions);

}  // namespace cattleya
