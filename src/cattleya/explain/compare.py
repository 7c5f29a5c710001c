"""Where two models differ: whether they are the same function, and if not, all regions.

Over all that rows of both can be, proved; and of the rows of a table, which decisions change.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.changes.whole.cell_sets import CellWords
from cattleya.changes.whole.joint import Joint, Side, joint_of
from cattleya.changes.whole.regions import Found, find
from cattleya.ensembles.whole import TIME
from cattleya.explain.context import ModelContext
from cattleya.explain.explainer import Explainer, context_of
from cattleya.explain.explanation import Explanation
from cattleya.explain.whole import RegionList, Rows, WholeRegion, status_of, typical
from cattleya.model.domain.domain import Attribute, Category, value_word
from cattleya.model.domain.lookup import listed
from cattleya.model.domain.number import Number
from cattleya.model.tree.rows import is_frame
from cattleya.model.tree.target import Target
from cattleya.support.arrays import Int32s, Places
from cattleya.support.limits import Deadline
from cattleya.support.suggestions import known_names
from cattleya.support.text import plain_value, quoted, shown

__all__ = ["Difference", "GroupChange", "ModelComparison", "SideBySide", "compare"]


class Difference(WholeRegion):
    """A region of rows about which the two models decide differently.

    Attributes
    ----------
    conditions : tuple of Condition
        What features are there; those that are not named can be anything.
    share : Fraction
        The share of all cells that are in it.
    old, new : str
        What each model decides.
    witness : dict
        A row of it, by column; both models were asked about it.
    """

    def __init__(self, asked: _Pair, found: Found, place: int) -> None:
        super().__init__(asked.words, asked.names, found, place)
        self._asked = asked
        outcome, cell_of = {}, asked.joint.cells.cell_of_value[asked.joint.which].tolist()
        for case in self._region.cases:
            (cells,) = case.box
            assert isinstance(cells, int)
            for which in (0, 1):
                if cells >> cell_of[which] & 1:
                    outcome[which] = case.outcome
        self._outcome = outcome
        self.old, self.new = (asked.names[outcome[which]] for which in (0, 1))

    @cached_property
    def witness(self) -> dict[str, Any]:
        """A row of it, by column; both models were asked about it."""
        return self._asked.row_of(self._region.box, self._outcome)

    def __str__(self) -> str:
        from cattleya.present.words.whole import difference_text

        return difference_text(self)


@dataclass(frozen=True)
class GroupChange:
    """How many decisions about the rows of a group change, and how.

    Attributes
    ----------
    group : str
        A value of the column.
    rows, changed : int
        How many rows have it, and of how many the decision changes.
    directions : dict of (old, new) to int
        How many change from one outcome to another.
    """

    group: str
    rows: int
    changed: int
    directions: dict[tuple[str, str], int]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Why two models decide about a row as they do.

    Attributes
    ----------
    old, new : Explanation
        The explanation of each model.
    """

    old: Explanation
    new: Explanation

    def __str__(self) -> str:
        from cattleya.present.words.whole import side_by_side_text

        return side_by_side_text(self)


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """What was found about two models. Made by :func:`cattleya.compare`.

    Attributes
    ----------
    same : bool or None
        Whether both decide the same about every row of the domain; None where it is open.
    status : str
        "proved", "refuted" or "open within N seconds".
    complete : bool
        Whether ``regions`` has every row about which they differ.
    regions : sequence of Difference
        Where they differ: no two regions meet; the largest first.
    share : Fraction
        The share of the cells of all features that are in a region.
    witness : dict or None
        A row about which they differ, by column; both models were asked about it.
    changed_rows : int or None
        How many rows of the table get another outcome; None without a table.
    changed : ndarray of int
        Their places.
    directions : dict of (old, new) to int
        How many change from one outcome to another.
    groups : dict of str to list of GroupChange
        The same for each value of a protected column.
    assumptions : tuple of str
        What was taken for granted, and what is not compared.
    """

    same: bool | None
    status: str
    complete: bool
    regions: RegionList[Difference]
    witness: dict[str, Any] | None
    outcomes: tuple[str, str] | None
    n_rows: int | None
    changed: Places | None
    directions: dict[tuple[str, str], int]
    groups: dict[str, list[GroupChange]]
    assumptions: tuple[str, ...]
    noun: str = "class"
    model_hashes: tuple[str, str] = ("", "")
    _explainers: tuple[Explainer, Explainer] | None = field(default=None, repr=False)
    _columns: Sequence[tuple[str, ...]] = ((), ())

    @property
    def share(self) -> Fraction:
        """The share of the cells of all features that are in a region."""
        return self.regions.share

    @property
    def changed_rows(self) -> int | None:
        """How many rows of the table get another outcome; None without a table."""
        return None if self.changed is None else len(self.changed)

    def explain(self, x: Any) -> SideBySide:
        """Explain what each model decides about a row."""
        assert self._explainers is not None
        old, new = self._explainers
        rows = [_own_columns(context_of(one), x, names)
                for one, names in zip((old, new), self._columns, strict=True)]  # fmt: skip  # short
        return SideBySide(old.explain(rows[0]), new.explain(rows[1]))

    def __str__(self) -> str:
        from cattleya.present.words.whole import comparison_text

        return comparison_text(self)

    def __repr__(self) -> str:
        return f"<ModelComparison: {self.status}, {len(self.regions):,} regions>"

    def to_dict(self, regions: int | None = None) -> dict[str, Any]:
        """Return all of it as plain values, for JSON; so many regions, or all of them."""
        from cattleya.present.json_whole import comparison_form

        return comparison_form(self, regions)

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        about: str | None = None,
        row: SideBySide | None = None,
    ) -> str | None:
        """Write a page with all of it: one file that needs no network; or return its text.

        ``row`` is a row explained by both models: ``comparison.explain(x)``.
        """
        from cattleya.present.pages.whole import comparison_page

        return comparison_page(self, path, about, row)


