// One hitting set of least weight, from limbs to atoms.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "minimum/minimise.hpp"
#include "minimum/minimum.hpp"

namespace cattleya::minimum {
namespace {

Vector<Weight> checked_weights(std::span<const std::uint64_t> limbs, std::int32_t n_atoms) {
    Vector<Weight> weights;
    if (limbs.empty()) return weights;
    if (limbs.size() != 2 * static_cast<std::size_t>(n_atoms)) {
        throw std::invalid_argument("weights must have two limbs per atom, " +
                                    std::to_string(2 * static_cast<std::int64_t>(n_atoms)) +
                                    " in all, not " + std::to_string(limbs.size()));
    }
    Weight sum = 0;
    for (std::size_t a = 0; 2 * a < limbs.size(); ++a) {
        const Weight weight = (Weight{limbs[2 * a + 1]} << 64) | limbs[2 * a];
        if (weight == 0) {
            throw std::invalid_argument("the weight of atom " + std::to_string(a) + " is 0");
        }
        // One number is left out: it stands for no limit.
        if (weight >= kNoLimit - sum) {
            throw std::invalid_argument("the weights add up to more than 128 bits");
        }
        sum += weight;
        weights.push_back(weight);
    }
    return weights;
}

}  // namespace

Vector<std::int32_t> minimum_hitting_set(const ClauseView& clauses, std::int32_t n_atoms,
                                         std::span<const std::uint64_t> limbs, Budget& budget) {
    Family family = family_of(clauses, n_atoms);
    const Vector<Weight> weights = checked_weights(limbs, n_atoms);
    auto best = *minimise(std::move(family), budget, kNoLimit, weights);
    std::sort(best.begin(), best.end());
    return best;
}

}  // namespace cattleya::minimum
