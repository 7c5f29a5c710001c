// Questions about one row of an ensemble: is its outcome forced in a box, by which facts, and which
// rows nearby have another?
//
// What is found is kept for the next question on the same row: every row of another outcome refutes
// all boxes that it is in, and every box that was proved proves its parts.
#pragma once

#include <cstdint>
#include <span>

#include "ensemble_search/agenda.hpp"
#include "ensemble_search/bound.hpp"
#include "ensemble_search/few.hpp"
#include "ensemble_search/forest.hpp"
#include "ensemble_search/search.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

constexpr std::int64_t kAllParts = std::int64_t{1} << 60;  // as many as a search takes
// As many as a search looks at, of a small part, before it makes smaller tables; it then tries no
// rows at the start.
constexpr std::int64_t kPartsLeft = 100;

// A box of one outcome, and what is still open about it.
struct Reason {
    // What could not be proved to be needed: bits of a byte per attribute.
    enum Open : std::uint8_t { kWhole = 1, kLowSide = 2, kHighSide = 4 };

    bool forces = false;  // whether all rows of the box have the row's outcome
    Box box;
    Vector<std::uint8_t> open;
};

struct Found {
    Answer answer = Answer::kOpen;
    Vector<std::int32_t> cells;  // of the row that shows it
    Cost cost;
};

class RowQuestions {
   public:
    // Throws std::invalid_argument where the row is none.
    RowQuestions(const Forest& forest, std::span<const std::int32_t> cells);

    [[nodiscard]] std::int32_t outcome() const { return outcome_; }
    // Whether it has this outcome in whatever order is added.
    [[nodiscard]] bool is_sure() const { return sure_; }
    [[nodiscard]] const Forest& forest() const { return forest_; }
    [[nodiscard]] std::span<const std::int32_t> cells() const { return row_; }

    // Is there a row in the box with another outcome? `kOpen` where time runs out, or after so many
    // parts of the box.
    Found other_outcome(const Box& box, std::int64_t most_parts, Budget& budget);

    // The same, as long as there is time.
    Found other_outcome_in_time(const Box& box, Budget& budget);

    // What the tests on the ways through all trees leave, but for those that tell nothing apart.
    [[nodiscard]] Box path_box() const;

    // The facts that the quick bound needs: none can go without it failing. The attributes marked
    // in `freed` are free from the start. With `sides`, the sides of a number are facts of their
    // own. Does not force where the bound fails at the start.
    Reason quick_reason(std::span<const std::uint8_t> freed, bool sides, Budget& budget) const;

    // The same by search: no fact can go, but those that are open because time ran out.
    Reason sufficient_reason(std::span<const std::uint8_t> freed, bool sides, Budget& budget);
    // The same from a box that is known to be of one outcome: what is fixed in it and not marked in
    // `kept` is tried. `order` has attributes, those to free first in front.
    Reason smaller(Reason reason, std::span<const std::int32_t> order, bool sides, Budget& budget);

    // A box with every number's sides, and every category's set, as wide as can be proved within so
    // many parts a question.
    Reason wider(Reason reason, std::int64_t most_parts, Budget& budget);

    // From a row of another outcome, one that changes less: a subset of the facts, as far as can be
    // proved within so many parts a question. With `sides`, the sides of a number are facts.
    Vector<std::int32_t> nearer(Vector<std::int32_t> cells, bool sides, std::int64_t most_parts,
                                Budget& budget);

    // The cheapest row of another outcome (or of one outcome, `toward`) in the box, which contains
    // the row itself. `kOpen` where time runs out first; then the best so far, if any.
    Found nearest(const Box& box, const Nearest& costs, std::int32_t toward, Budget& budget);

   private:
    struct Try {
        std::int32_t attribute;
        std::uint8_t what;  // a bit of Reason::Open

        friend bool operator==(const Try&, const Try&) = default;
    };

    // The nearest row: what is asked, what is known, and what is left of a search over all cells.
    struct Wanted {
        const Nearest& costs;
        std::int32_t toward;
        Vector<Margin> margins;
        Box box;
        Vector<Cost> least;  // by attribute: what changing it costs at the least
        Found best;
        Vector<Agenda> left;  // by margin
    };

    [[nodiscard]] Box around(std::span<const std::int32_t> cells, bool sides) const;
    // The three steps of a question; `kOpen` where one does not answer it. What is left of a search
    // is added to `put_off`, and is gone on with when the same is asked again.
    Found known(const Box& box);
    Found hunted(const Box& box, Budget& budget);
    Found searched(const Box& box, std::int64_t most_parts, Vector<PutOff>* put_off,
                   Budget& budget);
    void settle(Vector<Try> left, Reason& reason, Budget& budget);
    // With costs: a row cheaper than the best so far, which is given back if there is none. Then it
    // is `kOpen` where time runs out; without costs, running out of time is thrown. `beaten` are
    // the other outcomes that `toward` is known to beat in the whole box.
    Found search(Agenda& agenda, const Margin& margin, const Nearest* costs, std::int32_t toward,
                 Found best, std::int64_t most_parts, Budget& budget,
                 Vector<std::int32_t> beaten = {}) const;
    Agenda agenda(const Box& box, const Margin& margin, bool costs, Budget& budget) const;
    Vector<Agenda> resumed(const Box& box, Vector<PutOff>& put_off) const;
    void change_one(const Margin& margin, Wanted& wanted, Budget& budget) const;
    bool change_few(Wanted& wanted, Budget& budget) const;
    void change_these(const FewAttributes& few, const Margin& margin, Wanted& wanted,
                      Budget& budget) const;
    bool search_all(Wanted& wanted, std::int64_t most_parts, Budget& budget) const;
    [[nodiscard]] bool counts_attributes(const Nearest& costs) const;
    [[nodiscard]] Vector<Cost> least_costs(const Nearest& costs) const;
    void leave_out_dear(Box& box, const Nearest& costs, const Cost& best) const;
    void leave_out_blocked(Box& box, const Nearest& costs) const;
    void halve(const Box& box, const TooLarge& place, Vector<Box>& open) const;
    void release(const Try& one, Box& box) const;
    [[nodiscard]] bool is_fixed(const Try& one, const Box& box) const;
    Reason by_bound(std::span<const std::uint8_t> freed, bool sides, bool whole,
                    Vector<std::int32_t>& order, Budget& budget) const;
    [[nodiscard]] bool has_two_sides(std::int32_t attribute, const Box& box) const;
    void keep_witness(const Vector<std::int32_t>& cells);
    bool move_into(const Box& box, Vector<std::int32_t>& cells) const;
    // A row of another outcome that a row found before leads to.
    bool adapt_witness(const Box& box, Vector<std::int32_t>& cells) const;
    [[nodiscard]] Vector<Try> tries(std::span<const std::int32_t> order, bool sides) const;

    const Forest& forest_;
    Vector<std::int32_t> row_;
    std::int32_t outcome_;
    bool sure_;
    Vector<Margin> rivals_;
    Vector<Vector<std::int32_t>> witness_;
    Vector<Box> proved_;
    std::size_t kept_ = 0;  // bytes of both
};

}  // namespace cattleya::ensemble_search
