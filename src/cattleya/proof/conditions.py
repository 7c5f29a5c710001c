"""Proof or refutation of conditions of a tree, independent of how they were found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from cattleya._core import Verifier
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.tests import Conditions
from cattleya.model.tree.tree import Tree
from cattleya.proof.verification import Verification, check_class
from cattleya.support.arrays import Bools, Bytes, Floats

__all__ = ["ConditionProver", "ConditionRow", "missing_left_of"]

NOT_FIXED = -1
NO_LEAF = -1
_DOMAINS = {"float64": 0, "float32": 1}
_BOOLEAN = 2

Truth = Bytes


class ConditionProver:
    """The tree, its conditions, and the native walk that looks for a leaf of another class."""

    def __init__(self, tree: Tree, conditions: Conditions) -> None:
        self.tree, self.conditions = tree, conditions
        _check_numbering(tree, conditions)
        domain = np.full(tree.n_features, _DOMAINS[tree.row_dtype], dtype=np.uint8)
        domain[list(tree.boolean)] = _BOOLEAN
        self.core = Verifier(
            tree.left,
            tree.right,
            conditions.of_node,
            tree.leaf_class,
            conditions.feature,
            conditions.threshold,
            conditions.missing_left,
            domain,
            tree.missing_left is not None,
        )

    def truth(self, row: Floats) -> Truth:
        """Return of each condition whether it holds in a row."""
        value = row[self.conditions.feature]
        holds: Bools = value <= self.conditions.threshold
        holds |= np.isnan(value) & (self.conditions.missing_left != 0)
        return holds.view(np.uint8)

    def class_of(self, truth: Truth) -> int:
        """Return the class that the tree gives where the conditions are such."""
        node = 0
        while self.tree.left[node] >= 0:
            holds = truth[self.conditions.of_node[node]]
            node = (self.tree.left if holds else self.tree.right)[node]
        return int(self.tree.leaf_class[node])


def _check_numbering(tree: Tree, conditions: Conditions) -> None:
    """Refuse conditions that are not the tree's tests, each once: the search has them, too."""
    inner = np.flatnonzero(tree.left >= 0)
    of = conditions.of_node[inner]
    feature, threshold, missing = conditions.feature, conditions.threshold, conditions.missing_left
    right = bool((of >= 0).all())
    right &= np.array_equal(feature[of], tree.feature[inner])
    right &= np.array_equal(threshold[of], tree.threshold[inner])
    right &= np.array_equal(missing[of], missing_left_of(tree)[inner])
    # In ascending order, so that no two are the same.
    is_later = missing[1:] > missing[:-1]
    for values in (threshold, feature):
        is_later = (values[1:] > values[:-1]) | ((values[1:] == values[:-1]) & is_later)
    if not right or not is_later.all():
        raise RuntimeError(
            "internal error: the conditions are not the tests of the tree; please report this tree"
        )


