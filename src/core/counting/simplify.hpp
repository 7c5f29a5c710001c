// Exact simplification of a state to a fixed point, and the three ways of fixing a vertex.
//
// Rules, all of them equalities between polynomials in the weights (so right for every query at
// once):
//   - a factor that does not depend on a group loses it; a group without vertices has the sum 0; a
//     factor without groups is a number and goes to the scalar in front;
//   - a factor over a single vertex is multiplied into that vertex's own table; a factor over one
//     group that is also a group of another factor is multiplied into that one; factors over the
//     same groups are multiplied;
//   - where all entries of a factor for x_v = s are zero, so is v's own entry for s. Where a
//     vertex's own entry is zero, or no vertex of a group can be 1, the entries of factors for that
//     sum are never met and become zero. A vertex with one entry left is fixed; a clause {v, w}
//     whose w is in no other clause thus says "v is 0 or 2";
//   - a factor that is zero unless the sum of G is 2 (an untouched clause) saturates every group
//     that contains G: its sum is 2 too wherever the product is not zero. One that is zero at 0
//     makes the entries for 0 of such a group irrelevant;
//   - a vertex without factors is summed to a number;
//   - a vertex whose factors do not tell 1 from 2 is never 1: its b and c become 0 and c - b. Where
//     b = c, it is 0. So once a vertex is fixed to 1, those that are in no other clauses are gone;
//   - two vertices in the same groups of the same factors (*twins*) become one. The levels of a
//     number, each in all the clauses of the next, are such twins in the end;
//   - a vertex whose factors' other vertices fall into few regions is summed out (tables.hpp),
//     smallest results first.
#pragma once

#include <type_traits>

#include "counting/state.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

template <class AnyState>
class Simplifier {
   public:
    using Set = typename AnyState::Set;
    using WorkSet = typename AnyState::WorkSet;

    // A sparse state can be large: then, and only then, a budget is watched.
    Simplifier(AnyState& state, Emitter& emit, Budget* budget = nullptr)
        : state_(state),
          emit_(emit),
          budget_(budget),
          dirty_factors_(state.no_factors()),
          dirty_vertices_(state.no_vertices()),
          next_(state.no_vertices()),
          waiting_(state.no_vertices()) {}

    Slot scalar() const { return scalar_; }

    void mark_everything() {
        dirty_factors_ = state_.factors;
        dirty_vertices_ = state_.vertices;
    }

    // Merges twins before anything else: where there are many, that makes the rest far cheaper.
    void merge_twins() {
        WorkSet left = state_.vertices;
        while (left.any()) {
            const int v = left.pop_first();
            if (budget_ != nullptr) budget_->tick(1000);
            for (int twin = twin_of(v); twin >= 0; twin = twin_of(v)) {
                merge(v, twin);
                left.erase(twin);
            }
        }
    }

    // Fixes x_v = x (without its weight and own table).
    void fix(int v, int x) {
        state_.vertices.erase(v);
        state_.factors_of[v].for_each([&](int f) {
            const int g = group_with(state_, f, v);
            state_.group[f][g].erase(v);
            if (x == 2) {
                restrict_factor(f, g, 2);
            } else {
                if (x == 1) shift_table(state_.table[f], state_.groups[f], g);
                dirty_factors_.insert(f);
                dirty_vertices_ |= scope_of(state_, f);
            }
        });
    }

    // Applies the rules until none fits. False: the whole is structurally zero.
    bool run() {
        while (true) {
            if constexpr (std::is_same_v<Set, SparseSet>) {
                if (budget_ != nullptr) budget_->tick(1000);
            }
            if (dirty_factors_.any()) {
                const int f = dirty_factors_.pop_first();
                if (state_.factors.contains(f) && !clean_factor(f)) return false;
            } else if (dirty_vertices_.any()) {
                const int v = dirty_vertices_.pop_first();
                if (state_.vertices.contains(v) && !consider(v, 3)) return false;
            } else if (next_.any()) {
                const int v = next_.pop_first();
                if (state_.vertices.contains(v) && !consider(v, kFewEntries)) return false;
            } else if (waiting_.any()) {
                const int v = waiting_.pop_first();
                if (state_.vertices.contains(v) && !consider(v, kMaxEntries)) return false;
            } else {
                return true;
            }
        }
    }

