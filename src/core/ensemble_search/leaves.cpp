#include "ensemble_search/leaves.hpp"

#include <algorithm>

#include "ensemble_search/tables.hpp"

namespace cattleya::ensemble_search {
namespace {

// Merging the least leaves of shorter lists was tried and dropped: fewer of them could be joined.
constexpr std::size_t kLong = 16;  // leaves

// Walks a tree inside a box, without recursion, and keeps what was changed on the way.
class Walk {
   public:
    Walk(const Forest& forest, const Box& box, Vector<std::uint64_t>& sets)
        : forest_(forest), box_(box), sets_(sets), on_path_(box.low.size(), 0) {}

    Leaves leaves(const Margin& margin, std::int32_t tree, Budget& budget) {
        Leaves found;
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
        found.drop_asks();
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
        found.add(weight);
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

// What is left of a question inside a box; false where nothing is. `asks` tells whether the box has
// more than that.
bool narrowed(Ask& ask, const Box& box, bool& asks) {
    const std::int32_t low = box.low[ask.attribute], high = box.high[ask.attribute];
    asks = ask.low > low || ask.high < high || ask.missing < box.missing[ask.attribute];
    ask.low = std::max(ask.low, low);
    ask.high = std::min(ask.high, high);
    ask.missing &= box.missing[ask.attribute];
    return ask.low <= ask.high || ask.missing != 0;
}

// The same of a category, whose set is put at the end of `sets`.
bool narrowed_set(Ask& ask, const std::uint64_t* from, const std::uint64_t* box, std::int32_t words,
                  Vector<std::uint64_t>& sets, bool& asks) {
    ask.set = static_cast<std::int32_t>(sets.size());
    std::uint64_t any = 0;
    asks = false;
    for (std::int32_t w = 0; w < words; ++w) {
        const std::uint64_t left = from[w] & box[w];
        any |= left;
        asks = asks || left != box[w];
        sets.push_back(left);
    }
    if (any == 0 || !asks) sets.resize(static_cast<std::size_t>(ask.set));
    return any != 0;
}

}  // namespace

void LeafLists::take(Leaves&& leaves) {
    const auto [least, most] = std::ranges::minmax(leaves.weight);
    if (least == most) {
        constant += most;
    } else {
        lists.push_back(std::move(leaves));
    }
}

void LeafLists::merge_least() {
    Vector<Leaves> all = std::move(lists);
    lists = {};
    for (Leaves& leaves : all) {
        // A leaf that asks nothing is always left: those below it do not count either.
        std::int64_t least = std::ranges::min(leaves.weight);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            if (leaves.asks(i).empty()) least = std::max(least, leaves.weight[i]);
        }
        const auto merged =
            std::ranges::count_if(leaves.weight, [&](std::int64_t w) { return w <= least; });
        if (leaves.size() < kLong || 4 * static_cast<std::size_t>(merged) < leaves.size()) {
            lists.push_back(std::move(leaves));
            continue;
        }
        Leaves few;
        few.add(least);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            if (leaves.weight[i] <= least) continue;
            const auto asks = leaves.asks(i);
            few.ask.insert(few.ask.end(), asks.begin(), asks.end());
            few.add(leaves.weight[i]);
        }
        take(std::move(few));
    }
}

std::int64_t LeafLists::highest() const {
    std::int64_t sum = constant;
    for (const Leaves& leaves : lists) sum += std::ranges::max(leaves.weight);
    return sum;
}

LeafLists walked(const Forest& forest, const Margin& margin, const Box& box, Budget& budget) {
    LeafLists found;
    found.constant = margin.constant;
    Walk walk(forest, box, found.sets);
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        found.take(walk.leaves(margin, t, budget));
    }
    return found;
}

LeafLists within(const Tables& tables, const Attributes& attributes, const Box& box,
                 Budget& budget) {
    LeafLists found;
    found.constant = tables.constant;
    for (const Table& table : tables.table) {
        Leaves leaves;
        for (std::int64_t leaf = table.first_leaf; leaf < table.first_leaf + table.n_leaves;
             ++leaf) {
            bool reached = true;
            for (std::int64_t i = tables.first_ask[leaf]; reached && i < tables.first_ask[leaf + 1];
                 ++i) {
                Ask ask = tables.ask[i];
                const Active& active = tables.active[ask.attribute];
                const std::int32_t a = ask.attribute = active.attribute;
                bool asks = false;
                if (active.is_category) {
                    reached = narrowed_set(ask, tables.sets.data() + ask.set,
                                           box.words.data() + attributes.first_word(a),
                                           active.n_words, found.sets, asks);
                } else {
                    if (ask.low <= ask.high) {
                        ask.low = tables.first[active.first_cell + ask.low];
                        ask.high = tables.last[active.first_cell + ask.high];
                    }
                    reached = narrowed(ask, box, asks);
                }
                if (reached && asks) leaves.ask.push_back(ask);
            }
            if (reached) {
                leaves.add(tables.weight[leaf]);
            } else {
                leaves.drop_asks();
            }
        }
        found.take(std::move(leaves));
        budget.tick(table.n_leaves * 10);
    }
    return found;
}

}  // namespace cattleya::ensemble_search
