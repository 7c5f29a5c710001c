#include "minimum/family.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace cattleya::minimum {

Family family_of(const ClauseView& clauses, std::int32_t n_atoms) {
    if (n_atoms < 0) throw std::invalid_argument("n_atoms is negative");
    clauses.check(static_cast<std::size_t>(n_atoms));
    if (clauses.atom.size() > std::numeric_limits<std::int32_t>::max() ||
        clauses.size() >= std::numeric_limits<std::int32_t>::max()) {
        throw std::invalid_argument("there are more than 2^31 atoms in the clauses");
    }
    Family family;
    Vector<std::int32_t> number(static_cast<std::size_t>(n_atoms), -1);
    for (const std::int32_t a : clauses.atom) number[a] = 0;
    for (std::int32_t a = 0; a < n_atoms; ++a) {
        if (number[a] < 0) continue;
        number[a] = family.n_atoms();
        family.tag.push_back(a);
    }
    family.start.reserve(clauses.start.size());
    family.atom.reserve(clauses.atom.size());
    for (std::size_t c = 0; c < clauses.size(); ++c) {
        if (clauses.start[c] == clauses.start[c + 1]) {
            throw std::invalid_argument("clause " + std::to_string(c) +
                                        " is empty: nothing can hit it");
        }
        for (auto i = clauses.start[c]; i < clauses.start[c + 1]; ++i) {
            family.atom.push_back(number[clauses.atom[i]]);
        }
        family.start.push_back(static_cast<std::int32_t>(family.atom.size()));
    }
    return family;
}

std::int64_t bytes_of(const Family& family) {
    return static_cast<std::int64_t>(sizeof(Family)) +
           4 * static_cast<std::int64_t>(family.start.size() + family.atom.size() +
                                         family.tag.size() + family.group.size());
}

Vector<std::int32_t> degrees(const Family& family) {
    Vector<std::int32_t> degree(family.tag.size(), 0);
    for (const std::int32_t a : family.atom) ++degree[a];
    return degree;
}

namespace {

// The atoms of a connected family, breadth first.
Vector<std::int32_t> by_distance(const Family& family, std::int32_t from) {
    const Vector<std::int32_t> degree = degrees(family);
    Vector<std::int32_t> on_start(degree.size() + 1, 0);
    std::partial_sum(degree.begin(), degree.end(), on_start.begin() + 1);
    Vector<std::int32_t> on(family.atom.size());
    Vector<std::int32_t> fill(on_start.begin(), on_start.end() - 1);
    for (std::int32_t c = 0; c < family.n_clauses(); ++c) {
        for (auto i = family.start[c]; i < family.start[c + 1]; ++i) on[fill[family.atom[i]]++] = c;
    }
    Vector<std::uint8_t> seen_atom(degree.size(), 0);
    Vector<std::uint8_t> seen_clause(static_cast<std::size_t>(family.n_clauses()), 0);
    Vector<std::int32_t> order{from};
    seen_atom[from] = 1;
    for (std::size_t done = 0; done < order.size(); ++done) {
        for (auto k = on_start[order[done]]; k < on_start[order[done] + 1]; ++k) {
            const std::int32_t c = on[k];
            if (std::exchange(seen_clause[c], 1)) continue;
            for (auto i = family.start[c]; i < family.start[c + 1]; ++i) {
                if (!std::exchange(seen_atom[family.atom[i]], 1)) order.push_back(family.atom[i]);
            }
        }
    }
    return order;
}

}  // namespace

std::int32_t busiest_atom(const Family& family) {
    const auto degree = degrees(family);
    const std::int32_t most = *std::max_element(degree.begin(), degree.end());
    const auto first =
        static_cast<std::int32_t>(std::find(degree.begin(), degree.end(), most) - degree.begin());
    if (std::count(degree.begin(), degree.end(), most) == 1) return first;
    // Breadth first from an end, which is where a walk from anywhere ends.
    const std::int32_t end = by_distance(family, first).back();
    Vector<std::int32_t> busy = by_distance(family, end);
    std::erase_if(busy, [&](std::int32_t a) { return degree[a] != most; });
    return busy[busy.size() / 2];
}

std::int32_t n_groups(const Family& family) {
    Vector<std::int32_t> groups = family.group;
    std::sort(groups.begin(), groups.end());
    return static_cast<std::int32_t>(std::unique(groups.begin(), groups.end()) - groups.begin());
}

Vector<Family> components(Family family) {
    // Disjoint sets of atoms, with path halving.
    Vector<std::int32_t> parent(family.tag.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](std::int32_t a) {
        while (parent[a] != a) a = parent[a] = parent[parent[a]];
        return a;
    };
    std::int32_t parts = family.n_atoms();
    for (std::int32_t c = 0; c < family.n_clauses(); ++c) {
        const std::int32_t first = find(family.atom[family.start[c]]);
        for (auto i = family.start[c] + 1; i < family.start[c + 1]; ++i) {
            const std::int32_t other = find(family.atom[i]);
            if (other == first) continue;
            parent[other] = first;
            --parts;
        }
    }
    Vector<Family> result;
    if (parts == 1) {
        result.push_back(std::move(family));
        return result;
    }
    Vector<std::int32_t> part_of(family.tag.size(), -1);  // by root
    Vector<std::int32_t> number(family.tag.size());
    result.reserve(static_cast<std::size_t>(parts));
    for (std::int32_t c = 0; c < family.n_clauses(); ++c) {
        std::int32_t& part = part_of[find(family.atom[family.start[c]])];
        if (part < 0) {
            part = static_cast<std::int32_t>(result.size());
            result.emplace_back();
        }
    }
    for (std::int32_t a = 0; a < family.n_atoms(); ++a) {
        Family& part = result[part_of[find(a)]];
        number[a] = part.n_atoms();
        part.tag.push_back(family.tag[a]);
        if (!family.group.empty()) part.group.push_back(family.group[a]);
    }
    for (std::int32_t c = 0; c < family.n_clauses(); ++c) {
        Family& part = result[part_of[find(family.atom[family.start[c]])]];
        for (auto i = family.start[c]; i < family.start[c + 1]; ++i) {
            part.atom.push_back(number[family.atom[i]]);
        }
        part.start.push_back(static_cast<std::int32_t>(part.atom.size()));
    }
    return result;
}

}  // namespace cattleya::minimum
