// What a vocabulary makes of rows: their atoms, and what is said of them.
//
// The questions about a row (row.cpp) only know atoms by their numbers; a vocabulary finds the
// clauses and names the atoms with codes, which mean the same in every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "batch/answers.hpp"
#include "support/budget.hpp"
#include "support/clauses.hpp"

namespace cattleya::batch {

// The atoms of one row after the other; belongs to one thread.
class RowAtoms {
   public:
    RowAtoms() = default;
    RowAtoms(const RowAtoms&) = delete;
    RowAtoms& operator=(const RowAtoms&) = delete;
    virtual ~RowAtoms() = default;

    // No row has more atoms.
    [[nodiscard]] virtual std::size_t most() const = 0;
    // Whether its memory is kept from one row to the next, and counts for no row. What a row may
    // take must not depend on the others: so where a row may need more than it is given, each has
    // its own.
    [[nodiscard]] virtual bool keeps(std::int64_t memory) const = 0;

    // The row that all else is about; throws std::invalid_argument where it has no atoms.
    virtual void look_at(std::size_t row) = 0;
    [[nodiscard]] virtual std::int32_t row_class() const = 0;
    // The direct reason, in the order of the row's path.
    [[nodiscard]] virtual std::span<const std::int32_t> path() const = 0;
    // The complete reason; it stays until the next row, or until it is forgotten.
    virtual const Clauses& clauses(Budget& budget) = 0;
    virtual void forget() = 0;

    [[nodiscard]] virtual std::int32_t code(std::int32_t atom) const = 0;
    // What is excluded, immutable or guarded: a number that atoms may share.
    [[nodiscard]] virtual std::int32_t group(std::int32_t atom) const = 0;
    [[nodiscard]] virtual std::size_t n_groups() const = 0;

    // Adds the reason of some atoms, which rise, with what is said of it: the rows of a table that
    // it covers, where there is one, and its parts, where it is printed in parts.
    virtual void tell(std::span<const std::int32_t> atoms, Reasons& to, Budget& budget) = 0;
};

// Many rows. It never changes: any number of threads may ask for atoms.
class Rows {
   public:
    Rows() = default;
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    virtual ~Rows() = default;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::unique_ptr<RowAtoms> atoms() const = 0;
};

}  // namespace cattleya::batch
