// A beam of the sets of least error, and branch and bound over all sets.
//
// With r facts to add, one of them kills at least an r-th of what must go. So facts are tried in
// the order of what they kill, and one that was tried is out for those after it; where the error
// less the r largest kills, of different slots, is still too large, no set below suffices
// (chances.hpp).
#include "short_reasons/chances_search.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace cattleya::short_reasons {

namespace {

constexpr std::size_t kBeam = 6;
constexpr std::size_t kMostOpen = 512;  // sets that are left to exact arithmetic
constexpr double kNear = 1e-9;          // of coverage, relatively
constexpr double kTiny = 1e-12;         // above any rounding of a share, and its slack

struct Candidate {
    std::size_t parent;
    std::int32_t fact;
    double error, covered;
};

bool may_cover(double covered, double wanted) { return covered >= wanted * (1 - kNear); }

std::vector<std::int32_t> with(const std::vector<std::int32_t>& facts, std::int32_t fact) {
    std::vector<std::int32_t> more(facts);
    more.insert(std::ranges::upper_bound(more, fact), fact);
    return more;
}

// Whether an error is small enough beyond any rounding: 0 where no wrong leaf is left.
bool is_enough(double error, const ChanceWanted& wanted) {
    return error == 0 || error < wanted.error - kNear;
}

// The same without the facts that are not needed, those of least use first.
void drop(const Chances& chances, const ChanceWanted& wanted, std::vector<std::int32_t>& facts,
          Budget& budget) {
    for (std::size_t gone = 0; gone < facts.size();) {
        std::vector<std::int32_t> rest(facts);
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(gone));
        if (is_enough(chances.error(rest, budget), wanted)) {
            facts = std::move(rest);
            gone = 0;
        } else {
            ++gone;
        }
    }
}

class Proof {
   public:
    Proof(const Chances& chances, const ChanceWanted& wanted, Budget& budget)
        : chances_(chances), wanted_(wanted), budget_(budget) {
        is_out_.assign(static_cast<std::size_t>(chances.n_facts()), 0);
        levels_.resize(static_cast<std::size_t>(wanted.max_size));
    }

    ChanceProof run() {
        const Chances::State start = chances_.start();
        if (wanted_.max_size > 0) visit(start, wanted_.max_size);
        return std::move(found_);
    }

   private:
    struct Level {
        Chances::Scan scan;
        std::vector<std::int32_t> options;
        std::vector<double> most;  // of each slot, what a fact kills
    };

    // True where the search is over: a set certainly suffices, or too many are open.
    bool visit(const Chances::State& state, std::int32_t size) {
        Level& level = levels_[static_cast<std::size_t>(size - 1)];
        Chances::Scan& scan = level.scan;
        chances_.scan(state, scan, budget_);
        level.options.clear();
        level.most.clear();
        std::int32_t slot = -1, best = -1;
        double slack = 0;
        for (const std::int32_t fact : scan.worth) {
            if (is_out_[fact] != 0 || !may_cover(scan.covered[fact], wanted_.covered)) continue;
            if (chances_.slot(fact) != slot) {
                slot = chances_.slot(fact);
                level.most.push_back(0);
            }
            slack = std::max(slack, scan.slack[fact]);
            level.options.push_back(fact);
            level.most.back() = std::max(level.most.back(), scan.killed[fact]);
            if (scan.error[fact] > wanted_.error + scan.slack[fact]) continue;
            const bool is_certain = scan.error[fact] < wanted_.error - scan.slack[fact] &&
                                    scan.covered[fact] > wanted_.covered * (1 + kNear);
            if (is_certain) {
                if (best < 0 || scan.error[fact] < scan.error[best] ||
                    (scan.error[fact] == scan.error[best] && fact < best)) {
                    best = fact;
                }
            } else if (!add_open(with(state.facts, fact))) {
                return true;
            }
        }
        if (best >= 0) {
            found_.open.push_back(with(state.facts, best));
            return true;
        }
        if (size == 1) return false;
        // Of `size` facts, one kills so much at least.
        const double least = (state.error - wanted_.error - slack) / size - slack;
        std::erase_if(level.options,
                      [&](std::int32_t fact) { return scan.killed[fact] < least - kTiny; });
        std::ranges::sort(level.options, [&](std::int32_t a, std::int32_t b) {
            if (scan.killed[a] != scan.killed[b]) return scan.killed[a] > scan.killed[b];
            return a < b;
        });
        const std::size_t others = std::min(level.most.size(), static_cast<std::size_t>(size - 1));
        std::ranges::partial_sort(
            level.most, level.most.begin() + static_cast<std::ptrdiff_t>(others), std::greater<>());
        std::vector<std::int32_t> tried;
        bool is_over = false;
        for (const std::int32_t fact : level.options) {
            const double own = scan.killed[fact] + slack;
            double out = own;
            // One slot is the fact's own: leaving the largest in only makes the bound looser.
            for (std::size_t i = 0; i < others; ++i) {
                out += std::min(level.most[i] + slack, own);
            }
            if (state.error - out <= wanted_.error + slack) {
                is_over = visit(chances_.with(state, fact, budget_), size - 1);
                if (is_over) break;
            }
            ++is_out_[fact];
            tried.push_back(fact);
        }
        for (const std::int32_t fact : tried) --is_out_[fact];
        return is_over;
    }

