// Is there a row in a box with another outcome, and which is nearest to a given one?
//
// Branch and bound over the tables of a box (tables.hpp). The bound of a part of the box is the sum
// of the largest weights that are still left in each table. A part whose bound is below what the
// rival needs is done with. Otherwise the cells of single attributes are dropped that alone would
// bring the bound below; then the part is split where both halves lose most. Rows are tried on the
// way: those that meet as many of the best leaves as go together, and those one step better.
//
// Within one search the order is depth first, which takes no memory and undoes little; what it
// leaves after so many parts is taken up best first (agenda.hpp). On adult's forests of 100 full
// trees the two orders together took 0.6 to 1.3 times as long, row by row, as depth first alone.
//
// With costs, the search is for the row of least cost, and a part is also done with where its
// cheapest row is no cheaper than the best found. What is found is decided by the ensemble's own
// arithmetic; what is excluded is excluded by whole numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "ensemble_search/climb.hpp"
#include "ensemble_search/forest.hpp"
#include "ensemble_search/tables.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

enum class Answer : std::uint8_t { kNo, kYes, kOpen };

// What a change costs: first how many atoms it takes, then how far it goes.
struct Cost {
    double changes = 0;
    double total = 0;

    friend auto operator<=>(const Cost&, const Cost&) = default;
    friend Cost operator+(const Cost& x, const Cost& y) {
        return {x.changes + y.changes, x.total + y.total};
    }
    static constexpr double kNever = std::numeric_limits<double>::infinity();
};

// A change that was found before: no row that makes it, and perhaps more, is wanted again.
struct Change {
    enum Kind : std::uint8_t { kAny, kDown, kUp, kMissing };
    std::int32_t attribute;  // of the ensemble
    Kind kind;
    std::int32_t cell;  // down to this one or further, or up to it
};

// What a search for the nearest row is given.
struct Nearest {
    // By attribute of the ensemble, from first[a]: the cost of each cell, then of missing. Away
    // from the row's cell costs do not fall, but some cells may cost kNever.
    std::span<const std::int64_t> first;
    std::span<const double> changes, total;
    // Blocked sets of changes, from blocked_start[i].
    std::span<const std::int64_t> blocked_start;
    std::span<const Change> blocked;
};

// A part of a box that was not looked at, and what no row in it exceeds.
struct Left {
    Box box;
    std::int64_t bound;
};

constexpr std::int64_t kNoLeaf = -(std::int64_t{1} << 47);  // lighter than any

class Search {
   public:
    // With costs, of one outcome among several: looks into a part that the margin leaves to it, but
    // whose cheapest row has another outcome, for a row cheaper than `best`, and changes both then.
    // False where it beats all others there, as far as their margins tell.
    using Settle = std::function<bool(const Box& part, std::int32_t outcome, Cost& best,
                                      Vector<std::int32_t>& row)>;

    // The box must be inside that of the tables.
    // Looks for a row of the margin's rival, or of any but its own outcome where `any_other`.
    Search(const Forest& forest, const Margin& margin, const Tables& tables, const Box& box,
           std::span<const std::int32_t> row, bool any_other, const Nearest* nearest, Settle settle,
           Budget& budget);

    // Whether there is such a row. `kOpen` where it took more than so many parts; `left` then gets
    // the boxes that were not looked at, the next one last. `rows_first` tries likely rows at the
    // start. With costs: a row cheaper than `best`, and the cheapest one.
    Answer run(std::int64_t most_parts, bool rows_first, Vector<Left>& left);

    [[nodiscard]] const Vector<std::int32_t>& found() const { return found_; }
    [[nodiscard]] Cost cost() const { return best_; }
    void set_best(const Cost& best) { best_ = best; }
    [[nodiscard]] std::int64_t parts() const { return parts_; }

   private:
    struct Undo {
        enum Kind : std::uint8_t { kLow, kHigh, kMissing, kSet, kReach, kBest };
        Kind kind;
        std::int32_t at;
        std::uint64_t before;
    };
    // The best leaf that is left of a table, and which attributes it asks (as in Tables::asked).
    struct Best {
        std::int64_t leaf;
        std::int64_t first_ask;
        std::uint64_t asked;
    };
    struct Split {
        std::int32_t active = -1;
        std::int32_t cut = 0;       // of a number: up to here, or above; kMissing: missing or not
        bool first_side = true;     // whether the lower side, missing, or the set comes first
        Vector<std::uint64_t> set;  // of a category
    };
    struct Frame {
        std::size_t mark;
        std::size_t mark_after = 0;
        int stage = 0;
        Split split = {};
    };

    static constexpr std::int32_t kOutside = -2;  // of the box

    // The state, and how it changes.
    void enter_box();
    void narrow_high(std::int32_t a, std::int32_t high);
    void narrow_low(std::int32_t a, std::int32_t low);
    void only_present(std::int32_t a);
    void only_missing(std::int32_t a);
    void keep_cells(std::int32_t a, const std::uint64_t* set);
    void keep(const Entry& entry, const std::uint64_t* mask, const std::uint64_t* also);
    [[nodiscard]] Best best_at(std::int64_t leaf) const {
        return {leaf, tables_.first_ask[leaf], tables_.asked[leaf]};
    }
    void set_best_leaf(std::int32_t table, std::int64_t leaf);
    void undo(std::size_t mark);
    void apply(const Split& split, bool first);
    [[nodiscard]] Box part() const;  // the one that is looked at
    void leave(const Vector<Frame>& frames, Vector<Left>& left);
    // The first leaf of a table, which is its best, that is in both masks; -1: none is.
    [[nodiscard]] std::int64_t first_leaf(const Table& t, const std::uint64_t* reach,
                                          const std::uint64_t* mask) const {
        for (std::int32_t w = 0; w < t.n_words; ++w) {
            if (const std::uint64_t left = reach[w] & mask[w]; left != 0) {
                return t.first_leaf + w * 64 + std::countr_zero(left);
            }
        }
        return -1;
    }
    [[nodiscard]] std::int64_t first_weight(const Table& t, const std::uint64_t* reach,
                                            const std::uint64_t* mask) const {
        const std::int64_t leaf = first_leaf(t, reach, mask);
        return leaf < 0 ? kNoLeaf : tables_.weight[leaf];
    }
    [[nodiscard]] std::int64_t last_weight(const Table& t) const;
    [[nodiscard]] bool is_open(std::int32_t a) const;

