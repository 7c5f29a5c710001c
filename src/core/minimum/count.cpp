// The number of minimum hitting sets, by splitting into connected parts and branching on an atom.
//
// Of each part the minimum is known before it is counted, so a branch is cut as soon as its minimum
// is more, and what is counted needs no further bounds. Counts of parts are kept, by their content.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "minimum/minimise.hpp"
#include "minimum/minimum.hpp"
#include "minimum/reduction.hpp"
#include "minimum/tighten.hpp"
#include "support/natural.hpp"

namespace cattleya::minimum {
namespace {

struct Hash {
    std::size_t operator()(const Family& family) const {
        const auto hash = [](const Vector<std::int32_t>& values) {
            return std::hash<std::string_view>{}({reinterpret_cast<const char*>(values.data()),
                                                  values.size() * sizeof(std::int32_t)});
        };
        return hash(family.start) + 3 * hash(family.atom) + 5 * hash(family.tag);
    }
};

// Counts that are known, within a bound on memory: when it is reached, all is forgotten.
class Cache {
   public:
    explicit Cache(std::int64_t limit) : limit_(limit) {}

    [[nodiscard]] const Natural* find(const Family& family) const {
        const auto it = known_.find(family);
        return it == known_.end() ? nullptr : &it->second;
    }
    void insert(Family family, const Natural& count) {
        held_ += bytes_of(family) + static_cast<std::int64_t>(8 * count.size()) + 200;
        if (held_ > limit_) {
            known_.clear();
            held_ = 0;
        }
        known_.emplace(std::move(family), count);
    }

   private:
    std::int64_t limit_;
    std::int64_t held_ = 0;
    std::unordered_map<Family, Natural, Hash, std::equal_to<>,
                       Counted<std::pair<const Family, Natural>>>
        known_;
};

// A connected part being counted: the sum over its branches of the product over their parts.
struct Counting {
    Part part;
    enum { whole, taking, dropping, done } next = taking;
    std::int32_t atom = -1;
    Natural sum = {};

    Vector<Natural> factors = {};
    Vector<Part> parts = {};
    bool alive = false;
};

class Counter {
   public:
    explicit Counter(Budget& budget) : budget_(budget), cache_(budget.memory_limit / 2) {}

    // How many hitting sets of its minimum size the family has; a tag says how many atoms its atom
    // stands for.
    Natural run(Family family, std::int32_t size) {
        Counting root{{std::move(family), size}};
        root.next = Counting::whole;
        stack_.push_back(std::move(root));
        while (true) {
            Counting& top = stack_.back();
            if (!top.parts.empty()) {
                enter_part(top);
            } else if (std::exchange(top.alive, false)) {
                top.sum = add(top.sum, product(std::move(top.factors)));
            } else if (top.next != Counting::done) {
                open_branch(top);
            } else {
                Natural result = std::move(top.sum);
                if (stack_.size() == 1) return result;
                cache_.insert(std::move(top.part.family), result);
                stack_.pop_back();
                stack_.back().factors.push_back(std::move(result));
            }
        }
    }

   private:
    void open_branch(Counting& node) {
        Reduction reduction(node.part.family, Fold::twins, budget_);
        if (node.next == Counting::taking) {
            reduction.take(node.atom);
            node.next = Counting::dropping;
        } else {
            if (node.next == Counting::dropping) reduction.drop(node.atom);
            node.next = Counting::done;
        }
        auto parts = tighten(reduction, node.part.size, budget_);
        if (!parts) return;
        node.factors.clear();
        for (const std::int32_t a : reduction.taken()) {
            const auto stands_for = static_cast<std::uint64_t>(reduction.tag(a));
            if (stands_for > 1) node.factors.push_back({stands_for});
        }
        node.parts = std::move(*parts);
        node.alive = true;
    }

    void enter_part(Counting& node) {
        Part part = std::move(node.parts.back());
        node.parts.pop_back();
        if (const Natural* known = cache_.find(part.family)) {
            node.factors.push_back(*known);
            return;
        }
        const std::int32_t atom = busiest_atom(part.family);
        stack_.push_back({std::move(part), Counting::taking, atom});
    }

    Budget& budget_;
    Cache cache_;
    Vector<Counting> stack_;
};

}  // namespace

MinimumCount count_minimum_hitting_sets(const ClauseView& clauses, std::int32_t n_atoms,
                                        Budget& budget) {
    Family family = family_of(clauses, n_atoms);
    const auto size = static_cast<std::int32_t>(minimise(family, budget)->size());
    std::fill(family.tag.begin(), family.tag.end(), 1);
    return {size, Counter(budget).run(std::move(family), size)};
}

}  // namespace cattleya::minimum
