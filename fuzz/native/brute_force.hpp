// The definitions over all rows: a set of atoms is sufficient where no row of another class has all
// of them. Sets of atoms are numbers, bit i for atom i.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fuzz {

using Set = std::uint32_t;
using Sets = std::vector<Set>;

// The minimal sets of a table that is closed upwards, in order of their numbers.
inline Sets minimal(const std::vector<std::uint8_t>& table, int n_atoms) {
    Sets found;
    for (Set set = 0; set < table.size(); ++set) {
        bool is_minimal = table[set] != 0;
        for (int i = 0; i < n_atoms && is_minimal; ++i) {
            if ((set >> i & 1) != 0) is_minimal = table[set ^ 1u << i] == 0;
        }
        if (is_minimal) found.push_back(set);
    }
    return found;
}

struct Truth {
    int n_atoms = 0;
    std::vector<std::uint8_t> sufficient;  // by set
    Sets reasons, contrasts;

    // Of each row of another class (or of the one class that is asked about) the atoms it has.
    Truth(int n, const Sets& others) : n_atoms(n), sufficient(std::size_t{1} << n, 1) {
        for (const Set held : others) sufficient[held] = 0;
        for (int i = 0; i < n; ++i) {
            for (Set set = 0; set < sufficient.size(); ++set) {
                if ((set >> i & 1) == 0) sufficient[set] &= sufficient[set | 1u << i];
            }
        }
        reasons = minimal(sufficient, n);
        std::vector<std::uint8_t> changes(sufficient.size());
        const Set all = static_cast<Set>(sufficient.size()) - 1;
        for (Set set = 0; set <= all; ++set) changes[set] = sufficient[all ^ set] == 0;
        contrasts = minimal(changes, n);
    }

    [[nodiscard]] std::uint64_t count(Set including, Set excluding) const {
        return static_cast<std::uint64_t>(std::ranges::count_if(reasons, [&](Set set) {
            return (set & including) == including && (set & excluding) == 0;
        }));
    }
};

}  // namespace fuzz
