// A decision tree under the logic of its domain, and the complete reasons over features and over
// intervals.
//
// The columns that a tree tests belong to *attributes*: numbers, or categories that may be spread
// over several columns. The tests cut the values of an attribute into *cells*: values that no test
// tells apart are in one cell. The cells of a number are in order, and a test of it sends those up
// to some level to the left; a test of a category sends a set of cells to the left. A row is then
// one cell an attribute, and a missing value is a cell of its own.
//
// Attributes are independent, so a branch can be reached exactly where each attribute has a cell
// that agrees with all the tests on the way. A DomainTree holds what can be reached, and no test
// whose outcome the way to it decides. It never changes: any number of threads may walk it at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/budget.hpp"
#include "support/clauses.hpp"
#include "support/vector.hpp"
#include "tree/arrays.hpp"

namespace cattleya::domain {

// One entry a distinct test.
struct DomainTests {
    std::span<const std::int32_t> attribute;
    // Of a number: cells up to this one go left (-1: none). Of a category: where its set starts
    // in `words`.
    std::span<const std::int32_t> level;
    std::span<const std::uint8_t> missing_left;  // numbers only; the cells of a category know
};

// One entry per attribute.
struct DomainAttributes {
    static constexpr std::int32_t kCategory = -1;

    std::span<const std::int32_t> n_levels;  // of a number: its cells are 0 to n_levels
    std::span<const std::int32_t> n_cells;   // of a category
    std::span<const double> level_value;     // the last value up to each level, in order
    std::span<const std::uint64_t> words;    // the cells that a test of a category sends left
    bool takes_missing;                      // may numbers be missing?
    // Of which numbers that is not so; empty: of none.
    std::span<const std::uint8_t> never_missing = {};
};

// Regions in which more than one outcome is possible while some attributes are free, and all others
// stay. The cells of an attribute are low to high of a number, perhaps missing, or of a category
// the bits of `words` from low on, high - low words of them.
struct FreeRegions {
    Vector<std::int64_t> part_start{0};  // of each region: the attributes that stay, where not all
    Vector<std::int32_t> attribute;      // of their cells are in it
    Vector<std::int32_t> low, high;
    Vector<std::uint8_t> missing;
    Vector<std::int64_t> case_start{0};  // of each region: the cells of the free attributes, cut
    Vector<std::int32_t> outcome;        // into boxes of one outcome
    Vector<std::int32_t> free_low, free_high;  // of each case, one entry per free attribute
    Vector<std::uint8_t> free_missing;
    Vector<std::uint64_t> words;
    bool complete = true;  // or time ran out
};

// What rows of the domain can come to.
struct Survey {
    Vector<std::uint8_t> reached;  // by node of the tree as it was given
    Vector<std::uint8_t> has;      // by class: whether any row gets it
    // By class, for each attribute that is tested: the least box around all of its rows.
    Vector<std::int32_t> attribute;
    Vector<std::int32_t> low, high;  // as in FreeRegions
    Vector<std::uint8_t> missing;
    Vector<std::uint64_t> words;
};

// A tree that decides as another one; node 0 is the root, children are -1 at leaves.
struct SmallTree {
    Vector<std::int32_t> left, right, test, leaf_class;
    bool smallest = true;  // or something was too much to look at
};

class DomainTree {
   public:
    enum class Wanted : std::uint8_t { kDiffer, kRises, kFalls };

    static constexpr std::int32_t kMissing = -1;  // the cell of a missing number

    DomainTree(const tree::TreeArrays& tree, const DomainTests& tests,
               const DomainAttributes& attributes, std::int32_t n_classes, Budget& budget);

    [[nodiscard]] std::size_t n_attributes() const { return n_levels_.size(); }
    [[nodiscard]] std::size_t n_nodes() const { return node_.size(); }
    // Of a number; of a category there is none.
    [[nodiscard]] std::int32_t n_levels(std::int32_t attribute) const {
        return is_category(attribute) ? 0 : n_levels_[attribute];
    }
    [[nodiscard]] std::int32_t attribute_of(std::int32_t test) const { return attribute_[test]; }
    // Whether a test tells some values of its attribute from others.
    [[nodiscard]] bool tells(std::int32_t test) const { return tells_[test] != 0; }

    // The cell of each number of a row, given one value per attribute; 0 for categories.
    [[nodiscard]] std::vector<std::int32_t> cells(std::span<const double> values) const;

