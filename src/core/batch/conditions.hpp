// Rows over the conditions of a tree: atom n is condition n, on the side that the row is on.
#pragma once

#include <memory>
#include <span>

#include "batch/table.hpp"
#include "batch/vocabulary.hpp"
#include "tree/engine.hpp"

namespace cattleya::batch {

// Codes are 2 n, or 2 n + 1 where condition n holds in the row.
class ConditionRows : public Rows {
   public:
    // What is given must stay. The rows that a reason covers are counted where there is a table.
    ConditionRows(const tree::Engine& engine, const Table* table, std::span<const double> matrix,
                  std::size_t n_rows);

    [[nodiscard]] std::size_t size() const override { return n_rows_; }
    [[nodiscard]] std::unique_ptr<RowAtoms> atoms() const override;

   private:
    class Atoms;
    const tree::Engine& engine_;
    const Table* table_;
    std::span<const double> matrix_;
    std::size_t n_rows_;
};

}  // namespace cattleya::batch
