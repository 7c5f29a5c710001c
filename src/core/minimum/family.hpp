// A family of clauses as the searches for minimum hitting sets pass it on: compact and by value.
//
// Atoms are 0..n-1 without gaps, in the order of the family it was cut from, so that parts of the
// same shape have the same content. What the outside knows of an atom travels with it as its tag.
#pragma once

#include <cstdint>

#include "support/clauses.hpp"
#include "support/vector.hpp"

namespace cattleya::minimum {

// Room for sums of weights that came from fractions.
__extension__ using Weight = unsigned __int128;

struct Family {
    // Clause c is atom[start[c]] .. atom[start[c + 1] - 1].
    Vector<std::int32_t> start = {0};
    Vector<std::int32_t> atom;
    // By atom: its number in the list of clauses it came from, or how many atoms it stands for.
    Vector<std::int32_t> tag;
    // By atom: its group, where it is known that of each group the sets looked for have exactly one
    // atom; else empty. It follows from the rest, and is no part of the content.
    Vector<std::int32_t> group = {};

    [[nodiscard]] std::int32_t n_clauses() const {
        return static_cast<std::int32_t>(start.size()) - 1;
    }
    [[nodiscard]] std::int32_t n_atoms() const { return static_cast<std::int32_t>(tag.size()); }
    [[nodiscard]] std::int32_t size(std::int32_t clause) const {
        return start[clause + 1] - start[clause];
    }
    bool operator==(const Family& other) const {
        return start == other.start && atom == other.atom && tag == other.tag;
    }
};

// The clauses as a family; the tag of an atom is its number. Throws std::invalid_argument where
// they are none, and where one is empty: then there is no hitting set.
Family family_of(const ClauseView& clauses, std::int32_t n_atoms);

// Of memory, about.
std::int64_t bytes_of(const Family& family);

// How many clauses each atom is in.
Vector<std::int32_t> degrees(const Family& family);

// An atom in as many clauses as any, to branch on. Where there are several, one in the middle: long
// thin families then fall apart into halves.
std::int32_t busiest_atom(const Family& family);

// How many groups there are; 0 where none is known.
std::int32_t n_groups(const Family& family);

// The connected components, in the order of their first clauses.
Vector<Family> components(Family family);

}  // namespace cattleya::minimum
