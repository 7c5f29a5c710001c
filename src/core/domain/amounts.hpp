// Sets of atoms as amounts, one per track (interval_reason.cpp says of what), and clauses of such
// sets.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::domain {

inline std::uint64_t track_print(std::int32_t track) { return 1ull << (track & 63); }

// The amounts of the set at hand.
class Amounts {
   public:
    explicit Amounts(std::size_t tracks) : amount_(tracks, 0) {}

    [[nodiscard]] std::int32_t of(std::int32_t track) const { return amount_[track]; }
    [[nodiscard]] std::uint64_t print() const { return print_; }

    void raise(std::int32_t track, std::int32_t amount) {
        if (amount_[track] >= amount) return;
        changed_.emplace_back(track, amount_[track]);
        amount_[track] = amount;
        print_ |= track_print(track);
    }

    struct Mark {
        std::size_t changes;
        std::uint64_t print;
    };
    [[nodiscard]] Mark mark() const { return {changed_.size(), print_}; }
    void undo(Mark mark) {
        for (; changed_.size() > mark.changes; changed_.pop_back()) {
            amount_[changed_.back().first] = changed_.back().second;
        }
        print_ = mark.print;
    }

    template <class Visit>
    void each_track(Visit visit) const {
        for (const auto& [track, before] : changed_) {
            if (before == 0) visit(track, amount_[track]);
        }
    }

   private:
    Vector<std::int32_t> amount_;
    Vector<std::pair<std::int32_t, std::int32_t>> changed_;  // tracks, and what they had
    std::uint64_t print_ = 0;
};

// The clauses found so far, indexed by track.
class AmountClauses {
   public:
    AmountClauses(std::size_t tracks, Budget& budget) : budget_(budget), head_(tracks, kEnd) {}

    struct Part {
        std::int32_t track;
        std::int32_t amount;
    };

    // Is there a clause with this track inside the set?
    [[nodiscard]] bool covers(std::int32_t track, const Amounts& set) const {
        const std::int32_t amount = set.of(track);
        const std::uint64_t lacking = ~set.print();
        std::int64_t steps = 0;
        bool found = false;
        for (std::int32_t at = head_[track]; at != kEnd && !found; at = occurrence_[at].next) {
            const Occurrence& here = occurrence_[at];
            ++steps;
            if (here.amount > amount || (here.print & lacking) != 0) continue;
            std::int32_t part = start_[here.clause];
            const std::int32_t end = start_[here.clause + 1];
            while (part < end && set.of(parts_[part].track) >= parts_[part].amount) ++part;
            found = part == end;
            steps += part - start_[here.clause];
        }
        budget_.tick(2 * steps);
        return found;
    }

    void add(std::span<const Part> parts, std::size_t size) {
        n_atoms_ += size;
        std::uint64_t print = 0;
        for (const Part& part : parts) print |= track_print(part.track);
        const auto clause = static_cast<std::int32_t>(start_.size() - 1);
        for (const Part& part : parts) {
            occurrence_.push_back({print, clause, part.amount, head_[part.track]});
            head_[part.track] = static_cast<std::int32_t>(occurrence_.size() - 1);
            parts_.push_back(part);
        }
        start_.push_back(static_cast<std::int32_t>(parts_.size()));
    }

    [[nodiscard]] std::size_t size() const { return start_.size() - 1; }
    [[nodiscard]] std::size_t n_atoms() const { return n_atoms_; }
    [[nodiscard]] std::span<const Part> parts(std::size_t clause) const {
        return {parts_.data() + start_[clause],
                static_cast<std::size_t>(start_[clause + 1] - start_[clause])};
    }

   private:
    static constexpr std::int32_t kEnd = -1;  // of a list

    struct Occurrence {
        std::uint64_t print;
        std::int32_t clause;
        std::int32_t amount;
        std::int32_t next;
    };

    Budget& budget_;
    Vector<std::int32_t> start_{0};
    Vector<Part> parts_;
    std::size_t n_atoms_ = 0;
    Vector<std::int32_t> head_;
    Vector<Occurrence> occurrence_;
};

}  // namespace cattleya::domain
