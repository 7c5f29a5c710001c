"""One row of a model: its class, its atoms, and what all questions about it start from."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cattleya.changes.general.general_reason import General
from cattleya.explain.context import ModelContext
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.reading import Read
from cattleya.model.domain.domain import Category
from cattleya.model.domain.lookup import listed
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.rows import RawRows
from cattleya.model.tree.tree import Tree
from cattleya.proof.judge import Judge
from cattleya.proof.recount import Walk
from cattleya.proof.verification import RowProver, Verification
from cattleya.reasons.complete import CompleteReason
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import NO_CONDITION
from cattleya.reasons.reason_list import RowReasons
from cattleya.reasons.sufficient import SufficientReasons
from cattleya.support.arrays import Floats, Int32s
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import printable, shown
from cattleya.vocabularies.interface import ANY_OTHER_CLASS
from cattleya.vocabularies.over import Over

__all__ = ["ExplainedRow", "OwnValue"]

NAMED_AT_ONCE = 10_000  # conditions
SIGNS = {"\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">="}
NONE = np.zeros(0, dtype=np.int32)


class OwnValue(NamedTuple):
    """The value of a feature in a row, and the tree's columns behind it; None is missing."""

    feature: str
    columns: tuple[int, ...]
    value: Hashable


class ExplainedRow:
    """A row that is explained. The complete reason is found when it is first needed, and kept.

    Attributes
    ----------
    context : ModelContext
        The model.
    prepared : PreparedTree
        The tree that decides about the row.
    atoms : RowAtoms
        What explanations of the row are made of.
    row : ndarray
        The row, in the tree's columns, on the model's grid.
    raw_row : table of one row, optional
        The row as the user gave it, where the tree's columns are others.
    label : optional
        What the row is called in the table that it was taken from; None where it is in none.
    excluded, immutable : ndarray
        The atoms that no sufficient reason may have, and that no contrast may change.
    """

    def __init__(
        self,
        context: ModelContext,
        row: Floats,
        raw_row: Any = None,
        label: Any = None,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
    ) -> None:
        row = row + 0.0  # a copy, which is kept; -0.0 and 0.0 are one value
        if context.is_stated:
            context.check_row(row)
        row.flags.writeable = False
        self.context, self.row, self.raw_row, self.label = context, row, raw_row, label
        self._prepare()
        self._excluded_names, self.excluded = self._named("exclude", exclude)
        self.immutable_names, self.immutable = self._named("immutable", immutable)
        self._reasons: SufficientReasons | None = None

    def _prepare(self) -> None:
        """Find what decides about the row, and what explanations of it are made of."""
        self.prepared = self.context.prepared_for(self.row)
        self.atoms = self.prepared.vocabulary.row(self.row)

    def _named(self, what: str, features: Iterable[Any]) -> tuple[tuple[Any, ...], Int32s]:
        """Return features as they are named, and the atoms that speak of them."""
        if features == ():  # the usual case costs nothing
            return (), NONE
        names = tuple(listed(what, features))
        return names, self.atoms_of(what, names)

    def __reduce__(self) -> tuple[object, ...]:
        names = self._excluded_names, self.immutable_names
        return type(self), (self.context, self.row, self.raw_row, self.label, *names)

    @property
    def over(self) -> Over:
        """Which vocabulary is in use."""
        return self.context.over

    @property
    def tree(self) -> Tree:
        """The tree that decided, its leaves labelled with the outcomes."""
        return self.prepared.tree

    @property
    def row_class(self) -> int:
        """The outcome of the row, as its place among the outcomes that are told apart."""
        return self.atoms.row_class

    @property
    def classes(self) -> Classes:
        """The outcomes that are told apart, by default the classes, and how they are shown."""
        return self.prepared.classes

    @cached_property
    def leaf(self) -> int:
        """The leaf of the model's tree that the row comes to."""
        return int(self.prepared.model_tree.apply(self.row[None, :])[0])

    @property
    def prediction(self) -> Hashable:
        """What the model predicts: a class, or a number."""
        return self.prepared.model_tree.class_names[self.prediction_place]

    @property
    def prediction_place(self) -> int:
        """The place of the prediction among all that the model predicts."""
        tree = self.prepared.model_tree
        # As a rule what it predicts is what is explained, and known.
        return self.row_class if self.tree is tree else int(tree.leaf_class[self.leaf])

    @property
    def number(self) -> np.floating[Any] | None:
        """The number that is compared with the bound of the target; None where there is none."""
        numbers = self.context.target.numbers(self.prepared.model_tree, self.context.model_classes)
        return None if numbers is None else numbers[self.leaf]

    # What the row has.

    def value(self, attribute: int) -> Hashable:
        """Return the value of an attribute of the domain, as the user gave it; None is missing."""
        dtype = self.tree.row_dtype
        return self.context.domain.user_value(attribute, self.row, self._raw_values, dtype)

    @property
    def values(self) -> list[OwnValue]:
        """The value of every feature, as the user gave it."""
        return [
            OwnValue(attribute.name, attribute.columns, self.value(place))
            for place, attribute in enumerate(self.context.domain.attributes)
        ]

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """What the row has that the model has never seen, one sentence each."""
        found = []
        for place, attribute in enumerate(self.context.domain.attributes):
            if isinstance(attribute, Category) and attribute.other is not None:
                value = self.value(place)
                if attribute.is_unseen(value):
                    told = "missing" if value is None else printable(str(value))
                    found.append(
                        f"{printable(attribute.name)} is {told}, which training has not seen; the "
                        f"model takes every such value alike"
                    )
        return tuple(found)

    @cached_property
    def _raw_values(self) -> Sequence[Any] | None:
        rows = self.context.model.rows
        if self.raw_row is None or not isinstance(rows, RawRows):
            return None
        return rows.raw_values(self.raw_row)

    # Its conditions.

    def condition(self, text: str) -> Condition:
        """Return the condition of the row that prints as ``text``."""
        if not isinstance(text, str):
            raise TypeError(f"{shown(text)} is not a Condition, nor the text of one")
        try:
            number = self.atoms.number(text)
        except ValueError:
            same = self._own_condition(text)
            if same is None:
                raise
            number = self.atoms.number(same)
        return self.atoms.named([number])[0]

    def _own_condition(self, text: str) -> Condition | None:
        """Return the condition of this vocabulary that a text says in other words, if one does."""
        try:
            read = self.prepared.reader.read(text).condition
        except ValueError:
            return None
        return self.atoms.same_as(read)

    def test_at(self, node: int) -> Comparison:
        """Return the test of a node of the tree, on the side that the row is on."""
        if not is_whole(node):
            raise TypeError(f"node must be a whole number, not {shown(node)}")
        if not 0 <= node < self.tree.n_nodes:
            raise ValueError(
                f"there is no node {shown(int(node))}; they are 0 to {self.tree.n_nodes - 1}"
            )
        tests = self.prepared.tests
        number = int(tests.of_node[node])
        if number < 0:
            raise ValueError(f"node {node} is a leaf, and tests nothing; give an inner node")
        test = tests.side(2 * number + 1)
        holds = test.holds(float(self.row[test.index]))
        return test if holds else tests.side(2 * number)

    def named_in_time(self, numbers: Int32s, deadline: Deadline) -> list[Condition]:
        """Return atoms as conditions; large trees have so many that it takes time."""
        found: list[Condition] = []
        for start in range(0, len(numbers), NAMED_AT_ONCE):
            deadline.check()
            found += self.atoms.named(numbers[start : start + NAMED_AT_ONCE].tolist())
        return found

    def atoms_of(self, what: str, features: Iterable[Any]) -> Int32s:
        """Return the atoms that speak of some features."""
        return self.context.features.atoms(what, features, self.atoms)

    @cached_property
    def attribute_of_atom(self) -> Int32s:
        """The attribute of the domain that each atom speaks of."""
        return self.atoms.attributes(self.context.domain)

    @cached_property
    def over_features(self) -> ExplainedRow:
        """The same row, explained in whole features."""
        context = self.context.over_features
        if context is self.context:
            return self
        names = self._excluded_names, self.immutable_names
        return ExplainedRow(context, self.row, self.raw_row, self.label, *names)

    # The complete reason, and what follows from it.

    @cached_property
    def complete(self) -> CompleteReason:
        """The complete reason of the row's class."""
        return self._search(ANY_OTHER_CLASS, math.inf)

    def complete_within(self, deadline: Deadline) -> CompleteReason:
        """Return the complete reason, found in time or not at all."""
        if "complete" not in self.__dict__:
            self.__dict__["complete"] = self._search(ANY_OTHER_CLASS, deadline.seconds())
        return self.complete

    def _search(self, toward: int, seconds: float) -> CompleteReason:
        start, atom = self.atoms.complete_reason(toward, seconds, self.context.memory_limit)
        return CompleteReason(start, atom, len(self.atoms))

    @property
    def changeable(self) -> CompleteReason:
        """The clauses that only speak of what may change."""
        return self.complete.avoiding(self.immutable) if len(self.immutable) else self.complete

    def contrasts(self, toward: int, deadline: Deadline) -> RowReasons:
        """Return the contrastive explanations that lead to a class, or to any other."""
        if toward == ANY_OTHER_CLASS:
            self.complete_within(deadline)
            found = self.changeable
        else:
            found = self._search(toward, deadline.seconds()).avoiding(self.immutable)
        return self.reasons("contrastive explanation", found.start, found.atom)

    def sufficient(self, deadline: Deadline) -> SufficientReasons:
        """Return the sufficient reasons without what is excluded, if there are any."""
        if self._reasons is None:
            memory = self.context.memory_limit
            complete = self.complete_within(deadline)
            if len(self.excluded):
                if needed := complete.inside(self.excluded):
                    raise NoSuchReason(self.atoms.set_of(clause) for clause in needed)
                complete = complete.without(self.excluded, deadline.seconds(), memory)
            self._reasons = SufficientReasons(self.atoms, complete, self.context.model.rows, memory)
        return self._reasons

    def reasons(self, kind: str, start: Any, atom: Int32s) -> RowReasons:
        """Return explanations of a kind, as the core gives them."""
        return RowReasons(kind, self.atoms, self.context.model.rows, start, atom)

    @cached_property
    def prover(self) -> RowProver:
        """Proves or refutes what is said of the row; knows nothing of the search."""
        return self.prepared.prover(self.row, self.row_class)

    def judge(self) -> Callable[[Floats], bool]:
        """Return what tells for the proof, of one row at a time, whether it gets the outcome."""
        context = self.context
        judge = Judge(context.model.tree_for_all, context.target, context.model_classes)
        return Walk(judge.tree_for(self.row), self.row).gets

    def meant(self, conditions: Iterable[Condition | str]) -> list[Condition]:
        """Return the conditions that a user means, each once; they need not hold in the row."""
        found: dict[Condition, None] = {}
        for condition in _listed(conditions):
            found[self._meant(condition)] = None
        return list(found)

    def _meant(self, condition: Condition | str) -> Condition:
        """Return a condition of this vocabulary, also where its text is in other words."""
        try:
            return self.atoms.meant(condition)
        except ValueError:
            same = self._own_condition(condition) if isinstance(condition, str) else None
            if same is None:
                raise
            return same

    def verify(self, conditions: Iterable[Condition | str] | str) -> Verification:
        """Prove or refute that conditions of any vocabulary are a sufficient reason.

        Those of the row's own vocabulary are taken as its definition takes them; all others, and
        general reasons, as what they leave of the values of each feature. Where a definition over
        assignments refutes what holds of every row, the result says so.
        """
        given, read, notes = self._as_read(conditions)
        own = None if isinstance(conditions, General) else self._own(given)
        if own is None:
            proved = self._verify_box(read)
        else:
            proved = self.prover.verify(own)
            if self.over is Over.CONDITIONS and not proved.sufficient and not proved.foreign:
                forced = self.prepared.box_prover(self.row).forces(self.row, own)
                proved = replace(proved, in_rows=forced)
        return replace(proved, notes=notes) if notes else proved

    def _as_read(
        self, conditions: Iterable[Condition | str] | str
    ) -> tuple[list[Condition | str], list[Condition], tuple[str, ...]]:
        """Return what was given, each once; what it is read as; and what is to be said of that."""
        given = self.split(conditions)
        read = {one: self._read(one) for one in given}
        notes = tuple(f"{one}: {found.note}" for one, found in read.items() if found.note)
        return given, [found.condition for found in read.values()], notes

    def read_facts(self, conditions: Iterable[Condition | str] | str) -> list[Condition]:
        """Return conditions of any vocabulary, each once, as they or a sentence say them."""
        return list(dict.fromkeys(self._read(one).condition for one in self.split(conditions)))

    def split(self, conditions: Iterable[Condition | str] | str) -> list[Condition | str]:
        """Return the single conditions that a user gives, each once."""
        if isinstance(conditions, str):
            texts = conditions.strip()
            conditions = [] if texts in ("", NO_CONDITION) else [texts]
        listed = _listed(conditions)
        return list(dict.fromkeys(one for text in listed for one in self._parted(text)))

    def _parted(self, given: Condition | str) -> Sequence[Condition | str]:
        """Return a condition; or those of a sentence, or of a list with one on each line."""
        if not isinstance(given, str) or self._is_read(given):
            return [given]
        found: list[str] = []
        for line in given.strip().splitlines():
            text = line.strip().removeprefix("- ")
            if not self._is_read(text):  # as pages and plots write it
                for sign, plain in SIGNS.items():
                    text = text.replace(sign, plain)
            is_one = self._is_read(text) or " and " not in text
            found += [text] if is_one else self.prepared.reader.split(text, self._read)
        return [self._without_brackets(text) for text in found] or [given]

    def _without_brackets(self, text: str) -> str:
        """Return a text as its condition prints alone: a sentence may have it in brackets."""
        inside = text[1:-1]
        if text != f"({inside})":
            return text
        try:
            self.atoms.meant(inside)
        except ValueError:
            return text
        return inside

    def _is_read(self, text: str) -> bool:
        try:
            self._read(text)
        except ValueError:
            return False
        return True

    def _verify_box(self, conditions: Iterable[Condition]) -> Verification:
        """Prove or refute what conditions force as intervals and sets of values."""
        known = list(dict.fromkeys(conditions))
        return self.prepared.box_prover(self.row).verify(self.row, self.row_class, known)

    def _own(self, given: Iterable[Condition | str]) -> list[Condition] | None:
        """Return conditions of the row's own vocabulary, each once; None if one is of another."""
        try:
            return list(dict.fromkeys(self._meant(one) for one in given))
        except (ValueError, TypeError):
            return None

    def _note(self, text: str) -> str | None:
        """Return what is to be said of a text that is not printed just so, if it can be read."""
        try:
            return self.prepared.reader.read(text).note
        except ValueError:
            return None

    def _read(self, condition: Condition | str) -> Read:
        """Return a condition of any vocabulary; ``ValueError`` where it is none of this model."""
        if isinstance(condition, str):
            try:
                meant = self.atoms.meant(condition)
            except ValueError:
                return self.prepared.reader.read(condition)
            return Read(meant, None if str(meant) == condition else self._note(condition))
        domain = self.context.domain
        if 0 <= condition.index < domain.n_columns:
            attribute = domain.attributes[int(domain.of_column[condition.index])]
            names = (attribute.name, self.tree.feature_name(condition.index))
            if condition.feature in names and set(condition.columns) <= set(attribute.columns):
                return Read(condition)
        raise ValueError(
            f"the tree does not test {str(condition)!r}; take conditions from this explanation"
        )


def _listed(conditions: Iterable[Condition | str]) -> list[Condition | str]:
    """Return conditions as a list; refuse what is none."""
    if isinstance(conditions, (str, Condition)) or not isinstance(conditions, Iterable):
        raise TypeError(f"a reason is a set of conditions, not {shown(conditions)}")
    given = list(conditions)
    for condition in given:
        if not isinstance(condition, (str, Condition)):
            raise TypeError(f"{condition!r} is not a Condition, nor the text of one")
    return given
