// The answers about one row after the other, in any vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "batch/answers.hpp"
#include "batch/vocabulary.hpp"
#include "reasons/greedy.hpp"
#include "support/budget.hpp"

namespace cattleya::batch {

// Belongs to one thread.
class RowWorker {
   public:
    RowWorker(std::unique_ptr<RowAtoms> atoms, const Asked& asked, Budget budget);

    // Appends the answers about a row. What ends all rows is thrown: a cancellation, a signal.
    void answer(std::size_t row, Answers& to);

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
    [[nodiscard]] bool has(std::int32_t atom, std::uint8_t mark) const {
        return (marks_[atoms_->group(atom)] & mark) != 0;
    }
    void add_kept(Lists<std::int32_t>& to);
    void tell_kept(Reasons& to);

    template <class Work>
    auto within(Work work);

    static constexpr std::uint8_t kExcluded = 1, kImmutable = 2, kGuarded = 4;

    std::unique_ptr<RowAtoms> atoms_;
    const Asked& asked_;
    Budget budget_;
    bool is_timed_, keeps_;
    std::vector<std::uint8_t> marks_;  // by group of atoms

    // Of the row.
    const Clauses* clauses_ = nullptr;
    std::optional<Clauses> without_;  // what is excluded
    bool has_relevant_ = false;
    std::vector<std::int32_t> relevant_, renumbered_;

    reasons::Greedy greedy_;
    std::vector<std::int32_t> first_, kept_, place_;
};

}  // namespace cattleya::batch
