"""One row of a model: its class, its atoms, and what all questions about it start from."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cattleya.explain.context import Setting
from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.lookup import listed
from cattleya.model.tree.rows import RawRows
from cattleya.model.tree.tree import Tree
from cattleya.reasons.complete import CompleteReason
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.reasons.sufficient import SufficientReasons
from cattleya.support.arrays import Floats, Int32s
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import quoted, shown
from cattleya.vocabularies.interface import ANY_OTHER_CLASS, RowAtoms

__all__ = ["ExplainedRow", "OwnValue"]


class OwnValue(NamedTuple):
    """What a row has of a feature, and the tree's columns behind that; None is missing."""

    feature: str
    columns: tuple[int, ...]
    value: Hashable


class ExplainedRow:
    """A row that is explained. The complete reason is found when it is first needed, and kept."""

    def __init__(
        self,
        setting: Setting,
        tree: Tree,
        atoms: RowAtoms,
        row: Floats,
        raw_row: Any = None,
        *,
        label: Any = None,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
    ) -> None:
        self.setting = setting
        self._tree = tree
        self._atoms = atoms
        row.flags.writeable = False
        self.row = row
        self.raw_row = raw_row
        #: What the row is called in the table that it was taken from; None where it is in none.
        self.label = label
        self._rows = setting.model.rows
        self._class_labels = setting.class_labels
        self._memory = setting.memory_limit
        self._excluded = self._atoms_of("exclude", exclude)
        self.immutable_names = tuple(listed("immutable", immutable))
        self._immutable = self._atoms_of("immutable", self.immutable_names)
        self._reasons: SufficientReasons | None = None
        self._contrasts: dict[int, tuple[Reason, ...]] = {}
        self._sets: dict[tuple[str, str], frozenset[Condition]] = {}

    @property
    def row_class(self) -> int:
        """The class of the row, as its place among the model's classes."""
        return self._atoms.row_class

    @property
    def prediction(self) -> Any:
        """The class of the row: what ``model.predict`` gives."""
        return self._tree.class_names[self._atoms.row_class]

    @property
    def prediction_name(self) -> str:
        """The class as text, by the ``class_names`` of the explainer where it was given some."""
        return self._class_labels[self._atoms.row_class]

    @property
    def class_labels(self) -> tuple[str, ...]:
        """All classes as text, in the order of the tree's ``class_names``."""
        return self._class_labels

    @property
    def tree(self) -> Tree:
        """The tree that decided."""
        return self._tree

    @property
    def excluded(self) -> frozenset[Condition]:
        """The row's conditions that no sufficient reason may have."""
        return self._atoms.set_of(self._excluded)

    @property
    def immutable(self) -> frozenset[Condition]:
        """The row's conditions that no contrastive explanation may change."""
        return self._atoms.set_of(self._immutable)

    @property
    def definition(self) -> str:
        """What the explanations are made of."""
        return self._atoms.over

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted about the columns, one sentence each."""
        return self.setting.assumptions

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""
        return self._atoms.merges

    @property
    def row_dtype(self) -> str:
        """What the row was cast to before it met the thresholds."""
        return self._tree.row_dtype

    @cached_property
    def conditions(self) -> frozenset[Condition]:
        """All the tree's conditions, each on the side that the row is on: the paper's ``t_x``."""
        return self._atoms.set_of(np.arange(len(self._atoms), dtype=np.int32))

    def condition(self, text: str) -> Condition:
        """Return the condition of the row that prints as ``text``."""
        if not isinstance(text, str):
            raise TypeError(f"{shown(text)} is not a Condition, nor the text of one")
        return self._atoms.named([self._atoms.number(text)])[0]

    def value_of(self, condition: Condition) -> Hashable:
        """Return what the row has of a condition's feature, as the user gave it.

        A number comes as a float, a category as it is called; None is missing.

        Examples
        --------
        >>> import cattleya
        >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1))).explain([1])
        >>> e.value_of(e.condition("a"))
        1.0
        """
        columns = self.setting.domain.of_column
        if not isinstance(condition, Condition) or not 0 <= condition.index < len(columns):
            raise TypeError(
                f"{shown(condition)} is no Condition of this tree; take one from this explanation"
            )
        return self._own_value(int(columns[condition.index]))

    @property
    def values(self) -> list[OwnValue]:
        """What the row has of every feature, as the user gave it."""
        attributes = self.setting.domain.attributes
        return [
            OwnValue(attribute.name, attribute.columns, self._own_value(place))
            for place, attribute in enumerate(attributes)
        ]

    def _own_value(self, place: int) -> Hashable:
        dtype = self._tree.row_dtype
        return self.setting.domain.user_value(place, self.row, self._raw_values, dtype)

    @cached_property
    def _raw_values(self) -> Sequence[Any] | None:
        if self.raw_row is None or not isinstance(self._rows, RawRows):
            return None
        return self._rows.raw_values(self.raw_row)

    def _names_of(self, attributes: Int32s) -> tuple[str, ...]:
        known = self.setting.domain.attributes
        return tuple(known[place].name for place in attributes.tolist())

    def test_at(self, node: int) -> Condition:
        """Return the test of a node of the tree, on the side that the row is on."""
        tests = self.setting.tests_of(self._tree)
        if not is_whole(node):
            raise TypeError(f"node must be a whole number, not {shown(node)}")
        if not 0 <= node < self._tree.n_nodes:
            raise ValueError(
                f"there is no node {shown(int(node))}; they are 0 to {self._tree.n_nodes - 1}"
            )
        number = int(tests.of_node[node])
        if number < 0:
            raise ValueError(f"node {node} is a leaf, and tests nothing; give an inner node")
        test = tests.side(2 * number + 1)
        holds = test.holds(float(self.row[test.index]))
        return test if holds else tests.side(2 * number)

    @cached_property
    def _complete(self) -> CompleteReason:
        return self._search(ANY_OTHER_CLASS, math.inf)

    def _complete_within(self, deadline: Deadline) -> CompleteReason:
        if "_complete" not in self.__dict__:
            self.__dict__["_complete"] = self._search(ANY_OTHER_CLASS, deadline.seconds())
        return self._complete

    def _search(self, toward: int, seconds: float) -> CompleteReason:
        start, atom = self._atoms.complete_reason(toward, seconds, self._memory)
        return CompleteReason(start, atom, len(self._atoms))

    @cached_property
    def _changeable(self) -> CompleteReason:
        """The clauses that only speak of what may change."""
        return self._complete.avoiding(self._immutable) if len(self._immutable) else self._complete

    def _sufficient(self, deadline: Deadline) -> SufficientReasons:
        """Return the sufficient reasons without what is excluded, if there are any."""
        if self._reasons is None:
            complete = self._complete_within(deadline)
            if len(self._excluded):
                if needed := complete.inside(self._excluded):
                    raise NoSuchReason(self._atoms.set_of(clause) for clause in needed)
                complete = complete.without(self._excluded, deadline.seconds(), self._memory)
            self._reasons = SufficientReasons(self._atoms, complete, self._rows, self._memory)
        return self._reasons

    def _atoms_of(self, what: str, features: Iterable[Any]) -> Int32s:
        if isinstance(features, tuple) and not features:  # the usual case costs nothing
            return np.zeros(0, dtype=np.int32)
        return self.setting.features.atoms(what, features, self._atoms)

    def _other_class(self, label: Hashable) -> int:
        classes = self._tree.class_names
        if isinstance(label, Hashable) and label in classes:
            target = classes.index(label)
        elif isinstance(label, str) and label in self._class_labels:
            target = self._class_labels.index(label)
        else:
            raise ValueError(
                f"toward={shown(label)} is no class of the model; it has {quoted(classes)}"
            )
        if target == self._atoms.row_class:
            raise ValueError(
                f"toward={shown(label)} is the class that the row has; give another one"
            )
        return target
