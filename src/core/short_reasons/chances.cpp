#include "short_reasons/chances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace cattleya::short_reasons {

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr std::int32_t kNoFact = -2;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Chances::Chances(const ChanceTree& tree, const ChanceFacts& facts, bool by_leaves)
    : slot_(facts.slot.begin(), facts.slot.end()),
      column_(facts.column.begin(), facts.column.end()),
      first_(facts.first.begin(), facts.first.end()),
      last_(facts.last.begin(), facts.last.end()),
      missing_(facts.missing.begin(), facts.missing.end()),
      share_(facts.share.begin(), facts.share.end()),
      n_cells_(tree.n_cells.begin(), tree.n_cells.end()),
      by_leaves_(by_leaves) {
    const std::size_t n = slot_.size();
    require(column_.size() == n && first_.size() == n && last_.size() == n &&
                missing_.size() == n && share_.size() == n,
            "the arrays of facts differ in length");
    for (const std::int32_t cells : n_cells_) {
        require(cells >= 1, "a column needs a cell");
        start_.push_back(sum_.size());
        const std::size_t place = sum_.size() - start_.size() + 1;  // one entry more per column
        require(place + static_cast<std::size_t>(cells) + 1 <= tree.mass.size(),
                "masses are missing");
        std::int64_t before = 0;
        sum_.push_back(0);
        for (std::int32_t cell = 0; cell <= cells; ++cell) {
            const std::int64_t own = tree.mass[place + static_cast<std::size_t>(cell)];
            require(own >= 0 && own <= (std::int64_t{1} << 40), "a mass is out of range");
            sum_.push_back(before += own);
        }
    }
    require(sum_.size() - start_.size() == tree.mass.size(), "there are more masses than cells");
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t before = i == 0 ? -1 : slot_[i - 1];
        require(slot_[i] == before || slot_[i] == before + 1, "the slots are not in order");
        require(column_[i] >= -1 && column_[i] < static_cast<std::int32_t>(n_cells_.size()),
                "a fact is of no column");
        if (column_[i] < 0) continue;
        require(first_[i] >= 0 && last_[i] >= first_[i] - 1 && last_[i] < n_cells_[column_[i]],
                "a fact is of no cells");
        if (slot_[i] == before) {
            require(column_[i] == column_[i - 1] && first_[i] >= first_[i - 1] &&
                        last_[i] <= last_[i - 1] && missing_[i] <= missing_[i - 1],
                    "a fact allows more than the one before it in its slot");
        }
    }
    if (!collect_tree(tree)) collect(tree, by_leaves);
}

std::int64_t Chances::mass(std::int32_t column, const Cells& cells) const {
    const std::int64_t* const sum = &sum_[start_[column]];
    std::int64_t found = 0;
    if (cells.first <= cells.last) found = sum[cells.last + 1] - sum[cells.first];
    if (cells.missing) found += sum[n_cells_[column] + 1] - sum[n_cells_[column]];
    return found;
}

Chances::Cells Chances::both(const Cells& a, const Cells& b) {
    return {std::max(a.first, b.first), std::min(a.last, b.last), a.missing && b.missing};
}

