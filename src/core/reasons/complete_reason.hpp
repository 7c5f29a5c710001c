// The complete reason of a row over conditions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/budget.hpp"
#include "support/clauses.hpp"
#include "support/vector.hpp"
#include "tree/engine.hpp"

namespace cattleya::reasons {

// The search, whose memory is kept from one row to the next.
class CompleteReason {
   public:
    explicit CompleteReason(const tree::Engine& engine);

    // Finds every minimal set of conditions whose change can bring the row of this truth vector and
    // class to another class (or to the one class `toward`), smaller ones first, each in the order
    // of its path. The answer stays until the next call.
    Clauses& operator()(std::span<const std::uint8_t> truth, std::int32_t row_class,
                        std::int32_t toward, Budget& budget);

    // What a search for any row may hold, roughly, in bytes.
    static std::int64_t most_bytes(const tree::Engine& engine);

   private:
    // A subtree, and the condition whose contradiction leads there from the entry `parent`.
    struct Entry {
        std::int32_t node;
        std::int32_t condition;
        std::int32_t parent;
    };
    struct Occurrence {
        std::uint64_t print;
        std::int32_t clause;
        std::int32_t next;
    };

    template <class IsWanted>
    void search(std::span<const std::uint8_t> truth, IsWanted is_wanted, Budget& budget);
    [[nodiscard]] bool covers(std::int32_t condition, std::uint64_t print, Budget& budget) const;
    [[nodiscard]] bool covered(std::int32_t entry, std::int32_t condition, Budget& budget);
    void mark(std::int32_t entry);
    void add(std::int32_t clause, std::size_t size);
    void clear();
    void write();

    const tree::Engine& engine_;
    // All entries, level after level. An entry also stands for the set of conditions contradicted
    // on the way to it: its own, its parent's, and so on. Clauses are entries too, until the end.
    Vector<Entry> entries_;

    // The clauses found so far, indexed by those of their conditions that are tested repeatedly.
    Vector<std::int32_t> clauses_;
    std::size_t n_atoms_ = 0;
    Vector<std::int32_t> head_;
    Vector<Occurrence> occurrence_;

    // The set of an entry as marks, for the comparison with clauses. Entries with one parent stand
    // together in the queue, so the parent's marks are kept from one to the next; and they are made
    // only where there is something to compare with.
    std::int32_t marked_entry_;
    Vector<std::int32_t> marked_set_;
    Vector<std::uint8_t> marked_;
    std::uint64_t print_ = 0;

    Clauses found_;
};

// The same, once.
[[nodiscard]] Clauses complete_reason(const tree::Engine& engine,
                                      std::span<const std::uint8_t> truth, std::int32_t row_class,
                                      std::int32_t toward, Budget& budget);

}  // namespace cattleya::reasons
