"""One counterfactual: made of a leaf, checked against the model, and put into words."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cattleya.change_costs import Costs, Start
from cattleya.change_limits import Limits
from cattleya.counterfactual_rows import RawRow, tree_row, written
from cattleya.domain import Category, Number, is_missing
from cattleya.leaf_regions import Regions
from cattleya.printable import printable

__all__ = ["Answer", "Change", "Counterfactual", "Question", "distance"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

FEWEST_DIGITS, MOST_DIGITS = 6, 17


class Change(NamedTuple):
    """One attribute that changes; None stands for a missing value."""

    feature: str
    before: Any
    after: Any


class Span(NamedTuple):
    """The values of a number that would do as well as the nearest: from low to high."""

    number: Number
    low: float
    high: float
    dtype: str

    def shown(self, value: float) -> str:
        """Return a value with no more digits than it takes to be among these."""
        for digits in range(FEWEST_DIGITS, MOST_DIGITS):
            short = seen = float(f"{value:.{digits}g}")
            if not self.number.steps:
                seen = self.number.to_tree(short, self.dtype)
            if self.low <= seen <= self.high:
                return _text(short)
        return _text(value)


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """A row that gets another class, close to the one that was explained.

    Attributes
    ----------
    row : ndarray or DataFrame
        As the model takes it. For a bare model, a row of numbers; for a Pipeline, one line of the
        columns that the user gave. Where one of the changes cannot be traced back to these, all
        rows are in the tree's columns.
    changes : tuple of Change
        The attributes that change, as ``(feature, before, after)``.
    distance : float
        In the metric asked for.
    prediction : label
        Its class, as the model gives it.

    Examples
    --------
    >>> str(Counterfactual([40.0], (Change("age", 38, 40),), 2.0, "yes"))
    'age: 38 -> 40'
    """

    row: Any
    changes: tuple[Change, ...]
    distance: float
    prediction: Any
    _spans: Mapping[str, Span] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(map(self._said, self.changes))

    def _said(self, change: Change) -> str:
        span = self._spans.get(change.feature)
        before, after = _text(change.before), _text(change.after)
        if span is not None and isinstance(change.after, float):
            after = span.shown(change.after)
            if isinstance(change.before, float) and not span.number.steps:
                # As the user wrote it, before the model made single precision of it.
                before = str(np.dtype(span.dtype).type(change.before)).removesuffix(".0")
        return printable(f"{change.feature}: {before} -> {after}")

    def __repr__(self) -> str:
        return f"<Counterfactual {self.prediction!r}: {self}>"


@dataclass(frozen=True, eq=False)
class Question:
    """A row whose class might be another: what both counterfactuals and fairness start from.

    Attributes
    ----------
    regions : Regions
        Of the tree and the domain; made once for a model.
    row : ndarray
        In the tree's columns, on the model's grid.
    row_class : int
        Its class, by number.
    predict : callable
        The model's own prediction: labels for a table of rows as the user gives them.
    raw : DataFrame or array of one line, optional
        The row as the user gave it, where that is not in the tree's columns.
    class_labels : sequence of str, optional
        The classes as they are shown.
    """

    regions: Regions
    row: Floats
    row_class: int
    predict: Callable[[Any], Any]
    raw: Any = None
    class_labels: Sequence[str] = ()

    def toward(self, label: Hashable) -> int | None:
        """Return the number of the class that is wanted; None is any other."""
        if label is None:
            return None
        classes = self.regions.tree.class_names
        if isinstance(label, Hashable) and label in classes:
            target = classes.index(label)
        elif isinstance(label, str) and label in self.class_labels:
            target = list(self.class_labels).index(label)
        else:
            raise ValueError(f"toward={label!r} is no class of the model; it has {classes!r}")
        if target == self.row_class:
            raise ValueError(f"toward={label!r} is the class that the row has; give another one")
        return target

    def leaves(self, target: int | None = None) -> Ints:
        """Return the leaves of a class, by default of any other than the row's."""
        regions = self.regions
        wanted = (
            regions.leaf_class != self.row_class if target is None else regions.leaf_class == target
        )
        chosen: Ints = regions.leaves[wanted]
        return chosen

    def name_of(self, label: Hashable) -> str:
        """Return what a class is called."""
        classes = self.regions.tree.class_names
        return self.class_labels[classes.index(label)] if self.class_labels else str(label)

    def shown(self, number: int) -> str:
        """Return a class for a message."""
        labels = self.class_labels or self.regions.tree.class_names
        return repr(labels[number])


