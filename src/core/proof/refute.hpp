// Proof or refutation of a set of conditions, straight from the definition.
//
// Deliberately shares nothing with the search for reasons (tree/engine.hpp, reasons/) but the
// check that the nodes are a tree (shape.hpp) and when to stop (budget.hpp): it walks the tree as
// it was given, not the read-once copy, and knows no clauses. What one of the two gets wrong, the
// other is there to catch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/budget.hpp"

namespace cattleya::proof {

// The tree as it was given. Conditions as in tree/engine.hpp; `domain` says what values a feature
// takes.
struct GivenTree {
    enum Domain : std::uint8_t { kFloat64 = 0, kFloat32 = 1, kBoolean = 2 };

    std::vector<std::int32_t> left, right, condition, leaf_class;  // by node
    std::vector<std::int32_t> feature;                             // by condition
    std::vector<double> threshold;                                 // by condition
    std::vector<std::uint8_t> missing_left;                        // by condition
    std::vector<std::uint8_t> domain;                              // by feature
    bool takes_missing = false;

    // Throws std::invalid_argument unless every index in the arrays is in range.
    void check() const;
};

constexpr std::int32_t kNoLeaf = -1;

// A leaf of another class than `row_class` that is reached by some assignment of the conditions
// in which `fixed` (one entry per condition: 0, 1, or -1 for free) holds; kNoLeaf if there is none.
// With `real`, only assignments that a row of numbers can have are considered.
std::int32_t refuting_leaf(const GivenTree& tree, std::span<const std::int8_t> fixed,
                           std::int32_t row_class, bool real, Budget& budget);

// Conditions of `chosen` that can go, all together, while the rest still forces the class.
std::vector<std::int32_t> removable(const GivenTree& tree, std::span<const std::int8_t> fixed,
                                    std::span<const std::int32_t> chosen, std::int32_t row_class,
                                    Budget& budget);

// The path to a node as pairs (condition, holds), from the root.
std::vector<std::pair<std::int32_t, bool>> path_to(const GivenTree& tree, std::int32_t node);

}  // namespace cattleya::proof
