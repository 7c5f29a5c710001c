"""Counterfactuals in the making: rows made of leaves, then held against the model itself.

The model's own code costs much a call and little a row, so it is asked about the rows of several
questions at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.changes.costs import Costs, Start
from cattleya.changes.counterfactual import Counterfactual, Question, Span, ValueChange, distance
from cattleya.changes.limits import Limits
from cattleya.changes.raw_row import RawRow, layout, stacked, tree_row, written
from cattleya.model.domain.domain import NOT_GIVEN, Category, Number, OneOf, value_in
from cattleya.support.arrays import Places
from cattleya.support.limits import Deadline

__all__ = ["Drafts", "confirmed"]


#: New values by tested attribute, and the nodes that ask for them.
Move = tuple[dict[int, float | int], dict[int, int]]


@dataclass(frozen=True, eq=False)
class Drafts:
    """The nearest row of each of some leaves, before the model has been asked about it."""

    question: Question
    raw: RawRow | None
    start: Start
    limits: Limits
    costs: Costs
    leaves: Places
    metric: str
    deadline: Deadline

    @cached_property
    def rows(self) -> list[Any]:
        """The rows as the user gives them; in the tree's columns where one cannot be had back."""
        if self.raw is not None and self._can_be_traced:
            return [self._changed(self.raw, values) for values, _ in self._moves]
        regions, row = self.question.regions, self.start.row
        return [tree_row(regions, row, values) for values, _ in self._moves]

    def _changed(self, raw: RawRow, values: dict[int, float | int]) -> Any:
        self.deadline.check()
        return raw.changed(values, self.limits.named)

    @property
    def predict(self) -> Callable[[Any], Any]:
        """Who is to be asked about them."""
        if self.raw is not None and not self._can_be_traced:
            return self.question.predict_numbers or self.question.regions.tree.predict
        return self.question.predict

    def confirmed(self, words: Sequence[Any]) -> tuple[Counterfactual, ...]:
        """Return the counterfactuals, given the model's word on the rows."""
        understood = [self.question.understood(word) for word in words]
        self._check([label for _, label in understood])
        found = []
        for row, (own, label), (values, nodes) in zip(
            self.rows, understood, self._moves, strict=True
        ):
            self.deadline.check()
            changes = tuple(self._change(tested, value) for tested, value in values.items())
            far = distance([float(self.costs.cost[i]) for i in nodes.values()], self.metric)
            outcome = self.question.classes.name(label)
            found.append(Counterfactual(row, changes, far, own, self._spans(nodes), outcome))
        return tuple(found)

    @cached_property
    def _can_be_traced(self) -> bool:
        return self.raw is not None and all(
            self.raw.can_change(values) for values, _ in self._moves
        )

    @cached_property
    def _moves(self) -> list[Move]:
        return [self._move(leaf) for leaf in self.leaves.tolist()]

    def _move(self, leaf: int) -> Move:
        self.deadline.check()
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

    def _check(self, labels: Sequence[Any]) -> None:
        """Hold the model's word against ours: an answer must never rest on the search alone."""
        regions = self.question.regions
        classes = regions.tree.leaf_class[regions.node[self.leaves]].tolist()
        expected = [regions.tree.class_names[number] for number in classes]
        if list(labels) != expected:
            raise RuntimeError(
                "internal error: the model gives a counterfactual another outcome than the search; "
                "please report this model"
            )

    def _change(self, tested: int, value: float | int) -> ValueChange:
        attribute = self.question.regions.attributes[tested]
        before = self._before(tested)
        after = written(attribute, value, self.limits.named.get(tested))
        if isinstance(before, bool) and after in (0, 1):
            after = bool(after)  # as the column has it
        return ValueChange(attribute.name, before, after)

    def _before(self, tested: int) -> Any:
        regions = self.question.regions
        attribute = regions.attributes[tested]
        given = NOT_GIVEN if self.raw is None else self.raw.values.get(tested, NOT_GIVEN)
        value = value_in(attribute, self.start.row, given, regions.tree.row_dtype)
        if isinstance(value, OneOf):  # one of those that are alike to the tree
            return written(attribute, int(self.start.category[tested]))
        whole = isinstance(attribute, Number) and attribute.integer and given is NOT_GIVEN
        return int(value) if whole and value is not None else value

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


def confirmed(several: Sequence[Drafts]) -> list[tuple[Counterfactual, ...]]:
    """Ask the model about all the rows, and return the counterfactuals of each question."""
    # Only rows of the same types go together: in one table, large whole numbers would be rounded
    # for the sake of another row's fraction.
    alike: dict[Hashable, list[tuple[int, int]]] = {}
    labels: list[list[Any]] = [[None] * len(drafts.rows) for drafts in several]
    for question, drafts in enumerate(several):
        for place, row in enumerate(drafts.rows):
            alike.setdefault((drafts.predict, layout(row)), []).append((question, place))
    for places in alike.values():
        predict = several[places[0][0]].predict
        found = predict(stacked([several[question].rows[place] for question, place in places]))
        for (question, place), label in zip(places, found, strict=True):
            labels[question][place] = label
    return [drafts.confirmed(own) for drafts, own in zip(several, labels, strict=True)]