// Walks down to every leaf that has weight under some facts, with what its path leaves of columns.
void Chances::collect(const ChanceTree& tree, bool right_too) {
    const std::size_t n = tree.left.size();
    require(n > 0 && tree.right.size() == n && tree.wrong.size() == n && tree.column.size() == n &&
                tree.level.size() == n && tree.missing_left.size() == n &&
                tree.left_chance.size() == n && tree.right_chance.size() == n &&
                tree.decided.size() == n && tree.row_left.size() == n,
            "the arrays of nodes differ in length");
    struct Visit {
        std::int32_t parent, node;
        std::size_t depth;  // edges above the one that leads here
        double chance;      // of the step nodes above
    };
    struct Undo {
        std::int32_t range;  // -1: the last step
        bool is_new;
        Cells before;
    };
    std::vector<Range> ranges;
    std::vector<Step> steps;
    std::vector<Undo> path;
    std::vector<Visit> open{{-1, 0, 0, 1.0}};
    std::size_t visited = 0;
    while (!open.empty()) {
        const Visit at = open.back();
        open.pop_back();
        require(at.node >= 0 && static_cast<std::size_t>(at.node) < n && ++visited <= n,
                "a child is no node");
        while (path.size() > at.depth) {
            const Undo& last = path.back();
            if (last.range < 0) {
                steps.pop_back();
            } else if (last.is_new) {
                ranges.pop_back();
            } else {
                ranges[last.range].cells = last.before;
            }
            path.pop_back();
        }
        double chance = at.chance;
        if (at.parent >= 0) {
            const std::int32_t parent = at.parent, column = tree.column[parent];
            const bool is_left = tree.left[parent] == at.node;
            if (column < 0) {
                const double own = is_left ? tree.left_chance[parent] : tree.right_chance[parent];
                if (!(own > 0)) continue;  // no fact that any row has leads there
                const std::int32_t fact = tree.decided[parent];
                chance *= own;
                if (fact >= 0) {
                    require(fact < n_facts(), "a node is decided by no fact");
                    steps.push_back(
                        {fact, slot_[fact], own, is_left == (tree.row_left[parent] != 0)});
                    path.push_back({-1, false, {}});
                }
            } else {
                require(column < static_cast<std::int32_t>(n_cells_.size()),
                        "a node has no column");
                const std::int32_t level = std::clamp(tree.level[parent], -1, n_cells_[column] - 1);
                const bool gaps = (tree.missing_left[parent] != 0) == is_left;
                const Cells side =
                    is_left ? Cells{0, level, gaps} : Cells{level + 1, n_cells_[column] - 1, gaps};
                const auto found = std::ranges::find(ranges, column, &Range::column);
                const bool is_new = found == ranges.end();
                const auto place = static_cast<std::int32_t>(found - ranges.begin());
                path.push_back({place, is_new, is_new ? Cells{} : found->cells});
                if (is_new) {
                    ranges.push_back({column, side});
                } else {
                    found->cells = both(found->cells, side);
                }
                if (mass(column, ranges[place].cells) == 0) continue;
            }
        }
        const std::int32_t node = at.node;
        if (tree.left[node] >= 0) {
            open.push_back({node, tree.right[node], path.size(), chance});
            open.push_back({node, tree.left[node], path.size(), chance});
            continue;
        }
        if (tree.wrong[node] == 0 && !right_too) continue;
        const std::size_t first_range = ranges_.size(), first_step = steps_.size();
        for (const Range& range : ranges) {
            const Cells all{0, n_cells_[range.column] - 1, true};
            chance *= static_cast<double>(mass(range.column, range.cells)) /
                      static_cast<double>(mass(range.column, all));
            ranges_.push_back(range);
        }
        steps_.insert(steps_.end(), steps.begin(), steps.end());
        // In the order in which facts of a slot decide them.
        std::sort(steps_.begin() + static_cast<std::ptrdiff_t>(first_step), steps_.end(),
                  [](const Step& a, const Step& b) { return a.fact < b.fact; });
        depth_ = std::max(depth_, path.size());
        leaves_.push_back({first_range, ranges_.size(), first_step, steps_.size(), chance,
                           tree.wrong[node] != 0});
    }
}

std::int64_t Chances::work(const State& state) const {
    if (!tree_.empty()) return static_cast<std::int64_t>(state.tree.size() * 8 + 100);
    return static_cast<std::int64_t>(state.open.size() * 40 + sum_.size() + slot_.size() * 4);
}

