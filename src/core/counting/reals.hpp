// The loops over tables of doubles (lanes.hpp).
//
// Where the compiler and the system can do it, each is compiled for several kinds of processors,
// and the widest vectors that there are chosen when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cattleya::counting {

// A table of a step, and where the numbers for each entry of the result begin.
struct RealInput {
    const double* numbers;
    const std::uint32_t* offset;
};

// What a step does: for each of `size` entries, in so many lanes, a sum over `domain` values.
struct RealShape {
    std::size_t size;
    std::uint32_t domain;
    std::size_t lanes;
};

// to[e] := the sum over k < domain of a[offset + k] b[offset + k], lane by lane
void sum_products(double* to, const RealShape& shape, RealInput a, RealInput b);

// Adds to the derivatives by a and b what follows from those by the result of sum_products.
void sum_products_back(const double* by_to, const RealShape& shape, RealInput a, RealInput b,
                       double* by_a, double* by_b);

// t := t weights[k], where k counts the entries through up to the domain again and again; a weight
// is the same in all lanes
void scale(double* t, const RealShape& shape, const double* weights);

// The same for derivatives; and before that adds their products with the unscaled numbers to the
// derivatives by the weights.
void scale_back(double* by_t, const double* unscaled, const RealShape& shape, const double* weights,
                double* by_weights);

}  // namespace cattleya::counting
