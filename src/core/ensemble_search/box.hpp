// A box of rows: of each attribute, the cells that are allowed.
//
// An attribute is a number, whose cells 0 to n_levels are in order and which may also be missing,
// or a category, of whose cells any set may be allowed. Values that no test of the ensemble tells
// apart are in one cell.
#pragma once

#include <cstdint>
#include <span>

#include "support/vector.hpp"

namespace cattleya::ensemble_search {

constexpr std::int32_t kMissing = -1;  // the cell of a missing number

struct Box {
    Vector<std::int32_t> low, high;  // of a number: none is allowed where low is above high
    Vector<std::uint8_t> missing;    // of a number: may it be missing?
    Vector<std::uint64_t> words;     // the sets of the categories, one after the other
};

// The attributes: which are categories, and where the set of each is in `Box::words`.
class Attributes {
   public:
    static constexpr std::int32_t kCategory = -1;

    // Throws std::invalid_argument where these are no attributes.
    Attributes(std::span<const std::int32_t> n_levels, std::span<const std::int32_t> n_cells,
               std::span<const std::uint8_t> may_be_missing);

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(n_levels_.size()); }
    [[nodiscard]] bool is_category(std::int32_t a) const { return n_levels_[a] == kCategory; }
    [[nodiscard]] bool may_be_missing(std::int32_t a) const { return may_be_missing_[a] != 0; }
    // How many cells there are, without that of a missing number.
    [[nodiscard]] std::int32_t n_cells(std::int32_t a) const {
        return is_category(a) ? n_cells_[a] : n_levels_[a] + 1;
    }
    [[nodiscard]] std::int32_t first_word(std::int32_t a) const { return first_word_[a]; }
    [[nodiscard]] std::int32_t n_words(std::int32_t a) const {
        return first_word_[a + 1] - first_word_[a];
    }

    // Throws std::invalid_argument where a row is none, or a box is none or empty.
    void check_row(std::span<const std::int32_t> cells) const;
    void check_box(const Box& box) const;

    [[nodiscard]] Box at(std::span<const std::int32_t> cells) const;  // only this row
    [[nodiscard]] Box everything() const;
    // Allows every cell of an attribute.
    void release(Box& box, std::int32_t a) const;
    // Copies what a box allows of an attribute.
    void copy(const Box& from, std::int32_t a, Box& to) const;

    [[nodiscard]] bool contains(const Box& box, std::int32_t a, std::int32_t cell) const {
        if (is_category(a)) return (box.words[first_word_[a] + cell / 64] >> (cell % 64) & 1) != 0;
        return cell == kMissing ? box.missing[a] != 0 : box.low[a] <= cell && cell <= box.high[a];
    }
    [[nodiscard]] bool contains(const Box& box, std::span<const std::int32_t> cells) const;
    // Is the first box a part of the second?
    [[nodiscard]] bool is_within(const Box& inner, const Box& outer) const;

   private:
    Vector<std::int32_t> n_levels_, n_cells_, first_word_;
    Vector<std::uint8_t> may_be_missing_;
};

}  // namespace cattleya::ensemble_search