// Keeps the tree where facts decide nodes of their own, at most one on each path, and every side of
// a node has a chance.
bool Chances::collect_tree(const ChanceTree& tree) {
    const std::size_t n = tree.left.size();
    if (by_leaves_ || (!slot_.empty() && static_cast<std::size_t>(slot_.back()) + 1 < slot_.size()))
        return false;
    for (const std::int32_t column : column_) {
        if (column >= 0) return false;
    }
    if (n == 0 || tree.right.size() != n || tree.wrong.size() != n || tree.column.size() != n ||
        tree.left_chance.size() != n || tree.right_chance.size() != n || tree.decided.size() != n ||
        tree.row_left.size() != n)
        return false;  // refused by the other
    struct Visit {
        std::int32_t node, parent;  // whose other child it is; -1: a row's child
        std::size_t depth;
    };
    Vector<Branch> made;
    std::vector<std::uint8_t> is_above(slot_.size(), 0);
    std::vector<std::int32_t> above;  // the facts on the path, by depth
    std::vector<Visit> open{{0, -1, 0}};
    while (!open.empty()) {
        const Visit at = open.back();
        open.pop_back();
        for (; above.size() > at.depth; above.pop_back()) {
            if (above.back() >= 0) is_above[above.back()] = 0;
        }
        if (at.node < 0 || static_cast<std::size_t>(at.node) >= n || made.size() >= n) return false;
        const auto place = static_cast<std::int32_t>(made.size());
        if (at.parent >= 0) made[at.parent].other = place;
        if (tree.left[at.node] < 0) {
            made.push_back({-1, -1, tree.wrong[at.node] != 0 ? 1.0 : 0.0, 0});
            continue;
        }
        const std::int32_t fact = tree.decided[at.node];
        const double left = tree.left_chance[at.node], right = tree.right_chance[at.node];
        if (tree.column[at.node] >= 0 || !(left > 0) || !(right > 0) || fact >= n_facts()) {
            return false;
        }
        if (fact >= 0) {
            if (is_above[fact] != 0) return false;
            is_above[fact] = 1;
        }
        above.push_back(fact);
        depth_ = std::max(depth_, above.size());
        const bool is_left = tree.row_left[at.node] != 0;
        made.push_back({fact, -1, is_left ? left : right, is_left ? right : left});
        const std::int32_t own = is_left ? tree.left[at.node] : tree.right[at.node];
        const std::int32_t other = is_left ? tree.right[at.node] : tree.left[at.node];
        open.push_back({other, place, above.size()});
        open.push_back({own, -1, above.size()});
    }
    error_ = decided(made, kNoFact, tree_);
    return true;
}

// The tree under a fact more: its nodes give way to the row's child, and a node whose sides are
// equally wrong for certain to a leaf. Returns what is wrong.
double Chances::decided(const Vector<Branch>& tree, std::int32_t fact, Vector<Branch>& made) {
    const auto n = static_cast<std::int32_t>(tree.size());
    struct Below {
        double wrong;
        bool is_certain;  // becomes a leaf
    };
    std::vector<Below> below(tree.size());
    for (std::int32_t node = n - 1; node >= 0; --node) {
        const Branch& one = tree[node];
        if (one.other < 0) {
            below[node] = {one.chance, true};
            continue;
        }
        const Below &own = below[node + 1], &other = below[one.other];
        if (one.fact == fact || (own.is_certain && other.is_certain && own.wrong == other.wrong)) {
            below[node] = own;
        } else {
            below[node] = {one.chance * own.wrong + one.rest * other.wrong, false};
        }
    }
    made.reserve(tree.size());
    std::vector<std::pair<std::int32_t, std::int32_t>> open{{0, -1}};  // a node, and whose other
    while (!open.empty()) {
        auto [node, parent] = open.back();
        open.pop_back();
        if (parent >= 0) made[parent].other = static_cast<std::int32_t>(made.size());
        for (;; ++node) {  // on to the row's child
            if (below[node].is_certain) {
                made.push_back({-1, -1, below[node].wrong, 0});
                break;
            }
            if (tree[node].fact == fact) continue;
            open.emplace_back(tree[node].other, static_cast<std::int32_t>(made.size()));
            made.push_back(tree[node]);
        }
    }
    return below[0].wrong;
}

