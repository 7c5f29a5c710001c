"""Proof or refutation of reasons of an ensemble, by other means than the search for them.

Where the rows that share the conditions fall into few cells, one row of each cell is given to the
ensemble itself, and that settles it (``method`` is "every cell"). Where they are too many, the
largest margin of another class is found by integer programming (HiGHS, through scipy): a binary
variable for each test, a share for each leaf ("integer programming"). That solver computes with
floating point numbers and a tolerance. A margin within it (a tie, in many a forest) is decided by
the ensemble itself, and the leaves that it comes from are left out before the solver is asked
again; where there are too many of these, it is left undecided and said to be.

What it shares with the search is the :class:`~cattleya.model.ensemble.ensemble.Ensemble` and its
sums (``margins_of``): that is the model, of which something is proved, and not a step of the proof.
A fault there would make both speak of another model than the library's. It is looked for where it
can be seen: every row's sum, class and probability is compared with what the library itself says,
bit by bit, for thousands of random models of each kind. The search does not even use these sums: it
adds in whole numbers, rounded up, decides single rows by arithmetic of its own
(``src/core/ensemble_search``), and walks no tree that is walked here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact, fact_of
from cattleya.model.domain.domain import Category, Domain
from cattleya.model.domain.edges import neighbours
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.proof.verification import Verification
from cattleya.support.arrays import Floats
from cattleya.support.errors import TimeoutExpired
from cattleya.support.limits import Deadline

__all__ = ["EnsembleProver", "EnsembleVerification"]

MOST_ROWS = 200_000
CHUNK = 4096
TOLERANCE = 1e-6
MOST_TIES = 2_000
MOST_ENTRIES = 5_000_000  # of a program: some hundred bytes each
OPTIMAL, NO_ROWS = 0, 2  # what became of a program, as scipy numbers it
EVERY_CELL, PROGRAM = "every cell", "integer programming"


@dataclass(frozen=True, eq=False)
class EnsembleVerification(Verification):
    """The outcome of a proof about an ensemble, and the methods that it took."""

    methods: frozenset[str] = frozenset()


class EnsembleProver:
    """Proves or refutes what is said of the rows of an ensemble.

    Parameters
    ----------
    ensemble : Ensemble
    domain : Domain
        What values rows can have.
    takes_missing : bool
        Whether rows with missing values are among those that are considered.
    cuts : ndarray, optional
        Where outcomes are ranges of the ensemble's one sum: the least sums of all but the first.
    doubt : ndarray, optional
        How far off each sum may be, where the library adds in no fixed order: what could then have
        another outcome counts as having one.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        domain: Domain,
        *,
        takes_missing: bool,
        cuts: Floats | None = None,
        doubt: Floats | None = None,
    ) -> None:
        self._ensemble, self._domain, self._cuts = ensemble, domain, cuts
        self._doubt = None if ensemble.ordered_sum or doubt is None or not len(doubt) else doubt
        self._takes_missing = takes_missing
        self._points = [list(self._of_attribute(place)) for place in range(len(domain.attributes))]

    def _of_attribute(self, place: int) -> Iterator[tuple[float, ...]]:
        """Give a value of each cell of an attribute, in the ensemble's columns."""
        attribute, model = self._domain.attributes[place], self._ensemble
        if isinstance(attribute, Category):
            yield from attribute.points
            return
        tests = (model.left >= 0) & (model.feature == attribute.column)
        thresholds = np.unique(model.threshold[tests])
        columns = np.full(len(thresholds), attribute.column, dtype=np.int32)
        below, above = neighbours(self._domain, columns, thresholds, model.row_dtype)
        values = np.unique(np.concatenate((below, above)))
        values = values[np.isfinite(values)]
        if not len(values):
            values = np.zeros(1)
        # Of the values between two thresholds, one is enough.
        cell = np.searchsorted(thresholds, values)
        for number in np.unique(cell).tolist():
            yield (float(values[cell == number][0]),)
        if self._takes_missing:
            yield (math.nan,)

    def verify(
        self, row: Floats, given: Sequence[Condition], deadline: Deadline
    ) -> EnsembleVerification:
        """Prove or refute that conditions are a sufficient reason for a row."""
        own = int(self._classes(row[None, :])[0])
        foreign = frozenset(c for c in given if not _holds(c, row))
        methods: set[str] = set()
        witness = self._other(row, list(given), own, methods, deadline)
        sufficient = witness is None
        redundant: list[Condition] = []
        if sufficient:
            rest = list(given)
            for condition in given:
                fewer = [other for other in rest if other is not condition]
                if self._other(row, fewer, own, methods, deadline) is None:
                    redundant.append(condition)
                    rest = fewer
        changes: frozenset[Condition] = frozenset()
        if witness is not None:
            same = (row == witness) | (np.isnan(row) & np.isnan(witness))
            places = sorted(set(self._domain.of_column[~same].tolist()))
            attributes, dtype = self._domain.attributes, self._ensemble.row_dtype
            changes = frozenset(fact_of(attributes[i], witness, dtype) for i in places)
        return EnsembleVerification(
            frozenset(given),
            sufficient,
            sufficient and not redundant,
            foreign,
            changes,
            witness,
            frozenset(redundant),
            methods=frozenset(methods),
        )

    def _classes(self, matrix: Floats) -> Any:
        """Return the outcomes of rows; -1 where it hangs on the order of the sum."""
        margins = self._ensemble.margins_of(matrix)
        if self._cuts is None:
            found = self._ensemble.classes_of(margins)
        else:
            found = (margins[:, :1].astype(np.float64) >= self._cuts).sum(axis=1)
        if self._doubt is None:
            return found
        found = found.copy()
        count = len(self._doubt)
        ends = np.where(
            np.eye(count) > 0, 1.0, -1.0
        )  # one sum as large as can be, all others small
        for off in [*ends, -np.ones(count)]:
            moved = margins.astype(np.float64) + off * self._doubt
            if self._cuts is None:
                other = self._ensemble.classes_of(moved)
            else:
                other = (moved[:, :1] >= self._cuts).sum(axis=1)
            found[other != found] = -1
        return found

    def _allowed(self, row: Floats, given: Sequence[Condition]) -> list[list[tuple[float, ...]]]:
        """Return the values of each attribute that agree with the conditions; the row's first."""
        allowed = []
        for place, points in enumerate(self._points):
            attribute = self._domain.attributes[place]
            about = [c for c in given if int(self._domain.of_column[c.index]) == place]
            own = tuple(float(row[column]) for column in attribute.columns)
            # The row's own value stands for its cell; any other fact fixes a value itself.
            mine = [own] if all(_holds(c, row) for c in about) else []
            others = [p for p in points if all(_fits(c, p, attribute.columns) for c in about)]
            if any(isinstance(c, Fact) for c in about):
                others = [] if mine else others
            allowed.append(mine + others)
        return allowed

    def _other(
        self,
        row: Floats,
        given: Sequence[Condition],
        own: int,
        methods: set[str],
        deadline: Deadline,
    ) -> Floats | None:
        """Return a row of another class that agrees with the conditions; None: there is none."""
        allowed = self._allowed(row, given)
        if math.prod(map(len, allowed)) <= MOST_ROWS:
            methods.add(EVERY_CELL)
            return self._by_cells(row, allowed, own, deadline)
        methods.add(PROGRAM)
        return self._by_program(row, allowed, own, deadline)

    def _by_cells(
        self, row: Floats, allowed: list[list[tuple[float, ...]]], own: int, deadline: Deadline
    ) -> Floats | None:
        columns = [list(attribute.columns) for attribute in self._domain.attributes]
        chosen = product(*allowed)
        while True:
            deadline.check()
            some = [point for _, point in zip(range(CHUNK), chosen, strict=False)]
            if not some:
                return None
            matrix = np.repeat(row[None, :], len(some), axis=0)
            for place, where in enumerate(columns):
                matrix[:, where] = [point[place] for point in some]
            other = np.flatnonzero(self._classes(matrix) != own)
            if len(other):
                found: Floats = matrix[other[0]]
                return found

    # Integer programming: binary variables say which of the allowed values each attribute has, and
    # a leaf is reached where the tests on its path agree with them.

    def _by_program(
        self, row: Floats, allowed: list[list[tuple[float, ...]]], own: int, deadline: Deadline
    ) -> Floats | None:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        if (size := self._entries(allowed)) > MOST_ENTRIES:
            raise TimeoutExpired(
                f"the integer program would have {size:,} entries, more than {MOST_ENTRIES:,}; "
                f"give more conditions, or a smaller ensemble"
            )
        program = _Program(self._ensemble, self._domain, allowed)
        for objective, constant in self._rivals(program, own):
            scale = max(1.0, float(np.abs(objective).sum()) / max(1, self._ensemble.n_trees))
            while True:
                deadline.check()
                matrix = csr_array(
                    (program.entries, (program.lines, program.columns)),
                    (len(program.low), len(objective)),
                )
                found = milp(
                    -objective,
                    integrality=program.integral,
                    bounds=Bounds(0, 1),
                    constraints=LinearConstraint(matrix, program.low, program.high),
                    options={"time_limit": min(deadline.seconds(), 1e6), "mip_rel_gap": 0.0},
                )
                if found.status == NO_ROWS and program.n_ties:
                    break
                if found.x is not None:
                    witness = program.row(found.x, row)
                    if int(self._classes(witness[None, :])[0]) != own:
                        return witness
                if found.mip_dual_bound is None:
                    raise TimeoutExpired("the time limit was reached; give a longer timeout")
                if -found.mip_dual_bound + constant <= -TOLERANCE * scale:
                    break
                if found.status != OPTIMAL or program.n_ties == MOST_TIES:
                    raise TimeoutExpired(
                        "integer programming did not settle it: the time limit was reached, or "
                        "too many margins are within the solver's tolerance; give a longer timeout"
                    )
                program.leave_out(witness)
        return None

    def _entries(self, allowed: list[list[tuple[float, ...]]]) -> int:
        """Return how many entries the program has: of each node, its leaves and its values."""
        model = self._ensemble
        inner = model.left >= 0
        values = np.array([len(points) for points in allowed], dtype=np.int64)
        found = int(values[self._domain.of_column[model.feature[inner]]].sum())
        depth = np.zeros(len(inner), dtype=np.int64)
        open_ = model.tree_start[:-1]
        while len(open_):  # level by level
            found += int(depth[open_][~inner[open_]].sum())
            open_ = open_[inner[open_]]
            for child in (model.left[open_], model.right[open_]):
                depth[child] = depth[open_] + 1
            open_ = np.concatenate((model.left[open_], model.right[open_]))
        return found

    def _rivals(self, program: _Program, own: int) -> Iterator[tuple[Floats, float]]:
        """Give by how much each other outcome is ahead, as an objective and a constant."""
        if self._cuts is None:
            for rival in range(len(self._ensemble.class_names or ())):
                if rival != own:
                    yield program.objective(own, rival)
            return
        for sign, place in ((-1.0, own - 1), (1.0, own)):  # below the own cut; up to the next
            if 0 <= place < len(self._cuts) and np.isfinite(self._cuts[place]):
                yield program.beyond(sign, float(self._cuts[place]))


