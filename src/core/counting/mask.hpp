// A set of at most 64 W small numbers as W machine words.
#pragma once

#include <bit>
#include <cstdint>

namespace cattleya::counting {

// The number of bits set. Without -mpopcnt, std::popcount is a call to a table lookup: three times
// slower than this.
inline int count_bits(std::uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return static_cast<int>((x * 0x0101010101010101u) >> 56);
}

template <int W>
struct Mask {
    std::uint64_t word[W];

    static constexpr Mask none() {
        Mask m;
        for (int i = 0; i < W; ++i) m.word[i] = 0;
        return m;
    }
    static constexpr Mask single(int i) {
        Mask m = none();
        m.insert(i);
        return m;
    }
    bool any() const {
        std::uint64_t all = 0;
        for (int i = 0; i < W; ++i) all |= word[i];
        return all != 0;
    }
    bool contains(int i) const { return (word[i >> 6] >> (i & 63)) & 1; }
    constexpr void insert(int i) { word[i >> 6] |= std::uint64_t{1} << (i & 63); }
    constexpr void erase(int i) { word[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
    int size() const {
        int n = 0;
        for (int i = 0; i < W; ++i) n += count_bits(word[i]);
        return n;
    }
    bool is_single() const {
        if constexpr (W == 1) {
            return word[0] != 0 && (word[0] & (word[0] - 1)) == 0;
        } else {
            int members = 0;
            for (int i = 0; i < W; ++i) {
                if (word[i] != 0) members += (word[i] & (word[i] - 1)) == 0 ? 1 : 2;
            }
            return members == 1;
        }
    }
    // The smallest member of a set that has one.
    int first() const {
        int i = 0;
        if constexpr (W > 1) {
            while (word[i] == 0) ++i;
        }
        return 64 * i + std::countr_zero(word[i]);
    }
    int pop_first() {
        const int i = first();
        word[i >> 6] &= word[i >> 6] - 1;
        return i;
    }
    bool subset_of(const Mask& other) const { return !(*this - other).any(); }

    Mask& operator|=(const Mask& o) {
        for (int i = 0; i < W; ++i) word[i] |= o.word[i];
        return *this;
    }
    Mask& operator&=(const Mask& o) {
        for (int i = 0; i < W; ++i) word[i] &= o.word[i];
        return *this;
    }
    Mask& operator-=(const Mask& o) {
        for (int i = 0; i < W; ++i) word[i] &= ~o.word[i];
        return *this;
    }
    friend Mask operator|(Mask a, const Mask& b) { return a |= b; }
    friend Mask operator&(Mask a, const Mask& b) { return a &= b; }
    friend Mask operator-(Mask a, const Mask& b) { return a -= b; }
    friend bool operator==(const Mask&, const Mask&) = default;

    // Visits until a visit returns false; whether none did.
    template <class Visit>
    bool for_all(Visit&& visit) const {
        for (int i = 0; i < W; ++i) {
            for (std::uint64_t rest = word[i]; rest != 0; rest &= rest - 1) {
                if (!visit(64 * i + std::countr_zero(rest))) return false;
            }
        }
        return true;
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (int i = 0; i < W; ++i) {
            for (std::uint64_t rest = word[i]; rest != 0; rest &= rest - 1) {
                visit(64 * i + std::countr_zero(rest));
            }
        }
    }
};

}  // namespace cattleya::counting
