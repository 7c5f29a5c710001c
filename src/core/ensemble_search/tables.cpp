#include "ensemble_search/tables.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace cattleya::ensemble_search {
namespace {

// The leaves of one tree, or of several joined: what each asks, and its weight.
struct Leaves {
    Vector<std::int64_t> weight;
    Vector<std::int64_t> first;  // in `ask`, and the end
    Vector<Ask> ask;             // by attribute of the ensemble, rising

    [[nodiscard]] std::size_t size() const { return weight.size(); }
    [[nodiscard]] std::span<const Ask> asks(std::size_t leaf) const {
        return {ask.data() + first[leaf], static_cast<std::size_t>(first[leaf + 1] - first[leaf])};
    }
};

// Walks a tree inside a box, without recursion, and keeps what was changed on the way.
class Walk {
   public:
    Walk(const Forest& forest, const Box& box, Vector<std::uint64_t>& sets)
        : forest_(forest), box_(box), sets_(sets), on_path_(box.low.size(), 0) {}

    Leaves leaves(const Margin& margin, std::int32_t tree, Budget& budget) {
        Leaves found;
        found.first.push_back(0);
        open_.assign(1, {Step::kEnter, forest_.root(tree), 0});
        while (!open_.empty()) {
            const Step step = open_.back();
            open_.pop_back();
            const Node& n = forest_.node(step.node);
            switch (step.kind) {
                case Step::kRestore:
                    restore();
                    continue;
                case Step::kMerge:
                    merge(found, step.before);
                    continue;
                case Step::kLeft:
                case Step::kRight:
                    enter(n, step.kind == Step::kLeft);
                    open_.push_back({Step::kRestore, step.node, 0});
                    open_.push_back({Step::kEnter, step.kind == Step::kLeft ? n.left : n.right, 0});
                    continue;
                case Step::kEnter:
                    break;
            }
            if (n.attribute < 0) {
                add(found, forest_.weight(margin, tree, n));
                continue;
            }
            const int sides = forest_.sides(n, box_);
            if (sides == 3) {
                open_.push_back({Step::kMerge, step.node, found.size()});
                open_.push_back({Step::kRight, step.node, 0});
                open_.push_back({Step::kLeft, step.node, 0});
            } else {
                open_.push_back({Step::kEnter, sides == 1 ? n.left : n.right, 0});
            }
        }
        budget.tick(static_cast<std::int64_t>(found.size()) * 50);
        return found;
    }

   private:
    struct Step {
        enum Kind : std::uint8_t { kEnter, kLeft, kRight, kRestore, kMerge };
        Kind kind;
        std::int32_t node;
        std::size_t before;  // how many leaves there were
    };
    struct Before {
        std::int32_t attribute, low, high;
        std::uint8_t missing;
        std::size_t words;
    };

    void enter(const Node& n, bool left) {
        const std::int32_t a = n.attribute;
        const Attributes& attributes = forest_.attributes();
        before_.push_back({a, box_.low[a], box_.high[a], box_.missing[a], saved_.size()});
        for (std::int32_t w = 0; w < attributes.n_words(a); ++w) {
            saved_.push_back(box_.words[attributes.first_word(a) + w]);
        }
        forest_.restrict(n, left, box_);
        if (on_path_[a]++ == 0) {
            path_.insert(std::ranges::upper_bound(path_, a), a);
        }
    }

    void restore() {
        const Before& b = before_.back();
        const std::int32_t a = b.attribute;
        box_.low[a] = b.low;
        box_.high[a] = b.high;
        box_.missing[a] = b.missing;
        const std::int32_t at = forest_.attributes().first_word(a);
        std::copy(saved_.begin() + static_cast<std::ptrdiff_t>(b.words), saved_.end(),
                  box_.words.begin() + at);
        saved_.resize(b.words);
        if (--on_path_[a] == 0) path_.erase(std::ranges::lower_bound(path_, a));
        before_.pop_back();
    }

