// Which nodes of a tree any row can come to, and what all rows of a class have in common.
//
// The tree is walked as it was given, with the box of the rows that come to each node. Attributes
// are independent, so the values of an attribute that rows of a class have are those of the boxes
// of its leaves, and nothing less.
#include "domain/box.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int64_t kWorkPerNode = 20;  // nanoseconds, roughly

}  // namespace

Survey DomainTree::survey(Budget& budget) const {
    struct Frame {
        std::int32_t node;
        std::int8_t stage;
    };
    Survey found;
    found.reached.assign(left_.size(), 0);
    found.has.assign(n_classes_, 0);
    Box box(*this);
    // By class, then by tested attribute: what its rows have.
    Vector<Box::Range> range(n_classes_ * tested_.size(), {0, -1, false, false});
    std::vector<std::size_t> first_word;
    std::size_t n_words = 0;
    for (const std::int32_t attribute : tested_) {
        first_word.push_back(n_words);
        n_words += box.set(attribute).size();
    }
    Vector<std::uint64_t> word(n_classes_ * n_words, 0);
    Vector<Frame> open;

    const auto leaf = [&](std::int32_t own) {
        found.has[own] = 1;
        budget.tick(static_cast<std::int64_t>(tested_.size() + n_words));
        for (std::size_t place = 0; place < tested_.size(); ++place) {
            const Box::Range& here = box.range(tested_[place]);
            Box::Range& all = range[own * tested_.size() + place];
            all.missing = all.missing || here.missing;
            if (here.low <= here.high) {
                const bool is_first = all.low > all.high;
                all.low = is_first ? here.low : std::min(all.low, here.low);
                all.high = is_first ? here.high : std::max(all.high, here.high);
            }
            std::uint64_t* to = word.data() + own * n_words + first_word[place];
            for (const std::uint64_t cells : box.set(tested_[place])) *to++ |= cells;
        }
    };
    const auto enter = [&](std::int32_t node) {
        found.reached[node] = 1;
        if (left_[node] < 0) {
            leaf(leaf_class_[node]);
        } else {
            box.keep(attribute_[test_[node]]);
            open.push_back({node, 0});
        }
    };
    enter(0);
    while (!open.empty()) {
        budget.tick(kWorkPerNode);
        const std::int32_t node = open.back().node;
        const std::int32_t test = test_[node];
        const std::int8_t stage = open.back().stage++;
        if (stage > 0) box.restore(attribute_[test]);
        if (stage == 2) {
            box.forget(attribute_[test]);
            open.pop_back();
            continue;
        }
        const Box::Sides sides = box.sides(test, budget);
        if (!(stage == 0 ? sides.left : sides.right)) continue;
        box.restrict(test, stage == 0);
        enter(stage == 0 ? left_[node] : right_[node]);
    }

    for (std::int32_t own = 0; own < n_classes_; ++own) {
        for (std::size_t place = 0; place < tested_.size(); ++place) {
            const Box::Range& all = range[own * tested_.size() + place];
            const std::size_t words = box.set(tested_[place]).size();
            found.attribute.push_back(tested_[place]);
            found.missing.push_back(all.missing ? 1 : 0);
            if (!is_category(tested_[place])) {
                found.low.push_back(all.low);
                found.high.push_back(all.high);
                continue;
            }
            const std::uint64_t* from = word.data() + own * n_words + first_word[place];
            found.low.push_back(static_cast<std::int32_t>(found.words.size()));
            found.words.insert(found.words.end(), from, from + words);
            found.high.push_back(static_cast<std::int32_t>(found.words.size()));
        }
    }
    return found;
}

}  // namespace cattleya::domain
