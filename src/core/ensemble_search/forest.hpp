// An additive ensemble of trees over cells, and its outcome to the last bit.
//
// Every leaf adds numbers to one or more outputs. The outcome is the output that is largest (the
// first of equal ones), or, for a single output, how many of some cuts it has passed. A Margin says
// by how much one outcome is ahead of another; it is again a sum over the leaves, and it is this
// sum that the searches bound.
//
// The library that made the model adds floating point numbers, in single or double precision, in
// its own order; `decide` does the same. Bounds need sums in any order. So they are kept in 64-bit
// fixed point, every leaf rounded up, with a slack that covers what the library's own rounding can
// do: a box whose bound is below `Margin::need` has no row of the rival outcome, whatever the
// rounding, and a single row is always decided by `decide`. Leaves whose numbers have few bits (0
// and 1 in fully grown forests) add up without rounding, and need no slack: a tie is a tie.
//
// Some libraries add in no fixed order. What is nearer to another outcome than that can matter has
// no outcome (kUnsure), which is not that of any row. Others compare what a link makes of the sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ensemble_search/box.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

// As they come from the outside. Tree t has the nodes tree_start[t] to tree_start[t + 1] - 1, the
// first of which is its root; children are indices into the whole arrays, -1 at leaves.
struct TreeArrays {
    std::span<const std::int32_t> tree_start, left, right;
    std::span<const std::int32_t> test;  // by node; -1 at leaves
    // By tree: the output that it adds to. Empty where every tree adds to all of them.
    std::span<const std::int32_t> output;
    std::span<const double>
        value;  // by leaf, in the order of the nodes: one number, or one per output
};

// One entry per distinct test.
struct TestArrays {
    std::span<const std::int32_t> attribute;
    // Of a number: cells up to this one go left (-1: none). Of a category: where the set of its
    // cells that go left starts in `words`.
    std::span<const std::int32_t> level;
    std::span<const std::uint8_t> missing_left;  // of numbers
    std::span<const std::uint64_t> words;
};

struct DecisionArrays {
    std::span<const double> base;  // by output: what the sum starts from
    bool single_precision;         // are sums rounded to 32 bits?
    // What happens to the sum at the end: divided, multiplied, and this added, by output.
    double divisor, factor;
    std::span<const double> offset;
    // Of a single output: outcome i has reached i of these, in rising order. Empty: the largest of
    // the outputs wins, the first of equal ones.
    std::span<const double> cut;
    // By output: how far off a sum may be when outcomes are told apart. Empty: not at all.
    std::span<const double> doubt;
    bool in_order;  // are sums added in the order of the trees? If not, what is in doubt is unsure
    std::string_view link;  // the largest of what this makes of the outputs wins; "": of themselves
    double link_scale;      // what they are multiplied with before
};

constexpr std::int32_t kUnsure = -1;  // an outcome: which one, the library itself may not know

struct Node {
    std::int32_t attribute;  // -1 at a leaf
    std::int32_t level;      // as in TestArrays; at a leaf: its place among the leaves
    std::int32_t left, right;
    std::uint8_t missing_left;
};

struct Margin {
    std::int32_t of, rival;
    std::int32_t up, down;  // the outputs whose leaves count for and against the rival; -1: none
    std::int64_t constant;  // in fixed point, rounded up
    std::int64_t need;      // a sum below is no rival's
};

class Peaks;  // peaks.hpp
class Shelf;  // shelf.hpp

class Forest {
   public:
    // Throws std::invalid_argument where these are no ensemble.
    Forest(Attributes attributes, const TreeArrays& trees, const TestArrays& tests,
           const DecisionArrays& decision);

    [[nodiscard]] const Attributes& attributes() const { return attributes_; }
    [[nodiscard]] std::int32_t n_trees() const { return static_cast<std::int32_t>(root_.size()); }
    [[nodiscard]] std::int32_t root(std::int32_t tree) const { return root_[tree]; }
    [[nodiscard]] std::int64_t n_nodes(std::int32_t tree) const {
        return (tree + 1 < n_trees() ? root_[tree + 1] : std::ssize(node_)) - root_[tree];
    }
    [[nodiscard]] const Node& node(std::int32_t n) const { return node_[n]; }
    [[nodiscard]] std::int32_t n_outcomes() const;

