// The little arithmetic of natural numbers that is needed outside the ring.
#pragma once

#include <cstdint>

#include "../vector.hpp"
#include "clause_set.hpp"

namespace cattleya {

void trim(Natural& a);
Natural natural_from(const std::uint64_t* limbs, int count);
Natural multiply(const Natural& a, const Natural& b);
Natural add(const Natural& a, const Natural& b);
Natural subtract(const Natural& a, const Natural& b);  // a >= b
bool less(const Natural& a, const Natural& b);
int bit_length(const Natural& a);

// The product of many numbers, by halves.
Natural product(Vector<Natural> factors);

}  // namespace cattleya