   private:
    // A vertex is summed out if the resulting table has at most kMaxEntries entries that can be
    // met. On the reference problems, nodes (instructions) in thousands: two groups 349 (34,900),
    // three groups with at most 9 entries 311 (33,400), 12: 196 (30,200), 18: 164 (31,800), 27: 166
    // (34,100). Four groups with at most 27 entries take a fifth to a third fewer nodes on hard
    // rows, but about as many instructions, on which the time depends, and were no faster; 81
    // entries take more instructions.
    static constexpr int kMaxEntries = std::is_same_v<Set, SparseSet> ? 27 : 18;
    static constexpr int kFewEntries = 9;
    static constexpr int kManyFactors = 64;

    void restrict_factor(int f, int g, int s) {
        auto& groups = state_.groups[f];
        state_.group[f][g].for_each([&](int u) { state_.factors_of[u].erase(f); });
        dirty_vertices_ |= scope_of(state_, f);
        restrict_table(state_.table[f], groups, g, s);
        --groups;
        for (int h = g; h < groups; ++h) state_.group[f][h] = state_.group[f][h + 1];
        dirty_factors_.insert(f);
    }

    void drop_factor(int f) {
        const Set scope = scope_of(state_, f);
        scope.for_each([&](int u) { state_.factors_of[u].erase(f); });
        dirty_vertices_ |= scope;
        state_.factors.erase(f);
        dirty_factors_.erase(f);
    }

    // A vertex's own entry for x becomes zero.
    bool exclude(int v, int x) {
        Slot* own = state_.own[v];
        if (own[x] == kZero) return true;
        own[x] = kZero;
        return own_changed(v);
    }

    bool own_changed(int v) {
        const Slot* own = state_.own[v];
        dirty_factors_ |= state_.factors_of[v];
        dirty_vertices_.insert(v);
        if (own[1] == kZero) state_.even.insert(v);
        const int left = (own[0] != kZero) + (own[1] != kZero) + (own[2] != kZero);
        if (left == 0) return false;
        if (left == 1) {
            const int x = own[0] != kZero ? 0 : own[1] != kZero ? 1 : 2;
            scalar_ = emit_.mul(scalar_, weighted(v, x));
            fix(v, x);
        }
        return true;
    }

    Slot weighted(int v, int x) {
        const Slot own = state_.own[v][x];
        if (x == 0) return own;
        const Slot k = state_.weight[v];
        return x == 1 ? emit_.affine(kZero, k, kZero, own) : emit_.mul(k, own);
    }

    bool clean_factor(int f) {
        Slot* table = state_.table[f];
        for (int g = state_.groups[f] - 1; g >= 0; --g) {
            const Set group = state_.group[f][g];
            if (!group.any()) {
                restrict_factor(f, g, 0);
                continue;
            }
            const int groups = state_.groups[f];
            const unsigned sums = possible_sums(state_, group);
            if (independent_of(table, groups, g, sums)) {
                restrict_factor(f, g, sums & 4 ? 2 : sums & 2 ? 1 : 0);
            } else if (sums != 7) {
                for (int s = 0; s < 3; ++s) {
                    if (!(sums >> s & 1)) clear_slice(f, g, s);
                }
            }
        }
        const int groups = state_.groups[f];
        if (groups == 0) {
            scalar_ = emit_.mul(scalar_, table[0]);
            state_.factors.erase(f);
            dirty_factors_.erase(f);
            return table[0] != kZero;
        }
        const EntrySet zero = zero_entries(table, groups);
        if (zero == all_entries(groups)) return false;
        if (groups == 1) {
            const Set group = state_.group[f][0];
            if (group.is_single()) return absorb(f, group.first());
            if ((zero & 6) == 6) return clear_vertices(f);
        } else {
            for (int g = 0; g < groups; ++g) {
                if (!state_.group[f][g].is_single()) continue;
                for (int s = 0; s < 3; ++s) {
                    const EntrySet slice = kConstants.slice[g][s] & all_entries(groups);
                    if ((zero & slice) != slice) continue;
                    const int v = state_.group[f][g].first();
                    if (state_.own[v][s] == kZero) continue;
                    dirty_factors_.insert(f);
                    return exclude(v, s);
                }
            }
        }
        meet_others(f);
        return true;
    }