// One pass down for what comes to each node, one up for what is wrong below it.
void Chances::scan_tree(const State& state, Scan& scan) const {
    const Vector<Branch>& tree = state.tree;
    const std::size_t n = slot_.size();
    if (scan.step.size() != n) {
        for (auto* array :
             {&scan.error, &scan.killed, &scan.covered, &scan.slack, &scan.step, &scan.magnitude}) {
            array->assign(n, 0.0);
        }
        for (auto* array : {&scan.kills, &scan.counts}) array->assign(n, 0);
        scan.met.clear();
    }
    for (const std::int32_t fact : scan.met) {
        scan.step[fact] = scan.magnitude[fact] = scan.killed[fact] = 0;
        scan.kills[fact] = scan.counts[fact] = 0;
    }
    scan.met.clear();
    scan.worth.clear();
    scan.reach.resize(tree.size());
    scan.below.resize(tree.size());
    scan.reach[0] = 1;
    for (std::size_t node = 0; node < tree.size(); ++node) {
        const Branch& one = tree[node];
        if (one.other < 0) continue;
        scan.reach[node + 1] = scan.reach[node] * one.chance;
        scan.reach[one.other] = scan.reach[node] * one.rest;
    }
    for (std::size_t node = tree.size(); node-- > 0;) {
        const Branch& one = tree[node];
        if (one.other < 0) {
            scan.below[node] = one.chance;
            continue;
        }
        const double own = scan.below[node + 1], other = scan.below[one.other];
        scan.below[node] = one.chance * own + one.rest * other;
        const std::int32_t fact = one.fact;
        if (fact < 0) continue;
        if (scan.counts[fact]++ == 0) scan.met.push_back(fact);
        const double gone = scan.reach[one.other];
        scan.step[fact] += gone * (own - other);
        scan.magnitude[fact] += gone * (own + other);
        scan.killed[fact] += gone * other;
        const Branch& beside = tree[one.other];
        scan.kills[fact] += beside.other >= 0 || beside.chance > 0;
    }
    const double relative = 8 * kUnit * static_cast<double>(tree.size() + 4 * depth_ + 64);
    for (const std::int32_t fact : scan.met) {
        if (scan.kills[fact] == 0) continue;
        scan.worth.push_back(fact);
        scan.error[fact] = std::max(state.error + scan.step[fact], 0.0);
        scan.slack[fact] = relative * (state.error + scan.magnitude[fact]);
        scan.covered[fact] = state.covered * (share_[fact] >= 0 ? share_[fact] : 1.0);
    }
}

Chances::State Chances::start() const {
    State state;
    if (!tree_.empty()) {
        state.tree = tree_;
        state.error = error_;
        return state;
    }
    for (const std::int32_t cells : n_cells_) state.allowed.push_back({0, cells - 1, true});
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        state.open.push_back({static_cast<std::int32_t>(i), leaves_[i].weight});
        if (leaves_[i].is_wrong) state.error += leaves_[i].weight;
    }
    return state;
}

Chances::State Chances::with(const State& state, std::int32_t fact, Budget& budget) const {
    budget.tick(work(state));
    State next;
    next.facts = state.facts;
    next.facts.insert(std::ranges::upper_bound(next.facts, fact), fact);
    if (!tree_.empty()) {
        next.covered = state.covered * (share_[fact] >= 0 ? share_[fact] : 1.0);
        next.error = decided(state.tree, fact, next.tree);
        return next;
    }
    next.allowed = state.allowed;
    const std::int32_t column = column_[fact], slot = slot_[fact];
    double ratio = 1;
    if (column >= 0) {
        next.allowed[column] = both(state.allowed[column], cells_of(fact));
        ratio = static_cast<double>(mass(column, state.allowed[column])) /
                static_cast<double>(mass(column, next.allowed[column]));
    }
    next.covered = state.covered * (share_[fact] >= 0 ? share_[fact] : 1 / ratio);
    if (by_leaves_) next.covered = 0;
    next.open.reserve(state.open.size());
    for (const Weight& one : state.open) {
        const Leaf& leaf = leaves_[one.leaf];
        double weight = one.weight;
        bool is_open = true;
        if (column < 0) {
            for (std::size_t i = leaf.steps; i < leaf.steps_end && steps_[i].fact <= fact; ++i) {
                if (steps_[i].slot != slot) continue;
                is_open = is_open && steps_[i].agrees;
                weight /= steps_[i].chance;
            }
        } else {
            for (std::size_t i = leaf.ranges; i < leaf.ranges_end; ++i) {
                if (ranges_[i].column != column) continue;
                const Cells& cells = ranges_[i].cells;
                const std::int64_t after = mass(column, both(cells, next.allowed[column]));
                const std::int64_t before = mass(column, both(cells, state.allowed[column]));
                is_open = after > 0;
                weight *= static_cast<double>(after) / static_cast<double>(before) * ratio;
            }
        }
        if (!is_open) continue;
        next.open.push_back({one.leaf, weight});
        if (leaf.is_wrong) next.error += weight;
        if (by_leaves_) next.covered += leaf.weight;
    }
    return next;
}

