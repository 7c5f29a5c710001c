// Sets of numbers without a bound on their size, with the face of Mask (mask.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "counting/mask.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

// A sorted list: for small sets (the vertices of a clause, the clauses of a vertex).
class SparseSet {
   public:
    SparseSet() = default;
    static SparseSet none() { return {}; }

    bool any() const { return !members_.empty(); }
    int size() const { return static_cast<int>(members_.size()); }
    bool is_single() const { return members_.size() == 1; }
    int first() const { return members_.front(); }
    bool contains(int i) const { return std::binary_search(members_.begin(), members_.end(), i); }
    void insert(int i) {
        const auto at = std::lower_bound(members_.begin(), members_.end(), i);
        if (at == members_.end() || *at != i) members_.insert(at, i);
    }
    void erase(int i) {
        const auto at = std::lower_bound(members_.begin(), members_.end(), i);
        if (at != members_.end() && *at == i) members_.erase(at);
    }
    int pop_first() {
        const int i = members_.front();
        members_.erase(members_.begin());
        return i;
    }
    bool subset_of(const SparseSet& o) const {
        return size() <= o.size() && std::includes(o.members_.begin(), o.members_.end(),
                                                   members_.begin(), members_.end());
    }
    SparseSet& operator|=(const SparseSet& o) {
        SparseSet result;
        std::set_union(members_.begin(), members_.end(), o.members_.begin(), o.members_.end(),
                       std::back_inserter(result.members_));
        return *this = std::move(result);
    }
    SparseSet& operator&=(const SparseSet& o) {
        std::erase_if(members_, [&](int i) { return !o.contains(i); });
        return *this;
    }
    SparseSet& operator-=(const SparseSet& o) {
        std::erase_if(members_, [&](int i) { return o.contains(i); });
        return *this;
    }
    friend SparseSet operator&(SparseSet a, const SparseSet& b) { return a &= b; }
    friend SparseSet operator-(SparseSet a, const SparseSet& b) { return a -= b; }
    friend bool operator==(const SparseSet&, const SparseSet&) = default;

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const std::int32_t i : members_) visit(static_cast<int>(i));
    }
    // Visits until a visit returns false; whether none did.
    template <class Visit>
    bool for_all(Visit&& visit) const {
        for (const std::int32_t i : members_) {
            if (!visit(static_cast<int>(i))) return false;
        }
        return true;
    }

   private:
    Vector<std::int32_t> members_;
};

// A bit set of any length that finds its smallest member fast: for large sets.
class WorkSet {
   public:
    WorkSet() = default;
    explicit WorkSet(int capacity) : words_(static_cast<std::size_t>(capacity + 63) / 64) {}

    bool any() {
        while (start_ < words_.size() && words_[start_] == 0) ++start_;
        return start_ < words_.size();
    }
    int first() {
        any();
        return static_cast<int>(64 * start_) + std::countr_zero(words_[start_]);
    }
    int pop_first() {
        const int i = first();
        words_[start_] &= words_[start_] - 1;
        return i;
    }
    bool contains(int i) const { return words_[static_cast<std::size_t>(i) >> 6] >> (i & 63) & 1; }
    void insert(int i) {
        const std::size_t w = static_cast<std::size_t>(i) >> 6;
        words_[w] |= std::uint64_t{1} << (i & 63);
        start_ = std::min(start_, w);
    }
    void erase(int i) {
        words_[static_cast<std::size_t>(i) >> 6] &= ~(std::uint64_t{1} << (i & 63));
    }
    int size() const {
        int n = 0;
        for (const std::uint64_t w : words_) n += count_bits(w);
        return n;
    }
    WorkSet& operator|=(const SparseSet& o) {
        o.for_each([&](int i) { insert(i); });
        return *this;
    }
    WorkSet& operator-=(const SparseSet& o) {
        o.for_each([&](int i) { erase(i); });
        return *this;
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
                visit(static_cast<int>(64 * w) + std::countr_zero(rest));
            }
        }
    }

   private:
    Vector<std::uint64_t> words_;
    std::size_t start_ = 0;  // no member in a word before this one
};

inline bool subset_of(const SparseSet& small, const WorkSet& large) {
    return small.for_all([&](int i) { return large.contains(i); });
}
template <int W>
bool subset_of(const Mask<W>& small, const Mask<W>& large) {
    return small.subset_of(large);
}

}  // namespace cattleya::counting
