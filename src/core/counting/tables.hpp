// Factors over capped sums, and how a vertex is summed out of a product of them.
//
// A factor looks at up to kMaxGroups disjoint groups of vertices, and at each group only through s
// = min(2, sum of x_v): its table has 3^groups entries (slots), the sum of the first group counting
// least. A clause is the factor with one group and the table (0, 0, 1).
//
// A vertex of weight k also has a table of its own, (a, b, c), at first (1, 1, 1): the factors that
// look at nothing but this vertex. Summing it out of the product P of its factors gives
//     a P(s, 0) + k (c P(s, 2) - b P(s, 1)),
// a factor over the regions into which the groups of the factors cut the other vertices. This is
// exact for any number of regions, because min(2, .) may be taken before or after adding.
//
// Entries that can never be met (a sum of 1 over vertices none of which can be 1, say) are
// structurally zero by convention, so nothing is computed for them.
#pragma once

#include "program.hpp"

namespace cattleya {

inline constexpr int kMaxGroups = 3;

constexpr int power_of_three(int n) {
    constexpr int powers[] = {1, 3, 9, 27, 81, 243};
    return powers[n];
}
inline constexpr int kTableSize = power_of_three(kMaxGroups);

// A set of entries of a table.
using Entries = std::uint32_t;
static_assert(kTableSize <= 32);

constexpr Entries all_entries(int groups) {
    return static_cast<Entries>((std::uint64_t{1} << power_of_three(groups)) - 1);
}

struct Constants {
    Entries slice[kMaxGroups][3];                          // entries with the sum s in group g
    std::uint8_t capped_sum[1 << kMaxGroups][kTableSize];  // by set of regions and entry
};
constexpr Constants make_constants() {
    Constants constants{};
    for (int i = 0; i < kTableSize; ++i) {
        for (int g = 0; g < kMaxGroups; ++g) {
            constants.slice[g][i / power_of_three(g) % 3] |= Entries{1} << i;
        }
        for (int set = 0; set < (1 << kMaxGroups); ++set) {
            int sum = 0;
            for (int r = 0; r < kMaxGroups; ++r) {
                sum += (set >> r & 1) ? i / power_of_three(r) % 3 : 0;
            }
            constants.capped_sum[set][i] = static_cast<std::uint8_t>(sum < 2 ? sum : 2);
        }
    }
    return constants;
}
inline constexpr Constants kConstants = make_constants();

template <class Visit>
inline void for_each_entry(Entries entries, Visit&& visit) {
    for (; entries != 0; entries &= entries - 1) visit(std::countr_zero(entries));
}

// table := table with the sum of group g fixed to s.
inline void restrict_table(Slot* table, int groups, int g, int s) {
    const int step = power_of_three(g);
    const int size = power_of_three(groups - 1);
    int from = s * step;
    for (int i = 0; i < size;) {
        for (int low = 0; low < step; ++low) table[i++] = table[from++];
        from += 2 * step;
    }
}

// table := table as seen when one more has been added to group g.
inline void shift_table(Slot* table, int groups, int g) {
    const int step = power_of_three(g);
    for (int block = 0; block < power_of_three(groups); block += 3 * step) {
        for (int i = block; i < block + 2 * step; ++i) table[i] = table[i + step];
    }
}

// Whether the entries for the sums s and t of group g are the same throughout.
inline bool same_in_table(const Slot* table, int groups, int g, int s, int t) {
    const int step = power_of_three(g);
    for (int block = 0; block < power_of_three(groups); block += 3 * step) {
        for (int i = block; i < block + step; ++i) {
            if (table[i + s * step] != table[i + t * step]) return false;
        }
    }
    return true;
}

// Whether the table is the same for all of some sums (bits) of group g.
inline bool independent_of(const Slot* table, int groups, int g, unsigned sums) {
    switch (sums) {
        case 3:
            return same_in_table(table, groups, g, 0, 1);
        case 5:
            return same_in_table(table, groups, g, 0, 2);
        case 6:
            return same_in_table(table, groups, g, 1, 2);
        case 7:
            return same_in_table(table, groups, g, 0, 2) && same_in_table(table, groups, g, 1, 2);
        default:
            return true;
    }
}

inline Entries zero_entries(const Slot* table, int groups) {
    Entries zero = 0;
    for (int i = 0; i < power_of_three(groups); ++i) zero |= Entries{table[i] == kZero} << i;
    return zero;
}

// One factor of the vertex that is summed out: which regions each group consists of, and which
// group holds the vertex.
struct Incident {
    const Slot* table;
    int groups;
    int group_of_vertex;
    unsigned regions[kMaxGroups];
};

inline constexpr Slot kNotYet = ~Slot{0};

// Sums a vertex with weight k and table `own` out of the product of its factors. Fills the entries
// `wanted` of the 3^regions entries of `result`, the others with zero.
inline void sum_out(Emitter& emit, const Incident* incident, int factors, int regions, Slot k,
                    const Slot* own, Entries wanted, Slot* result) {
    for (int i = 0; i < power_of_three(regions); ++i) result[i] = kZero;
    bool plain = true;  // all factors over one group: P(s, 2) is the same for all s
    for (int f = 0; f < factors; ++f) plain &= incident[f].groups == 1;
    Slot at_two = kNotYet;
    for_each_entry(wanted, [&](int i) {
        bool all_hit = true;  // then P(s, 1) = P(s, 2), and only their difference counts if b = c
        for (int f = 0; f < factors; ++f) {
            const Incident& at = incident[f];
            all_hit &= kConstants.capped_sum[at.regions[at.group_of_vertex]][i] != 0;
        }
        const bool only_zero = all_hit && own[1] == own[2];
        const bool two_known = plain && at_two != kNotYet;
        Slot product[3] = {own[0], own[1], two_known ? at_two : own[2]};
        for (int f = 0; f < factors; ++f) {
            const Incident& at = incident[f];
            const Slot* row = at.table;
            for (int g = 0; g < at.groups; ++g) {
                if (g != at.group_of_vertex) {
                    row += kConstants.capped_sum[at.regions[g]][i] * power_of_three(g);
                }
            }
            const int step = power_of_three(at.group_of_vertex);
            const int sum = kConstants.capped_sum[at.regions[at.group_of_vertex]][i];
            product[0] = emit.mul(product[0], row[sum * step]);
            if (only_zero) continue;
            product[1] = emit.mul(product[1], row[(sum == 0 ? 1 : 2) * step]);
            if (!two_known) product[2] = emit.mul(product[2], row[2 * step]);
        }
        if (plain && !only_zero) at_two = product[2];
        result[i] = only_zero ? product[0] : emit.affine(product[0], k, product[2], product[1]);
    });
}

}  // namespace cattleya
