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

#include "counting/program.hpp"

namespace cattleya::counting {

inline constexpr int kMaxGroups = 3;

inline constexpr int kPowersOfThree[kMaxGroups + 1] = {1, 3, 9, 27};
constexpr int power_of_three(int n) { return kPowersOfThree[n]; }
inline constexpr int kTableSize = power_of_three(kMaxGroups);

// A set of entries of a table.
using EntrySet = std::uint32_t;
static_assert(kTableSize <= 32);

constexpr EntrySet all_entries(int groups) {
    return static_cast<EntrySet>((std::uint64_t{1} << power_of_three(groups)) - 1);
}

// For every entry of one table an index into another one. As long as two vector registers, so that
// adding takes two instructions.
struct Place {
    std::uint8_t index[32];
    void add(const Place& other) {
        for (int i = 0; i < 32; ++i)
            index[i] = static_cast<std::uint8_t>(index[i] + other.index[i]);
    }
};
static_assert(kTableSize <= 32);

struct Constants {
    EntrySet slice[kMaxGroups][3];  // entries with the sum s in group g
    EntrySet hit[1 << kMaxGroups];  // entries with a sum of at least one over a set of regions
    // What group g adds to the index if it consists of a set of regions and a vertex of value x.
    Place place[3][kMaxGroups][1 << kMaxGroups];
};
constexpr Constants make_constants() {
    Constants constants{};
    for (int i = 0; i < kTableSize; ++i) {
        for (int g = 0; g < kMaxGroups; ++g) {
            constants.slice[g][i / power_of_three(g) % 3] |= EntrySet{1} << i;
        }
        for (int set = 0; set < (1 << kMaxGroups); ++set) {
            int sum = 0;
            for (int r = 0; r < kMaxGroups; ++r) {
                sum += (set >> r & 1) ? i / power_of_three(r) % 3 : 0;
            }
            if (sum > 0) constants.hit[set] |= EntrySet{1} << i;
            for (int x = 0; x < 3; ++x) {
                const int capped = sum + x < 2 ? sum + x : 2;
                for (int g = 0; g < kMaxGroups; ++g) {
                    constants.place[x][g][set].index[i] =
                        static_cast<std::uint8_t>(capped * power_of_three(g));
                }
            }
        }
    }
    return constants;
}
inline constexpr Constants kConstants = make_constants();

template <class Visit>
inline void for_each_entry(EntrySet entries, Visit&& visit) {
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

template <int kSize>
inline EntrySet zeros_among(const Slot* table) {
    EntrySet zero = 0;
    for (int i = 0; i < kSize; ++i) zero |= EntrySet{table[i] == kZero} << i;
    return zero;
}
inline EntrySet zero_entries(const Slot* table, int groups) {
    static_assert(kMaxGroups == 3);
    return groups == 1   ? zeros_among<3>(table)
           : groups == 2 ? zeros_among<9>(table)
                         : zeros_among<27>(table);
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
inline constexpr int kMaxIncident = 64;

// Sums a vertex with weight k and table `own` out of the product of its factors. Fills the entries
// `wanted` of the 3^regions entries of `result`, the others with zero.
inline void sum_out(Emitter& emit, const Incident* incident, int factors, int regions, Slot k,
                    const Slot* own, EntrySet wanted, Slot* result) {
    bool plain = true;  // all factors over one group: P(s, 2) is the same for all s
    // Where the sums of all groups with v are at least one, P(s, 1) = P(s, 2), and only their
    // difference counts if b = c.
    EntrySet only_zero = own[1] == own[2] ? wanted : 0;
    Place place[kMaxIncident][3];  // by factor and value of v: where an entry's factor is found
    for (int f = 0; f < factors; ++f) {
        const Incident& at = incident[f];
        plain &= at.groups == 1;
        only_zero &= kConstants.hit[at.regions[at.group_of_vertex]];
        Place others{};
        for (int g = 0; g < at.groups; ++g) {
            if (g != at.group_of_vertex) others.add(kConstants.place[0][g][at.regions[g]]);
        }
        for (int x = 0; x < 3; ++x) {
            place[f][x] = others;
            place[f][x].add(
                kConstants.place[x][at.group_of_vertex][at.regions[at.group_of_vertex]]);
        }
    }
    const auto product = [&](int x, int i) {
        Slot value = own[x];
        for (int f = 0; f < factors && value != kZero; ++f) {
            value = emit.mul(value, incident[f].table[place[f][x].index[i]]);
        }
        return value;
    };
    for (int i = 0; i < power_of_three(regions); ++i) result[i] = kZero;
    Slot at_two = kNotYet;
    for_each_entry(wanted, [&](int i) {
        const Slot at_zero = product(0, i);
        if (only_zero >> i & 1) {
            result[i] = at_zero;
            return;
        }
        const Slot at_one = product(1, i);
        if (!plain || at_two == kNotYet) at_two = product(2, i);
        result[i] = emit.affine(at_zero, k, at_two, at_one);
    });
}

}  // namespace cattleya::counting