    // Two leaves of one weight are one, that asks what both do.
    void merge(Leaves& found, std::size_t before) {
        if (found.size() != before + 2 || found.weight[before] != found.weight[before + 1]) return;
        const std::int64_t weight = found.weight[before];
        found.weight.resize(before);
        found.first.resize(before + 1);
        found.ask.resize(static_cast<std::size_t>(found.first.back()));
        add(found, weight);
    }

    void add(Leaves& found, std::int64_t weight) {
        const Attributes& attributes = forest_.attributes();
        for (const std::int32_t a : path_) {
            Ask ask{a, box_.low[a], box_.high[a], -1, box_.missing[a]};
            if (attributes.is_category(a)) {
                ask.set = static_cast<std::int32_t>(sets_.size());
                const auto from = box_.words.begin() + attributes.first_word(a);
                sets_.insert(sets_.end(), from, from + attributes.n_words(a));
            }
            found.ask.push_back(ask);
        }
        found.weight.push_back(weight);
        found.first.push_back(static_cast<std::int64_t>(found.ask.size()));
    }

    const Forest& forest_;
    Box box_;
    Vector<std::uint64_t>& sets_;
    Vector<std::int32_t> on_path_;  // by attribute: how often
    Vector<std::int32_t> path_;     // the attributes on the path, rising
    Vector<Step> open_;
    Vector<Before> before_;
    Vector<std::uint64_t> saved_;
};

// Joins tables of which some combinations of leaves are reached by no row. Their bounds together
// are then often lower than the sum of their bounds apart.
class Joiner {
   public:
    Joiner(const Attributes& attributes, Vector<std::uint64_t>& sets, std::size_t most)
        : attributes_(attributes), sets_(sets), most_(most) {}

    // Pairs tables up, those first whose largest leaves exclude each other, as long as a pair has
    // no more leaves than is permitted.
    void join(Vector<Leaves>& all, Budget& budget) {
        for (bool changed = true; changed;) {
            changed = false;
            std::ranges::sort(all, {}, [](const Leaves& l) { return l.size(); });
            Vector<Leaves> next;
            Vector<std::uint8_t> used(all.size(), 0);
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (used[i] != 0) continue;
                budget.tick(2000);
                if (const std::size_t j = partner(all, used, i); j < all.size()) {
                    Leaves both = product(all[i], all[j]);
                    if (both.size() <= most_) {
                        used[i] = used[j] = 1;
                        next.push_back(std::move(both));
                        changed = true;
                        continue;
                    }
                }
                used[i] = 1;
                next.push_back(std::move(all[i]));
            }
            all = std::move(next);
        }
    }

   private:
    [[nodiscard]] static std::size_t best(const Leaves& l) {
        return static_cast<std::size_t>(std::ranges::max_element(l.weight) - l.weight.begin());
    }

