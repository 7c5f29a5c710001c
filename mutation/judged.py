"""Faults that no test finds, and why none has to: each was looked at.

By what is changed, without the number of the line. Whatever survives and is not here is a hole.
"""

from __future__ import annotations

__all__ = ["JUDGED"]

JUDGED: dict[str, str] = {
    "proof/refute.cpp: return !(low < 0 && 0 <= high): 1 <= high  =>  1 < high": (
        "the same: thresholds of Boolean features are below 1, and no bound is 1"
    ),
    "minimum/reduction.cpp: if (size_[c] == 1) units_.push_back(c);\n        touch: "
    "size_[c] == 1  =>  false": (
        "slower, not wrong: the search branches on a clause of one atom as on any other"
    ),
    "counting/component.cpp: if (is_included(a)) return: is_included(a)  =>  false": (
        "not reached, nor in 200,000 fuzzed trees: where an atom that is in has lost its last "
        "clause, the number is 0 by subtraction, and nothing is drawn there"
    ),
    "counting/simplify.hpp: return x == 1 ? emit_.affine: emit_.affine(kZero, k, kZero, own)  =>  "
    "emit_.mul(k, own)": (
        "not reached, nor in 200,000 fuzzed trees: where a vertex may not be 2 it may not be 1 "
        "either, as 2 is worth more to every clause"
    ),
    "diversity.py: proved = _overlap(chosen) == _least_overlap(reasons, k)  =>  "
    "proved = _overlap(chosen) <= _least_overlap(reasons, k)": (
        "the same: nothing shares less than the least"
    ),
    "change_costs.py: @dataclass(frozen=True, eq=False)  =>  @dataclass(frozen=True, eq=True)": (
        "nobody compares them"
    ),
    'counterfactuals.py: power = 2 if self.metric == "l2" else 1  =>  '
    'power = 2 if self.metric >= "l2" else 1': "the same for l0, l1 and l2",
    "counting.py: triples = zip(numbers, conditions, shares, strict=True)  =>  "
    "triples = zip(numbers, conditions, shares, strict=False)": (
        "a check of ourselves: they are of one length"
    ),
    "domain_verification.py: aim = min(max(0.0 if math.isnan(own) else own, low), high)  =>  "
    "aim = min(max( -1.0 if math.isnan(own) else own, low), high)": (
        "another of the values that refute: each is walked through the tree"
    ),
    "fairness.py: free = np.isin(np.append(regions.places, -1)[regions.attribute], places)  =>  "
    "free = np.isin(np.append(regions.places, - 0)[regions.attribute], places)": (
        "the same: it is about the root, which no test leads to and nobody asks about"
    ),
    'tree.py: leaf = arrays["left"] < 0  =>  leaf = arrays["left"] < 1': (
        "the same: the root, which is node 0, is nobody's child; the core has checked it"
    ),
    "vocabulary.py: self.of_node = np.full(tree.n_nodes, -1, dtype=np.int32)  =>  "
    "self.of_node = np.full(tree.n_nodes, - 2, dtype=np.int32)": (
        "the same: leaves have no test, and who asks looks whether it is below 0"
    ),
    "change_costs.py: return Costs(nothing, nothing, nothing > 0, nothing == 0, nothing, nothing)"
    "  =>  return Costs(nothing, nothing, nothing > 1, nothing == 0, nothing, nothing)": (
        "the same: nothing is 0"
    ),
    "fact.py: return bool(value == self.point[0] or (math.isnan(value) and "
    "math.isnan(self.point[0])))  =>  return bool(value == self.point[ -1] or "
    "(math.isnan(value) and math.isnan(self.point[0])))": (
        "the same: there is only one, of more it is refused to speak"
    ),
    "feature_lookup.py: return name in self._attribute or name in self._column or name in "
    "self._raw  =>  return name in self._attribute or name in self._column and name in self._raw": (
        "the same, but where a condition is written like the name of a column"
    ),
    "merged.py: return str(presence[0])  =>  return str(presence[ -1])": (
        "the same: two tests of whether a value is there say the same"
    ),
    "reason.py: def sentence(conditions: Iterable[Condition], *, merges: bool, to_change: bool = "
    "False) -> str:  =>  def sentence(conditions: Iterable[Condition], *, merges: bool, to_change: "
    "bool = True) -> str:": (
        "the same: it differs where one condition follows from another, which a minimal reason has "
        "not"
    ),
    'how_many.py: if checked_kind(kind) == "contrastive":  =>  '
    'if checked_kind(kind) <= "contrastive":': "the same: of the kinds it is the first",
    "intervals.py: levels = np.where(number & ~missing, cells.n_levels, 0)  =>  "
    "levels = np.where(number * ~missing, cells.n_levels, 0)": "the same, of truth values",
    "neighbours.py: ends = np.searchsorted(grid_of[order], np.arange(len(grids) + 1))  =>  "
    "ends = np.searchsorted(grid_of[order], np.arange(len(grids) + 2))": (
        "the same: one more end that nobody asks for"
    ),
}
