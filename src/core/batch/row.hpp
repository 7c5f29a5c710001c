// The answers about one row after the other, over the conditions of a tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "batch/answers.hpp"
#include "batch/table.hpp"
#include "reasons/complete_reason.hpp"
#include "reasons/greedy.hpp"
#include "support/budget.hpp"
#include "tree/engine.hpp"

namespace cattleya::batch {

// Belongs to one thread; its memory is kept from one row to the next, unless a row may need more
// than it is given: then each has its own, so that what it takes does not depend on the others.
class RowWorker {
   public:
    RowWorker(const tree::Engine& engine, const Table* table, const Asked& asked, Budget budget);

    // Appends the answers about a row. What ends all rows is thrown: a cancellation, a signal.
    void answer(std::span<const double> row, Answers& to);

    // Looks at the flags and the signals between two rows.
    void look();

   private:
    void ask(Question question, Answers& to);
    void ask_contrastive(Answers& to);
    void ask_necessary(Answers& to);
    void ask_minimal(Answers& to);
    void ask_count(Answers& to);

    void search();
    [[nodiscard]] bool lies_inside(std::size_t clause, std::uint8_t mark) const;
    [[nodiscard]] const Clauses& of_reasons();
    void find_relevant();
    [[nodiscard]] std::int32_t code(std::int32_t atom) const { return 2 * atom + truth_[atom]; }
    void add_codes(std::vector<std::int32_t>& atoms, Lists<std::int32_t>& to) const;
    [[nodiscard]] std::int64_t covered(const Lists<std::int32_t>& to);

    template <class Work>
    auto within(Work work);

    static constexpr std::uint8_t kExcluded = 1, kImmutable = 2, kGuarded = 4;

    const tree::Engine& engine_;
    const Asked& asked_;
    Budget budget_;
    bool is_timed_, keeps_;
    std::vector<std::uint8_t> marks_;  // by atom

    // Of the row.
    std::vector<std::uint8_t> truth_;
    tree::Path path_;
    std::unique_ptr<reasons::CompleteReason> search_;
    const Clauses* clauses_ = nullptr;
    std::optional<Clauses> without_;  // what is excluded
    bool has_relevant_ = false;
    std::vector<std::int32_t> relevant_, renumbered_;

    reasons::Greedy greedy_;
    std::optional<Table::Counter> counter_;
    std::vector<std::int32_t> first_, kept_, place_;
};

}  // namespace cattleya::batch
