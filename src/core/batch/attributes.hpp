// Rows over whole features, or over intervals: under the logic of the domain.
#pragma once

#include <memory>
#include <span>

#include "batch/vocabulary.hpp"
#include "domain/domain_tree.hpp"

namespace cattleya::batch {

// Over features atom a is the value of attribute a, which is also its code.
//
// Over intervals the atoms of an attribute stand together: the one besides levels, where there is
// one, and a number's side of each level (see DomainTree::interval_reason). With all the levels of
// the tree numbered, level n has the code 2 n, or 2 n + 1 where the row is not above it; after
// these follows a code an attribute, for what is besides levels. A reason over intervals is printed
// in parts, as wide as they can be: each is an attribute, then of a number the first and the last
// cell and whether it may be missing, of a category the cells that are allowed.
class AttributeRows : public Rows {
   public:
    // `cells` has an entry per row and attribute. `has_single` says which attributes have an atom
    // besides levels; it is empty over features.
    AttributeRows(const domain::DomainTree& tree, std::span<const std::int32_t> cells,
                  std::size_t n_rows, bool levels, std::span<const std::uint8_t> has_single);

    [[nodiscard]] std::size_t size() const override { return n_rows_; }
    [[nodiscard]] std::unique_ptr<RowAtoms> atoms() const override;

   private:
    class Features;
    class Intervals;
    const domain::DomainTree& tree_;
    std::span<const std::int32_t> cells_;
    std::size_t n_rows_;
    bool levels_;
    std::span<const std::uint8_t> has_single_;
    std::vector<std::int32_t> level_start_;  // by attribute; and their number
};

}  // namespace cattleya::batch
