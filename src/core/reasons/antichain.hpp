// The minimal ones of a list of clauses.
#pragma once

#include <cstddef>

#include "support/budget.hpp"
#include "support/clauses.hpp"

namespace cattleya::reasons {

// The clauses that contain no other clause, each once, smaller ones first.
Clauses minimal_clauses(const ClauseView& clauses, std::size_t n_atoms, Budget& budget);

}  // namespace cattleya::reasons
