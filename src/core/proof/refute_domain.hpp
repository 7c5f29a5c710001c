// Proof or refutation of what is fixed of a row, straight from the definition, under the logic of
// the domain.
//
// Deliberately shares nothing with the search for reasons (domain/) but the check that the
// nodes are a tree (shape.hpp) and when to stop (budget.hpp): it walks the tree as it was given,
// and knows no cells, levels or clauses, but values. Of a number it keeps the least and the
// greatest value that the tests leave, both values that the number can really have; of a category,
// the points that are left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/budget.hpp"

namespace cattleya::proof {

struct ValueTree {
    std::vector<std::int32_t> left, right, column, leaf_class;  // by node
    std::vector<double> threshold;                              // by node
    std::vector<std::uint8_t> missing_left;                     // by node
    // By node: the greatest value up to the threshold that the column can have (-inf: none), and
    // the least above it (inf: none). Columns of numbers only.
    std::vector<double> below, above;
    std::vector<std::int32_t> attribute;    // by column
    std::vector<std::int32_t> place;        // by column: which coordinate of its attribute's points
    std::vector<std::int32_t> width;        // by attribute: columns of a category; 0 for a number
    std::vector<std::int64_t> first_point;  // by attribute, and the end: coordinates in `points`
    std::vector<double> points;
    bool takes_missing = false;

    // Throws std::invalid_argument unless every index in the arrays is in range.
    void check() const;
};

// What is left of one attribute.
struct Left {
    double low, high;      // of a number
    std::uint8_t missing;  // may it be missing?
    std::int32_t point;    // of a category: the only one left, or kAnyPoint
};

constexpr std::int32_t kAnyPoint = -1;

// What is left of each attribute, from one array per field. Throws std::invalid_argument unless all
// are of one length.
std::vector<Left> left_from(std::span<const double> low, std::span<const double> high,
                            std::span<const std::uint8_t> missing,
                            std::span<const std::int32_t> point);

constexpr std::int32_t kNoValueLeaf = -1;

struct Refutation {
    std::int32_t leaf = kNoValueLeaf;
    std::vector<Left> left;  // by attribute, at that leaf; every category has its point
};

// A leaf of another class than `row_class` that a row can reach within what `fixed` leaves of each
// attribute. A category that can keep the point `own` does.
Refutation refute(const ValueTree& tree, std::span<const Left> fixed,
                  std::span<const std::int32_t> own, std::int32_t row_class, Budget& budget);

// The same, where a category may have any of several points: `allowed` has one byte per point, the
// categories one after the other; what `fixed` says of their points must be kAnyPoint.
Refutation refute_box(const ValueTree& tree, std::span<const Left> fixed,
                      std::span<const std::uint8_t> allowed, std::span<const std::int32_t> own,
                      std::int32_t row_class, Budget& budget);

// For each attribute: is there such a leaf when what is fixed of it, and of no other, is let go?
// Asked where there is none as long as all is fixed.
std::vector<std::uint8_t> needed(const ValueTree& tree, std::span<const Left> fixed,
                                 std::int32_t row_class, Budget& budget);

}  // namespace cattleya::proof
