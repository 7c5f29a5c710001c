// What keeps an attribute from getting more are the leaves of other classes that only this
// attribute keeps away: those that a walk comes to with all that the attribute can be, and with
// what is left of the others. Their values of the attribute must stay out; it gets the rest, a
// category all of it, a number the interval between the next ones on either side. As the other
// attributes only grow, what has kept one back keeps it back to the end.
//
// Python does the same to whatever is given (changes/general/generalise.py), with all leaves at
// once; this walks to the few that matter, and is what many rows need.
#include "domain/widen.hpp"

#include <algorithm>

#include "domain/box.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int64_t kWorkPerNode = 10;  // nanoseconds, roughly

}  // namespace

class Widener::Search {
   public:
    explicit Search(const DomainTree& tree) : tree_(tree), whole_(tree), box_(tree) {}

    void run(std::span<const std::int32_t> cells, std::int32_t row_class,
             std::span<const Side> sides, std::vector<std::int32_t>& part,
             std::vector<std::size_t>& part_start, Budget& budget) {
        row_class_ = row_class;
        for (const Side side : sides) narrow(side, cells[side.attribute]);
        for (const std::int32_t attribute : narrowed_) {
            if (tree_.is_category(attribute)) {
                widen_set(attribute, budget);
            } else {
                widen_number(attribute, budget);
            }
        }
        part.clear();
        part_start.assign(1, 0);
        for (const std::int32_t attribute : narrowed_) {
            if (add_part(attribute, part)) part_start.push_back(part.size());
        }
        for (const std::int32_t attribute : narrowed_) free(attribute);
        narrowed_.clear();
    }

    [[nodiscard]] const DomainTree& tree() const { return tree_; }

   private:
    struct Frame {
        std::int32_t node;
        std::int8_t stage;
    };

    void narrow(Side side, std::int32_t cell) {
        const std::int32_t attribute = side.attribute;
        if (narrowed_.empty() || narrowed_.back() != attribute) narrowed_.push_back(attribute);
        if (tree_.is_category(attribute)) {
            const auto words = box_.set(attribute);
            std::fill(words.begin(), words.end(), 0);
            words[cell / 64] = 1ull << (cell % 64);
            return;
        }
        auto& range = box_.range(attribute);
        if (cell == DomainTree::kMissing) {
            range = {tree_.n_levels(attribute) + 1, -1, true, false};
            return;
        }
        range.missing = false;
        if (side.level < 0) return;
        if (cell <= side.level) {
            range.high = std::min(range.high, side.level);
        } else {
            range.low = std::max(range.low, side.level + 1);
        }
    }

    void free(std::int32_t attribute) {
        box_.range(attribute) = whole_.range(attribute);
        const auto from = whole_.set(attribute);
        std::copy(from.begin(), from.end(), box_.set(attribute).begin());
    }

    void widen_number(std::int32_t attribute, Budget& budget) {
        const auto allowed = box_.range(attribute);
        if (allowed.low > allowed.high) return widen_missing(attribute, budget);
        free(attribute);
        // What no leaf so far keeps out; it shrinks to what is left.
        auto left = whole_.range(attribute);
        const auto is_settled = [&] {
            const auto& here = box_.range(attribute);
            if (here.missing && left.missing && !allowed.missing) return false;
            return here.high < left.low || here.low > left.high ||
                   (here.low >= allowed.low && here.high <= allowed.high);
        };
        walk(budget, is_settled, [&] {
            const auto& out = box_.range(attribute);
            left.missing = left.missing && !out.missing;
            if (out.low > out.high) return;
            if (out.high < allowed.low) {
                left.low = std::max(left.low, out.high + 1);
            } else {
                left.high = std::min(left.high, out.low - 1);
            }
        });
        box_.range(attribute) = {left.low, left.high, left.missing, false};
    }

