// Finding a small set: a beam of the most promising sets of each size.
//
// Every set of the beam is scored with every fact by one histogram. Of each slot only the fact that
// is safest and the one that is most often right go on, else neighbouring thresholds would fill the
// beam; and half of the beam is chosen by either, since the safest sets of one size do not always
// grow into those of the next. A share is not monotone: leaving a fact out may raise it. So all
// subsets of a set that reaches the share are counted (one pass over the rows does), and at last
// each fact is exchanged for any other as long as that makes the set safer.
#include <algorithm>
#include <numeric>
#include <set>

#include "short_reasons/search.hpp"

namespace cattleya::short_reasons {

namespace {

constexpr std::size_t kBeam = 6;          // sets of each of the two kinds
constexpr std::size_t kMostSubsets = 12;  // facts whose subsets are all counted
constexpr int kRounds = 4;                // of exchanges

struct Node {
    std::vector<std::int32_t> facts;
    Counts counts;
    Rows rows;
    bool is_all = false;  // every row of the table: `rows` is empty then
};

struct Step {
    std::size_t parent;
    Found found;
};

bool is_surer(const Step& a, const Step& b) {
    const auto [r, n] = std::pair{a.found.counts.right, a.found.counts.rows()};
    const auto [s, m] = std::pair{b.found.counts.right, b.found.counts.rows()};
    if (r * m != s * n) return r * m > s * n;
    return a.found.is_better_than(b.found);
}

bool is_safer(const Step& a, const Step& b) { return a.found.is_better_than(b.found); }

class Beam {
   public:
    Beam(const Table& table, const Facts& facts, const Wanted& wanted, bool is_ladder,
         Budget& budget)
        : table_(table), facts_(facts), wanted_(wanted), is_ladder_(is_ladder), budget_(budget) {
        answer_.best.resize(static_cast<std::size_t>(wanted.max_size) + 1);
    }

    Answer run(bool every_size) {
        Counts all{};
        for (const std::int32_t outcome : table_.outcome()) {
            ++(outcome == wanted_.outcome ? all.right : all.wrong);
        }
        std::vector<Node> beam(1);
        beam[0].counts = all;
        beam[0].is_all = true;
        if (all.rows() >= wanted_.least_rows) offer({{}, all, lower_bound(all.right, all.wrong)});
        if (!answer_.reached) answer_.at_least = 1;
        for (std::int32_t size = 1; size <= wanted_.max_size && !beam.empty(); ++size) {
            if (answer_.reached && !every_size) break;
            beam = grown(beam, size);
        }
        if (answer_.reached && !is_ladder_) improve();
        return std::move(answer_);
    }

   private:
    void offer(const Found& found) {
        auto& best = answer_.best[found.facts.size()];
        if (!best || found.is_better_than(*best)) best = found;
        if (!wanted_.is_reached(found.counts)) return;
        auto& reached = answer_.reached;
        if (!reached || found.facts.size() < reached->facts.size() ||
            (found.facts.size() == reached->facts.size() && found.is_better_than(*reached))) {
            reached = found;
        }
    }

    const Histogram& histogram_of(const Node& node) {
        if (node.is_all) {
            all_ = table_.all(wanted_.outcome);
            return *all_;
        }
        budget_.tick(table_.work(node.rows.size()));
        table_.fill(node.rows, wanted_.outcome, scratch_);
        return scratch_;
    }

    [[nodiscard]] bool has_slot(const std::vector<std::int32_t>& facts, std::int32_t slot) const {
        return std::ranges::any_of(facts, [&](std::int32_t f) { return facts_.slot[f] == slot; });
    }

    // Calls `use` with each fact that excludes a wrong row which the wider ones of its slot do not.
    template <class Use>
    void each(const Node& node, Use use) {
        const Histogram& histogram = histogram_of(node);
        std::int32_t slot = -1, least_wrong = 0;
        bool is_used = false;
        for (std::int32_t fact = 0; fact < facts_.size(); ++fact) {
            if (facts_.slot[fact] != slot) {
                slot = facts_.slot[fact];
                least_wrong = node.counts.wrong;
                is_used = has_slot(node.facts, slot);
            }
            if (is_used) continue;
            const Counts counts = table_.count(histogram, facts_, fact);
            if (counts.wrong >= least_wrong || counts.rows() < wanted_.least_rows) continue;
            least_wrong = counts.wrong;
            use(fact, counts);
        }
    }

    static std::vector<std::int32_t> with(const std::vector<std::int32_t>& facts,
                                          std::int32_t fact) {
        std::vector<std::int32_t> more(facts);
        more.insert(std::ranges::upper_bound(more, fact), fact);
        return more;
    }

    std::vector<Node> grown(const std::vector<Node>& beam, std::int32_t size) {
        std::vector<Step> safest, surest;
        for (std::size_t parent = 0; parent < beam.size(); ++parent) {
            std::int32_t slot = -1;
            each(beam[parent], [&](std::int32_t fact, const Counts& counts) {
                Step step{parent,
                          {with(beam[parent].facts, fact), counts,
                           lower_bound(counts.right, counts.wrong)}};
                offer(step.found);
                if (facts_.slot[fact] != slot) {
                    slot = facts_.slot[fact];
                    safest.push_back(step);
                    surest.push_back(std::move(step));
                    return;
                }
                if (is_surer(step, surest.back())) surest.back() = step;
                if (is_safer(step, safest.back())) safest.back() = std::move(step);
            });
        }
        if (size == 1 && !answer_.reached) answer_.at_least = 2;  // all of them were counted
        if (size == wanted_.max_size) return {};
        std::vector<Step> chosen;
        std::set<std::vector<std::int32_t>> seen;
        take(safest, is_safer, is_ladder_ ? 1 : kBeam, chosen, seen);
        if (!is_ladder_) take(surest, is_surer, kBeam, chosen, seen);
        std::vector<Node> next;
        for (Step& step : chosen) next.push_back(child(beam[step.parent], std::move(step.found)));
        return next;
    }

