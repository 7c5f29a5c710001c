// Arithmetic on the tables of a block (dense.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "counting/ring.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

// Arithmetic on numbers of N limbs, one per lane; N = 0 means that the number of limbs is known
// only at run time.
template <int N>
class Lanes {
   public:
    Lanes(int limbs, std::uint32_t lanes)
        : limbs_(N == 0 ? limbs : N), end_(lanes * width()), ring_(limbs) {
        if (N == 0) product_.resize(width());
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
    // t := t b, with the same b in all lanes
    void scale(Limb* t, const Limb* b) {
        for (std::size_t i = 0; i < end_; i += width()) multiply_one(t + i, t + i, b);
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

// Calls work(so many lanes in the ring of so many limbs).
template <class Work>
void in_ring(int limbs, std::uint32_t lanes, Work&& work) {
    if (limbs == 1) return work(Lanes<1>(1, lanes));
    if (limbs == 2) return work(Lanes<2>(2, lanes));
    work(Lanes<0>(limbs, lanes));
}

}  // namespace cattleya::counting
