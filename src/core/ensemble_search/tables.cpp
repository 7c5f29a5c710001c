#include "ensemble_search/tables.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "ensemble_search/join.hpp"
#include "ensemble_search/leaves.hpp"

namespace cattleya::ensemble_search {
namespace {

// Finds the cells that are told apart, and numbers them.
class Cells {
   public:
    Cells(const Forest& forest, const Box& box)
        : attributes_(forest.attributes()),
          box_(box),
          place_(static_cast<std::size_t>(forest.attributes().size()), -1),
          level_(place_.size(), 0) {}

    void find(const Vector<Leaves>& all, Tables& to) {
        Vector<std::uint8_t> asked(place_.size(), 0);
        for (const Leaves& leaves : all) {
            for (const Ask& ask : leaves.ask) asked[ask.attribute] = 1;
        }
        for (std::int32_t a = 0; a < attributes_.size(); ++a) {
            if (asked[a] == 0 || attributes_.is_category(a)) continue;
            level_[a] = static_cast<std::int64_t>(rank_.size()) - box_.low[a];
            rank_.resize(rank_.size() + std::max(box_.high[a] - box_.low[a] + 1, 0), 0);
        }
        // Marks of the last cells before a cut; then how many there are before each.
        for (const Leaves& leaves : all) {
            for (const Ask& ask : leaves.ask) {
                const std::int32_t a = ask.attribute;
                if (ask.set >= 0 || ask.low > ask.high) continue;
                if (ask.low > box_.low[a]) rank_[level_[a] + ask.low - 1] = 1;
                if (ask.high < box_.high[a]) rank_[level_[a] + ask.high] = 1;
            }
        }
        Vector<std::int32_t> cuts;
        for (std::int32_t a = 0; a < attributes_.size(); ++a) {
            if (asked[a] == 0) continue;
            cuts.clear();
            for (std::int32_t c = box_.low[a]; !attributes_.is_category(a) && c <= box_.high[a];
                 ++c) {
                const auto before = static_cast<std::int32_t>(cuts.size());
                if (std::exchange(rank_[level_[a] + c], before) != 0) cuts.push_back(c);
            }
            add(a, cuts, to);
        }
    }

    [[nodiscard]] std::int32_t place(std::int32_t a) const { return place_[a]; }

    // A leaf's question in the cells here.
    [[nodiscard]] Ask here(const Ask& ask, const Tables& to) const {
        Ask own = ask;
        own.attribute = place_[ask.attribute];
        const Active& active = to.active[own.attribute];
        if (active.is_category) return own;
        if (ask.low > ask.high || active.n_cells == 0) {
            own.low = 0;
            own.high = -1;
            return own;
        }
        own.low = rank_[level_[ask.attribute] + ask.low];
        own.high = rank_[level_[ask.attribute] + ask.high];
        return own;
    }

   private:
    void add(std::int32_t a, const Vector<std::int32_t>& cuts, Tables& to) {
        place_[a] = static_cast<std::int32_t>(to.active.size());
        Active active{a,
                      attributes_.is_category(a),
                      box_.missing[a] != 0,
                      0,
                      static_cast<std::int32_t>(to.first.size()),
                      attributes_.n_words(a),
                      0,
                      0};
        if (active.is_category) {  // its own cells: of those outside the box none is ever chosen
            active.n_cells = attributes_.n_cells(a);
            active.may_be_missing = false;
            for (std::int32_t c = 0; c < active.n_cells; ++c) {
                to.first.push_back(c);
                to.last.push_back(c);
            }
        } else if (box_.low[a] <= box_.high[a]) {
            active.n_cells = static_cast<std::int32_t>(cuts.size()) + 1;
            for (std::int32_t i = 0; i < active.n_cells; ++i) {
                to.first.push_back(i == 0 ? box_.low[a] : cuts[i - 1] + 1);
                to.last.push_back(i + 1 == active.n_cells ? box_.high[a] : cuts[i]);
            }
        }
        to.active.push_back(active);
    }