class _Program:
    """The variables and the constraints, for some allowed values of each attribute."""

    def __init__(
        self, ensemble: Ensemble, domain: Domain, allowed: list[list[tuple[float, ...]]]
    ) -> None:
        self._ensemble, self._domain, self._allowed = ensemble, domain, allowed
        self.lines: list[int] = []
        self.columns: list[int] = []
        self.entries: list[float] = []
        self.low: list[float] = []
        self.n_ties = 0  # of leaves that were left out
        self.high: list[float] = []
        self._first = np.cumsum([0, *map(len, allowed)]).tolist()
        self._first_leaf = self._first[-1]
        size = self._first_leaf + ensemble.n_leaves
        self.integral = np.zeros(size)
        self.integral[: self._first_leaf] = 1
        for first, end in zip(self._first[:-1], self._first[1:], strict=True):
            self._sum_to_one(range(first, end))
        leaf = ensemble.leaf_of_node
        for start, end in zip(ensemble.tree_start[:-1], ensemble.tree_start[1:], strict=True):
            below: dict[int, list[int]] = {}
            order = list(range(int(start), int(end)))
            for node in _children_first(ensemble, order):
                if ensemble.left[node] < 0:
                    below[node] = [self._first_leaf + int(leaf[node])]
                    continue
                left, right = below[int(ensemble.left[node])], below[int(ensemble.right[node])]
                goes_left, goes_right = self._sides(node)
                self._at_most(left, goes_left)
                self._at_most(right, goes_right)
                below[node] = left + right
            self._sum_to_one(below[int(start)])

    def _line(self, columns: Sequence[int], entries: Sequence[float]) -> None:
        self.lines += [len(self.low)] * len(columns)
        self.columns += columns
        self.entries += entries

    def _sum_to_one(self, columns: Sequence[int]) -> None:
        self._line(list(columns), [1.0] * len(columns))
        self.low.append(1.0)
        self.high.append(1.0)

    def _at_most(self, leaves: list[int], values: list[int]) -> None:
        """Leaves are reached only where the attribute has one of some values."""
        self._line(leaves + values, [1.0] * len(leaves) + [-1.0] * len(values))
        self.low.append(-np.inf)
        self.high.append(0.0)

    def _sides(self, node: int) -> tuple[list[int], list[int]]:
        """Return the variables of the values that a node sends left, and right."""
        model, domain = self._ensemble, self._domain
        column, threshold = int(model.feature[node]), float(model.threshold[node])
        gap_left = model.missing_left is not None and bool(model.missing_left[node])
        place = int(domain.of_column[column])
        at = domain.attributes[place].columns.index(column)
        left: list[int] = []
        right: list[int] = []
        for number, point in enumerate(self._allowed[place]):
            value = point[at]
            goes = gap_left if math.isnan(value) else value <= threshold
            (left if goes else right).append(self._first[place] + number)
        return left, right

    def objective(self, own: int, rival: int) -> tuple[Floats, float]:
        """Return by how much a rival is ahead: what each leaf adds to it, and a constant."""
        model = self._ensemble
        end = model.scale / model.divide_by
        weight = np.zeros(self._first_leaf + model.n_leaves)
        tree_of_leaf = np.repeat(np.arange(model.n_trees), np.diff(self._leaf_starts()))
        if model.decision == "threshold":
            return self.beyond(1.0 if rival == 1 else -1.0, model.cut)
        constant = (model.base[rival] - model.base[own]) * end
        constant += model.offset[rival] - model.offset[own]
        if model.output_of_tree is None:
            weight[self._first_leaf :] = (model.value[:, rival] - model.value[:, own]) * end
        else:
            output = model.output_of_tree[tree_of_leaf]
            sign_of = (output == rival).astype(float) - (output == own).astype(float)
            weight[self._first_leaf :] = sign_of * model.value[:, 0] * end
        return weight, float(constant)

    def beyond(self, sign: float, cut: float) -> tuple[Floats, float]:
        """Return how far the sum is above a cut, or with a negative sign below it."""
        model = self._ensemble
        end = model.scale / model.divide_by
        weight = np.zeros(self._first_leaf + model.n_leaves)
        weight[self._first_leaf :] = sign * model.value[:, 0] * end
        return weight, sign * float(model.base[0] * end + model.offset[0] - cut)

    def _leaf_starts(self) -> Any:
        leaves = np.flatnonzero(self._ensemble.left < 0)
        return np.searchsorted(leaves, self._ensemble.tree_start)

    def leave_out(self, row: Floats) -> None:
        """Leave out all rows that come to the same leaves as a row, which was decided."""
        model, leaves = self._ensemble, []
        for root in model.tree_start[:-1].tolist():
            node = root
            while model.left[node] >= 0:
                value = row[model.feature[node]]
                left = bool(value <= model.threshold[node])
                if math.isnan(value):
                    left = model.missing_left is not None and bool(model.missing_left[node])
                node = int((model.left if left else model.right)[node])
            leaves.append(self._first_leaf + int(model.leaf_of_node[node]))
        self._line(leaves, [1.0] * len(leaves))
        self.low.append(-np.inf)
        self.high.append(len(leaves) - 1.0)
        self.n_ties += 1

    def row(self, solution: Floats, row: Floats) -> Floats:
        """Return the row that a solution stands for."""
        found = row.copy()
        for place, points in enumerate(self._allowed):
            first = self._first[place]
            chosen = int(np.argmax(solution[first : first + len(points)]))
            found[list(self._domain.attributes[place].columns)] = points[chosen]
        return found


def _children_first(ensemble: Ensemble, nodes: list[int]) -> list[int]:
    """Return the nodes of a tree, each after its children."""
    order, open_ = [], [nodes[0]]
    while open_:
        node = open_.pop()
        order.append(node)
        if ensemble.left[node] >= 0:
            open_ += [int(ensemble.left[node]), int(ensemble.right[node])]
    return order[::-1]


def _holds(condition: Condition, row: Floats) -> bool:
    if isinstance(condition, Comparison):
        return condition.holds(float(row[condition.index]))
    return bool(condition.holds_in(row[None, :])[0])


def _fits(condition: Condition, point: tuple[float, ...], columns: tuple[int, ...]) -> bool:
    """Tell whether a condition holds for the values of one attribute."""
    row = np.zeros(max((*columns, condition.index)) + 1)
    row[list(columns)] = point
    return _holds(condition, row)
