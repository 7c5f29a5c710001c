#include "minimum/tighten.hpp"

#include <algorithm>
#include <utility>

#include "minimum/minimise.hpp"

namespace cattleya::minimum {
namespace {

// The least size is known of one part, and where there are groups: each is a clause of its part.
Vector<Part> parts_of(Family family, std::int32_t size, Budget& budget) {
    Vector<Family> families = components(std::move(family));
    Vector<Part> parts;
    parts.reserve(families.size());
    for (Family& part : families) {
        if (families.size() > 1) {
            size = part.group.empty() ? static_cast<std::int32_t>(minimise(part, budget)->size())
                                      : n_groups(part);
        }
        parts.push_back({std::move(part), size});
    }
    return parts;
}

}  // namespace

std::optional<Vector<Part>> tighten(Reduction& reduction, std::int32_t all, Budget& budget) {
    Vector<std::int32_t> origin, origin_of_kernel;
    while (true) {
        if (!reduction.run()) return std::nullopt;
        const std::int32_t size = all - static_cast<std::int32_t>(reduction.taken().size());
        if (size < 0 || (size == 0 && !reduction.is_solved())) return std::nullopt;
        if (reduction.is_solved()) return Vector<Part>{};
        Family rest = reduction.rest(origin);

        Reduction least(rest, Fold::dominated, budget);
        least.run();
        const auto packing = least.packing();
        const auto packed = static_cast<std::int32_t>(packing.size());
        if (packed > size) return std::nullopt;
        if (!least.is_solved()) {
            const auto limit = static_cast<Weight>(size) - least.taken().size();
            if (!minimise(least.rest(origin_of_kernel), budget, limit)) return std::nullopt;
        }
        if (packed < size) {
            rest.group.clear();  // groups from above need not be clauses any more
            return parts_of(std::move(rest), size, budget);
        }

        rest.group.assign(rest.tag.size(), -1);
        for (std::int32_t g = 0; g < packed; ++g) {
            const std::int32_t c = packing[g];
            for (auto i = rest.start[c]; i < rest.start[c + 1]; ++i) rest.group[rest.atom[i]] = g;
        }
        if (std::find(rest.group.begin(), rest.group.end(), -1) == rest.group.end()) {
            return parts_of(std::move(rest), size, budget);
        }
        Vector<std::int32_t> group(reduction.n_atoms(), 0);
        for (std::int32_t a = 0; a < rest.n_atoms(); ++a) {
            if (rest.group[a] < 0) {
                reduction.drop(origin[a]);
            } else {
                group[origin[a]] = rest.group[a];
            }
        }
        reduction.set_groups(std::move(group));
    }
}

}  // namespace cattleya::minimum