double Chances::error(const std::vector<std::int32_t>& facts, Budget& budget) const {
    State state = start();
    for (const std::int32_t fact : facts) state = with(state, fact, budget);
    return state.error;
}

void Chances::scan(const State& state, Scan& scan, Budget& budget) const {
    budget.tick(work(state));
    tree_.empty() ? scan_leaves(state, scan) : scan_tree(state, scan);
}

void Chances::scan_leaves(const State& state, Scan& scan) const {
    const std::size_t n = slot_.size();
    scan.is_used.assign(n == 0 ? 0 : static_cast<std::size_t>(slot_.back()) + 1, 0);
    for (const std::int32_t fact : state.facts) scan.is_used[slot_[fact]] = 1;
    scan.worth.clear();
    for (auto* array : {&scan.error, &scan.killed, &scan.covered, &scan.slack, &scan.step,
                        &scan.magnitude, &scan.lost}) {
        array->assign(n, 0.0);
    }
    scan.kills.assign(n, 0);
    scan.density.assign(sum_.size(), 0.0);  // of each column: its cells, their end, missing values
    scan.counts.assign(sum_.size(), 0);
    scan.touched.assign(3 * n_cells_.size(), 0.0);  // of each column: weight, magnitude, leaves
    for (const Weight& one : state.open) {
        const Leaf& leaf = leaves_[one.leaf];
        for (std::size_t i = leaf.steps; i < leaf.steps_end;) {
            // All steps of a slot, until one kills the leaf.
            const std::int32_t slot = steps_[i].slot;
            double weight = one.weight;
            bool is_open = scan.is_used[slot] == 0;
            for (; i < leaf.steps_end && steps_[i].slot == slot; ++i) {
                if (!is_open) continue;
                const Step& step = steps_[i];
                if (!step.agrees) {
                    is_open = false;
                    scan.lost[step.fact] += leaf.weight;
                }
                if (!leaf.is_wrong) continue;
                const double next = step.agrees ? weight / step.chance : 0.0;
                scan.step[step.fact] += next - weight;
                scan.magnitude[step.fact] += next + weight;
                if (!step.agrees) {
                    scan.killed[step.fact] += one.weight;
                    ++scan.kills[step.fact];
                }
                weight = next;
            }
        }
        if (!leaf.is_wrong) continue;
        for (std::size_t i = leaf.ranges; i < leaf.ranges_end; ++i) {
            const std::int32_t column = ranges_[i].column;
            const Cells& allowed = state.allowed[column];
            const Cells cells = both(ranges_[i].cells, allowed);
            const std::int64_t own = mass(column, cells);
            if (own == mass(column, allowed)) continue;  // whole, and whole under any further fact
            const double density = one.weight / static_cast<double>(own);
            const std::size_t at = start_[column];
            if (cells.first <= cells.last) {
                scan.density[at + cells.first] += density;
                scan.density[at + cells.last + 1] -= density;
                ++scan.counts[at + cells.first];
                --scan.counts[at + cells.last + 1];
            }
            if (cells.missing) {
                scan.density[at + n_cells_[column] + 1] += density;
                ++scan.counts[at + n_cells_[column] + 1];
            }
            scan.touched[3 * column] += one.weight;
            scan.touched[3 * column + 1] += density;
            scan.touched[3 * column + 2] += 1;
        }
    }
    // Cells: wrong weight up to each, and how many cells with some.
    for (std::int32_t column = 0; column < static_cast<std::int32_t>(n_cells_.size()); ++column) {
        if (scan.touched[3 * column + 2] == 0) continue;
        const std::size_t at = start_[column];
        const std::int64_t* const sum = &sum_[start_[column]];
        double density = 0, weight = 0;
        std::int32_t count = 0, cells = 0;
        for (std::int32_t cell = 0; cell < n_cells_[column]; ++cell) {
            density += scan.density[at + cell];
            count += scan.counts[at + cell];
            const std::int64_t own = sum[cell + 1] - sum[cell];
            scan.density[at + cell] = weight;
            scan.counts[at + cell] = cells;
            if (count > 0) weight += std::max(density, 0.0) * static_cast<double>(own);
            cells += count > 0 && own > 0;
        }
        scan.density[at + n_cells_[column]] = weight;
        scan.counts[at + n_cells_[column]] = cells;
        const std::int64_t gaps = sum[n_cells_[column] + 1] - sum[n_cells_[column]];
        const bool has = scan.counts[at + n_cells_[column] + 1] > 0 && gaps > 0;
        scan.density[at + n_cells_[column] + 1] *= static_cast<double>(gaps);
        scan.counts[at + n_cells_[column] + 1] = has;
    }
    const double relative =
        8 * kUnit * static_cast<double>(state.open.size() + scan.density.size() + 4 * depth_ + 64);
    std::int32_t slot = -1, excluded = 0;
    double change = 0, killed = 0, magnitude = 0, lost = 0;
    bool is_used = false;
    for (std::int32_t fact = 0; fact < n_facts(); ++fact) {
        if (slot_[fact] != slot) {
            slot = slot_[fact];
            change = killed = magnitude = lost = 0;
            excluded = 0;
            is_used = scan.is_used[slot] != 0;
        }
        if (is_used) continue;
        const std::int32_t column = column_[fact];
        if (column < 0) {
            change += scan.step[fact];
            killed += scan.killed[fact];
            magnitude += scan.magnitude[fact];
            lost += scan.lost[fact];
            if (scan.kills[fact] > 0) scan.worth.push_back(fact);
            scan.error[fact] = std::max(state.error + change, 0.0);
            scan.killed[fact] = killed;
            scan.slack[fact] = relative * (state.error + magnitude);
            scan.covered[fact] = by_leaves_
                                     ? state.covered - lost
                                     : state.covered * (share_[fact] >= 0 ? share_[fact] : 1.0);
            continue;
        }
        const Cells allowed = state.allowed[column], cells = both(allowed, cells_of(fact));
        const std::int64_t own = mass(column, cells), all = mass(column, allowed);
        if (own == 0 || scan.touched[3 * column + 2] == 0) continue;
        const std::size_t at = start_[column];
        double kept = 0;
        std::int32_t has = 0;
        if (cells.first <= cells.last) {
            kept = scan.density[at + cells.last + 1] - scan.density[at + cells.first];
            has = scan.counts[at + cells.last + 1] - scan.counts[at + cells.first];
        }
        std::int32_t before = scan.counts[at + allowed.last + 1] - scan.counts[at + allowed.first];
        if (allowed.first > allowed.last) before = 0;
        if (allowed.missing) before += scan.counts[at + n_cells_[column] + 1];
        if (cells.missing) {
            kept += scan.density[at + n_cells_[column] + 1];
            has += scan.counts[at + n_cells_[column] + 1];
        }
        const double ratio = static_cast<double>(all) / static_cast<double>(own);
        const double touched = scan.touched[3 * column];
        if (before - has > excluded) scan.worth.push_back(fact);
        excluded = std::max(excluded, before - has);
        scan.error[fact] = std::max(state.error - touched + std::max(kept, 0.0) * ratio, 0.0);
        scan.killed[fact] = std::max(touched - kept, 0.0);
        scan.slack[fact] = relative * (state.error + scan.touched[3 * column + 1] *
                                                         static_cast<double>(all) * ratio);
        scan.covered[fact] = state.covered * (share_[fact] >= 0 ? share_[fact] : 1 / ratio);
    }
}

}  // namespace cattleya::short_reasons
