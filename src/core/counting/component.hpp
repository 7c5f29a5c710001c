// The connected components of a clause set.
#pragma once

#include <cstdint>
#include <optional>

#include "counting/clause_set.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

// How the clauses of a component are read. `hit`: at least one member, and it is nobody's own
// clause (sampling).
enum class ClauseKind : std::uint8_t { own, hit };

struct Component {
    ClauseSet clauses;           // atoms numbered 0, 1, ... within the component
    Vector<std::int32_t> atoms;  // their numbers outside
    Vector<bool> included;       // by atom of the component
    Vector<ClauseKind> kind;     // by clause; empty: all own
};

// The components; of the minimal hitting sets, those that have all atoms of `included` are meant
// (by atom; empty: any). Nothing when there is none for a reason that can be seen at once: an empty
// clause, or an included atom in no clause.
std::optional<Vector<Component>> split_into_components(const ClauseSet& clauses, Budget& budget,
                                                       const Vector<bool>& included = {},
                                                       const Vector<ClauseKind>& kind = {});

// Checks that the arrays are what clause_set.hpp says; throws std::invalid_argument.
void check(const ClauseSet& clauses);

}  // namespace cattleya::counting