    [[nodiscard]] bool goes_left(const Node& n, std::int32_t cell) const {
        if (attributes_.is_category(n.attribute)) return in_set(n, cell);
        return cell == kMissing ? n.missing_left != 0 : cell <= n.level;
    }
    [[nodiscard]] bool in_set(const Node& n, std::int32_t cell) const {
        return (words_[n.level + cell / 64] >> (cell % 64) & 1) != 0;
    }
    // Which sides rows of a box can go to: 1 left, 2 right, 3 both.
    [[nodiscard]] int sides(const Node& n, const Box& box) const {
        const std::int32_t a = n.attribute, low = box.low[a], high = box.high[a];
        if (attributes_.is_category(a)) return sides_of_set(n, box);
        int found = 0;
        if (low <= high) found = (low <= n.level) | (high > n.level) << 1;
        if (box.missing[a] != 0) found |= n.missing_left != 0 ? 1 : 2;
        return found;
    }
    // Whether missing values of a number go the same way everywhere as some cell that the box has.
    [[nodiscard]] bool missing_has_twin(std::int32_t a, const Box& box) const {
        return std::max(box.low[a], twin_low_[a]) <= std::min(box.high[a], twin_high_[a]);
    }
    // Takes missing values out of a box where they have a twin in it.
    void leave_out_twins(Box& box) const;
    // The first test of a tree that does not add the same to the sums of all rows of a box; none
    // where all trees do.
    [[nodiscard]] const Node* differing(const Box& box) const;
    // Leaves in the box what goes to one side.
    void restrict(const Node& n, bool left, Box& box) const;

    // What is kept for all questions.
    [[nodiscard]] Peaks& peaks() const { return *peaks_; }
    [[nodiscard]] Shelf& shelf() const { return *shelf_; }

    // The node of the leaf that a row comes to.
    [[nodiscard]] std::int32_t leaf_of(std::int32_t tree,
                                       std::span<const std::int32_t> cells) const;
    // The outcome of a row, as the library computes it; or kUnsure.
    [[nodiscard]] std::int32_t decide(std::span<const std::int32_t> cells) const {
        return decided(cells, !in_order_ && !doubt_.empty());
    }
    // The same where the sums are added in the order of the trees.
    [[nodiscard]] std::int32_t decide_in_order(std::span<const std::int32_t> cells) const {
        return decided(cells, false);
    }
    // The tests on the ways of a row through all trees, each once, in the order of the trees.
    [[nodiscard]] Vector<std::int32_t> path(std::span<const std::int32_t> cells) const;

    // By how much a rival is ahead of an outcome; of cuts, the next one on the way to the rival.
    [[nodiscard]] Margin margin(std::int32_t of, std::int32_t rival) const;
    // The margins of which one is reached wherever the outcome is another one.
    [[nodiscard]] Vector<Margin> rivals(std::int32_t of) const;
    // What a leaf adds to a margin, rounded up.
    [[nodiscard]] std::int64_t weight(const Margin& m, std::int32_t tree, const Node& leaf) const {
        const std::int64_t at = leaf.level;
        if (output_.empty()) {
            std::int64_t sum = pad_[at];
            if (m.up >= 0) sum += ceil_[at * width_ + m.up];
            if (m.down >= 0) sum -= floor_[at * width_ + m.down];
            return sum;
        }
        if (output_[tree] == m.up) return ceil_[at] + pad_[at];
        return output_[tree] == m.down ? pad_[at] - floor_[at] : 0;
    }

   private:
    [[nodiscard]] int sides_of_set(const Node& n, const Box& box) const;
    void read_nodes(const TreeArrays& trees, const TestArrays& tests);
    void fix_point();
    // A number after the end of the sum, as one before it.
    [[nodiscard]] double before_end(double value) const { return value / factor_ * divisor_; }
    [[nodiscard]] std::int32_t decided(std::span<const std::int32_t> cells, bool doubts) const;
    template <class Real>
    std::int32_t decide_in(std::span<const std::int32_t> cells, bool doubts) const;
    template <class Real>
    [[nodiscard]] bool is_unsure(std::span<const Real> sum) const;

    Attributes attributes_;
    Vector<Node> node_;
    Vector<std::int32_t> root_, output_, test_;
    Vector<std::int32_t> twin_low_, twin_high_;  // by number: the cells that go as missing does
    Vector<std::uint64_t> words_;
    Vector<double> value_, base_, offset_, cut_, doubt_;  // the values by leaf
    bool single_precision_, in_order_;
    double divisor_, factor_, link_scale_;
    std::string link_;
    std::int32_t width_ = 1;  // numbers per leaf
    // The values in fixed point, rounded up and down; and what is added for the library's rounding.
    Vector<std::int64_t> ceil_, floor_, pad_;
    double scale_ = 1;
    std::int64_t slack_ = 0;  // of a difference, for the library's rounding
    bool is_padded_ = false;  // whether the leaves carry it, or the sum
    bool all_exact_ = false;  // whether no sum is ever rounded
    bool exact_base_ = false;
    std::shared_ptr<Peaks> peaks_;
    std::shared_ptr<Shelf> shelf_;
};

}  // namespace cattleya::ensemble_search