def compare(
    old: Any,
    new: Any,
    data: Any = None,
    *,
    protected: Iterable[Any] = (),
    target: Target | None = None,
    timeout: float | None = None,
    **stated: Any,
) -> ModelComparison:
    """Tell whether two models decide the same about every row, and where they do not.

    Parameters
    ----------
    old, new : models, or explainers of models
        What :class:`cattleya.Explainer` takes, over the same columns of the user's: two Pipelines
        may scale and encode them differently. An explainer brings along what it was told.
    data : table, optional
        Rows to tell how many decisions change. The types of a DataFrame's columns are taken from
        it, as :class:`cattleya.Explainer` does: columns of integers take whole numbers only. Of
        what is given as an explainer, they are as that was told.
    protected : list of columns
        Columns of the table by whose values the changes are counted.
    target : Probability or Value, optional
        What is compared, where it is not the predicted class or number.
    timeout : float, optional
        Seconds after which what is known so far is told: ``complete`` is then false.
    **stated
        ``integer``, ``categories`` and ``class_names``, as for :class:`cattleya.Explainer`.

    Examples
    --------
    >>> import cattleya
    >>> old = cattleya.Tree.from_nested(("sex", "no", ("job", "no", "yes")))
    >>> new = cattleya.Tree.from_nested(("job", "no", "yes"), feature_names=["sex", "job"])
    >>> found = cattleya.compare(old, new, [[0, 0], [0, 1], [1, 1]])
    >>> found.same, found.changed_rows
    (False, 1)
    >>> print(found.regions[0])
    not sex and job: no -> yes
    >>> found.regions[0].witness
    {'sex': 0, 'job': 1}
    """
    deadline = Deadline(timeout)
    asked = {"over": "intervals", "target": target} | stated
    explainers = []
    for name, model in (("old", old), ("new", new)):
        if isinstance(model, Explainer):
            if target is not None or stated:
                raise ValueError(
                    f"{name} is an explainer, which was told what is explained; give target and "
                    f"the like to it"
                )
            explainers.append(model)
        else:
            explainers.append(Explainer(model, **asked))
    if data is not None and is_frame(data) and "data" not in stated:
        columns = _columns([context_of(one) for one in explainers])
        for which, model in enumerate((old, new)):
            if not isinstance(model, Explainer):
                own = _own_columns(context_of(explainers[which]), data[:0], columns[which])
                explainers[which] = Explainer(model, data=own, **asked)
    names = listed("protected", protected)
    if names and data is None:
        raise ValueError(f"protected={shown(names)} counts rows of a table: give data")
    pair = _Pair((explainers[0], explainers[1]), data, deadline)
    return pair.run(names, timeout)


