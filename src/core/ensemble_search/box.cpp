#include "ensemble_search/box.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cattleya::ensemble_search {

Attributes::Attributes(std::span<const std::int32_t> n_levels,
                       std::span<const std::int32_t> n_cells,
                       std::span<const std::uint8_t> may_be_missing)
    : n_levels_(n_levels.begin(), n_levels.end()),
      n_cells_(n_cells.begin(), n_cells.end()),
      may_be_missing_(may_be_missing.begin(), may_be_missing.end()) {
    if (n_cells.size() != n_levels.size() || may_be_missing.size() != n_levels.size()) {
        throw std::invalid_argument("n_levels, n_cells and may_be_missing must have one length");
    }
    first_word_.push_back(0);
    for (std::int32_t a = 0; a < size(); ++a) {
        if (n_levels_[a] < kCategory || (is_category(a) && n_cells_[a] < 1)) {
            throw std::invalid_argument("attribute " + std::to_string(a) + " has no cells");
        }
        if (is_category(a)) may_be_missing_[a] = 0;  // missing is one of its cells
        first_word_.push_back(first_word_[a] + (is_category(a) ? (n_cells_[a] + 63) / 64 : 0));
    }
}

void Attributes::check_row(std::span<const std::int32_t> cells) const {
    if (cells.size() != n_levels_.size()) {
        throw std::invalid_argument("a row has one cell per attribute");
    }
    for (std::int32_t a = 0; a < size(); ++a) {
        const bool gap = cells[a] == kMissing && may_be_missing(a);
        if (!gap && (cells[a] < 0 || cells[a] >= n_cells(a))) {
            throw std::invalid_argument("attribute " + std::to_string(a) + " has no cell " +
                                        std::to_string(cells[a]));
        }
    }
}

void Attributes::check_box(const Box& box) const {
    const std::size_t count = n_levels_.size();
    if (box.low.size() != count || box.high.size() != count || box.missing.size() != count ||
        box.words.size() != static_cast<std::size_t>(first_word_.back())) {
        throw std::invalid_argument("a box has a low, a high and a missing per attribute");
    }
    for (std::int32_t a = 0; a < size(); ++a) {
        bool fits = true, empty = true;
        if (is_category(a)) {
            for (std::int32_t w = 0; w < n_words(a); ++w) {
                empty = empty && box.words[first_word_[a] + w] == 0;
            }
            const std::int32_t rest = n_cells_[a] % 64;
            fits = rest == 0 || box.words[first_word_[a + 1] - 1] >> rest == 0;
        } else {
            fits = box.low[a] >= 0 && box.high[a] < n_cells(a) &&
                   (box.missing[a] == 0 || may_be_missing(a));
            empty = box.low[a] > box.high[a] && box.missing[a] == 0;
        }
        if (!fits || empty) {
            throw std::invalid_argument("the box allows no cell of attribute " + std::to_string(a) +
                                        ", or one that it has not");
        }
    }
}

Box Attributes::at(std::span<const std::int32_t> cells) const {
    Box box;
    box.low.assign(cells.begin(), cells.end());
    box.high.assign(cells.begin(), cells.end());
    box.missing.assign(cells.size(), 0);
    box.words.assign(static_cast<std::size_t>(first_word_.back()), 0);
    for (std::int32_t a = 0; a < size(); ++a) {
        if (is_category(a)) {
            box.words[first_word_[a] + cells[a] / 64] |= std::uint64_t{1} << (cells[a] % 64);
            box.low[a] = box.high[a] = 0;
        } else if (cells[a] == kMissing) {
            box.low[a] = 0;
            box.high[a] = -1;
            box.missing[a] = 1;
        }
    }
    return box;
}

void Attributes::release(Box& box, std::int32_t a) const {
    if (is_category(a)) {
        const auto first = box.words.begin() + first_word_[a];
        std::fill(first, first + n_words(a), ~std::uint64_t{0});
        if (const std::int32_t rest = n_cells_[a] % 64; rest != 0) {
            box.words[first_word_[a + 1] - 1] = (std::uint64_t{1} << rest) - 1;
        }
        return;
    }
    box.low[a] = 0;
    box.high[a] = n_levels_[a];
    box.missing[a] = may_be_missing_[a];
}

void Attributes::copy(const Box& from, std::int32_t a, Box& to) const {
    to.low[a] = from.low[a];
    to.high[a] = from.high[a];
    to.missing[a] = from.missing[a];
    for (std::int32_t w = first_word_[a]; w < first_word_[a + 1]; ++w) to.words[w] = from.words[w];
}

Box Attributes::everything() const {
    Box box;
    box.low.assign(n_levels_.size(), 0);
    box.high.assign(n_levels_.size(), 0);
    box.missing.assign(n_levels_.size(), 0);
    box.words.assign(static_cast<std::size_t>(first_word_.back()), 0);
    for (std::int32_t a = 0; a < size(); ++a) release(box, a);
    return box;
}

bool Attributes::contains(const Box& box, std::span<const std::int32_t> cells) const {
    for (std::int32_t a = 0; a < size(); ++a) {
        if (!contains(box, a, cells[a])) return false;
    }
    return true;
}

bool Attributes::is_within(const Box& inner, const Box& outer) const {
    for (std::int32_t a = 0; a < size(); ++a) {
        if (is_category(a)) continue;
        const bool present = inner.low[a] <= inner.high[a];
        if (present && (inner.low[a] < outer.low[a] || inner.high[a] > outer.high[a])) return false;
        if (inner.missing[a] > outer.missing[a]) return false;
    }
    for (std::size_t w = 0; w < inner.words.size(); ++w) {
        if ((inner.words[w] & ~outer.words[w]) != 0) return false;
    }
    return true;
}

}  // namespace cattleya::ensemble_search