    template <class Before>
    static void take(std::vector<Step>& from, Before before, std::size_t most,
                     std::vector<Step>& chosen, std::set<std::vector<std::int32_t>>& seen) {
        std::ranges::sort(from, before);
        std::size_t taken = 0;
        for (Step& step : from) {
            if (taken == most) break;
            if (step.found.counts.wrong == 0 || !seen.insert(step.found.facts).second) continue;
            chosen.push_back(step);
            ++taken;
        }
    }

    Node child(const Node& parent, Found&& found) {
        Node node{std::move(found.facts), found.counts, {}};
        node.rows.reserve(static_cast<std::size_t>(found.counts.rows()));
        // The one fact that the parent lacks.
        const auto added = std::ranges::find_if(node.facts, [&](std::int32_t fact) {
            return !std::ranges::binary_search(parent.facts, fact);
        });
        keep(parent, *added, node.rows);
        return node;
    }

    void keep(const Node& parent, std::int32_t fact, Rows& rows) {
        if (parent.is_all) {
            budget_.tick(2 * table_.n_rows());
            for (std::int32_t row = 0; row < table_.n_rows(); ++row) {
                if (table_.has(row, facts_, fact)) rows.push_back(row);
            }
            return;
        }
        budget_.tick(2 * static_cast<std::int64_t>(parent.rows.size()));
        for (const std::int32_t row : parent.rows) {
            if (table_.has(row, facts_, fact)) rows.push_back(row);
        }
    }

    void improve() {
        const std::size_t before = answer_.reached->facts.size();
        offer_subsets();
        for (int round = 0; round < kRounds; ++round) {
            const Found start = *answer_.reached;
            for (const std::int32_t fact : start.facts) exchange(start, fact);
            if (answer_.reached->facts == start.facts) break;
        }
        if (answer_.reached->facts.size() < before) offer_subsets();
    }

    // Counts every subset of what is reached: each row once, by the facts that it lacks.
    void offer_subsets() {
        const std::vector<std::int32_t> facts = answer_.reached->facts;
        if (facts.size() > kMostSubsets) return;
        budget_.tick(table_.n_rows() * static_cast<std::int64_t>(2 * facts.size() + 1));
        std::vector<Counts> lacking(std::size_t{1} << facts.size());
        for (std::int32_t row = 0; row < table_.n_rows(); ++row) {
            std::size_t lacks = 0;
            for (std::size_t i = 0; i < facts.size(); ++i) {
                lacks |= std::size_t{!table_.has(row, facts_, facts[i])} << i;
            }
            Counts& counts = lacking[lacks];
            ++(table_.outcome()[row] == wanted_.outcome ? counts.right : counts.wrong);
        }
        // Rows that lack no fact of a subset: what they lack is in its complement.
        for (std::size_t i = 0; i < facts.size(); ++i) {
            for (std::size_t out = 0; out < lacking.size(); ++out) {
                if ((out >> i & 1) != 0) {
                    lacking[out].right += lacking[out ^ std::size_t{1} << i].right;
                    lacking[out].wrong += lacking[out ^ std::size_t{1} << i].wrong;
                }
            }
        }
        for (std::size_t out = 1; out < lacking.size(); ++out) {
            if (lacking[out].rows() < wanted_.least_rows) continue;
            Found found{{}, lacking[out], lower_bound(lacking[out].right, lacking[out].wrong)};
            for (std::size_t i = 0; i < facts.size(); ++i) {
                if ((out >> i & 1) == 0) found.facts.push_back(facts[i]);
            }
            offer(found);
        }
    }

    void exchange(const Found& start, std::int32_t gone) {
        Node rest;
        for (const std::int32_t fact : start.facts) {
            if (fact != gone) rest.facts.push_back(fact);
        }
        rest.is_all = rest.facts.empty();
        budget_.tick(table_.n_rows() * static_cast<std::int64_t>(rest.facts.size() + 1));
        for (std::int32_t row = 0; row < table_.n_rows(); ++row) {
            const bool has = std::ranges::all_of(
                rest.facts, [&](std::int32_t fact) { return table_.has(row, facts_, fact); });
            if (!has) continue;
            if (!rest.is_all) rest.rows.push_back(row);
            ++(table_.outcome()[row] == wanted_.outcome ? rest.counts.right : rest.counts.wrong);
        }
        each(rest, [&](std::int32_t fact, const Counts& counts) {
            offer({with(rest.facts, fact), counts, lower_bound(counts.right, counts.wrong)});
        });
    }

    const Table& table_;
    const Facts& facts_;
    const Wanted& wanted_;
    const bool is_ladder_;
    Budget& budget_;
    Answer answer_;
    Histogram scratch_;
    std::shared_ptr<const Histogram> all_;
};

}  // namespace

Answer search(const Table& table, const Facts& facts, const Wanted& wanted, bool every_size,
              bool is_ladder, Budget& budget) {
    table.check(facts);
    return Beam(table, facts, wanted, is_ladder, budget).run(every_size);
}

}  // namespace cattleya::short_reasons