class _Pair:
    """Two models, and what is asked about them."""

    def __init__(
        self, explainers: tuple[Explainer, Explainer], data: Any, deadline: Deadline
    ) -> None:
        self._explainers, self._deadline = explainers, deadline
        self.contexts = (context_of(explainers[0]), context_of(explainers[1]))
        for context in self.contexts:
            if context.is_ensemble and context.predicts_numbers and context.target.bound is None:
                raise ValueError(
                    "an ensemble that predicts numbers is compared for a target, such as "
                    "target=cattleya.Value(at_least=100)"
                )
            if context.depends_on_row:
                raise ValueError(
                    "a target of 'within' is about one row's own number; to compare models give "
                    "at_least=, below= or between="
                )
        self._columns = _columns(self.contexts)
        self._labels = _labels(self.contexts)
        self._data = data
        self._matrices = None
        if data is not None:
            self._matrices = [
                _matrix(context, data, own)
                for context, own in zip(self.contexts, self._columns, strict=True)
            ]

    @cached_property
    def joint(self) -> Joint:
        """Both as one tree."""
        return joint_of(*self._sides())

    @cached_property
    def _takes_missing(self) -> bool:
        """Whether rows that lack numbers are compared: a model, or the table, shows such."""
        tables = self._matrices or [None, None]
        ready = [c.of_rows_like(own) for c, own in zip(self.contexts, tables, strict=True)]
        return any(one.tree.missing_left is not None for one in ready)

    def _sides(self) -> list[Side]:
        sides = []
        for context, names, labels in zip(self.contexts, self._columns, self._labels, strict=True):
            prepared = context.of_all_rows if self._takes_missing else context.of_complete_rows
            sides.append(Side(prepared.tree, context.domain, names, labels))
        return sides

    @cached_property
    def words(self) -> CellWords:
        """The words of the regions."""
        return CellWords(self.joint.cells, self.joint.printed)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """How the outcomes of both are shown."""
        shown_as: dict[Any, str] = {}
        for context, labels in zip(self.contexts, self._labels, strict=True):
            names = context.of_complete_rows.classes.names
            for label, name in zip(labels, names, strict=True):
                shown_as.setdefault(label, name)
        return tuple(shown_as.values())

    def run(self, protected: Sequence[Any], timeout: float | None) -> ModelComparison:
        columns = {name: self._column(name) for name in protected}
        context = self.contexts[0]
        found: Found | None = None
        row = decided = None
        if any(one.is_ensemble for one in self.contexts):
            limit = TIME if timeout is None else timeout
            same, row, decided = self._searched(limit)
            timeout = limit
        else:
            found = find(
                self.words, [self.joint.which], deadline=self._deadline, memory=context.memory_limit
            )
            same = False if len(found) else True if found.complete else None
        regions = RegionList(found, lambda all_, place: Difference(self, all_, place))
        if len(regions):
            row, decided = regions[0].witness, (regions[0].old, regions[0].new)
        outcomes = self._outcomes()
        changed = None if outcomes is None else np.flatnonzero(outcomes[0] != outcomes[1])
        return ModelComparison(
            same,
            status_of(same, timeout),
            bool(same) if found is None else found.complete,
            regions,
            row,
            decided,
            None if outcomes is None else len(outcomes[0]),
            changed,
            {} if outcomes is None else self._directions(outcomes, slice(None)),
            {str(n): self._groups(values, outcomes) for n, values in columns.items()},
            self._assumptions(),
            context.of_complete_rows.classes.noun,
            (self.contexts[0].tree_hash, self.contexts[1].tree_hash),
            self._explainers,
            self._columns,
        )  # fmt: skip  # one answer per line

    def _searched(
        self, seconds: float
    ) -> tuple[bool | None, dict[str, Any] | None, tuple[str, str] | None]:
        """Return whether two models of which one has many trees decide the same; and a row."""
        from cattleya.explain.ensemble.audit import box_of
        from cattleya.explain.ensemble.compare import found_difference

        one, two = self.contexts
        alike = (one.tree_hash, one.target_form) == (two.tree_hash, two.target_form)
        if alike and one.is_ensemble and two.is_ensemble and one.domain == two.domain:
            return True, None, None  # the same trees over the same values
        joint = self.joint
        takes = self._takes_missing
        ready = [c.of_all_rows if takes else c.of_complete_rows for c in self.contexts]
        places = [[joint.classes.index(label) for label in own] for own in self._labels]
        same, row = found_difference(
            joint,
            (ready[0], ready[1]),
            (places[0], places[1]),
            Deadline(seconds),
            one.memory_limit,
        )
        if row is None:
            return same, None, None
        told = self._rows.by_column(self._rows.values(box_of(self.words, row)), joint.names)
        asked = [self.asked(told, which) for which in (0, 1)]
        if asked[0] == asked[1] or -1 in asked:  # the library's own rounding says otherwise
            return None, None, None
        return False, told, (self.names[asked[0]], self.names[asked[1]])

    def _assumptions(self) -> tuple[str, ...]:
        told = [*self.contexts[0].assumptions, *self.contexts[1].assumptions, *self.joint.notes]
        if not self.joint.cells.takes_missing:
            told.append("rows without missing numbers are compared")
        return tuple(dict.fromkeys(told))

    # Rows.

    def row_of(self, box: Mapping[int, Any], outcome: Mapping[int, int]) -> dict[str, Any]:
        """Return a row of a box; both models are asked about it."""
        row = self._rows.by_column(self._rows.values(box), self.joint.names)
        if any(self.asked(row, which) != outcome[which] for which in (0, 1)):
            raise AssertionError("a model decides otherwise about a witness; please report it")
        return row

    def asked(self, row: Mapping[str, Any], which: int) -> int:
        """Return the place of the outcome that a model itself gives a row; -1 if it has none."""
        context = self.contexts[which]
        own = context.domain.raw_names or context.tree.feature_names
        names = zip(own, self._columns[which], strict=True)
        place = context.asked_of_model({name: row[known] for name, known in names})
        return -1 if place < 0 else self.joint.classes.index(self._labels[which][place])

    @cached_property
    def _rows(self) -> Rows:
        near: dict[int, Any] = {}
        if self._matrices is not None:
            context, own = self.contexts[0], self._columns[0]
            usual = typical(context, self._matrices[0])
            by_columns = {
                tuple(own[raw] for raw in attribute.raw): _usual(attribute, usual[place])
                for place, attribute in enumerate(context.domain.attributes)
                if place in usual
            }
            for place, attribute in enumerate(self.joint.cells.domain.attributes):
                aim = by_columns.get(tuple(self.joint.names[raw] for raw in attribute.raw))
                if isinstance(attribute, Number) and isinstance(aim, (int, float)):
                    near[place] = aim
                elif isinstance(attribute, Category) and aim in attribute.values:
                    near[place] = attribute.values.index(aim)
        return Rows(self.words, near)

    # The table.

    def _outcomes(self) -> tuple[Int32s, Int32s] | None:
        """Return what each model decides about the rows of the table, by the joint places."""
        if self._matrices is None:
            return None
        joint = list(dict.fromkeys((*self._labels[0], *self._labels[1])))
        found = []
        for context, matrix, labels in zip(
            self.contexts, self._matrices, self._labels, strict=True
        ):
            place = np.array([joint.index(label) for label in labels], dtype=np.int32)
            found.append(place[context.outcomes_of(matrix)])
        return found[0], found[1]

    def _directions(self, outcomes: tuple[Int32s, Int32s], rows: Any) -> dict[tuple[str, str], int]:
        old, new = (side[rows].tolist() for side in outcomes)
        counts = Counter(pair for pair in zip(old, new, strict=True) if pair[0] != pair[1])
        return {(self.names[a], self.names[b]): n for (a, b), n in counts.most_common()}

    def _column(self, name: Any) -> list[Any]:
        if is_frame(self._data):
            if name not in list(self._data.columns):
                known = known_names([str(name)], [str(c) for c in self._data.columns])
                raise ValueError(f"protected: there is no column {shown(name)}; there are {known}")
            return list(self._data[name])
        names = list(self._columns[0])
        if isinstance(name, str) and name in names:
            return [row[names.index(name)] for row in np.asarray(self._data, dtype=object)]
        known = known_names([name], names)
        raise ValueError(f"protected: there is no column {shown(name)}; there are {known}")

    def _groups(
        self, values: Sequence[Any], outcomes: tuple[Int32s, Int32s] | None
    ) -> list[GroupChange]:
        assert outcomes is not None
        rows: dict[str, list[int]] = {}
        for place, value in enumerate(values):
            rows.setdefault(value_word(plain_value(value)), []).append(place)
        found = []
        for said, places in sorted(rows.items()):
            directions = self._directions(outcomes, np.array(places))
            found.append(GroupChange(said, len(places), sum(directions.values()), directions))
        return found