    // The table to join with another: its best leaf excludes the other's, or at least they share
    // attributes; the more the better.
    std::size_t partner(const Vector<Leaves>& all, const Vector<std::uint8_t>& used,
                        std::size_t i) const {
        const auto own = all[i].asks(best(all[i]));
        std::size_t found = all.size();
        std::int64_t most = 0;
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            if (all[i].size() * all[j].size() > 4 * most_) break;  // they get larger
            if (used[j] != 0) continue;
            const auto other = all[j].asks(best(all[j]));
            std::int64_t score = 0;
            bool apart = false;
            for (std::size_t x = 0, y = 0; x < own.size() && y < other.size();) {
                if (own[x].attribute < other[y].attribute) {
                    ++x;
                } else if (own[x].attribute > other[y].attribute) {
                    ++y;
                } else {
                    ++score;
                    Ask both;
                    apart = apart || !meet(own[x], other[y], both, false);
                    ++x;
                    ++y;
                }
            }
            score += apart ? 1000 : 0;
            if (score > most) {
                most = score;
                found = j;
            }
        }
        return found;
    }

    bool meet(const Ask& one, const Ask& other, Ask& both, bool keep) const {
        both = one;
        both.low = std::max(one.low, other.low);
        both.high = std::min(one.high, other.high);
        both.missing = one.missing & other.missing;
        if (one.set < 0) return both.low <= both.high || both.missing != 0;
        const std::int32_t count = attributes_.n_words(one.attribute);
        std::uint64_t any = 0;
        for (std::int32_t w = 0; w < count; ++w) any |= sets_[one.set + w] & sets_[other.set + w];
        if (any != 0 && keep) {
            both.set = static_cast<std::int32_t>(sets_.size());
            for (std::int32_t w = 0; w < count; ++w) {
                sets_.push_back(sets_[one.set + w] & sets_[other.set + w]);
            }
        }
        return any != 0;
    }

    Leaves product(const Leaves& one, const Leaves& other) const {
        Leaves both;
        both.first.push_back(0);
        for (std::size_t x = 0; x < one.size(); ++x) {
            for (std::size_t y = 0; y < other.size() && both.size() <= most_; ++y) {
                if (!combine(one.asks(x), other.asks(y), both.ask)) {
                    both.ask.resize(static_cast<std::size_t>(both.first.back()));
                    continue;
                }
                both.weight.push_back(one.weight[x] + other.weight[y]);
                both.first.push_back(static_cast<std::int64_t>(both.ask.size()));
            }
        }
        return both;
    }

    bool combine(std::span<const Ask> one, std::span<const Ask> other, Vector<Ask>& all) const {
        std::size_t x = 0, y = 0;
        while (x < one.size() || y < other.size()) {
            const bool first =
                y == other.size() || (x < one.size() && one[x].attribute < other[y].attribute);
            const bool second =
                !first && (x == one.size() || other[y].attribute < one[x].attribute);
            if (first) {
                all.push_back(one[x++]);
            } else if (second) {
                all.push_back(other[y++]);
            } else {
                Ask both;
                if (!meet(one[x++], other[y++], both, true)) return false;
                all.push_back(both);
            }
        }
        return true;
    }

    const Attributes& attributes_;
    Vector<std::uint64_t>& sets_;
    std::size_t most_;
};

// Finds the cells that are told apart, and numbers them.
class Cells {
   public:
    Cells(const Forest& forest, const Box& box)
        : attributes_(forest.attributes()),
          box_(box),
          place_(static_cast<std::size_t>(forest.attributes().size()), -1) {}

    void find(const Vector<Leaves>& all, Tables& to) {
        Vector<std::uint64_t> seen;  // (attribute, last cell before a cut)
        Vector<std::uint8_t> asked(place_.size(), 0);
        for (const Leaves& leaves : all) {
            for (const Ask& ask : leaves.ask) {
                const std::int32_t a = ask.attribute;
                asked[a] = 1;
                if (ask.set >= 0 || ask.low > ask.high) continue;
                const std::uint64_t key = static_cast<std::uint64_t>(a) << 32;
                if (ask.low > box_.low[a])
                    seen.push_back(key | static_cast<std::uint32_t>(ask.low - 1));
                if (ask.high < box_.high[a])
                    seen.push_back(key | static_cast<std::uint32_t>(ask.high));
            }
        }
        std::ranges::sort(seen);
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        std::size_t at = 0;
        for (std::int32_t a = 0; a < attributes_.size(); ++a) {
            Vector<std::int32_t> cuts;
            for (; at < seen.size() && static_cast<std::int32_t>(seen[at] >> 32) == a; ++at) {
                cuts.push_back(static_cast<std::int32_t>(seen[at] & 0xffffffffU));
            }
            if (asked[a] != 0) add(a, cuts, to);
        }
    }

    [[nodiscard]] std::int32_t place(std::int32_t a) const { return place_[a]; }

    // A leaf's question in the cells here.
    [[nodiscard]] Ask here(const Ask& ask, const Tables& to) const {
        Ask own = ask;
        own.attribute = place_[ask.attribute];
        const Active& active = to.active[own.attribute];
        if (active.is_category) return own;
        const auto& cuts = cuts_[own.attribute];
        if (ask.low > ask.high || active.n_cells == 0) {
            own.low = 0;
            own.high = -1;
            return own;
        }
        own.low = static_cast<std::int32_t>(std::ranges::lower_bound(cuts, ask.low) - cuts.begin());
        own.high =
            static_cast<std::int32_t>(std::ranges::lower_bound(cuts, ask.high) - cuts.begin());
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
        cuts_.push_back(cuts);
    }

