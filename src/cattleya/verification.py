"""Proof or refutation of a set of conditions, independent of how it was found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cattleya.condition import Condition
from cattleya.printable import shown
from cattleya.prover import Prover, Truth, check_class

__all__ = ["Verification", "given_set", "is_contrast", "verify"]

Floats = npt.NDArray[np.float64]
NOT_FIXED = -1
NO_LEAF = -1


@dataclass(frozen=True, eq=False)
class Verification:
    """The outcome of a proof. True where the conditions are a sufficient reason for the row.

    Attributes
    ----------
    conditions : frozenset of Condition
        What was asked about.
    sufficient : bool
        Whether the conditions force the row's class, whatever the other conditions.
    irredundant : bool
        Whether they are sufficient, and no longer so when any one of them is left out.
    foreign : frozenset of Condition
        Those that do not even hold in the row. A sufficient reason has none.
    witness : frozenset of Condition
        Where the conditions are not sufficient: an assignment of all the tree's conditions that
        agrees with them and gets another class. Over features and intervals: what the row below
        has of the features in which it differs. Empty otherwise.
    row : ndarray or None
        The witness as a row of numbers, in the tree's columns. None where there is none: either the
        conditions are sufficient, or only assignments refute them that no row of numbers has (such
        as ``age <= 30`` without ``age <= 40``). The definition is about assignments.
    redundant : frozenset of Condition
        What can go, all of it together, so that a sufficient reason is left.
    """

    conditions: frozenset[Condition]
    sufficient: bool
    irredundant: bool
    foreign: frozenset[Condition]
    witness: frozenset[Condition]
    row: Floats | None
    redundant: frozenset[Condition]

    def __bool__(self) -> bool:
        return self.sufficient and self.irredundant and not self.foreign

    def __str__(self) -> str:
        if self.foreign:
            return f"no reason for this row: {_listed(self.foreign)} does not hold in it"
        if not self.sufficient:
            if self.row is None:
                return "not sufficient: an assignment of the conditions gets another class"
            return "not sufficient: a row that shares the conditions gets another class"
        if not self.irredundant:
            return f"sufficient, but redundant: {_listed(self.redundant)} can go"
        return "a sufficient reason: it forces the class, and nothing in it can go"

    def __repr__(self) -> str:
        return f"<Verification {bool(self)}: {self}>"


def verify(
    prover: Prover, row: Floats, claimed_class: int, conditions: Iterable[Condition | str]
) -> Verification:
    """Prove or refute that conditions are a sufficient reason for a row.

    Conditions may also be given as the text they print as. ``RuntimeError`` where the row is not of
    the class claimed.
    """
    truth = prover.truth(row)
    row_class = prover.class_of(truth)
    check_class(row_class, claimed_class)
    codes = _codes(prover, conditions)
    number = np.array([code // 2 for code in codes], dtype=np.int32)
    holds = np.array([code % 2 for code in codes], dtype=np.int8)
    fixed = np.full(len(prover.conditions), NOT_FIXED, dtype=np.int8)
    fixed[number] = holds
    given = prover.conditions.sides(codes)
    foreign = frozenset(
        condition for condition, n, h in zip(given, number, holds, strict=True) if truth[n] != h
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
        conditions=frozenset(given),
        sufficient=leaf == NO_LEAF,
        irredundant=leaf == NO_LEAF and len(gone) == 0,
        foreign=foreign,
        witness=witness,
        row=refuting,
        redundant=frozenset(prover.conditions.sides((2 * gone + fixed[gone]).tolist())),
    )


def is_contrast(
    prover: Prover, row: Floats, claimed_class: int, conditions: Iterable[Condition | str]
) -> bool:
    """Prove or refute that conditions of a row are a minimal change of its class.

    With all but these fixed another class is possible, and with any one of them fixed again none.
    """
    truth = prover.truth(row)
    row_class = prover.class_of(truth)
    check_class(row_class, claimed_class)
    codes = _codes(prover, conditions)
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


def given_set(conditions: Iterable[Condition | str]) -> Iterable[Condition | str]:
    """Return a set of conditions as given; ``TypeError`` where it is none."""
    if isinstance(conditions, (str, Condition)) or not isinstance(conditions, Iterable):
        raise TypeError(f"a reason is a set of conditions, not {shown(conditions)}")
    return conditions


def _codes(prover: Prover, conditions: Iterable[Condition | str]) -> list[int]:
    codes: dict[int, int] = {}
    for condition in given_set(conditions):
        code = prover.conditions.code_of(condition)
        if codes.setdefault(code // 2, code) != code:
            one, other = prover.conditions.sides((codes[code // 2], code))
            raise ValueError(f"{str(one)!r} and {str(other)!r} contradict each other; keep one")
    found = list(codes.values())
    _check_meaning(prover, found)
    return found


def _check_meaning(prover: Prover, codes: list[int]) -> None:
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


def _assignment(prover: Prover, truth: Truth, fixed: npt.NDArray[np.int8], leaf: int) -> Truth:
    """Return the row's own truth, changed to what leads to the leaf."""
    assignment = np.where(fixed == NOT_FIXED, truth, fixed).astype(np.uint8)
    for number, holds in prover.core.path_to(leaf):
        assignment[number] = holds
    return assignment


def _check_witness(
    prover: Prover,
    assignment: Truth,
    fixed: npt.NDArray[np.int8],
    row_class: int,
) -> None:
    """Walk the witness through the tree: a refutation must never rest on the search alone."""
    agrees = ((fixed == NOT_FIXED) | (fixed == assignment)).all()
    if not agrees or prover.class_of(assignment) == row_class:
        raise RuntimeError("internal error: the refutation does not hold; please report this tree")


def _row_at(prover: Prover, row: Floats, fixed: npt.NDArray[np.int8], leaf: int) -> Floats:
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


def _listed(conditions: frozenset[Condition]) -> str:
    return ", ".join(sorted(map(str, conditions)))
