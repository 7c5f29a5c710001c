// The ring of integers modulo 2^(64 L): L limbs, least first, wrapping around.
//
// The ring is a homomorphic image of the integers, so after additions, subtractions and
// multiplications in any order and of any size, the residue of the final number is right; if that
// number is known to lie in [0, 2^(64 L)), the residue is the number. What lies between may
// overflow as it likes. bound.hpp gives the bound.
#pragma once

#include <cstdint>

namespace cattleya::counting {

using Limb = std::uint64_t;
__extension__ using DoubleLimb = unsigned __int128;

// Arithmetic on L limbs; N = 0 means that L is known only at run time.
template <int N>
struct Ring {
    explicit Ring(int limbs) : limbs_(N == 0 ? limbs : N) {}
    int limbs() const { return N == 0 ? limbs_ : N; }

    // t += a
    [[gnu::always_inline]] void accumulate(Limb* t, const Limb* a) const {
        if constexpr (N == 2) return put(t, get(t) + get(a));
        unsigned char carry = 0;
        for (int i = 0; i < limbs(); ++i) {
            const DoubleLimb sum = DoubleLimb{t[i]} + a[i] + carry;
            t[i] = static_cast<Limb>(sum);
            carry = static_cast<unsigned char>(sum >> 64);
        }
    }
    // t -= a
    [[gnu::always_inline]] void diminish(Limb* t, const Limb* a) const {
        if constexpr (N == 2) return put(t, get(t) - get(a));
        unsigned char borrow = 0;
        for (int i = 0; i < limbs(); ++i) {
            const DoubleLimb difference = DoubleLimb{t[i]} - a[i] - borrow;
            t[i] = static_cast<Limb>(difference);
            borrow = static_cast<unsigned char>((difference >> 64) & 1);
        }
    }
    // t += a b
    [[gnu::always_inline]] void accumulate_product(Limb* t, const Limb* a, const Limb* b) const {
        if constexpr (N == 2) return put(t, get(t) + get(a) * get(b));
        const int n = limbs();
        const int a_length = N == 0 ? length(a) : n;
        const int b_length = N == 0 ? length(b) : n;
        for (int i = 0; i < a_length; ++i) {
            Limb carry = 0;
            int j = 0;
            for (; j < b_length && i + j < n; ++j) {
                const DoubleLimb sum = DoubleLimb{a[i]} * b[j] + t[i + j] + carry;
                t[i + j] = static_cast<Limb>(sum);
                carry = static_cast<Limb>(sum >> 64);
            }
            if constexpr (N == 0) {
                for (; carry != 0 && i + j < n; ++j)
                    carry = __builtin_add_overflow(t[i + j], carry, &t[i + j]);
            }
        }
    }

   private:
    // Two limbs are a number that the compiler knows how to handle.
    static DoubleLimb get(const Limb* a) { return DoubleLimb{a[1]} << 64 | a[0]; }
    static void put(Limb* t, DoubleLimb number) {
        t[0] = static_cast<Limb>(number);
        t[1] = static_cast<Limb>(number >> 64);
    }
    // Limbs up to the last that is not zero.
    int length(const Limb* a) const {
        int n = limbs();
        while (n > 0 && a[n - 1] == 0) --n;
        return n;
    }

    int limbs_;
};

}  // namespace cattleya::counting