    const Attributes& attributes_;
    const Box& box_;
    Vector<std::int32_t> place_;
    Vector<Vector<std::int32_t>> cuts_;  // by active attribute
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
            for (const Ask& ask : leaves.asks(order_[bit])) {
                const Ask own = cells.here(ask, to_);
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

// What the masks will take, in words; not more than a rough figure is needed.
std::int64_t expected_words(const Vector<Leaves>& all) {
    std::int64_t sum = 0;
    for (const Leaves& leaves : all) {
        const auto n = static_cast<std::int64_t>(leaves.size());
        sum += 2 * n * ((n + 63) / 64);
    }
    return sum;
}

// The same of all leaves that there are.
std::int64_t expected_words(const Forest& forest) {
    std::int64_t sum = 0;
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        const std::int64_t n = (forest.n_nodes(t) + 1) / 2;
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

constexpr std::int64_t kMostWhole = std::int64_t{1} << 20;  // of masks: 8 MiB
constexpr std::int64_t kMostKept = std::int64_t{1} << 23;   // of those of all margins

}  // namespace

std::int32_t Tables::place(const Active& number, std::int32_t cell) const {
    const auto from = last.begin() + number.first_cell;
    return static_cast<std::int32_t>(std::lower_bound(from, from + number.n_cells, cell) - from);
}

std::shared_ptr<const Tables> Shelf::whole(const Forest& forest, const Margin& margin,
                                           Budget& budget) {
    const std::lock_guard<std::mutex> alone(busy_);
    for (const Kept& kept : kept_) {
        if (kept.of == margin.of && kept.rival == margin.rival) return kept.tables;
    }
    const Accounting not_counted(nullptr);  // it outlives the question
    std::shared_ptr<const Tables> made;
    const std::int64_t most = std::min(kMostWhole, kMostKept - words_);
    if (expected_words(forest) <= most) {
        made = std::make_shared<const Tables>(
            make_tables(forest, margin, forest.attributes().everything(), most, false, budget));
        words_ += static_cast<std::int64_t>(made->mask.size());
    }
    kept_.push_back({margin.of, margin.rival, made});
    return made;
}

Tables make_tables(const Forest& forest, const Margin& margin, const Box& box,
                   std::int64_t most_words, bool join, Budget& budget) {
    Tables made;
    made.box = box;
    made.constant = margin.constant;
    Vector<Leaves> all;
    Walk walk(forest, box, made.sets);
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        Leaves leaves = walk.leaves(margin, t, budget);
        if (leaves.size() == 1) {
            made.constant += leaves.weight.front();
        } else {
            all.push_back(std::move(leaves));
        }
    }
    std::int64_t highest = made.constant;
    for (const Leaves& leaves : all) highest += std::ranges::max(leaves.weight);
    if (highest < margin.need) {  // nothing to search
        made.constant = highest;
        return made;
    }
    if (expected_words(all) > most_words) throw middle(all, forest.attributes(), box);
    constexpr std::size_t kJoined = 64;
    if (join) {
        Joiner(forest.attributes(), made.sets, kJoined).join(all, budget);
        std::erase_if(all, [&](const Leaves& leaves) {
            if (leaves.size() > 1) return false;
            made.constant += leaves.weight.front();
            return true;
        });
    }
    Cells cells(forest, box);
    cells.find(all, made);
    Masks masks(made);
    made.first_ask.push_back(0);
    for (const Leaves& leaves : all) {
        masks.add(leaves, cells);
        budget.tick(static_cast<std::int64_t>(leaves.ask.size()) * 40);
    }
    masks.sort_entries();
    return made;
}

}  // namespace cattleya::ensemble_search