class ConditionRow:
    """A row of the tree: which conditions hold in it, and its class, read off the tree."""

    def __init__(self, prover: ConditionProver, row: Floats, claimed_class: int) -> None:
        self._prover, self._row = prover, row
        self._truth = prover.truth(row)
        self._class = prover.class_of(self._truth)
        check_class(self._class, claimed_class)

    def verify(self, given: Sequence[Condition]) -> Verification:
        """Prove or refute that conditions are a sufficient reason for the row."""
        prover, row, truth, row_class = self._prover, self._row, self._truth, self._class
        codes = _codes(prover, given)
        number = np.array([code // 2 for code in codes], dtype=np.int32)
        holds = np.array([code % 2 for code in codes], dtype=np.int8)
        fixed = np.full(len(prover.conditions), NOT_FIXED, dtype=np.int8)
        fixed[number] = holds
        asked = prover.conditions.sides(codes)
        foreign = frozenset(
            condition for condition, n, h in zip(asked, number, holds, strict=True) if truth[n] != h
        )

        witness: frozenset[Condition] = frozenset()
        refuting: Floats | None = None
        gone = number[:0]
        leaf = prover.core.refuting_leaf(fixed, row_class, False)
        if leaf != NO_LEAF:
            real = prover.core.refuting_leaf(fixed, row_class, True)
            assignment = _assignment(prover, truth, fixed, real if real != NO_LEAF else leaf)
            if real != NO_LEAF:
                refuting = _row_at(prover, row, fixed, real)
                assignment = prover.truth(refuting)
            _check_witness(prover, assignment, fixed, row_class)
            witness = frozenset(
                prover.conditions.sides((2 * np.arange(len(assignment)) + assignment).tolist())
            )
        else:
            gone = prover.core.removable(fixed, number, row_class)
        return Verification(
            conditions=frozenset(asked),
            sufficient=leaf == NO_LEAF,
            irredundant=leaf == NO_LEAF and len(gone) == 0,
            foreign=foreign,
            witness=witness,
            row=refuting,
            redundant=frozenset(prover.conditions.sides((2 * gone + fixed[gone]).tolist())),
        )

    def is_contrast(self, given: Sequence[Condition]) -> bool:
        """Prove or refute that conditions of the row are a minimal change of its class.

        With all but these fixed another class is possible, and with any one of them fixed again
        none.
        """
        prover, truth, row_class = self._prover, self._truth, self._class
        codes = _codes(prover, given)
        if not codes or any(truth[code // 2] != code % 2 for code in codes):
            return False
        number = np.array([code // 2 for code in codes], dtype=np.int32)
        fixed = truth.astype(np.int8)
        fixed[number] = NOT_FIXED
        if prover.core.refuting_leaf(fixed, row_class, False) == NO_LEAF:
            return False
        for one in number:
            fixed[one] = truth[one]
            if prover.core.refuting_leaf(fixed, row_class, False) != NO_LEAF:
                return False
            fixed[one] = NOT_FIXED
        return True


def _codes(prover: ConditionProver, conditions: Iterable[Condition]) -> list[int]:
    codes: dict[int, int] = {}
    for condition in conditions:
        code = prover.conditions.code_of_test(condition)
        if codes.setdefault(code // 2, code) != code:
            one, other = prover.conditions.sides((codes[code // 2], code))
            raise ValueError(f"{str(one)!r} and {str(other)!r} contradict each other; keep one")
    found = list(codes.values())
    _check_meaning(prover, found)
    return found


def _check_meaning(prover: ConditionProver, codes: list[int]) -> None:
    """Refuse numbers of other tests than those that the conditions speak of."""
    known, number = prover.conditions, np.array(codes, dtype=np.int32) // 2
    said = [(c.index, c.threshold, c.sense, bool(c.missing_left)) for c in known.sides(codes)]
    tested = zip(
        known.feature[number].tolist(),
        known.threshold[number].tolist(),
        (bool(code % 2) for code in codes),
        known.missing_left[number].astype(np.bool_).tolist(),
        strict=True,
    )
    if said != list(tested):
        raise RuntimeError(
            "internal error: a condition has the number of another; please report this tree"
        )


def _assignment(
    prover: ConditionProver, truth: Truth, fixed: npt.NDArray[np.int8], leaf: int
) -> Truth:
    """Return the row's own truth, changed to what leads to the leaf."""
    assignment = np.where(fixed == NOT_FIXED, truth, fixed).astype(np.uint8)
    for number, holds in prover.core.path_to(leaf):
        assignment[number] = holds
    return assignment


def _check_witness(
    prover: ConditionProver,
    assignment: Truth,
    fixed: npt.NDArray[np.int8],
    row_class: int,
) -> None:
    """Walk the witness through the tree: a refutation must never rest on the search alone."""
    agrees = ((fixed == NOT_FIXED) | (fixed == assignment)).all()
    if not agrees or prover.class_of(assignment) == row_class:
        raise RuntimeError("internal error: the refutation does not hold; please report this tree")


def _row_at(prover: ConditionProver, row: Floats, fixed: npt.NDArray[np.int8], leaf: int) -> Floats:
    """Return a row of numbers with the fixed conditions that comes to the leaf.

    It keeps the values of ``row`` where it can.
    """
    tree, conditions = prover.tree, prover.conditions
    wanted = {int(n): bool(fixed[n]) for n in np.flatnonzero(fixed != NOT_FIXED)}
    wanted.update(prover.core.path_to(leaf))
    by_feature: dict[int, list[tuple[float, bool, bool]]] = {}
    for number, holds in wanted.items():
        test = (float(conditions.threshold[number]), bool(conditions.missing_left[number]), holds)
        by_feature.setdefault(int(conditions.feature[number]), []).append(test)
    boolean = set(tree.boolean)
    result = row.copy()
    for feature, tests in by_feature.items():
        for value in _candidates(float(row[feature]), tests, feature in boolean, tree.row_dtype):
            if _meets(value, tests, tree.missing_left is not None):
                result[feature] = value
                break
    return result


def _candidates(
    own: float, tests: list[tuple[float, bool, bool]], boolean: bool, dtype: str
) -> list[float]:
    """Return values to try for a feature, the most natural first."""
    if boolean:
        return [own, 0.0, 1.0, math.nan]
    cast = np.dtype(dtype).type
    low = max((t for t, _, holds in tests if not holds), default=-math.inf)
    high = min((t for t, _, holds in tests if holds), default=math.inf)
    values = [own]
    with np.errstate(over="ignore", under="ignore"):
        if math.isfinite(low) and math.isfinite(high):
            middle = low / 2 + high / 2
            values += [float(round(middle)), middle]
        if math.isfinite(low):
            values += [math.floor(low) + 1.0, float(np.nextafter(cast(low), cast(np.inf)))]
        if math.isfinite(high):
            values += [float(math.floor(high)), high]
            values.append(float(np.nextafter(cast(high), cast(-np.inf))))
        rounded = [float(cast(value)) + 0.0 for value in values]
    return [*(value for value in rounded if not math.isinf(value)), 0.0, math.nan]


def _meets(value: float, tests: list[tuple[float, bool, bool]], takes_missing: bool) -> bool:
    if math.isnan(value):
        return takes_missing and all(missing == holds for _, missing, holds in tests)
    return all((value <= threshold) == holds for threshold, _, holds in tests)


def missing_left_of(tree: Tree) -> Bytes:
    """Return for each node whether it sends missing values to the left."""
    if tree.missing_left is None:
        return np.zeros(tree.n_nodes, dtype=np.uint8)
    return tree.missing_left.view(np.uint8)
