// A box of cells: of each attribute the cells that the tests on some way leave of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "domain/domain_tree.hpp"

namespace cattleya::domain {

class DomainTree::Box {
   public:
    // Of a number: the cells low to high, and perhaps missing.
    struct Range {
        std::int32_t low, high;
        bool missing;
        bool tested;
        bool operator==(const Range&) const = default;
    };

    // Which sides of a test can be reached, and which by a value that is not missing.
    struct Sides {
        bool left, right;
        bool present_left, present_right;
    };

    explicit Box(const DomainTree& tree) : tree_(tree), first_word_(tree.n_attributes()) {
        number_.reserve(tree.n_attributes());
        for (std::size_t a = 0; a < tree.n_attributes(); ++a) {
            const bool missing = tree.takes_missing_ && tree.never_missing_[a] == 0;
            number_.push_back({0, tree.n_levels_[a], missing, false});
            first_word_[a] = word_.size();
            for (std::int32_t cell = 0; cell < tree.n_cells_[a]; cell += 64) {
                const std::int32_t rest = tree.n_cells_[a] - cell;
                word_.push_back(rest >= 64 ? ~0ull : (1ull << rest) - 1);
            }
        }
    }

    [[nodiscard]] Range& range(std::int32_t attribute) { return number_[attribute]; }

    // Of a category: one bit a cell.
    [[nodiscard]] std::span<std::uint64_t> set(std::int32_t attribute) {
        return {word_.data() + first_word_[attribute],
                static_cast<std::size_t>((tree_.n_cells_[attribute] + 63) / 64)};
    }

    [[nodiscard]] Sides sides(std::int32_t test, Budget& budget) {
        const std::int32_t attribute = tree_.attribute_[test];
        const std::int32_t level = tree_.level_[test];
        if (tree_.is_category(attribute)) {
            Sides found{};
            const std::uint64_t* goes_left = tree_.words_.data() + level;
            const auto words = set(attribute);
            for (const std::uint64_t word : words) {
                found.left = found.left || (word & *goes_left) != 0;
                found.right = found.right || (word & ~*goes_left) != 0;
                ++goes_left;
            }
            budget.tick(static_cast<std::int64_t>(words.size()));
            return found;
        }
        const Range range = number_[attribute];
        const bool present_left = range.low <= std::min(range.high, level);
        const bool present_right = std::max(range.low, level + 1) <= range.high;
        const bool missing_left = tree_.missing_left_[test] != 0;
        return {present_left || (range.missing && missing_left),
                present_right || (range.missing && !missing_left), present_left, present_right};
    }

    // Leaves the cells that go to one side of a test.
    void restrict(std::int32_t test, bool left) {
        const std::int32_t attribute = tree_.attribute_[test];
        const std::int32_t level = tree_.level_[test];
        if (tree_.is_category(attribute)) {
            const std::uint64_t* goes_left = tree_.words_.data() + level;
            for (std::uint64_t& word : set(attribute)) {
                word &= left ? *goes_left : ~*goes_left;
                ++goes_left;
            }
            return;
        }
        Range& range = number_[attribute];
        range.tested = true;
        range.missing = range.missing && (tree_.missing_left_[test] != 0) == left;
        if (left) {
            range.high = std::min(range.high, level);
        } else {
            range.low = std::max(range.low, level + 1);
        }
    }

    // What is left of an attribute is put on a stack, taken from its top, and put away.
    void keep(std::int32_t attribute) {
        kept_number_.push_back(number_[attribute]);
        const auto words = set(attribute);
        kept_word_.insert(kept_word_.end(), words.begin(), words.end());
    }
    void restore(std::int32_t attribute) {
        number_[attribute] = kept_number_.back();
        const auto words = set(attribute);
        std::copy(kept_word_.end() - static_cast<std::ptrdiff_t>(words.size()), kept_word_.end(),
                  words.begin());
    }
    void forget(std::int32_t attribute) {
        kept_number_.pop_back();
        kept_word_.resize(kept_word_.size() - set(attribute).size());
    }

   private:
    const DomainTree& tree_;
    Vector<Range> number_;
    Vector<std::uint64_t> word_;
    std::vector<std::size_t> first_word_;
    Vector<Range> kept_number_;
    Vector<std::uint64_t> kept_word_;
};

}  // namespace cattleya::domain
