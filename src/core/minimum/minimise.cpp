#include "minimum/minimise.hpp"

#include <algorithm>
#include <utility>

#include "minimum/bounds.hpp"
#include "minimum/reduction.hpp"

namespace cattleya::minimum {
namespace {

struct Set {
    Vector<std::int32_t> tags;
    Weight weight = 0;

    void add(std::int32_t tag, std::span<const Weight> weights) {
        tags.push_back(tag);
        weight += weight_of(tag, weights);
    }
};

const Set kNone{{}, kNoLimit};

struct BoundedPart {
    Family family;
    Weight bound;  // from below
};

// A family being searched: what is known, and the branch under way with its parts to come.
struct Search {
    Family family;
    Weight limit;  // heavier sets are of no use
    Set best = kNone;
    enum { whole, taking, dropping, done } next = taking;
    std::int32_t atom = -1;

    Set set = {};  // of this branch
    Vector<BoundedPart> parts = {};
    Weight bound_of_parts = 0;
    bool alive = false;

    // May a set of this weight be of use? A tie with the best is none.
    [[nodiscard]] bool is_useful(Weight weight) const {
        return weight <= limit && weight < best.weight;
    }
    void abandon() {
        parts.clear();
        alive = false;
    }
};

class Minimiser {
   public:
    Minimiser(Budget& budget, std::span<const Weight> weights)
        : budget_(budget), weights_(weights) {}

    // The best set within the limit, or none.
    Set run(Family family, Weight limit) {
        Search root{std::move(family), limit};
        root.next = Search::whole;
        stack_.push_back(std::move(root));
        while (true) {
            Search& top = stack_.back();
            if (!top.parts.empty()) {
                enter_part(top);
            } else if (std::exchange(top.alive, false)) {
                top.best = std::move(top.set);  // of use: only such sets are completed
            } else if (top.next != Search::done) {
                open_branch(top);
            } else {
                const Set result = std::move(top.best);
                stack_.pop_back();
                if (stack_.empty()) return result;
                return_to(stack_.back(), result);
            }
        }
    }

   private:
    void open_branch(Search& search) {
        Reduction reduction(search.family, Fold::dominated, budget_, weights_);
        if (search.next == Search::taking) {
            reduction.take(search.atom);
            search.next = Search::dropping;
        } else {
            if (search.next == Search::dropping) reduction.drop(search.atom);
            search.next = Search::done;
        }
        if (!reduction.run()) return;
        search.set = {};
        for (const std::int32_t a : reduction.taken()) {
            search.set.add(search.family.tag[a], weights_);
        }
        if (!search.is_useful(search.set.weight)) return;
        search.alive = true;
        search.bound_of_parts = 0;
        for (Family& part : components(reduction.rest(origin_))) {
            const Weight bound = lower_bound(part, weights_, budget_);
            search.bound_of_parts += bound;
            search.parts.push_back({std::move(part), bound});
        }
        if (!search.is_useful(search.set.weight + search.bound_of_parts)) search.abandon();
    }

    // What may the next part weigh at most, the others weighing what they must?
    void enter_part(Search& search) {
        BoundedPart part = std::move(search.parts.back());
        search.parts.pop_back();
        search.bound_of_parts -= part.bound;
        const Weight most = std::min(search.limit, search.best.weight - 1);
        const Weight limit = most - search.set.weight - search.bound_of_parts;

        Search child{std::move(part.family), limit};
        Set known;
        for (const std::int32_t a : greedy_set(child.family, weights_, budget_)) {
            known.add(child.family.tag[a], weights_);
        }
        if (known.weight <= limit) child.best = std::move(known);
        if (child.best.weight == part.bound) {
            return_to(search, child.best);
            return;
        }
        child.atom = busiest_atom(child.family);
        stack_.push_back(std::move(child));
    }

    static void return_to(Search& search, const Set& result) {
        if (result.weight == kNoLimit) {
            search.abandon();
            return;
        }
        auto& tags = search.set.tags;
        tags.insert(tags.end(), result.tags.begin(), result.tags.end());
        search.set.weight += result.weight;
    }

    Budget& budget_;
    const std::span<const Weight> weights_;
    Vector<Search> stack_;
    Vector<std::int32_t> origin_;
};

}  // namespace

std::optional<Vector<std::int32_t>> minimise(Family family, Budget& budget, Weight limit,
                                             std::span<const Weight> weights) {
    Set best = Minimiser(budget, weights).run(std::move(family), limit);
    if (best.weight == kNoLimit) return std::nullopt;
    return std::move(best.tags);
}

}  // namespace cattleya::minimum