    bool add_open(std::vector<std::int32_t>&& facts) {
        if (found_.open.size() >= kMostOpen) {
            found_.is_cut = true;
            return false;
        }
        if (seen_.insert(facts).second) found_.open.push_back(std::move(facts));
        return true;
    }

    const Chances& chances_;
    const ChanceWanted& wanted_;
    Budget& budget_;
    std::vector<Level> levels_;  // by the facts that are still to be added, less one
    std::vector<std::int32_t> is_out_;
    std::set<std::vector<std::int32_t>> seen_;
    ChanceProof found_;
};

}  // namespace

ChanceAnswer likely(const Chances& chances, const ChanceWanted& wanted, bool every_size,
                    bool is_ladder, Budget& budget) {
    ChanceAnswer answer;
    answer.best.emplace_back();
    std::vector<Chances::State> beam;
    beam.push_back(chances.start());
    answer.error.push_back(beam[0].error);
    bool is_reached = is_enough(beam[0].error, wanted);
    bool may_stop_at_one = beam[0].error <= wanted.error * (1 + 1e-6) + 1e-9;
    Chances::Scan scan;
    for (std::int32_t size = 1; size <= wanted.max_size && !beam.empty(); ++size) {
        if (is_reached && !every_size) break;
        std::vector<Candidate> found;
        const auto facts_of = [&](const Candidate& one) {
            return with(beam[one.parent].facts, one.fact);
        };
        const auto is_better = [&](const Candidate& a, const Candidate& b) {
            if (a.error != b.error) return a.error < b.error;
            if (a.covered != b.covered) return a.covered > b.covered;
            return facts_of(a) < facts_of(b);
        };
        for (std::size_t parent = 0; parent < beam.size(); ++parent) {
            chances.scan(beam[parent], scan, budget);
            std::int32_t slot = -1;
            for (const std::int32_t fact : scan.worth) {
                if (!may_cover(scan.covered[fact], wanted.covered)) continue;
                if (size == 1 && scan.error[fact] <= wanted.error + scan.slack[fact]) {
                    may_stop_at_one = true;
                }
                const Candidate one{parent, fact, scan.error[fact], scan.covered[fact]};
                if (chances.slot(fact) != slot) {
                    slot = chances.slot(fact);
                    found.push_back(one);
                } else if (is_better(one, found.back())) {
                    found.back() = one;
                }
            }
        }
        if (found.empty()) break;
        // A set comes from each of its facts' parents: so many may be equal.
        const std::size_t most = is_ladder ? 1 : kBeam;
        const auto first =
            found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), most * beam.size()));
        std::ranges::partial_sort(found, first, is_better);
        answer.best.push_back(facts_of(found[0]));
        answer.error.push_back(found[0].error);
        is_reached = is_reached || is_enough(found[0].error, wanted);
        if (is_reached && !every_size) break;
        std::vector<Chances::State> next;
        std::set<std::vector<std::int32_t>> seen;
        for (auto one = found.begin(); one != first && next.size() < most; ++one) {
            if (!seen.insert(facts_of(*one)).second) continue;
            next.push_back(chances.with(beam[one->parent], one->fact, budget));
        }
        beam = std::move(next);
    }
    answer.is_settled_at_one = !may_stop_at_one;
    if (is_reached && !every_size && answer.best.size() > 2) {
        std::vector<std::int32_t> fewer = answer.best.back();
        drop(chances, wanted, fewer, budget);
        if (fewer.size() < answer.best.back().size()) {
            answer.best.resize(fewer.size() + 1);
            answer.error.resize(fewer.size() + 1);
            answer.error.back() = chances.error(fewer, budget);
            answer.best.back() = std::move(fewer);
        }
    }
    return answer;
}

ChanceProof all_likely(const Chances& chances, const ChanceWanted& wanted, Budget& budget) {
    return Proof(chances, wanted, budget).run();
}

}  // namespace cattleya::short_reasons
