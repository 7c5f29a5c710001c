#include "counting/reals.hpp"

#include "counting/lanes.hpp"

// Not under sanitizers: the choice is made before they have started.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CATTLEYA_ANY_VECTORS [[gnu::target_clones("default", "avx2", "avx512f")]]
#else
#define CATTLEYA_ANY_VECTORS
#endif

namespace cattleya::counting {
namespace {

template <int Domain>
[[gnu::always_inline]] inline void sum_products_of(double* __restrict to, const RealShape& shape,
                                                   const RealInput& a, const RealInput& b) {
    const std::size_t lanes = shape.lanes;
    for (std::size_t e = 0; e < shape.size; ++e, to += lanes) {
        const double* const x = a.numbers + a.offset[e] * lanes;
        const double* const y = b.numbers + b.offset[e] * lanes;
        for (std::size_t l = 0; l < lanes; ++l) {
            double sum = x[l] * y[l];
            for (int k = 1; k < Domain; ++k) sum += x[k * lanes + l] * y[k * lanes + l];
            to[l] = sum;
        }
    }
}

}  // namespace

CATTLEYA_ANY_VECTORS
void sum_products(double* to, const RealShape& shape, RealInput a, RealInput b) {
    if (shape.domain == 1) return sum_products_of<1>(to, shape, a, b);
    if (shape.domain == 2) return sum_products_of<2>(to, shape, a, b);
    sum_products_of<3>(to, shape, a, b);
}

CATTLEYA_ANY_VECTORS
void sum_products_back(const double* by_to, const RealShape& shape, RealInput a, RealInput b,
                       double* by_a, double* by_b) {
    const std::size_t lanes = shape.lanes;
    for (std::size_t e = 0; e < shape.size; ++e, by_to += lanes) {
        for (std::uint32_t k = 0; k < shape.domain; ++k) {
            const std::size_t at_a = (a.offset[e] + k) * lanes;
            const std::size_t at_b = (b.offset[e] + k) * lanes;
            double* __restrict const to_a = by_a + at_a;
            double* __restrict const to_b = by_b + at_b;
            const double* const x = a.numbers + at_a;
            const double* const y = b.numbers + at_b;
            for (std::size_t l = 0; l < lanes; ++l) {
                to_a[l] += by_to[l] * y[l];
                to_b[l] += by_to[l] * x[l];
            }
        }
    }
}

CATTLEYA_ANY_VECTORS
void scale(double* t, const RealShape& shape, const double* weights) {
    for (std::size_t e = 0; e < shape.size; e += shape.domain) {
        for (std::uint32_t k = 0; k < shape.domain; ++k, t += shape.lanes) {
            const double weight = weights[k];
            for (std::size_t l = 0; l < shape.lanes; ++l) t[l] *= weight;
        }
    }
}

CATTLEYA_ANY_VECTORS
void scale_back(double* by_t, const double* unscaled, const RealShape& shape, const double* weights,
                double* by_weights) {
    double sums[3 * kMostLanes];
    for (std::size_t i = 0; i < shape.domain * shape.lanes; ++i) sums[i] = 0;
    for (std::size_t e = 0; e < shape.size; e += shape.domain) {
        double* sum = sums;
        for (std::uint32_t k = 0; k < shape.domain; ++k) {
            const double weight = weights[k];
            double* __restrict const by = by_t;
            for (std::size_t l = 0; l < shape.lanes; ++l) {
                sum[l] += by[l] * unscaled[l];
                by[l] *= weight;
            }
            sum += shape.lanes;
            by_t += shape.lanes;
            unscaled += shape.lanes;
        }
    }
    for (std::uint32_t k = 0; k < shape.domain; ++k) {
        for (std::size_t l = 0; l < shape.lanes; ++l) by_weights[k] += sums[k * shape.lanes + l];
    }
}

}  // namespace cattleya::counting