    void clear_slice(int f, int g, int s) {
        Slot* table = state_.table[f];
        for_each_entry(kConstants.slice[g][s] & all_entries(state_.groups[f]), [&](int i) {
            if (table[i] != kZero) {
                table[i] = kZero;
                dirty_factors_.insert(f);
            }
        });
    }

    // Multiplies a factor over v alone into v's own table.
    bool absorb(int f, int v) {
        for (int x = 0; x < 3; ++x) {
            state_.own[v][x] = emit_.mul(state_.own[v][x], state_.table[f][x]);
        }
        drop_factor(f);
        return own_changed(v);
    }

    // A factor that is zero unless the sum is 0: all its vertices are 0.
    bool clear_vertices(int f) {
        Set left = state_.group[f][0];
        dirty_factors_.insert(f);
        while (left.any()) {
            const int v = left.pop_first();
            if (state_.own[v][0] == kZero) return false;
            scalar_ = emit_.mul(scalar_, state_.own[v][0]);
            fix(v, 0);
        }
        return true;
    }

    // What a factor does to, or suffers from, factors over the same groups or over supersets or
    // subsets of them.
    void meet_others(int f) {
        const Set scope = scope_of(state_, f);
        Set others = state_.factors_of[rarest(scope)];
        others.erase(f);
        scope.for_each([&](int u) { others &= state_.factors_of[u]; });
        while (others.any()) {
            const int h = others.pop_first();
            if (state_.groups[f] == 1) {
                if (act_on(f, h)) return;
            } else if (same_groups(f, h)) {
                multiply_same(f, h);
                drop_factor(f);
                return;
            }
        }
        suffer_subsets(f, scope);
    }

    // What factors over one group inside one of f's groups do to f.
    void suffer_subsets(int f, const Set& scope) {
        if (scope.size() == 2 && state_.groups[f] == 1) return;
        const auto acts = [&](int h) {
            return h != f && state_.groups[h] == 1 && state_.group[h][0].subset_of(scope);
        };
        if constexpr (std::is_same_v<Set, SparseSet>) {
            // Where there are many it is left to them to find f when they change.
            Vector<std::int32_t> actors;
            int seen = 0;
            scope.for_all([&](int u) {
                seen += state_.factors_of[u].size();
                if (seen > kManyFactors) return false;
                state_.factors_of[u].for_each([&](int h) {
                    if (acts(h)) actors.push_back(h);
                });
                return true;
            });
            if (seen > kManyFactors) return;
            for (const std::int32_t h : actors) {
                if (!state_.factors.contains(h) || !acts(h)) continue;
                act_on(h, f);
                if (dirty_factors_.contains(f)) return;
            }
        } else {
            Set near = Set::none();
            scope.for_each([&](int u) { near |= state_.factors_of[u]; });
            while (near.any()) {
                const int h = near.pop_first();
                if (!acts(h)) continue;
                act_on(h, f);
                if (dirty_factors_.contains(f)) return;
            }
        }
    }

    // A vertex of the set with few factors, or just one of the set.
    int rarest(const Set& set) const {
        int best = set.first();
        if constexpr (std::is_same_v<Set, SparseSet>) {
            set.for_each([&](int u) {
                if (state_.factors_of[u].size() < state_.factors_of[best].size()) best = u;
            });
        }
        return best;
    }

    // What a factor over one group does to another one. True when f was absorbed.
    bool act_on(int f, int h) {
        const Set& scope = state_.group[f][0];
        const Slot* table = state_.table[f];
        for (int g = 0; g < state_.groups[h]; ++g) {
            if (!scope.subset_of(state_.group[h][g])) continue;
            if (scope == state_.group[h][g]) {
                multiply_into(h, g, table);
                drop_factor(f);
                return true;
            }
            if (table[0] != kZero) return false;
            if (table[1] == kZero || same_in_table(state_.table[h], state_.groups[h], g, 1, 2)) {
                restrict_factor(h, g, 2);
            } else {
                clear_slice(h, g, 0);
            }
            return false;
        }
        return false;
    }

