// Reasons: boxes of one outcome from which no fact can be left out.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "ensemble_search/row.hpp"

namespace cattleya::ensemble_search {
namespace {

// Facts are freed in rounds: what takes a search of more parts than this is left for the next one.
// With fewer parts in the first, most questions about full trees were asked twice; but where time
// runs out early, reasons are longer.
constexpr std::int64_t kRounds[] = {30'000, 300'000, kAllParts};

}  // namespace

// Frees a fact.
void RowQuestions::release(const Try& one, Box& box) const {
    const std::int32_t a = one.attribute;
    const Attributes& attributes = forest_.attributes();
    if (one.what == Reason::kWhole) {
        attributes.release(box, a);
    } else if (one.what == Reason::kLowSide) {
        box.low[a] = 0;
    } else {
        box.high[a] = attributes.n_cells(a) - 1;
    }
    // No side is left: not even that it is there is said.
    if (!attributes.is_category(a) && box.low[a] == 0 && box.high[a] == attributes.n_cells(a) - 1) {
        attributes.release(box, a);
    }
}

bool RowQuestions::is_fixed(const Try& one, const Box& box) const {
    const std::int32_t a = one.attribute;
    const Attributes& attributes = forest_.attributes();
    const std::int32_t last = attributes.n_cells(a) - 1;
    if (!attributes.is_category(a) && row_[a] != kMissing && one.what != Reason::kWhole) {
        return one.what == Reason::kLowSide ? box.low[a] > 0 : box.high[a] < last;
    }
    return one.what == Reason::kWhole && !attributes.is_free(box, a);
}

bool RowQuestions::has_two_sides(std::int32_t a, const Box& box) const {
    return box.low[a] > 0 && box.high[a] < forest_.attributes().n_cells(a) - 1;
}

Vector<RowQuestions::Try> RowQuestions::tries(std::span<const std::int32_t> order,
                                              bool sides) const {
    Vector<Try> found;
    for (const std::int32_t a : order) found.push_back({a, Reason::kWhole});
    if (!sides) return found;
    for (const std::int32_t a : order) {
        if (forest_.attributes().is_category(a) || row_[a] == kMissing) continue;
        found.push_back({a, Reason::kLowSide});
        found.push_back({a, Reason::kHighSide});
    }
    return found;
}

Box RowQuestions::path_box() const {
    const Attributes& attributes = forest_.attributes();
    const Box free = attributes.everything(), own = attributes.at(row_);
    Box box = free;
    for (std::int32_t t = 0; t < forest_.n_trees(); ++t) {
        std::int32_t n = forest_.root(t);
        while (forest_.node(n).attribute >= 0) {
            const Node& node = forest_.node(n);
            const std::int32_t a = node.attribute, cell = row_[a];
            const bool left = forest_.goes_left(node, cell);
            n = left ? node.left : node.right;
            if (forest_.sides(node, free) != 3) continue;
            if (attributes.is_category(a) || cell == kMissing) {
                attributes.copy(own, a, box);
                continue;
            }
            box.missing[a] = 0;
            if (left) {
                box.high[a] = std::min(box.high[a], node.level);
            } else {
                box.low[a] = std::max(box.low[a], node.level + 1);
            }
        }
    }
    return box;
}

Reason RowQuestions::quick_reason(std::span<const std::uint8_t> freed, bool sides,
                                  Budget& budget) const {
    Vector<std::int32_t> order;
    return by_bound(freed, sides, false, order, budget);
}

// Also orders the attributes: those first that cost the bound least when they are freed. Those that
// alone make it fail are last, ordered only where `whole`.
Reason RowQuestions::by_bound(std::span<const std::uint8_t> freed, bool sides, bool whole,
                              Vector<std::int32_t>& order, Budget& budget) const {
    const Box free = forest_.attributes().everything();
    Bound bound(forest_, rivals_, row_, budget);
    for (std::size_t a = 0; a < freed.size(); ++a) {
        if (freed[a] != 0) bound.force(static_cast<std::int32_t>(a), free, budget);
    }
    Vector<double> rise(row_.size());
    for (std::size_t a = 0; a < row_.size(); ++a) {
        rise[a] = bound.rise(static_cast<std::int32_t>(a), free, whole, budget);
    }
    order.resize(row_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int32_t a) { return rise[a]; });
    Reason reason{bound.holds(), {}, {}};
    if (reason.forces) {
        Box wider = bound.box();
        for (const Try& one : tries(order, sides)) {
            if (one.what == Reason::kWhole && rise[one.attribute] > 1) continue;  // it fails
            if (!is_fixed(one, bound.box())) continue;
            release(one, wider);
            if (!bound.widen(one.attribute, wider, budget)) {
                forest_.attributes().copy(bound.box(), one.attribute, wider);
            }
        }
        // Then each side as far as the bound lets it.
        for (const Try& one : sides ? tries(order, true) : Vector<Try>{}) {
            if (one.what == Reason::kWhole || !is_fixed(one, bound.box())) continue;
            bound.stretch(one.attribute, one.what == Reason::kLowSide, budget);
        }
    }
    reason.box = bound.box();
    reason.open.assign(row_.size(), 0);
    return reason;
}