    const Attributes& attributes_;
    const Box& box_;
    Vector<std::int32_t> place_;
    Vector<std::int32_t> rank_;   // by level of the numbers in the box: its cell here
    Vector<std::int64_t> level_;  // by attribute: where its level 0 would be
};

// The leaves of a table that an entry is about: asked for, by bit.
struct Asked {
    std::int32_t entry_attribute;
    std::int32_t bit;
    Ask ask;
};

void set_bit(std::uint64_t* words, std::int32_t bit) {
    words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

// Makes the masks of one table.
class Masks {
   public:
    explicit Masks(Tables& to) : to_(to) {}

    void add(const Leaves& leaves, const Cells& cells) {
        const auto number = static_cast<std::int32_t>(to_.table.size());
        const auto n = static_cast<std::int32_t>(leaves.size());
        Table table{n, (n + 63) / 64, to_.n_words, static_cast<std::int32_t>(to_.weight.size())};
        to_.n_words += table.n_words;
        to_.table.push_back(table);
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::sort(order_, [&](std::int32_t x, std::int32_t y) {
            return leaves.weight[x] != leaves.weight[y] ? leaves.weight[x] > leaves.weight[y]
                                                        : x < y;
        });
        asked_.clear();
        for (std::int32_t bit = 0; bit < n; ++bit) {
            to_.weight.push_back(leaves.weight[order_[bit]]);
            to_.asked.push_back(0);
            for (const Ask& ask : leaves.asks(order_[bit])) {
                const Ask own = cells.here(ask, to_);
                to_.asked.back() |= std::uint64_t{1} << (own.attribute % 64);
                to_.ask.push_back(own);
                asked_.push_back({own.attribute, bit, own});
            }
            to_.first_ask.push_back(static_cast<std::int64_t>(to_.ask.size()));
        }
        sort_by_attribute();
        for (std::size_t i = 0; i < asked_.size();) {
            std::size_t j = i;
            while (j < asked_.size() && asked_[j].entry_attribute == asked_[i].entry_attribute) ++j;
            make_entry(number, table, {asked_.data() + i, j - i});
            i = j;
        }
    }

    // The entries by attribute, once all tables are there.
    void sort_entries() {
        Vector<std::int32_t> order(to_.entry.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::int32_t e) { return owner_[e]; });
        Vector<Entry> sorted;
        sorted.reserve(order.size());
        for (const std::int32_t e : order) {
            Active& active = to_.active[owner_[e]];
            if (active.n_entries++ == 0)
                active.first_entry = static_cast<std::int32_t>(sorted.size());
            sorted.push_back(to_.entry[e]);
        }
        to_.entry = std::move(sorted);
    }

   private:
    // Keeps the order of the leaves.
    void sort_by_attribute() {
        count_.assign(to_.active.size() + 1, 0);
        for (const Asked& one : asked_) ++count_[one.entry_attribute + 1];
        std::partial_sum(count_.begin(), count_.end(), count_.begin());
        sorted_.resize(asked_.size());
        for (const Asked& one : asked_) sorted_[count_[one.entry_attribute]++] = one;
        asked_.swap(sorted_);
    }

    void make_entry(std::int32_t number, const Table& table, std::span<const Asked> asked) {
        const std::int32_t place = asked.front().entry_attribute, words = table.n_words;
        const Active& active = to_.active[place];
        Entry entry{number, 0, static_cast<std::int32_t>(to_.cut.size()), 0, 0, -1};
        // All leaves that ask nothing are always left.
        Vector<std::uint64_t> others(words, ~std::uint64_t{0});
        if (table.n_leaves % 64 != 0) others.back() = (std::uint64_t{1} << table.n_leaves % 64) - 1;
        for (const Asked& one : asked) {
            others[one.bit / 64] &= ~(std::uint64_t{1} << (one.bit % 64));
        }
        entry.up_to = static_cast<std::int64_t>(to_.mask.size());
        if (active.is_category) {
            entry.n_cuts = active.n_cells;
            for (std::int32_t c = 0; c < active.n_cells; ++c) {
                to_.mask.insert(to_.mask.end(), others.begin(), others.end());
                std::uint64_t* const mask = to_.mask.data() + to_.mask.size() - words;
                for (const Asked& one : asked) {
                    if ((to_.sets[one.ask.set + c / 64] >> (c % 64) & 1) != 0)
                        set_bit(mask, one.bit);
                }
            }
        } else {
            number_masks(entry, active, asked, words, others);
        }
        to_.entry.push_back(entry);
        owner_.push_back(place);
    }

    void number_masks(Entry& entry, const Active& active, std::span<const Asked> asked,
                      std::int32_t words, const Vector<std::uint64_t>& others) {
        const std::int32_t last = active.n_cells - 1;
        cuts_.clear();
        for (const Asked& one : asked) {
            if (one.ask.low > one.ask.high) continue;
            if (one.ask.low > 0) cuts_.push_back(one.ask.low - 1);
            if (one.ask.high < last) cuts_.push_back(one.ask.high);
        }
        std::ranges::sort(cuts_);
        cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
        entry.n_cuts = static_cast<std::int32_t>(cuts_.size());
        to_.cut.insert(to_.cut.end(), cuts_.begin(), cuts_.end());
        const std::int64_t size = std::int64_t{entry.n_cuts} * words;
        entry.above = entry.up_to + size;
        to_.mask.resize(to_.mask.size() + static_cast<std::size_t>(2 * size), 0);
        std::uint64_t* const up_to = to_.mask.data() + entry.up_to;
        std::uint64_t* const above = to_.mask.data() + entry.above;
        for (const Asked& one : asked) {
            if (one.ask.low > one.ask.high) continue;
            // Up to every cut that is not below its first cell; above every one before its last.
            const auto from = std::ranges::lower_bound(cuts_, one.ask.low) - cuts_.begin();
            const auto to = std::ranges::lower_bound(cuts_, one.ask.high) - cuts_.begin();
            if (from < entry.n_cuts) set_bit(up_to + from * words, one.bit);
            if (to > 0) set_bit(above + (to - 1) * words, one.bit);
        }
        for (std::int32_t w = 0; w < words; ++w) {
            for (std::int32_t i = 1; i < entry.n_cuts; ++i) {
                up_to[i * words + w] |= up_to[(i - 1) * words + w];
            }
            for (std::int32_t i = entry.n_cuts - 1; i > 0; --i) {
                above[(i - 1) * words + w] |= above[i * words + w];
            }
            for (std::int32_t i = 0; i < entry.n_cuts; ++i) {
                up_to[i * words + w] |= others[w];
                above[i * words + w] |= others[w];
            }
        }
        if (active.may_be_missing) {
            entry.missing = static_cast<std::int64_t>(to_.mask.size());
            to_.mask.insert(to_.mask.end(), others.begin(), others.end());
            for (const Asked& one : asked) {
                if (one.ask.missing != 0) set_bit(to_.mask.data() + entry.missing, one.bit);
            }
            to_.mask.insert(to_.mask.end(), others.begin(), others.end());
            for (const Asked& one : asked) {
                if (one.ask.low > one.ask.high) continue;
                set_bit(to_.mask.data() + entry.missing + words, one.bit);
            }
        }
    }

    Tables& to_;
    Vector<std::int32_t> order_, cuts_, owner_;
    Vector<Asked> asked_, sorted_;
    Vector<std::size_t> count_;
};

constexpr std::size_t kJoined = 64;  // leaves, so that a mask is one word

Tables tables_of(const Forest& forest, const Margin& margin, const Box& box, LeafLists&& leaves,
                 bool joined, Budget& budget) {
    Tables made;
    made.box = box;
    if (leaves.highest() < margin.need) {  // nothing to search
        made.constant = leaves.highest();
        return made;
    }
    if (joined) {
        // The reasons of adult's forest of 500 full trees that took longest take two thirds of the
        // time. The first tables keep all leaves, to show where a tree adds the same everywhere.
        leaves.merge_least();
        join(leaves, forest.attributes(), kJoined, budget);
    }
    made.constant = leaves.constant;
    made.sets = std::move(leaves.sets);
    Cells cells(forest, box);
    cells.find(leaves.lists, made);
    Masks masks(made);
    made.first_ask.push_back(0);
    for (const Leaves& one : leaves.lists) {
        masks.add(one, cells);
        budget.tick(static_cast<std::int64_t>(one.ask.size()) * 40);
    }
    masks.sort_entries();
    return made;
}

// What the masks will take, in words; not more than a rough figure is needed.
std::int64_t expected_words(const Vector<Leaves>& all) {
    std::int64_t sum = 0;
    for (const Leaves& leaves : all) {
        const auto n = static_cast<std::int64_t>(leaves.size());
        sum += 2 * n * ((n + 63) / 64);
    }
    return sum;
}

// A place to split a box: the middle of what the leaves of the largest trees ask about most.
TooLarge middle(const Vector<Leaves>& all, const Attributes& attributes, const Box& box) {
    Vector<std::int64_t> count(static_cast<std::size_t>(attributes.size()), 0);
    for (const Leaves& leaves : all) {
        for (const Ask& ask : leaves.ask) {
            if (ask.set < 0 && ask.low <= ask.high)
                count[ask.attribute] += ask.high < box.high[ask.attribute];
            if (ask.set >= 0) ++count[ask.attribute];
        }
    }
    const auto a = static_cast<std::int32_t>(std::ranges::max_element(count) - count.begin());
    if (attributes.is_category(a)) return {a, 0};
    Vector<std::int32_t> ends;
    for (const Leaves& leaves : all) {
        for (const Ask& ask : leaves.ask) {
            if (ask.attribute == a && ask.low <= ask.high && ask.high < box.high[a])
                ends.push_back(ask.high);
        }
    }
    if (ends.empty()) return {a, box.low[a]};
    const auto half = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::ranges::nth_element(ends, half);
    return {a, *half};
}

}  // namespace

std::int32_t Tables::place(const Active& number, std::int32_t cell) const {
    const auto from = last.begin() + number.first_cell;
    return static_cast<std::int32_t>(std::lower_bound(from, from + number.n_cells, cell) - from);
}

Tables make_tables(const Forest& forest, const Margin& margin, const Box& box,
                   std::int64_t most_words, Budget& budget) {
    LeafLists leaves = walked(forest, margin, box, budget);
    if (leaves.highest() >= margin.need && expected_words(leaves.lists) > most_words) {
        throw middle(leaves.lists, forest.attributes(), box);
    }
    return tables_of(forest, margin, box, std::move(leaves), false, budget);
}

Tables inner_tables(const Tables& outer, const Forest& forest, const Margin& margin, const Box& box,
                    bool joined, Budget& budget) {
    return tables_of(forest, margin, box, within(outer, forest.attributes(), box, budget), joined,
                     budget);
}

}  // namespace cattleya::ensemble_search
