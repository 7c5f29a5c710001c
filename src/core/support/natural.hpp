// Natural numbers of any size, and the little arithmetic of them that is needed outside the ring of
// counting/ring.hpp.
#pragma once

#include <cstdint>

#include "support/vector.hpp"

namespace cattleya {

// 64-bit limbs, least first, without leading zeros (zero has none).
using Natural = Vector<std::uint64_t>;

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
