"""Faults of the native core, chosen by hand: the slips that one could make in writing it.

A fault is a line of a file, which must be there once, a part of it, and what stands there instead.
A part that ends in a semicolon is a statement, any other an expression of the same type.
``core_build`` refuses what no longer fits the source. Where no test has to find it, a fourth text
says why not.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FAULTS", "Fault"]


@dataclass(frozen=True)
class Fault:
    """A slip: in a line of a file, a part, and what stands there instead."""

    file: str
    line: str
    part: str
    instead: str
    judged: str = ""

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.file}: {self.line}: {self.part}  =>  {self.instead}"


NOTHING = ";"

_BY_FILE: dict[str, list[tuple[str, ...]]] = {
    "tree/engine.cpp": [
        ("const auto found = std::lower_bound(", "lower_bound", "upper_bound"),
        ("truth[i] = missing_left_[i] != 0", "missing_left_[i] != 0", "missing_left_[i] == 0"),
        ("if (first.is_leaf() && second", "first.test == second.test", "true"),
        ("known[test] = kFree;", "known[test] = kFree;", NOTHING),
        ("while (left_[source] >= 0 && known", "known[condition_[source]] != kFree", "false"),
        ("repeated_[node.test] = tested", "repeated_[node.test] = tested[node.test];", NOTHING),
        ("if (!met[test]) {", "!met[test]", "true"),
    ],
    "reasons/complete_reason.cpp": [
        ("(occurrence_[at].print & ~print)", "~print", "print"),
        ("if (!repeated[atom]) continue;", "!repeated[atom]", "repeated[atom] != 0"),
        ("[wanted = ~toward]", "leaf == wanted", "leaf != wanted"),
        (
            "if (entry.condition != kNone && covered(",
            "covered(entry.parent, entry.condition, budget)",
            "false",
        ),
        ("add(static_cast<std::int32_t>(i), size);", ", size);", ", size), count = turns;"),
        ("head_[entries_[at].condition] =", "head_[entries_[at].condition] = kNone;", NOTHING),
    ],
    "reasons/greedy.cpp": [
        ("return hits_[clause] == 1; });", "hits_[clause] == 1", "hits_[clause] <= 2"),
        ("for (const std::int32_t clause : own)", "--hits_[clause];", NOTHING),
    ],
    "batch/table.cpp": [
        ("own.up_to = std::min(", "std::min(own.up_to, condition)", "own.up_to"),
        ("if (!fails && own.up_to > test)", "own.up_to > test", "false"),
        ("if (is_covered) count +=", "table_.times_[row]", "1"),
    ],
    "domain/widen.cpp": [
        ("left.low = std::max(left.low,", "out.high + 1", "out.high"),
        ("left.high = std::min(left.high,", "out.low - 1", "out.low"),
        ("left.missing = left.missing &&", "left.missing && !out.missing", "left.missing"),
        ("++word) left_[word] &=", "~words[word]", "words[word]"),
    ],
    "batch/attributes.cpp": [
        ("if (!tree_.tells(test) ||", "!tree_.tells(test)", "false"),
        (
            "if (cells_[a] != DomainTree::kMissing) count",
            "cells_[a] != DomainTree::kMissing",
            "true",
        ),
    ],
    "batch/row.cpp": [
        ("if (++count > most) {", "++count > most", "++count >= most"),
        ("if (is_timed_) budget_.look();", "is_timed_", "false"),
    ],
    "reasons/antichain.cpp": [
        (
            "return atoms_of(a).size() <",
            "atoms_of(a).size() < atoms_of(b).size()",
            "atoms_of(a).size() > atoms_of(b).size()",
        ),
        ("if (redundant) continue;", "redundant", "false"),
        ("if (atoms.empty()) return", "atoms.empty()", "false"),
    ],
    "proof/refute.cpp": [
        ("if (static_cast<double>(value) > bound)", "static_cast<double>(value) > bound", "false"),
        ("missing = missing && missing_left", "missing_left == holds", "true"),
        (
            "return !(low < 0 && 0 <= high)",
            "1 <= high",
            "1 < high",
            "the same: thresholds of Boolean features are below 1, and no bound is 1",
        ),
        ("if (value_[test] != kFree) {", "value_[test] != kFree", "false"),
        (
            "if (real_) interval_[tree_.feature[test]] = step.before;",
            "interval_[tree_.feature[test]] = step.before;",
            NOTHING,
        ),
        ("if (contradicted != kNothing) continue;", "contradicted != kNothing", "false"),
        ("if (is_needed[condition]) continue;", "is_needed[condition]", "true"),
        ("path.emplace_back(", "tree.left[above] == at", "tree.left[above] != at"),
        (
            "if (tree_.leaf_class[node] != row_class) return",
            "tree_.leaf_class[node] != row_class",
            "tree_.leaf_class[node] > row_class",
        ),
    ],
    "proof/refute_domain.cpp": [
        ("box->high = std::min(", "tree_.below[node]", "tree_.above[node]"),
        ("box->missing = box->missing", "missing_left == left", "true"),
        ("if (!may_let_go_ ||", "let_go_ != attribute", "false"),
        ("state.point_left = state", "agrees(state.fixed_point)", "true"),
        ("return low <= high && low", "low <= high", "low < high"),
    ],
    "domain/box.hpp": [
        ("found.right = found.right ||", "(word & ~*goes_left) != 0", "true"),
        ("const bool present_right =", "level + 1", "level"),
        (
            "range.missing = range.missing",
            "(tree_.missing_left_[test] != 0) == left",
            "true",
        ),
        ("range.low = std::max(", "level + 1", "level"),
    ],
    "domain/free_regions.cpp": [
        (
            "if (outcome(entry) != outcome(first)) return true;",
            "outcome(entry) != outcome(first)",
            "false",
        ),
        ("if (wanted_ == Wanted::kRises ? before < after", "before < after", "before <= after"),
        ("box_.restrict(test, stage == 0);", "stage == 0", "true"),
    ],
    "domain/domain_tree.cpp": [
        (
            "std::lower_bound(first",
            "std::lower_bound(first, end, values[a])",
            "std::upper_bound(first, end, values[a])",
        ),
        ("return cell == kMissing", "cell <= level_[test]", "cell < level_[test]"),
        ("if (!first.is_leaf() || !second", "first.test != second.test", "false"),
    ],
    "domain/feature_reason.cpp": [
        ("if ((rest & (rest - 1)) == 0)", "(rest & (rest - 1)) == 0", "true"),
        ("if (rest == 0) return;", "rest == 0", "false"),
        ("open_.push_back(other);", "open_.push_back(other);", NOTHING),
    ],
    "domain/amounts.hpp": [
        (
            "while (part < end && set",
            "set.of(parts_[part].track) >= parts_[part].amount",
            "set.of(parts_[part].track) > parts_[part].amount",
        ),
        ("if (before == 0) visit", "before == 0", "true"),
    ],
    "domain/interval_reason.cpp": [
        (
            "more += number.below -",
            "more += number.below - amounts_.of(track - kSingle + kBelow);",
            NOTHING,
        ),
        ("turn(at + 1, track + kBelow", "number.cell - level", "number.cell - level - 1"),
        (
            "turn(node.right, track + kAbove",
            "level + 1 - number.cell",
            "std::max(level - number.cell, 1)",
        ),
        ("if (level < number.cell &&", "level < number.cell", "level <= number.cell"),
        ("if (missing != changed) return", "missing != changed", "missing"),
        ("parent_cut_ = entries_", "covered(entries_[parent_])", "false"),
    ],
    "reasons/enumerate.cpp": [
        ("== 1) all_keep_one = --own_", "> 0", ">= 0"),
        ("!is_last; ++k) set_candidate", "set_candidate(tried_[k], false);", NOTHING),
        ("if (spares(tried_[frame.at])) {", "spares(tried_[frame.at])", "true"),
        ("if (!spares(tried_[frame.at])) continue;", "!spares(tried_[frame.at])", "false"),
    ],
    "minimum/bounds.cpp": [
        ("paid += most;", "paid += most;", "paid += most + 1;"),
        ("for (const std::int32_t c : on[a]) --hits", "--hits[c];", NOTHING),
    ],
    "minimum/minimise.cpp": [
        ("return weight <= limit", "weight < best.weight", "weight < best.weight - 1"),
        ("if (child.best.weight == part.bound)", "child.best.weight == part.bound", "true"),
    ],
    "minimum/reduction.cpp": [
        ("if (degree_[a] != degree_[atom])", "degree_[a] != degree_[atom]", "false"),
        (
            "} else if (!weights_.empty()",
            "weights_[tag_[a]] > weights_[tag_[atom]]",
            "false",
        ),
        ("if (!live_clause_[other] ||", "other == clause", "false"),
        (
            "if (size_[c] == 1) units_.push_back(c);\n        touch",
            "size_[c] == 1",
            "false",
            "slower, not wrong: the search branches on a clause of one atom as on any other",
        ),
    ],
    "minimum/tighten.cpp": [
        ("if (packed > size) return", "packed > size", "packed >= size"),
    ],
    "minimum/count.cpp": [
        ("if (stands_for > 1) node", "stands_for > 1", "false"),
    ],
    "minimum/enumerate.cpp": [
        ("k < frame.at; ++k) reduction", "reduction.drop(frame.candidates[k]);", NOTHING),
    ],
    "minimum/one.cpp": [
        ("const Weight weight = (Weight{", "limbs[2 * a + 1]", "std::uint64_t{0}"),
    ],
    "counting/search.cpp": [
        ("state.own[v][0] =", "component.included[as_size(v)]", "false"),
        ("table[1] = own ?", "own ? kZero : kOne", "kOne"),
    ],
    "counting/component.cpp": [
        (
            "if (is_included(a)) return",
            "is_included(a)",
            "false",
            "not reached, nor in 200,000 fuzzed trees: where an atom that is in has lost its last "
            "clause, the number is 0 by subtraction, and nothing is drawn there",
        ),
    ],
    "counting/bound.cpp": [
        (
            "product.back() += log2_of_sum",
            "product.back() += log2_of_sum(weight_bits, child);",
            "product.back() += child;",
        ),
    ],
    "support/natural.cpp": [
        ("if (carry != 0) result", "carry != 0", "false"),
        (
            "borrow = static_cast",
            "borrow = static_cast<std::uint64_t>(difference >> 64) & 1;",
            "borrow = 0;",
        ),
        ("if (a[i] != b[i]) return", "a[i] < b[i]", "a[i] > b[i]"),
    ],
    "counting/enclosure.cpp": [
        ("return upper < 1 ?", "std::log2(upper) + 0.01", "std::log2(upper) - 1.0"),
    ],
    "counting/count.cpp": [
        ("return bits < 64.0 * most", "std::ceil(bits / 64)", "std::floor(bits / 64)"),
        ("if (enough > limbs) {", "enough > limbs", "false"),
    ],
    "counting/dense.cpp": [
        ("if (bound < 0x1p62) return", "0x1p62", "0x1p70"),
        ("sign = number < 0 ?", "~Limb{0}", "Limb{0}"),
        ("to[i] = i < limbs ? value[i] : sign;", "value[i] : sign", "value[i] : Limb{0}"),
    ],
    "counting/dense.hpp": [
        ("if (x == 2) continue;", "x == 2", "true"),
    ],
    "counting/dense_back.cpp": [
        ("if (x == 1) of.negate_one", "x == 1", "false"),
        ("const Limb sign = Limb{0} - (derivative[", "(derivative[limbs - 1] >> 63)", "Limb{0}"),
        ("find_lanes(table.scope", "table.made_for, lane", "0, lane"),
    ],
    "counting/circuit.cpp": [
        (
            "if (offset != 0 && limb + 1 < count)",
            "value |= limbs[limb + 1] << (64 - offset);",
            NOTHING,
        ),
        ("if (included[a] && (excluded[a]", "!occurs[a]", "false"),
        ("require((first & kTargetMask) < slots", "(first & kTargetMask) < slots", "true"),
    ],
    "counting/sizes.cpp": [
        (
            "p.low += static_cast<int>(first / width)",
            "p.low += static_cast<int>(first / width);",
            NOTHING,
        ),
    ],
    "counting/machine.cpp": [
        ("ring.diminish(adjoint(at[4]), u);", "ring.diminish(adjoint(at[4]), u);", NOTHING),
    ],
    "counting/importance_run.cpp": [
        ("first.joints.push_back(first.words);", "first.joints.push_back(first.words);", NOTHING),
    ],
    "counting/parallel.cpp": [
        ("std::copy_n(task_values_", "machine_.ring.value(hole)", "machine_.ring.value(hole + 1)"),
    ],
    "counting/sample.cpp": [
        (
            "return less(random_.below(all), decision.out.weight)",
            "less(random_.below(all), decision.out.weight)",
            "!less(random_.below(all), decision.out.weight)",
        ),
        ("if (less(draw, n)) return", "less(draw, n)", "true"),
        ("if (!way.clauses.empty()) checks_", "checks_.push_back(&way);", NOTHING),
    ],
    "counting/simplify.hpp": [
        (
            "if (x == 1) shift_table(",
            "shift_table(state_.table[f], state_.groups[f], g);",
            NOTHING,
        ),
        (
            "return x == 1 ? emit_.affine",
            "emit_.affine(kZero, k, kZero, own)",
            "emit_.mul(k, own)",
            "not reached, nor in 200,000 fuzzed trees: where a vertex may not be 2 it may not be 1 "
            "either, as 2 is worth more to every clause",
        ),
        ("if (own[1] == kZero) state_", "own[1] == kZero", "true"),
        (
            "restrict_factor(f, g, sums & 4",
            "sums & 4 ? 2 : sums & 2 ? 1 : 0",
            "0",
        ),
        ("if (table[0] != kZero) return false;", "table[0] != kZero", "false"),
    ],
    "tree/shape.cpp": [
        ("if (child < 0 || child >= n) {", "child >= n", "child > n"),
        ("if (parent[child] != -1) {", "parent[child] != -1", "false"),
        ("deepest = std::max(", "depth[node]", "depth[node] - 1"),
    ],
    "support/account.hpp": [("if (bytes <= limit_ - held)", "bytes <= limit_ - held", "true")],
    "support/budget.hpp": [
        ("if (now >= deadline) throw", "now >= deadline", "false"),
        ("if (poll && now >= next_poll_)", "now >= next_poll_", "false"),
    ],
}

FAULTS = [Fault(file, *fault) for file, faults in _BY_FILE.items() for fault in faults]