@dataclass(frozen=True, eq=False)
class Answer:
    """Makes counterfactuals of leaves, and checks them."""

    question: Question
    raw: RawRow | None
    start: Start
    limits: Limits
    costs: Costs

    def counterfactuals(self, leaves: Ints, metric: str) -> tuple[Counterfactual, ...]:
        """Return the nearest row of each leaf, the nearest first."""
        regions, row = self.question.regions, self.start.row
        moves = [self._moves(int(leaf)) for leaf in leaves]
        tree_rows = np.stack([tree_row(regions, row, values) for values, _ in moves])
        if self.raw is not None and all(self.raw.can_change(values) for values, _ in moves):
            rows: list[Any] = [self.raw.changed(values) for values, _ in moves]
            labels = self.question.predict(self.raw.stacked(rows))
        elif self.raw is not None:
            rows, labels = list(tree_rows), regions.tree.predict(tree_rows)
        else:
            rows, labels = list(tree_rows), self.question.predict(tree_rows)
        self._check(leaves, labels)
        found = []
        for row_, label, (values, nodes) in zip(rows, labels, moves, strict=True):
            changes = tuple(self._change(tested, value) for tested, value in values.items())
            far = distance([float(self.costs.cost[i]) for i in nodes.values()], metric)
            plain = label.item() if isinstance(label, np.generic) else label
            found.append(Counterfactual(row_, changes, far, plain, self._spans(nodes)))
        return tuple(found)

    def _moves(self, leaf: int) -> tuple[dict[int, float | int], dict[int, int]]:
        """Return the new values of a leaf's nearest row, and the nodes that ask for them."""
        regions, costs = self.question.regions, self.costs
        nodes = {int(regions.attribute[i]): i for i in regions.above(leaf) if costs.changed[i]}
        nodes = dict(sorted(nodes.items()))
        values: dict[int, float | int] = {}
        for tested, node in nodes.items():
            category = regions.attributes[tested]
            if isinstance(category, Category):
                allowed = regions.sets[tested].of(node, len(category.values))
                values[tested] = int(np.argmax(allowed & self.limits.permitted.values[tested]))
            else:
                values[tested] = float(costs.value[node])
        return values, nodes

    def _check(self, leaves: Ints, labels: Any) -> None:
        """Hold the model's word against ours: an answer must never rest on the search alone."""
        regions = self.question.regions
        classes = regions.tree.leaf_class[regions.node[leaves]].tolist()
        expected = [regions.tree.class_names[number] for number in classes]
        if list(labels) != expected:
            raise RuntimeError(
                "internal error: the model gives a counterfactual another class than the search; "
                "please report this model"
            )

    def _change(self, tested: int, value: float | int) -> Change:
        attribute = self.question.regions.attributes[tested]
        return Change(attribute.name, self._before(tested), written(attribute, value))

    def _before(self, tested: int) -> Any:
        attribute = self.question.regions.attributes[tested]
        labelled = isinstance(attribute, Category) and attribute.written is not None
        if self.raw is not None and len(attribute.raw) == 1 and not labelled:
            given = self.raw.values[tested]
            return None if is_missing(given) else _plain(given)
        if isinstance(attribute, Category):
            return written(attribute, int(self.start.category[tested]))
        own = float(self.start.number[tested])
        return None if math.isnan(own) else int(own) if attribute.integer else own

    def _spans(self, nodes: Mapping[int, int]) -> dict[str, Span]:
        regions, permitted = self.question.regions, self.limits.permitted
        spans = {}
        for tested, node in nodes.items():
            number = regions.attributes[tested]
            if isinstance(number, Number) and not number.integer:
                low = max(float(regions.low[node]), float(permitted.low[tested]))
                high = min(float(regions.high[node]), float(permitted.high[tested]))
                spans[number.name] = Span(number, low, high, regions.tree.row_dtype)
        return spans


def distance(costs: list[float], metric: str) -> float:
    """Return the distance that the costs of some changes add up to; infinite if too large."""
    if metric == "l0":
        return float(len(costs))
    if metric == "l2":
        return math.hypot(*costs)
    return math.fsum(costs) if math.isfinite(sum(costs)) else math.inf


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    """Return a value as the user may have written it."""
    if value is None:
        return "missing"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)