    // One part of the box.
    bool shrink(Split& split);
    bool shrink_number(std::int32_t a, Split& split, double& most, bool& changed);
    bool shrink_missing(std::int32_t a, Split& split, double& most, bool& changed);
    bool shrink_category(std::int32_t a, Split& split, double& most, bool& changed);
    [[nodiscard]] bool may_ask(std::int32_t table, std::int32_t a) const {
        return (best_leaf_[table].asked >> (a % 64) & 1) != 0;
    }
    [[nodiscard]] const Ask* best_ask(std::int32_t a, std::int32_t table) const;
    void drops(std::int32_t a, const Entry& entry);
    void steps(const std::uint64_t* mask, const std::uint64_t* also, const Table& t,
               const std::int32_t* cut, std::int32_t from, std::int32_t to, std::int64_t top,
               Vector<std::int64_t>& drop, bool falling);
    static double score(double left, double right);
    void split_anything(Split& split);
    [[nodiscard]] bool splits(const Split& split) const;
    void choose_attributes();

    // Rows, in cells of the ensemble.
    bool try_rows();
    bool meet_best();
    bool climb(int rounds);
    bool climb_number(std::int32_t a);
    [[nodiscard]] bool is_wanted(std::int32_t outcome) const;
    bool check();
    void pull();

    // Costs.
    [[nodiscard]] std::int32_t cheapest(std::int32_t a) const;
    [[nodiscard]] const Cost& cell_cost(std::int32_t a, std::int32_t cell) const {
        return cell_cost_[cell_first_[a] + (cell == kMissing ? tables_.active[a].n_cells : cell)];
    }
    // A cell of the ensemble, inside the box: of a cell here, the one nearest to the row, or the
    // cheapest.
    [[nodiscard]] std::int32_t represented(std::int32_t a, std::int32_t cell) const;
    [[nodiscard]] std::int32_t first_in(std::int32_t a, std::int32_t cell) const {
        const Active& active = tables_.active[a];
        return std::max(tables_.first[active.first_cell + cell], box_.low[active.attribute]);
    }
    [[nodiscard]] std::int32_t last_in(std::int32_t a, std::int32_t cell) const {
        const Active& active = tables_.active[a];
        return std::min(tables_.last[active.first_cell + cell], box_.high[active.attribute]);
    }
    [[nodiscard]] Cost cost_of(const Vector<std::int32_t>& cells) const;
    void bound_cost();
    bool shrink_by_cost();
    [[nodiscard]] bool is_dearer(const Cost& rest, const Cost& cost) const;
    [[nodiscard]] bool is_certain(const Change& change) const;
    [[nodiscard]] bool is_made(const Change& change) const;
    [[nodiscard]] bool is_blocked_part() const;
    [[nodiscard]] bool is_blocked_row() const;
    void prepare_costs();
    bool take_cheapest();
    bool settle();
    bool scan(Box&& box);
    void take_cheapest_of(const Box& box);
    [[nodiscard]] Cost given_cost(std::int32_t attribute, std::int32_t cell) const;

    const Forest& forest_;
    const Margin& margin_;
    const Tables& tables_;
    Box box_;
    Vector<std::int32_t> row_;
    bool any_other_;
    const Nearest* nearest_;
    Settle settle_;
    Budget& budget_;

    Vector<std::int32_t> low_, high_;
    Vector<std::uint8_t> missing_;
    Vector<std::int32_t> first_set_;  // by active category: its set in `set_`
    Vector<std::uint64_t> set_, reach_;
    Vector<Best> best_leaf_;    // by table
    Vector<std::int64_t> top_;  // their weights
    std::int64_t bound_ = 0;
    Vector<Undo> trail_;

    Vector<std::int32_t> listed_;  // the attributes that a part looks at
    // By cut of the attribute looked at; `either` is above it, or missing.
    Vector<std::int64_t> drop_up_to_, drop_above_, drop_either_;
    Vector<std::int64_t> spread_;
    Climb climb_;
    Vector<std::int32_t> by_spread_, meet_low_, meet_high_;
    Vector<std::uint8_t> meet_missing_;
    Vector<std::uint64_t> meet_set_, scratch_;

    Vector<std::int32_t> home_;        // by active attribute: the row's cell here, or kOutside
    Vector<std::int32_t> rep_;         // with costs, by cell here: the cheapest cell in it
    Vector<std::int32_t> place_;       // by attribute of the ensemble: among the active, or -1
    Vector<std::int32_t> cell_first_;  // by active attribute: its costs
    Vector<Cost> cell_cost_;
    Vector<std::int32_t> local_;  // the cheapest row of a part
    bool whole_costs_ = true;     // whether only numbers of changes are compared
    Cost best_{Cost::kNever, Cost::kNever}, lower_, elsewhere_;
    Vector<std::int32_t> cells_, found_;
    std::int64_t parts_ = 0;
};

}  // namespace cattleya::ensemble_search
