// The part of an ensemble that rows of a box can reach, as tables of leaves, made for one margin.
//
// A table stands for one tree, or for several that were joined: its leaves are the combinations
// that some row reaches, largest weight first, each with what it asks of the attributes. Which
// leaves are left when an attribute is narrowed is a mask of bits, and the largest weight that is
// left is the first bit. Only what is asked inside the box counts: cells that no leaf tells apart
// there become one.
#pragma once

#include <cstdint>
#include <span>

#include "ensemble_search/box.hpp"
#include "ensemble_search/forest.hpp"
#include "ensemble_search/leaves.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

// An attribute that some leaf asks about, with the cells that the leaves tell apart.
struct Active {
    std::int32_t attribute;  // of the ensemble
    bool is_category;
    bool may_be_missing;      // inside the box
    std::int32_t n_cells;     // here; none where only missing is in the box
    std::int32_t first_cell;  // in `Tables::first`
    std::int32_t n_words;     // of a category's sets
    std::int32_t first_entry, n_entries;
};

// What one table knows of one attribute: the leaves that are left, as masks.
struct Entry {
    std::int32_t table;
    std::int32_t n_cuts;   // of a number: where leaves begin or end; of a category: its cells
    std::int32_t cuts;     // of a number: in `Tables::cut`
    std::int64_t up_to;    // in `Tables::mask`: up to each cut; of a category: with each cell
    std::int64_t above;    // above each cut
    std::int64_t missing;  // where it is missing, and after that where it is not; -1: it never is
};

struct Table {
    std::int32_t n_leaves, n_words;
    std::int32_t words;       // where its leaves start in a state's words
    std::int32_t first_leaf;  // in `Tables::weight`
};

// Thrown where the masks of a box would take too much: it has to be split first.
struct TooLarge {
    std::int32_t attribute, level;  // a good place
};

struct Tables {
    Vector<Active> active;
    Vector<Table> table;
    Vector<Entry> entry;
    Vector<std::int32_t> cut;
    Vector<std::uint64_t> mask;
    Vector<std::int64_t> weight;     // by leaf, those of a table falling
    Vector<std::int64_t> first_ask;  // by leaf, and the end
    Vector<Ask> ask;                 // attributes by their places in `active`
    Vector<std::uint64_t> asked;     // by leaf: bits of the places, several may share one
    Vector<std::uint64_t> sets;
    // By active attribute and cell here: the first and the last cell of the ensemble in it.
    Vector<std::int32_t> first, last;
    Box box;                    // what they were made for
    std::int64_t constant = 0;  // what is the same for all rows of the box
    std::int32_t n_words = 0;   // of a state

    // The cell here of a number that a cell of the ensemble, inside the box, is in.
    [[nodiscard]] std::int32_t place(const Active& number, std::int32_t cell) const;
};

// The first of some rising cuts that is not below a cell. Few of these comparisons can be foreseen:
// there are no branches on them.
inline std::int32_t first_from(const std::int32_t* cut, std::int32_t count, std::int32_t cell) {
    const std::int32_t* from = cut;
    while (count > 1) {
        const std::int32_t half = count / 2;
        from += half * static_cast<std::int32_t>(from[half - 1] < cell);
        count -= half;
    }
    const bool below = count == 1 && *from < cell;
    return static_cast<std::int32_t>(from - cut) + static_cast<std::int32_t>(below);
}

// The tables of a box; they serve all boxes inside it. Throws TooLarge where the masks would take
// more than `most_words`.
Tables make_tables(const Forest& forest, const Margin& margin, const Box& box,
                   std::int64_t most_words, Budget& budget);
// The same from those of a larger box, `joined` or each tree by itself as there.
Tables inner_tables(const Tables& outer, const Forest& forest, const Margin& margin, const Box& box,
                    bool joined, Budget& budget);

}  // namespace cattleya::ensemble_search
