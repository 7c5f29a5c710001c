// How likely facts are right where rows are not counted but weighed: leaves with probabilities.
//
// Each leaf has a weight under a set of facts, a product with one factor per column or slot:
// - a *range* node tests a column whose cells have masses. The factor of a column is the mass of
// the
//   leaf's cells that the facts allow, by that of all cells that they allow;
// - a *step* node goes on by a probability of its own, unless a fact decides it: then with the row.
//   Facts of a slot decide more and more nodes, so that each node has a first fact that does.
// The weights of all leaves sum to 1. What is wrong is the weight of the leaves of other outcomes.
//
// One pass over the wrong leaves gives, for every fact, the wrong weight with it (`error`) and the
// weight of what it excludes (`killed`). A fact never makes a leaf lighter that it leaves whole, so
// that several facts leave at least the error less what each of them kills alone.
//
// Where every fact decides nodes of its own, of which a path has one at most, what is left of the
// tree is kept instead of its leaves, without what is decided and without branches that are all
// right: a pass over its nodes gives the same, and there are fewer of them than steps of leaves.
//
// Everything is in floating point, with a bound on its rounding (`slack`). What is within it is
// left open, to be decided exactly elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::short_reasons {

struct ChanceTree {
    std::span<const std::int32_t> left, right;  // children, -1 at leaves
    std::span<const std::uint8_t> wrong;        // of leaves
    std::span<const std::int32_t> column;       // of range nodes; -1 for step nodes and leaves
    std::span<const std::int32_t> level;        // codes up to it go left
    std::span<const std::uint8_t> missing_left;
    std::span<const double> left_chance, right_chance;  // of step nodes
    std::span<const std::int32_t> decided;              // of step nodes: the first fact, or -1
    std::span<const std::uint8_t> row_left;             // of step nodes
    std::span<const std::int32_t> n_cells;              // of each column, but for missing values
    std::span<const std::int64_t> mass;  // of its cells, one after the other; then missing
};

struct ChanceFacts {
    std::span<const std::int32_t> slot, column, first, last;  // column -1: decides step nodes
    std::span<const std::uint8_t> missing;
    std::span<const double> share;  // of the rows that have it; -1: as its cells have it

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(slot.size()); }
};

class Chances {
   public:
    // With `by_leaves`, facts cover the leaves that they leave open, not what has them.
    Chances(const ChanceTree& tree, const ChanceFacts& facts, bool by_leaves);

    struct Cells {
        std::int32_t first, last;
        bool missing;
    };
    struct Weight {
        std::int32_t leaf;
        double weight;
    };
    // A node of what is left: the row's child comes next, the other at `other`.
    struct Branch {
        std::int32_t fact, other;  // -1 at leaves
        double chance, rest;       // of the row's side and of the other; of leaves: what is wrong
    };
    // A set of facts, and what is left of the tree under it.
    struct State {
        std::vector<std::int32_t> facts;  // in order
        std::vector<Cells> allowed;       // of each column
        Vector<Weight> open;              // leaves; right ones only where these are counted
        Vector<Branch> tree;              // instead of them, where it does
        double error = 0, covered = 1;
    };
    // What each fact would do that is worth it: excludes what no wider one of its slot does.
    struct Scan {
        std::vector<std::int32_t> worth;  // slot by slot
        std::vector<double> error, killed, covered, slack;
        // scratch
        std::vector<double> step, density, magnitude, reach, below;
        std::vector<std::int32_t> kills, counts, met;
        std::vector<std::uint8_t> is_used;  // of each slot
        std::vector<double> lost, touched;
    };

    [[nodiscard]] State start() const;
    void scan(const State& state, Scan& scan, Budget& budget) const;
    [[nodiscard]] State with(const State& state, std::int32_t fact, Budget& budget) const;
    // What is wrong under some facts.
    [[nodiscard]] double error(const std::vector<std::int32_t>& facts, Budget& budget) const;

    [[nodiscard]] std::int32_t n_facts() const { return static_cast<std::int32_t>(slot_.size()); }
    [[nodiscard]] std::int32_t slot(std::int32_t fact) const { return slot_[fact]; }

   private:
    struct Range {  // of a leaf: the cells of a column
        std::int32_t column;
        Cells cells;
    };
    struct Step {  // of a leaf: a node that a fact may decide
        std::int32_t fact, slot;
        double chance;
        bool agrees;  // whether the leaf is on the row's side
    };
    struct Leaf {
        std::size_t ranges, ranges_end, steps, steps_end;
        double weight;
        bool is_wrong;
    };

    void collect(const ChanceTree& tree, bool right_too);
    bool collect_tree(const ChanceTree& tree);
    void scan_tree(const State& state, Scan& scan) const;
    void scan_leaves(const State& state, Scan& scan) const;
    static double decided(const Vector<Branch>& tree, std::int32_t fact, Vector<Branch>& made);
    [[nodiscard]] std::int64_t mass(std::int32_t column, const Cells& cells) const;
    [[nodiscard]] static Cells both(const Cells& a, const Cells& b);
    [[nodiscard]] Cells cells_of(std::int32_t fact) const {
        return {first_[fact], last_[fact], missing_[fact] != 0};
    }
    [[nodiscard]] std::int64_t work(const State& state) const;

    std::vector<std::int32_t> slot_, column_, first_, last_;
    std::vector<std::uint8_t> missing_;
    std::vector<double> share_;
    std::vector<std::int32_t> n_cells_;
    std::vector<std::int64_t> sum_;   // prefix sums of masses, column after column
    std::vector<std::size_t> start_;  // of each column in it
    std::vector<Leaf> leaves_;
    std::vector<Range> ranges_;
    std::vector<Step> steps_;
    Vector<Branch> tree_;  // empty where leaves are kept
    double error_ = 0;     // of it
    bool by_leaves_;
    std::size_t depth_ = 0;
};

}  // namespace cattleya::short_reasons