    // The way of a row through the tree as it was given, in tests.
    [[nodiscard]] tree::Path path(std::span<const std::int32_t> cells) const;

    // The tightest of the atoms that the tests of a path speak of, in its order; first_atom as for
    // interval_reason.
    [[nodiscard]] std::vector<std::int32_t> interval_path(
        std::span<const std::int32_t> tests, std::span<const std::int32_t> cells,
        std::span<const std::int32_t> first_atom) const;

    // Every minimal set of attributes that can bring the row to another class (or to the one class
    // `toward`) when they change. Atoms are attributes.
    [[nodiscard]] Clauses feature_reason(std::span<const std::int32_t> cells,
                                         std::int32_t row_class, std::int32_t toward,
                                         Budget& budget) const;

    // The same over the row's sides of the distinct tests. The atoms of attribute a start at
    // first_atom[a]. A category has one: its value. A number that is missing has one: that it is. A
    // number that is there has, where numbers may be missing, one that it is; and then one for each
    // level, the least first.
    [[nodiscard]] Clauses interval_reason(std::span<const std::int32_t> cells,
                                          std::span<const std::int32_t> first_atom,
                                          std::int32_t row_class, std::int32_t toward,
                                          Budget& budget) const;

    // All regions in which the outcome depends on the free attributes, or rises or falls somewhere
    // along the only free one, a number; no two of them meet. `most` bounds how many are found.
    [[nodiscard]] FreeRegions free_regions(std::span<const std::int32_t> free, Wanted wanted,
                                           std::int64_t most, Budget& budget) const;

    // The same regions, fewer: those side by side along one attribute, alike in all else, are one.
    // Where time runs out, they stay as they are.
    [[nodiscard]] FreeRegions merged(FreeRegions given, std::span<const std::int32_t> free,
                                     Budget& budget) const;

    // What can be reached, and what that says of each class.
    [[nodiscard]] Survey survey(Budget& budget) const;

    // The smallest tree that is left when splits go, each replaced by one of its sides.
    [[nodiscard]] SmallTree simplified(Budget& budget) const;

   private:
    friend class MaskSearch;
    friend class AmountSearch;
    friend class Widener;

    // The search behind interval_reason; without `levels`, every attribute has one atom.
    [[nodiscard]] Clauses search_amounts(std::span<const std::int32_t> cells,
                                         std::span<const std::int32_t> first_atom, bool levels,
                                         std::int32_t row_class, std::int32_t toward,
                                         Budget& budget) const;

    // In preorder: the left child of node i is node i + 1.
    struct Node {
        std::int32_t test;   // at a leaf, ~class
        std::int32_t right;  // unused at leaves
        [[nodiscard]] bool is_leaf() const { return test < 0; }
    };

    // What the way to a node says about the number it tests.
    enum Note : std::uint8_t {
        kFirst = 1,        // nothing yet
        kPresentLeft = 2,  // some value that is not missing goes left
        kPresentRight = 4,
    };

    class Box;
    class Builder;
    class FreeWalk;
    class Merger;
    class Simplifier;

    [[nodiscard]] bool is_category(std::int32_t attribute) const {
        return n_levels_[attribute] == DomainAttributes::kCategory;
    }
    void find_telling();
    void check_cells(std::span<const std::int32_t> cells) const;
    [[nodiscard]] bool goes_left(std::int32_t test, std::int32_t cell) const;
    // One byte per test: does the row go left?
    [[nodiscard]] std::vector<std::uint8_t> sides(std::span<const std::int32_t> cells) const;
    void check(std::int32_t row_class, std::int32_t toward) const;

    std::vector<std::int32_t> left_, right_, test_, leaf_class_;  // as given
    std::vector<std::int32_t> attribute_, level_;                 // by test
    std::vector<std::uint8_t> missing_left_, tells_;              // by test
    std::vector<std::int32_t> n_levels_, n_cells_;                // by attribute
    std::vector<double> level_value_;
    std::vector<std::uint64_t> words_;
    bool takes_missing_;
    std::vector<std::uint8_t> never_missing_;  // by attribute
    std::int32_t n_classes_;

    Vector<Node> node_;
    Vector<std::uint8_t> note_;         // by node; empty where numbers are never missing
    std::vector<std::int32_t> tested_;  // the attributes that node_ tests
    std::vector<std::int32_t> place_;   // by test: of its attribute in tested_; -1 if not tested
};

}  // namespace cattleya::domain