Reason RowQuestions::sufficient_reason(std::span<const std::uint8_t> freed, bool sides,
                                       Budget& budget) {
    const Attributes& attributes = forest_.attributes();
    Vector<std::int32_t> order;
    Budget unhurried = budget;  // there is always time for the bound: it is what can be relied on
    unhurried.deadline = Budget::Clock::time_point::max();
    Reason reason = by_bound(freed, false, true, order, unhurried);
    if (!reason.forces) {
        for (std::size_t a = 0; a < freed.size(); ++a) {
            if (freed[a] != 0) attributes.release(reason.box, static_cast<std::int32_t>(a));
        }
        const Found found = other_outcome(reason.box, kAllParts, budget);
        reason.forces = found.answer == Answer::kNo;
        if (!reason.forces) {
            if (found.answer == Answer::kOpen) budget.look();
            return reason;
        }
    }
    return smaller(std::move(reason), order, sides, budget);
}

// Frees what can be freed. Facts are freed one after the other as long as no row of another outcome
// is found in the box; then the last box is proved, and with it all before. Where a search finds a
// row, or takes too long, the box has fewer of them.
void RowQuestions::settle(Vector<Try> left, Reason& reason, Budget& budget) {
    Vector<PutOff> put_off;
    for (const std::int64_t most_parts : kRounds) {
        Vector<Try> chain, late;
        for (;;) {
            Box box = reason.box;
            for (const Try& one : chain) release(one, box);
            for (const Try& one : left) {
                if (std::ranges::find(chain, one) != chain.end() ||
                    std::ranges::find(late, one) != late.end() || !is_fixed(one, box)) {
                    continue;
                }
                Box wider = box;
                release(one, wider);
                Found found = known(wider);
                if (found.answer == Answer::kOpen) found = hunted(wider, budget);
                if (found.answer == Answer::kYes) continue;
                box = std::move(wider);
                chain.push_back(one);
            }
            if (chain.empty()) break;
            for (std::size_t count = chain.size(); count > 0; count /= 2) {
                box = reason.box;
                for (std::size_t i = 0; i < count; ++i) release(chain[i], box);
                Found found = known(box);
                if (found.answer == Answer::kOpen) {
                    found = searched(box, most_parts, &put_off, budget);
                }
                if (found.answer == Answer::kNo) {
                    reason.box = std::move(box);
                    chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(count));
                    break;
                }
                if (found.answer == Answer::kYes) {
                    box = reason.box;
                    std::size_t kept = 0;
                    for (release(chain[0], box); !forest_.attributes().contains(box, found.cells);
                         release(chain[kept], box)) {
                        ++kept;
                    }
                    chain.resize(kept);
                    break;
                }
                if (count == 1) {
                    late.push_back(chain.front());
                    chain.erase(chain.begin());
                }
            }
        }
        left = std::move(late);
        if (left.empty()) return;
    }
}

Reason RowQuestions::smaller(Reason reason, std::span<const std::int32_t> order, bool sides,
                             Budget& budget) {
    reason.open.assign(row_.size(), 0);
    try {
        settle(tries(order, false), reason, budget);
        if (!sides) return reason;
        // A fact that is needed may be so on one side only. Where it has one side, that was it.
        Vector<Try> left;
        for (const Try& one : tries(order, true)) {
            if (one.what != Reason::kWhole && has_two_sides(one.attribute, reason.box)) {
                left.push_back(one);
            }
        }
        settle(std::move(left), reason, budget);
    } catch (const TimeoutExpired&) {
        // What was not tried, or not settled, and is not refuted by a row that is known.
        for (const Try& one : tries(order, sides)) {
            if (!is_fixed(one, reason.box)) continue;
            Box wider = reason.box;
            release(one, wider);
            const bool refuted = std::ranges::any_of(witness_, [&](const auto& cells) {
                return forest_.attributes().contains(wider, cells);
            });
            if (!refuted) reason.open[one.attribute] |= one.what;
        }
    }
    return reason;
}

Reason RowQuestions::wider(Reason reason, std::int64_t most_parts, Budget& budget) {
    const Attributes& attributes = forest_.attributes();
    try {
        for (std::int32_t a = 0; a < attributes.size(); ++a) {
            if (attributes.is_category(a)) {
                for (std::int32_t c = 0; c < attributes.n_cells(a); ++c) {
                    if (attributes.contains(reason.box, a, c)) continue;
                    Box wide = reason.box;
                    wide.words[attributes.first_word(a) + c / 64] |= std::uint64_t{1} << (c % 64);
                    if (other_outcome(wide, most_parts, budget).answer == Answer::kNo) {
                        reason.box = std::move(wide);
                    }
                }
                continue;
            }
            if (row_[a] == kMissing) continue;
            for (const bool low : {true, false}) {
                std::int32_t good = low ? reason.box.low[a] : reason.box.high[a];
                std::int32_t bad = low ? -1 : attributes.n_cells(a);
                while (std::abs(good - bad) > 1) {
                    Box wide = reason.box;
                    const std::int32_t middle = good + (bad - good) / 2;
                    (low ? wide.low : wide.high)[a] = middle;
                    if (other_outcome(wide, most_parts, budget).answer == Answer::kNo) {
                        good = middle;
                        reason.box = std::move(wide);
                    } else {
                        bad = middle;
                    }
                }
            }
            if (attributes.may_be_missing(a) && reason.box.missing[a] == 0) {
                Box wide = reason.box;
                wide.missing[a] = 1;
                if (other_outcome(wide, most_parts, budget).answer == Answer::kNo) {
                    reason.box = std::move(wide);
                }
            }
        }
    } catch (const TimeoutExpired&) {
        // As wide as was proved.
    }
    return reason;
}

}  // namespace cattleya::ensemble_search