def _columns(contexts: Sequence[ModelContext]) -> list[tuple[str, ...]]:
    """Return the names of each model's columns; by their places where one has none."""
    names = [tuple(c.domain.raw_names or c.tree.feature_names) for c in contexts]
    nameless = [tuple(f"x{i}" for i in range(len(own))) == own for own in names]
    if nameless[0] != nameless[1]:
        if len(names[0]) != len(names[1]):
            raise ValueError(
                f"one model knows no names of columns, and has {len(names[nameless.index(True)])} "
                f"of them, where the other has {len(names[nameless.index(False)])}; give "
                f"feature_names"
            )
        names = [names[nameless.index(False)]] * 2
    if not set(names[0]) & set(names[1]):
        raise ValueError(
            f"the models have no column in common: one has {quoted(names[0])}, the other "
            f"{quoted(names[1])}"
        )
    return names


def _labels(contexts: Sequence[ModelContext]) -> list[tuple[Any, ...]]:
    """Return what the outcomes of each model are, to be compared with the other's."""
    classes = [c.of_complete_rows.classes for c in contexts]
    labels = [tuple(plain_value(label) for label in one.labels) for one in classes]
    if contexts[0].predicts_numbers != contexts[1].predicts_numbers and not (
        contexts[0].target.bound and contexts[1].target.bound
    ):
        raise ValueError("one model predicts classes, and the other numbers: there is no question")
    if set(labels[0]) & set(labels[1]):
        return labels
    names = [one.names for one in classes]
    if set(names[0]) & set(names[1]):
        return [tuple(own) for own in names]
    if contexts[0].predicts_numbers:
        return labels
    raise ValueError(
        f"the models have no class in common: one has {quoted(labels[0])}, the other "
        f"{quoted(labels[1])}"
    )


def _usual(attribute: Attribute, usual: Any) -> Any:
    """Return a usual value of the user's: a number, or a category's by its name."""
    return attribute.values[usual] if isinstance(attribute, Category) else usual


def _matrix(context: ModelContext, data: Any, names: tuple[str, ...]) -> Any:
    return context.model.rows.matrix(_own_columns(context, data, names))


def _own_columns(context: ModelContext, data: Any, names: tuple[str, ...]) -> Any:
    """Return of a table, or of a row by name, the columns of a model, under its own names."""
    own = tuple(context.domain.raw_names or context.tree.feature_names)
    if isinstance(data, Mapping) and set(names) <= set(data):
        return {name: data[known] for name, known in zip(own, names, strict=True)}
    if is_frame(data) and set(names) <= set(map(str, data.columns)):
        data = data[list(names)]
        return data if own == names else data.set_axis(list(own), axis=1)
    return data
