#include "ensemble_search/facts.hpp"

#include "ensemble_search/row.hpp"

namespace cattleya::ensemble_search {

Facts::Leaving Facts::leaving(const Attributes& attributes, std::span<const std::int32_t> row,
                              const Box& box, std::span<const std::uint8_t> marks) const {
    Leaving found;
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (attributes.is_free(box, a)) continue;
        const auto add = [&](std::int32_t fact, std::uint8_t bit) {
            found.all.push_back(fact);
            if (!marks.empty() && (marks[a] & (bit | Reason::kWhole)) != 0) {
                found.open.push_back(fact);
            }
        };
        if (!sides()) {
            add(a, Reason::kWhole);
            continue;
        }
        const bool is_number = !attributes.is_category(a) && row[a] != kMissing;
        const bool below = is_number && box.low[a] > 0;
        const bool above = is_number && box.high[a] < attributes.n_cells(a) - 1;
        const std::int32_t level = first[a] + (single[a] ? 1 : 0);
        if (below) add(level + box.low[a] - 1, Reason::kLowSide);
        if (above) add(level + box.high[a], Reason::kHighSide);
        if (!below && !above) add(first[a], Reason::kWhole);  // of a number: that it is present
    }
    return found;
}

}  // namespace cattleya::ensemble_search