    bool same_groups(int f, int h) const {
        const int groups = state_.groups[f];
        if (groups != state_.groups[h]) return false;
        for (int g = 0; g < groups; ++g) {
            bool found = false;
            for (int q = 0; q < groups; ++q) found |= state_.group[f][g] == state_.group[h][q];
            if (!found) return false;
        }
        return true;
    }

    void multiply_into(int h, int g, const Slot* table) {
        const int step = power_of_three(g);
        Slot* into = state_.table[h];
        for (int i = 0; i < power_of_three(state_.groups[h]); ++i) {
            into[i] = emit_.mul(into[i], table[i / step % 3]);
        }
        dirty_factors_.insert(h);
    }

    // h := h f, both over the same groups in some order.
    void multiply_same(int f, int h) {
        const int groups = state_.groups[f];
        int step[kMaxGroups];  // of the group of f that is group g of h
        for (int g = 0; g < groups; ++g) {
            int q = 0;
            while (!(state_.group[f][q] == state_.group[h][g])) ++q;
            step[g] = power_of_three(q);
        }
        for (int i = 0; i < power_of_three(groups); ++i) {
            int j = 0;
            for (int g = 0; g < groups; ++g) j += i / power_of_three(g) % 3 * step[g];
            state_.table[h][i] = emit_.mul(state_.table[h][i], state_.table[f][j]);
        }
        dirty_factors_.insert(h);
    }

    // Sums out v if the result has at most `limit` entries; else lets it wait, if it may come to
    // that.
    bool consider(int v, int limit) {
        const Set& factors = state_.factors_of[v];
        if (!factors.any()) {
            state_.vertices.erase(v);
            const Slot* own = state_.own[v];
            const Slot sum = emit_.affine(own[0], state_.weight[v], own[2], own[1]);
            scalar_ = emit_.mul(scalar_, sum);
            return sum != kZero;
        }
        if (is_blunt(v)) return blunted(v);
        if (const int twin = twin_of(v); twin >= 0) {
            merge(v, twin);
            return own_changed(v);
        }
        Set region[kMaxGroups + 1];
        const int regions = find_regions(v, factors, region);
        if (regions > kMaxGroups || factors.size() > kMaxIncident) return true;
        EntrySet wanted = all_entries(regions);
        for (int r = 0; r < regions; ++r) {
            const unsigned sums = possible_sums(state_, region[r]);
            for (int s = 0; s < 3; ++s) {
                if (!(sums >> s & 1)) wanted &= ~kConstants.slice[r][s];
            }
        }
        const int entries = count_bits(wanted);
        if (entries > limit) {
            if (entries <= kFewEntries) {
                next_.insert(v);
            } else if (entries <= kMaxEntries) {
                waiting_.insert(v);
            }
            return true;
        }
        eliminate(v, factors, region, regions, wanted);
        return true;
    }

    // Whether v may be 1 and no factor tells that from 2.
    bool is_blunt(int v) const {
        if (state_.own[v][1] == kZero) return false;
        return state_.factors_of[v].for_all([&](int f) {
            const Slot* table = state_.table[f];
            const int groups = state_.groups[f];
            if (groups == 1) return table[1] == table[2];
            return same_in_table(table, groups, group_with(state_, f, v), 1, 2);
        });
    }

    // Such a vertex is 2 for both: b and c become 0 and c - b.
    bool blunted(int v) {
        Slot* own = state_.own[v];
        own[2] = own[1] == own[2] ? kZero : emit_.affine(kZero, kOne, own[2], own[1]);
        own[1] = kZero;
        return own_changed(v);
    }

    // Another vertex in the same groups of the same factors, which can be merged with v; -1 where
    // there is none.
    int twin_of(int v) const {
        const Set& factors = state_.factors_of[v];
        const int f = factors.first();
        const Set& group = state_.group[f][group_with(state_, f, v)];
        int twin = -1;
        group.for_all([&](int u) {
            if (u == v || !(state_.factors_of[u] == factors)) return true;
            const bool same = factors.for_all([&](int h) {
                return state_.groups[h] == 1 ||
                       state_.group[h][group_with(state_, h, v)].contains(u);
            });
            const Slot* own = state_.own[u];
            if (same && (own[1] == own[2] || state_.own[v][1] == state_.own[v][2])) twin = u;
            return twin < 0;
        });
        return twin;
    }

