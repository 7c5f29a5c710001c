// Arithmetic on the tables of a block (dense.hpp).
//
// Numbers that are known to stay below 2^53 are kept as doubles, in which sums and products of
// whole numbers are then exact: processors multiply several doubles at once, but few of them
// several 64-bit integers. Larger ones have limbs. (As residues modulo several primes below 2^25
// they could be doubles, too. That took a fifth longer for counts and a third longer for
// importance: everything is done once for each of four or five primes.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "counting/ring.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

inline constexpr int kMostLanes = 72;  // half and twice as many: up to a tenth slower
inline constexpr int kReal = 0;        // in place of a number of limbs: doubles

// Arithmetic on numbers of N limbs, one per lane; N = 0 means that the number of limbs is known
// only at run time.
template <int N>
class Lanes {
   public:
    using Number = Limb;

    Lanes(int limbs, std::uint32_t lanes)
        : limbs_(N == 0 ? limbs : N), end_(lanes * width()), ring_(limbs) {
        if (N != 1 && N != 2) product_.resize(width());
    }

    int limbs() const { return limbs_; }
    std::size_t width() const {
        return N == 0 ? static_cast<std::size_t>(limbs_) : static_cast<std::size_t>(N);
    }
    std::size_t entry() const { return end_; }  // limbs of all lanes

    // t := a b
    void multiply(Limb* t, const Limb* a, const Limb* b) {
        for (std::size_t i = 0; i < end_; i += width()) multiply_one(t + i, a + i, b + i);
    }
    // t += a b
    void accumulate_product(Limb* t, const Limb* a, const Limb* b) {
        for (std::size_t i = 0; i < end_; i += width()) {
            if constexpr (N == 1) {
                t[i] += a[i] * b[i];
            } else {
                ring_.accumulate_product(t + i, a + i, b + i);
            }
        }
    }
    // t += a
    void accumulate(Limb* t, const Limb* a) {
        for (std::size_t i = 0; i < end_; i += width()) ring_.accumulate(t + i, a + i);
    }
    void accumulate_one(Limb* t, const Limb* a) const { ring_.accumulate(t, a); }
    void accumulate_product_one(Limb* t, const Limb* a, const Limb* b) const {
        ring_.accumulate_product(t, a, b);
    }
    // t := -t
    void negate_one(Limb* t) const {
        bool carry = true;
        for (std::size_t i = 0; i < width(); ++i) {
            t[i] = ~t[i] + carry;
            carry = carry && t[i] == 0;
        }
    }
    void multiply_one(Limb* t, const Limb* a, const Limb* b) {
        if constexpr (N == 1) {
            *t = *a * *b;
        } else if constexpr (N == 2) {
            const DoubleLimb p = (DoubleLimb{a[1]} << 64 | a[0]) * (DoubleLimb{b[1]} << 64 | b[0]);
            t[0] = static_cast<Limb>(p);
            t[1] = static_cast<Limb>(p >> 64);
        } else {
            std::fill(product_.begin(), product_.end(), Limb{0});
            ring_.accumulate_product(product_.data(), a, b);
            std::copy(product_.begin(), product_.end(), t);
        }
    }

   private:
    int limbs_;
    std::size_t end_;
    Ring<N> ring_;
    Vector<Limb> product_;
};

// The same on doubles.
class RealLanes {
   public:
    using Number = double;

    explicit RealLanes(std::uint32_t lanes) : end_(lanes) {}

    int limbs() const { return kReal; }
    std::size_t width() const { return 1; }
    std::size_t entry() const { return end_; }

    void multiply(double* t, const double* a, const double* b) {
        for (std::size_t i = 0; i < end_; ++i) t[i] = a[i] * b[i];
    }
    void accumulate_product(double* t, const double* a, const double* b) {
        for (std::size_t i = 0; i < end_; ++i) t[i] += a[i] * b[i];
    }
    void accumulate(double* t, const double* a) {
        for (std::size_t i = 0; i < end_; ++i) t[i] += a[i];
    }
    void accumulate_one(double* t, const double* a) const { *t += *a; }
    void accumulate_product_one(double* t, const double* a, const double* b) const {
        *t += *a * *b;
    }
    void negate_one(double* t) const { *t = -*t; }
    void multiply_one(double* t, const double* a, const double* b) { *t = *a * *b; }

   private:
    std::size_t end_;
};

// Calls work(so many lanes in the ring of so many limbs, or of doubles).
template <class Work>
void in_ring(int limbs, std::uint32_t lanes, Work&& work) {
    if (limbs == kReal) return work(RealLanes(lanes));
    if (limbs == 1) return work(Lanes<1>(1, lanes));
    if (limbs == 2) return work(Lanes<2>(2, lanes));
    if (limbs == 3) return work(Lanes<3>(3, lanes));
    if (limbs == 4) return work(Lanes<4>(4, lanes));
    work(Lanes<0>(limbs, lanes));
}

}  // namespace cattleya::counting
