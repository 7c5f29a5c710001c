// What the trees of an ensemble add up to for rows of numbers, in the library's own precision and
// order.
//
// Nodes are packed into 16 bytes, with the two children of a node next to each other, so that a
// step of the walk is one load, one comparison and one addition. Rows are taken in blocks, and each
// block goes through one tree after the other: a tree stays in the cache, and every row still adds
// its trees from the first to the last. A symmetric tree, whose nodes of a level all ask the same,
// is not walked: the answers of its levels are the bits of the number of its leaf.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/budget.hpp"

namespace cattleya::ensemble {

// Arrays as they come from the outside; one entry per node unless said otherwise.
struct NodeArrays {
    std::span<const std::int32_t> tree_start;  // one per tree, and the end
    std::span<const std::int32_t> left;
    std::span<const std::int32_t> right;
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::uint8_t> missing_left;
    std::span<const std::int32_t> category_set;  // -1: compares with the threshold
};

// Sets of categories; `start` has one entry more than there are sets.
struct SetArrays {
    std::span<const std::int32_t> start;
    std::span<const std::int32_t> codes;      // ascending in each set
    std::span<const std::uint8_t> goes_left;  // one per set
};

struct SumArrays {
    std::span<const double> value;                 // leaf by leaf, `width` numbers each
    std::span<const std::int32_t> output_of_tree;  // one per tree; none: leaves have all outputs
    std::span<const double> base;                  // one per output
    std::span<const double> offset;                // one per output
    double divide_by;
    double scale;
    bool in_float32;
};

class Sums {
   public:
    // Throws std::invalid_argument where an array does not fit the others.
    Sums(const NodeArrays& nodes, const SetArrays& sets, const SumArrays& sums,
         std::int32_t n_features);

    // The sums of each row of a matrix, row by row; numbers of 32 bits are given as doubles.
    [[nodiscard]] std::vector<double> margins(std::span<const double> matrix, std::size_t n_rows,
                                              Budget& budget) const;

    // What the sums of a single row decide: 1 where the first has reached the cut, else 0; without
    // a cut the place of the largest, the first of equal ones.
    [[nodiscard]] std::int32_t decide(std::span<const double> row, std::optional<double> cut) const;

    [[nodiscard]] std::size_t n_outputs() const { return base_.size(); }

   private:
    struct Node {
        double threshold;       // or the number of a set
        std::int32_t child;     // the left one, the right one being next to it; a leaf's is itself
        std::uint32_t feature;  // and flags
    };
    struct Set {
        std::uint32_t begin;  // in words_ or in codes_
        std::uint32_t size;   // in words, or codes
        bool is_bits;
        bool goes_left;
    };
    // What symmetric trees ask about a feature: `size` thresholds in ascending order, or one set.
    struct Column {
        std::uint32_t feature;  // and flags
        std::uint32_t begin;    // in cuts_
        std::int16_t size;
    };
    // A level of a symmetric tree: goes right where more than `place` thresholds are below.
    struct Level {
        std::uint32_t column;
        std::int16_t place;
    };
    static constexpr std::uint32_t kLeaf = 1U << 31, kSet = 1U << 30, kMissingLeft = 1U << 29;
    static constexpr std::uint32_t kFeature = kMissingLeft - 1;
    static constexpr std::int32_t kAllOutputs = -1;

    void pack(const NodeArrays& nodes, std::int32_t n_features);
    void pack(const SetArrays& sets);
    [[nodiscard]] bool goes_left(const Node& node, double value) const;
    [[nodiscard]] bool in_set(const Set& set, double value) const;
    void find_levels(std::int32_t root, std::size_t size, std::vector<Node>& asked);
    void number_levels(const std::vector<Node>& asked);
    void rank(const Column& column, const double* rows, std::size_t count,
              std::int16_t* below) const;
    void number_leaves(std::size_t tree, const std::int16_t* below, std::size_t count,
                       std::int16_t* leaf, std::int32_t* line) const;
    template <bool missing>
    void walk(std::int32_t root, const double* rows, std::size_t count, std::int32_t* line) const;
    void walk_with_sets(std::int32_t root, const double* rows, std::size_t count,
                        std::int32_t* line) const;
    template <class Number>
    void add(std::span<const double> matrix, std::size_t n_rows, const std::vector<Number>& value,
             std::vector<double>& total, Budget& budget) const;
    template <class Number>
    [[nodiscard]] std::int32_t decide_in(std::span<const double> row,
                                         const std::vector<Number>& value,
                                         std::optional<double> cut) const;
    [[nodiscard]] std::int32_t line_of(std::int32_t root, std::span<const double> row) const;
    // What becomes of the sum of an output at the end.
    template <class Number>
    [[nodiscard]] Number ended(Number sum, std::size_t output) const;

    std::size_t n_features_;
    std::vector<std::int32_t> root_, output_of_tree_;
    std::vector<Node> nodes_;
    std::vector<std::int32_t> line_;  // of a leaf, in the values
    std::vector<Column> columns_;
    std::vector<double> cuts_;                 // of the columns: thresholds, or the number of a set
    std::vector<Level> levels_;                // of symmetric trees
    std::vector<std::size_t> level_start_{0};  // by tree, and the end; no levels: it is walked
    std::vector<Set> sets_;
    std::vector<std::uint64_t> words_;
    std::vector<std::int32_t> codes_;
    std::vector<double> value_;  // one of the two is empty
    std::vector<float> value32_;
    std::vector<double> base_, offset_;
    double divide_by_, scale_;
    bool in_float32_;
};

}  // namespace cattleya::ensemble