    // Makes v the capped sum of itself and its twin u. With tables (a, b, c) and (a', b', c') and
    // weights k and k', what is left has the table
    //     (a a', k b a' + k' b' a, k c a' + k' c' a + k k' (c - b) (c' - b'))
    // and the weight 1; the last term is zero, see twin_of.
    void merge(int v, int u) {
        Slot* mine = state_.own[v];
        const Slot* other = state_.own[u];
        const auto all_one = [](const Slot* own) {
            return own[0] == kOne && own[1] == kOne && own[2] == kOne;
        };
        if (all_one(mine) && all_one(other)) {
            state_.weight[v] = emit_.add(state_.weight[v], state_.weight[u]);
        } else {
            for (int x = 1; x < 3; ++x) {
                const Slot first = emit_.mul(state_.weight[v], emit_.mul(mine[x], other[0]));
                const Slot second = emit_.mul(state_.weight[u], emit_.mul(other[x], mine[0]));
                mine[x] = emit_.add(first, second);
            }
            mine[0] = emit_.mul(mine[0], other[0]);
            state_.weight[v] = kOne;
            if (mine[1] != kZero) state_.even.erase(v);
        }
        state_.vertices.erase(u);
        state_.factors_of[u].for_each([&](int f) {
            state_.group[f][group_with(state_, f, u)].erase(u);
            dirty_factors_.insert(f);
        });
    }

    // The parts into which the groups of v's factors cut the other vertices; kMaxGroups + 1 when
    // there are more.
    int find_regions(int v, const Set& factors, Set* region) const {
        int count = 0;
        const bool few = factors.for_all([&](int f) {
            for (int g = 0; g < state_.groups[f]; ++g) {
                Set rest = state_.group[f][g];
                rest.erase(v);
                const int before = count;
                for (int r = 0; r < before && rest.any(); ++r) {
                    const Set common = region[r] & rest;
                    if (!common.any()) continue;
                    rest -= common;
                    if (common == region[r]) continue;
                    if (count == kMaxGroups) return false;
                    region[count++] = region[r] - common;
                    region[r] = common;
                }
                if (!rest.any()) continue;
                if (count == kMaxGroups) return false;
                region[count++] = rest;
            }
            return true;
        });
        return few ? count : kMaxGroups + 1;
    }

    void eliminate(int v, const Set& factors, const Set* region, int regions, EntrySet wanted) {
        Incident incident[kMaxIncident];
        int count = 0;
        factors.for_each([&](int f) {
            Incident& at = incident[count++];
            at.table = state_.table[f];
            at.groups = state_.groups[f];
            for (int g = 0; g < at.groups; ++g) {
                const Set& group = state_.group[f][g];
                if (group.contains(v)) at.group_of_vertex = g;
                at.regions[g] = 0;
                for (int r = 0; r < regions; ++r) {
                    if (region[r].subset_of(group)) at.regions[g] |= 1u << r;
                }
            }
        });
        Slot result[kTableSize];
        sum_out(emit_, incident, count, regions, state_.weight[v], state_.own[v], wanted, result);
        state_.vertices.erase(v);
        state_.factors -= factors;
        dirty_factors_ -= factors;
        const int target = factors.first();
        state_.factors.insert(target);
        dirty_factors_.insert(target);
        state_.groups[target] = static_cast<std::uint8_t>(regions);
        for (int r = 0; r < regions; ++r) {
            state_.group[target][r] = region[r];
            dirty_vertices_ |= region[r];
            region[r].for_each([&](int u) {
                state_.factors_of[u] -= factors;
                state_.factors_of[u].insert(target);
            });
        }
        for (int i = 0; i < power_of_three(regions); ++i) state_.table[target][i] = result[i];
    }

    AnyState& state_;
    Emitter& emit_;
    Budget* budget_;
    Slot scalar_ = kOne;
    WorkSet dirty_factors_;
    WorkSet dirty_vertices_;
    WorkSet next_;     // vertices that could be summed out with few entries
    WorkSet waiting_;  // the same with more entries: only when nothing better is left
};

}  // namespace cattleya::counting
