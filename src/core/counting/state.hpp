// A part of the problem as it stands in the search: vertices, factors, and who is in what.
//
// State<W> is for at most 64 W vertices and 64 W factors, as bit matrices both ways in plain bytes.
// SparseState is for any size. Both have the same face, so that the rules (simplify.hpp) are
// written once.
#pragma once

#include <cstdint>
#include <memory>

#include "counting/sparse_set.hpp"
#include "counting/tables.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

template <int W>
struct State {
    using Set = Mask<W>;
    using WorkSet = Mask<W>;
    static constexpr int kCapacity = 64 * W;

    Set vertices;  // those still there; the others' rows mean nothing
    Set factors;
    Set even;                           // vertices that cannot be 1
    Set factors_of[kCapacity];          // by vertex
    Slot weight[kCapacity];             // by vertex
    Slot own[kCapacity][3];             // by vertex: its own table
    std::uint8_t groups[kCapacity];     // by factor: how many groups
    Set group[kCapacity][kMaxGroups];   // by factor: disjoint sets of vertices
    Slot table[kCapacity][kTableSize];  // by factor

    static WorkSet no_vertices() { return WorkSet::none(); }
    static WorkSet no_factors() { return WorkSet::none(); }

    // Makes it empty, with room for so many vertices and factors.
    void clear(int n_vertices, int n_factors) {
        vertices = factors = even = Set::none();
        for (int v = 0; v < n_vertices; ++v) factors_of[v] = Set::none();
        for (int f = 0; f < n_factors; ++f) group[f][0] = Set::none();
    }
    // this := the given vertices and factors of `from`, under the same numbers.
    void copy_part(const State& from, const Set& some_vertices, const Set& some_factors) {
        vertices = some_vertices;
        factors = some_factors;
        even = from.even & some_vertices;
        vertices.for_each([&](int v) {
            factors_of[v] = from.factors_of[v];
            weight[v] = from.weight[v];
            for (int x = 0; x < 3; ++x) own[v][x] = from.own[v][x];
        });
        factors.for_each([&](int f) {
            const int n = from.groups[f];
            groups[f] = static_cast<std::uint8_t>(n);
            for (int g = 0; g < n; ++g) group[f][g] = from.group[f][g];
            for (int i = 0; i < power_of_three(n); ++i) table[f][i] = from.table[f][i];
        });
    }
    // this := the given part of another kind of state, renumbered from 0. `number` has room for all
    // its vertices.
    template <class Other, class SomeVertices, class SomeFactors>
    void renumber_part(const Other& from, const SomeVertices& some_vertices,
                       const SomeFactors& some_factors, std::int32_t* number) {
        vertices = factors = even = Set::none();
        int count = 0;
        some_vertices.for_each([&](int v) {
            number[v] = count;
            vertices.insert(count);
            if (from.even.contains(v)) even.insert(count);
            factors_of[count] = Set::none();
            weight[count] = from.weight[v];
            for (int x = 0; x < 3; ++x) own[count][x] = from.own[v][x];
            ++count;
        });
        int f = 0;
        some_factors.for_each([&](int old) {
            factors.insert(f);
            const int n = from.groups[old];
            groups[f] = static_cast<std::uint8_t>(n);
            for (int g = 0; g < n; ++g) {
                group[f][g] = Set::none();
                from.group[old][g].for_each([&](int v) {
                    group[f][g].insert(number[v]);
                    factors_of[number[v]].insert(f);
                });
            }
            for (int i = 0; i < power_of_three(n); ++i) table[f][i] = from.table[old][i];
            ++f;
        });
    }
};

// Rows of N values each, in one array.
template <class T, int N>
class Rows {
   public:
    explicit Rows(int rows) : values_(static_cast<std::size_t>(rows) * N) {}
    T* operator[](std::ptrdiff_t row) { return values_.data() + row * N; }
    const T* operator[](std::ptrdiff_t row) const { return values_.data() + row * N; }

   private:
    Vector<T> values_;
};

struct SparseState {
    using Set = SparseSet;
    using WorkSet = counting::WorkSet;

    int vertex_capacity;
    int factor_capacity;
    WorkSet vertices;
    WorkSet factors;
    WorkSet even;
    Vector<Set> factors_of;
    Vector<Slot> weight;
    Rows<Slot, 3> own;
    Vector<std::uint8_t> groups;
    Rows<Set, kMaxGroups> group;
    Rows<Slot, kTableSize> table;

    SparseState(int n_vertices, int n_factors)
        : vertex_capacity(n_vertices),
          factor_capacity(n_factors),
          vertices(n_vertices),
          factors(n_factors),
          even(n_vertices),
          factors_of(static_cast<std::size_t>(n_vertices)),
          weight(static_cast<std::size_t>(n_vertices)),
          own(n_vertices),
          groups(static_cast<std::size_t>(n_factors)),
          group(n_factors),
          table(n_factors) {}

    WorkSet no_vertices() const { return WorkSet(vertex_capacity); }
    WorkSet no_factors() const { return WorkSet(factor_capacity); }

    // A new state with the given vertices and factors, renumbered from 0.
    std::unique_ptr<SparseState> part(const Vector<std::int32_t>& some_vertices,
                                      const Vector<std::int32_t>& some_factors,
                                      std::int32_t* number) const {
        auto result = std::make_unique<SparseState>(static_cast<int>(some_vertices.size()),
                                                    static_cast<int>(some_factors.size()));
        int count = 0;
        for (const std::int32_t v : some_vertices) {
            number[v] = count;
            result->vertices.insert(count);
            if (even.contains(v)) result->even.insert(count);
            result->weight[static_cast<std::size_t>(count)] = weight[static_cast<std::size_t>(v)];
            for (int x = 0; x < 3; ++x) result->own[count][x] = own[v][x];
            ++count;
        }
        int f = 0;
        for (const std::int32_t old : some_factors) {
            result->factors.insert(f);
            const std::uint8_t n = groups[static_cast<std::size_t>(old)];
            result->groups[static_cast<std::size_t>(f)] = n;
            for (int g = 0; g < n; ++g) {
                group[old][g].for_each([&](int v) {
                    result->group[f][g].insert(number[v]);
                    result->factors_of[static_cast<std::size_t>(number[v])].insert(f);
                });
            }
            for (int i = 0; i < power_of_three(n); ++i) result->table[f][i] = table[old][i];
            ++f;
        }
        return result;
    }
};

template <class AnyState>
typename AnyState::Set scope_of(const AnyState& state, int f) {
    typename AnyState::Set all = state.group[f][0];
    for (int g = 1; g < state.groups[static_cast<std::size_t>(f)]; ++g) all |= state.group[f][g];
    return all;
}

// The group of factor f that holds vertex v.
template <class AnyState>
int group_with(const AnyState& state, int f, int v) {
    int g = 0;
    while (!state.group[f][g].contains(v)) ++g;
    return g;
}

// The sums that a group can have, as bits.
template <class AnyState>
unsigned possible_sums(const AnyState& state, const typename AnyState::Set& group) {
    if (group.is_single()) {
        const Slot* own = state.own[group.first()];
        return unsigned{own[0] != kZero} | unsigned{own[1] != kZero} << 1 |
               unsigned{own[2] != kZero} << 2;
    }
    return subset_of(group, state.even) ? 5u : 7u;
}

}  // namespace cattleya::counting
