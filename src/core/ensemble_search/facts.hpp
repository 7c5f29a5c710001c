// The facts of one row by their numbers, and which of them leave a box.
//
// As a rule an attribute is one fact, of its own number. Over intervals a number has one for its
// side of each level, and perhaps one before them, that it is present.
#pragma once

#include <cstdint>
#include <span>

#include "ensemble_search/box.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

struct Facts {
    // By attribute: its first fact, and whether that is one beside its sides. Empty: an attribute
    // is one fact.
    std::span<const std::int32_t> first;
    std::span<const bool> single;

    struct Leaving {
        Vector<std::int32_t> all, open;
    };

    [[nodiscard]] bool sides() const { return !first.empty(); }
    // The fewest facts of a row that leave a box; and those of them that are marked, by attribute
    // as in Reason::Open. No marks: none is.
    [[nodiscard]] Leaving leaving(const Attributes& attributes, std::span<const std::int32_t> row,
                                  const Box& box, std::span<const std::uint8_t> marks) const;
};

}  // namespace cattleya::ensemble_search