    // There is no interval to start from: all that must stay out has to be known.
    void widen_missing(std::int32_t attribute, Budget& budget) {
        free(attribute);
        const std::int32_t top = tree_.n_levels(attribute);
        change_.assign(static_cast<std::size_t>(top) + 2, 0);
        const auto is_settled = [] { return false; };
        walk(budget, is_settled, [&] {
            const auto& out = box_.range(attribute);
            if (out.low > out.high) return;
            ++change_[out.low];
            --change_[out.high + 1];
        });
        std::int32_t before = -1, open = 0, low = 0, high = -1;
        for (std::int32_t cell = 0; cell <= top + 1; ++cell) {
            open += change_[cell];
            if (open == 0 && cell <= top) continue;
            if (cell - before - 1 > high - low + 1) {
                low = before + 1;
                high = cell - 1;
            }
            before = cell;
        }
        box_.range(attribute) = {low, high, true, false};
    }

    void widen_set(std::int32_t attribute, Budget& budget) {
        const auto words = box_.set(attribute);
        own_.assign(words.begin(), words.end());
        free(attribute);
        left_.assign(words.begin(), words.end());
        const auto is_settled = [&] {
            for (std::size_t word = 0; word < left_.size(); ++word) {
                if ((words[word] & left_[word] & ~own_[word]) != 0) return false;
            }
            return true;
        };
        walk(budget, is_settled, [&] {
            for (std::size_t word = 0; word < left_.size(); ++word) left_[word] &= ~words[word];
        });
        std::copy(left_.begin(), left_.end(), words.begin());
    }

    // Calls visit at each leaf of another class, the box being what is left of it there, but not
    // below a node where it is settled what is left.
    template <class Settled, class Visit>
    void walk(Budget& budget, Settled is_settled, Visit visit) {
        enter(0, visit);
        while (!open_.empty()) {
            budget.tick(kWorkPerNode);
            const std::int32_t node = open_.back().node;
            const std::int32_t test = tree_.node_[node].test;
            const std::int32_t attribute = tree_.attribute_[test];
            const std::int8_t stage = open_.back().stage++;
            if (stage > 0) box_.restore(attribute);
            if (stage == 2) {
                box_.forget(attribute);
                open_.pop_back();
                continue;
            }
            const auto sides = box_.sides(test, budget);
            if (!(stage == 0 ? sides.left : sides.right)) continue;
            box_.restrict(test, stage == 0);
            if (!is_settled()) enter(stage == 0 ? node + 1 : tree_.node_[node].right, visit);
        }
    }

    template <class Visit>
    void enter(std::int32_t node, Visit visit) {
        const DomainTree::Node here = tree_.node_[node];
        if (here.is_leaf()) {
            if (~here.test != row_class_) visit();
            return;
        }
        box_.keep(tree_.attribute_[here.test]);
        open_.push_back({node, 0});
    }

    // Appends what is allowed of an attribute, unless that is everything.
    bool add_part(std::int32_t attribute, std::vector<std::int32_t>& to) {
        if (!tree_.is_category(attribute)) {
            const auto& own = box_.range(attribute);
            const auto& all = whole_.range(attribute);
            if (own.low == all.low && own.high == all.high && own.missing == all.missing) {
                return false;
            }
            to.insert(to.end(), {attribute, own.low, own.high, own.missing ? 1 : 0});
            return true;
        }
        const auto own = box_.set(attribute);
        if (std::ranges::equal(own, whole_.set(attribute))) return false;
        to.push_back(attribute);
        for (std::size_t word = 0; word < own.size(); ++word) {
            for (std::int32_t bit = 0; bit < 64; ++bit) {
                if ((own[word] >> bit & 1) != 0) {
                    to.push_back(static_cast<std::int32_t>(word * 64) + bit);
                }
            }
        }
        return true;
    }

    const DomainTree& tree_;
    DomainTree::Box whole_, box_;  // everything; and what is allowed
    std::int32_t row_class_ = 0;
    std::vector<std::int32_t> narrowed_;
    Vector<Frame> open_;
    Vector<std::int32_t> change_;
    Vector<std::uint64_t> own_, left_;
};

Widener::Widener(const DomainTree& tree) : search_(std::make_unique<Search>(tree)) {}

Widener::~Widener() = default;

void Widener::widen(std::span<const std::int32_t> cells, std::int32_t row_class,
                    std::span<const Side> sides, Budget& budget) {
    try {
        search_->run(cells, row_class, sides, part_, part_start_, budget);
    } catch (...) {
        search_ = std::make_unique<Search>(search_->tree());  // it was left half done
        throw;
    }
}

}  // namespace cattleya::domain
