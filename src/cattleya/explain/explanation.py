"""What can be said about one row: every answer on demand, and none computed twice."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.fairness import Fairness
from cattleya.changes.general.general_reason import General, Worded
from cattleya.changes.minimal.change import Change
from cattleya.explain.changes import Changes
from cattleya.explain.counting import Counting, checked_kind
from cattleya.explain.row import ExplainedRow, OwnValue
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.tree.tree import Tree
from cattleya.proof.verification import Verification
from cattleya.reasons.circuit import Circuit
from cattleya.reasons.diverse import DiverseReasons, Representation, diverse, represent
from cattleya.reasons.reach import Reach
from cattleya.reasons.reason import Reason
from cattleya.reasons.sufficient import SufficientReasons
from cattleya.support.arrays import Floats
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import printable, shown
from cattleya.vocabularies.interface import ANY_OTHER_CLASS
from cattleya.vocabularies.over import Over

if TYPE_CHECKING:
    from rich.console import Group

    from cattleya.explain.short import Among, ShortQuestions
    from cattleya.proof.recount import Recount
    from cattleya.proof.reweigh import Reweighing
    from cattleya.reasons.short.share import Share
    from cattleya.reasons.short.short_reason import ShortReason, TradeOff
    from cattleya.reasons.short.worlds import Chance

__all__ = [
    "Explanation",
    "checked_explanation",
    "count_on",
    "explained_row",
    "judged_outcome",
    "refuting_outcome",
]


class Explanation:
    """The answers about one row. Made by :meth:`cattleya.Explainer.explain`.

    Examples
    --------
    The paper's running example: is it a *Cattleya* orchid?

    >>> import cattleya
    >>> x4 = ("x4", 0, 1)
    >>> tree = cattleya.Tree.from_nested(
    ...     ("x1", ("x2", 0, ("x3", 0, x4)), ("x2", ("x3", x4, x4), ("x3", x4, x4))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 1, 1])
    >>> e.prediction
    1
    >>> print(e.direct_reason())
    x1 and x2 and x3 and x4
    >>> for contrast in e.contrastive():
    ...     print(contrast)
    x4
    x1 and x2
    x1 and x3
    >>> print(e.sufficient_reason(), "|", *e.necessary())
    x1 and x4 | x4

    The row, and what was asked of it:

    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("old", "no", ("rich", "no", "yes")))
    >>> explainer = cattleya.Explainer(tree)
    >>> e = explainer.explain({"old": 1, "rich": 0}, exclude=["old"], immutable=["old"])
    >>> e.prediction_name, e.class_labels, e.row_class, e.label, e.table
    ('no', ('no', 'yes'), 0, None, None)
    >>> e.row.tolist(), [(one.feature, one.value) for one in e.values], e.raw_row
    ([1.0, 0.0], [('old', 1.0), ('rich', 0.0)], None)
    >>> sorted(map(str, e.conditions)), *map(str, e.excluded | e.immutable)
    (['not rich', 'old'], 'old')
    >>> e.tree == tree, e.over.name, e.assumptions
    (True, 'CONDITIONS', ())
    >>> e.definition
    "over the tree's binary conditions, each taken as a Boolean variable of its own"
    """

    _table: Callable[[], Among | None] | None = None  # gives the rows that the explainer has

    def __init__(self, row: ExplainedRow) -> None:
        self._row = row
        self._contrasts: dict[int, tuple[Reason, ...]] = {}
        self._sets: dict[tuple[str, str], frozenset[Condition]] = {}

    @cached_property
    def _counting(self) -> Counting:
        return Counting(self._row)

    @cached_property
    def _changes(self) -> Changes:
        return Changes(self._row)

    def to_dict(self, timeout: float | None = 5.0) -> dict[str, Any]:
        """Return the answers as plain values: what ``cattleya explain --json`` prints.

        Parameters
        ----------
        timeout : float or None
            Seconds for each question that may take long; what was not settled is None.

        Examples
        --------
        >>> import cattleya
        >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", "no", "yes"))).explain([1])
        >>> e.to_dict()["prediction"], e.to_dict()["sufficient_reason"][0]["text"]
        ('yes', 'a')
        """
        from cattleya.present.json_form import explanation_dict

        return explanation_dict(self, timeout)

    def to_json(self, timeout: float | None = 5.0, *, indent: int | None = None) -> str:
        """Return the same as JSON text.

        Examples
        --------
        >>> import cattleya, json
        >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", "no", "yes"))).explain([1])
        >>> json.loads(e.to_json())["prediction"]
        'yes'
        """
        return json.dumps(self.to_dict(timeout), indent=indent, ensure_ascii=False)

    def __reduce__(self) -> tuple[object, ...]:
        return Explanation, (self._row,)

    # The row, and what was decided about it.

    @property
    def table(self) -> Among | None:
        """The rows that ``Explainer(data=...)`` was given, which facts are counted on."""
        return None if self._table is None else self._table()

    @property
    def prediction(self) -> Any:
        """What ``model.predict`` gives: the class of the row, or its number."""
        return self._row.prediction

    @property
    def prediction_name(self) -> str:
        """The prediction as text; a class by the ``class_names`` of the explainer, if any."""
        row = self._row
        return row.context.model_classes.names[row.prediction_place]

    @property
    def outcome(self) -> str:
        """What is explained, in words: by default the class, else such as "at least 100,000".

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], None,
        ...                      n_features=1, leaf_value=[0, 95000, 120000])
        >>> e = cattleya.Explainer(tree, target=cattleya.Value(below=100_000)).explain([40])
        >>> e.prediction, e.outcome
        (120000.0, 'at least 100,000')
        >>> cattleya.Explainer(tree).explain([40]).outcome
        'exactly 120,000'
        """
        return self._row.classes.names[self._row.row_class]

    @property
    def class_labels(self) -> tuple[str, ...]:
        """All outcomes that are told apart, by default the classes, as text.

        In the order of the ``class_names`` of :attr:`tree`.
        """
        return self._row.classes.names

    @property
    def row_class(self) -> int:
        """The outcome of the row, by default its class, as its place among all of them."""
        return self._row.row_class

    @property
    def row(self) -> Floats:
        """The row in the tree's columns, as the model rounds it."""
        return self._row.row

    @property
    def raw_row(self) -> Any:
        """The row as it was given, where the tree's columns are others; else None."""
        return self._row.raw_row

    @property
    def label(self) -> Any:
        """What the row is called in the table that it was taken from; None where it is in none."""
        return self._row.label

    @property
    def values(self) -> list[OwnValue]:
        """The value of every feature in the row, as the user gave it."""
        return self._row.values

    @property
    def tree(self) -> Tree:
        """The tree that decided, its leaves labelled with the outcomes."""
        return self._row.tree

    @property
    def over(self) -> Over:
        """Which vocabulary the explanations are made of: "conditions", "features", "intervals"."""
        return self._row.over

    @property
    def definition(self) -> str:
        """What the explanations are made of, in words."""
        return self._row.over.definition

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted about the columns, and what training has not seen."""
        return self._row.context.assumptions + self._row.unseen

    @cached_property
    def conditions(self) -> frozenset[Condition]:
        """All the tree's conditions, each on the side that the row is on: the paper's ``t_x``."""
        return self._row.atoms.set_of(np.arange(len(self._row.atoms), dtype=np.int32))

    @property
    def excluded(self) -> frozenset[Condition]:
        """The row's conditions that no sufficient reason may have."""
        return self._row.atoms.set_of(self._row.excluded)

    @property
    def immutable(self) -> frozenset[Condition]:
        """The row's conditions that no contrastive explanation may change."""
        return self._row.atoms.set_of(self._row.immutable)

    def condition(self, text: str) -> Condition:
        """Return the condition of the row that prints as ``text``.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.condition("a"), e.condition("a") in e.sufficient_reason())
        a True
        """
        return self._row.condition(text)

    def value_of(self, condition: Condition) -> Hashable:
        """Return the value of a condition's feature in the row, as the user gave it.

        A number comes as a float, a category as it is called; None is missing.

        Examples
        --------
        >>> import cattleya
        >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1))).explain([1])
        >>> e.value_of(e.condition("a"))
        1.0
        """
        columns = self._row.context.domain.of_column
        if not isinstance(condition, Condition) or not 0 <= condition.index < len(columns):
            raise TypeError(
                f"{shown(condition)} is no Condition of this tree; take one from this explanation"
            )
        return self._row.value(int(columns[condition.index]))

    def test_at(self, node: int) -> Comparison:
        """Return the test of a node of the tree, on the side that the row is on.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.test_at(0), "|", e.test_at(e.tree.right[0]))
        a | c
        """
        return self._row.test_at(node)

    # Why.

    def direct_reason(self) -> Reason:
        """Return the conditions on the path of the row.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("b", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> print(e.direct_reason(), "|", e.sufficient_reason())
        a and b | b
        """
        return self._direct

    def sufficient_reason(self, timeout: float | None = None) -> Reason:
        """Return a sufficient reason: conditions that force the class, with nothing to spare.

        Found as in the paper: of the direct reason, conditions are dropped from the leaf
        upwards as long as the rest forces the class. There may be many others, and shorter ones
        (:meth:`minimal_reason`). The time it takes grows with the tree; ``timeout`` is as for
        :meth:`count`. Over intervals it prints with every interval and set of values as large as
        it can be, as :meth:`generalise` has it; its conditions are the row's.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.sufficient_reason())
        a and c
        """
        return self._changes.worded(self._row.sufficient(Deadline(timeout)).greedy)

    def quick_reason(self, timeout: float | None = None) -> Reason:
        """Return a reason that takes no search: of a single tree, :meth:`sufficient_reason`.

        Of an ensemble, whose sufficient reasons take a search, it is one by bounds alone.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.quick_reason())
        a and c
        """
        return self.sufficient_reason(timeout)

    def reason(self, timeout: float | None = None, among: Any = None) -> General:
        """Return the one reason to show a person: of the fewest features, then the widest.

        Of each feature that it mentions it has an interval or a set of values, whatever
        :attr:`over` the explanation is made of. Proved are: every row that has these gets the
        class; no fewer features do; and no interval or set can be made larger. Among the reasons
        of as few features it is the widest by :attr:`General.measure`: the one that covers most
        rows of a table, or without one the largest share of the cells that the tree can tell
        apart. ``widest`` says whether all of them were compared.

        The share of the cells needs no data, is a fraction, and stays the same when a feature is
        scaled; a learned tree has its thresholds where the data are, so that cells are about as
        full.

        Parameters
        ----------
        timeout : float, optional
            As for :meth:`count`.
        among : table of rows, or ``explainer.among(table)``
            Whose rows are counted. By default those that ``Explainer(data=...)`` was given, if any.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
        ...                      [18.5, 0, 30.5, 0, 0], [-1, 0, -1, 1, 0], n_features=1,
        ...                      feature_names=["age"])
        >>> reason = cattleya.Explainer(tree, integer=True).explain([25]).reason()
        >>> print(reason, "|", reason.width, reason.widest.proved)
        age is 19 to 30 | 1/3 True

        Either feature is enough here; in the table more rows are tall.

        >>> tree = cattleya.Tree.from_nested(("old", ("tall", "no", "yes"), "yes"))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> wide = e.reason(among=[[0, 1], [0, 1], [1, 0]])
        >>> print(wide, "|", wide.widest.rows)
        tall | 2
        """
        needed = among is not None or self._table is not None
        return self._changes.reason(timeout, self._short.table(among) if needed else None)

    def contrastive(
        self, toward: Hashable = None, limit: int | None = None, timeout: float | None = None
    ) -> tuple[Reason, ...]:
        """Return all contrastive explanations, the smallest first.

        Each is a minimal set of the row's conditions whose change can change the class.

        Parameters
        ----------
        toward : label of a class, optional
            Only changes that reach this class (the label or the name shown for it); by default
            any other class will do.
        limit : int, optional
            How many to give at the most; there can be half a million.
        timeout : float, optional
            As for :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> for contrast in e.contrastive():
        ...     print(contrast)
        c
        a and b
        >>> tree = cattleya.Tree.from_nested(("a", "low", ("b", "middle", "high")))
        >>> print(*cattleya.Explainer(tree).explain([1, 1]).contrastive(toward="low"))
        a
        """
        deadline = Deadline(timeout)
        row, target = self._row, ANY_OTHER_CLASS
        if toward is not None:
            target = row.classes.other_than(row.row_class, toward)
        if limit is not None:
            return row.contrasts(target, deadline).all(_checked_limit(limit))
        if target not in self._contrasts:
            self._contrasts[target] = row.contrasts(target, deadline).all()
        return self._contrasts[target]

    def changes(
        self, limit: int | None = None, toward: Hashable = None, timeout: float | None = None
    ) -> tuple[Change, ...]:
        """Return all minimal changes, each with the values that do it and the class that follows.

        They are the contrastive explanations, those that a reader finds smallest first. Each has
        ``destinations``: for every class that can be reached, the nearest values that lead there
        while all else stays as it is, as many as do. Where several features have to change, they
        change together, and none of the values can be left out: changing only some of the features
        to them does not change the outcome (with ``toward``: does not lead to that class).

        Parameters
        ----------
        limit : int, optional
            How many to give at the most.
        toward : label of a class, optional
            Only changes that reach this class.
        timeout : float, optional
            As for :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 1, -1, -1],
        ...                      [30.5, 0, 2.5, 0, 0], [-1, 0, -1, 0, 1], n_features=2,
        ...                      feature_names=["age", "children"], class_names=["no", "yes"])
        >>> e = cattleya.Explainer(tree, over="intervals", integer=True).explain([40, 3])
        >>> for change in e.changes():
        ...     print(change)
        children: 3 -> 2 or less gives no
        age: 40 -> 30 or less gives no
        """
        deadline, row, target = Deadline(timeout), self._row, ANY_OTHER_CLASS
        if toward is not None:
            target = row.classes.other_than(row.row_class, toward)
        found = row.contrasts(target, deadline)
        most = None if limit is None else _checked_limit(limit)
        if row.over.merges:
            every = found.all()
            order = found.by_features(row.attribute_of_atom)[:most]
            contrasts = tuple(map(every.__getitem__, order))
        else:
            contrasts = found.all(most)
        return tuple(self._changes.changes(contrasts, target, deadline))

    def contrasts_as_read(self) -> tuple[Reason, ...]:
        """Return all contrastive explanations, those that a reader finds smallest first.

        As :meth:`contrastive` has them; where conditions on one feature are said as one interval,
        those of the fewest features, and of these the smallest.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(*e.contrasts_as_read(), sep=" | ")
        c | a and b
        """
        found = self.contrastive()
        if not self._row.over.merges:
            return found
        contrasts = self._row.contrasts(ANY_OTHER_CLASS, Deadline(None))
        return tuple(map(found.__getitem__, contrasts.by_features(self._row.attribute_of_atom)))

    def necessary(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that every explanation of a kind contains.

        Where there is no explanation of the kind at all, none is called necessary.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", ("c", 0, 1), 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(*e.sufficient_reasons(), sep=" | ")
        a and b | a and c
        >>> print(*e.necessary())
        a
        """
        in_all = "units" if checked_kind(kind) == "sufficient" else "in_every_clause"
        return self._set_of(kind, in_all)

    def necessary_features(self) -> tuple[str, ...]:
        """Return the features that every sufficient reason mentions, if not by the same condition.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
        ...                      [18.5, 0, 30.5, 0, 0], [-1, 0, -1, 1, 0], n_features=1,
        ...                      feature_names=["age"])
        >>> cattleya.Explainer(tree).explain([25]).necessary_features()
        ('age',)
        """
        complete = self._row.sufficient(Deadline(None)).complete
        places = complete.within_one(self._row.attribute_of_atom).tolist()
        attributes = self._row.context.domain.attributes
        return tuple(attributes[place].name for place in places)

    def relevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that some explanation of a kind contains.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), 1))
        >>> e = cattleya.Explainer(tree).explain([1, 0])
        >>> sorted(map(str, e.relevant())), sorted(map(str, e.irrelevant()))
        (['a'], ['not b'])
        """
        # For both kinds, what is in a clause: minimal hitting sets use every atom of an antichain.
        return self._set_of(kind, "relevant")

    def irrelevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the row's conditions that no explanation of a kind contains.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), 1))
        >>> e = cattleya.Explainer(tree).explain([1, 0])
        >>> print(*e.irrelevant())
        not b
        """
        return self._set_of(kind, "irrelevant")

    def sufficient_reasons(
        self, limit: int | None = None, timeout: float | None = None
    ) -> Iterator[Reason]:
        """Give all sufficient reasons, each once, one after the other.

        The first comes at once, and memory does not grow with the number given. The order is that
        of the search: it branches on the clause with the fewest choices, and is the same each time.

        Parameters
        ----------
        limit : int, optional
            How many to give at the most.
        timeout : float, optional
            Seconds, from the first reason asked for, after which the next one raises
            :class:`cattleya.TimeoutExpired`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> for reason in cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons():
        ...     print(reason)
        a and c
        b and c
        """
        return self._iterate(limit, timeout, SufficientReasons.every)

    def minimal_reason(self, weights: Any = None, timeout: float | None = None) -> Reason:
        """Return a sufficient reason with the fewest conditions, or of the least weight.

        It is proved to be one: no sufficient reason is shorter, or lighter. Over intervals it
        prints as :meth:`sufficient_reason` does.

        Parameters
        ----------
        weights : dict or number, optional
            Positive numbers by feature (its name or number) or by condition, which takes precedence
            over its feature; what is not there weighs 1. They are added exactly: ``0.1`` is the
            binary number that Python has for it, ``Fraction(1, 10)`` a tenth. Scaled to whole
            numbers, they must stay below 2^120 together.
        timeout : float, optional
            As for :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), 1))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.minimal_reason(), "|", e.minimal_reason(weights={"a": 3}))
        a | b and c
        """
        deadline = Deadline(timeout)
        row = self._row
        limbs = None if weights is None else row.context.features.weights(weights, row.atoms)
        return self._changes.worded(self._row.sufficient(deadline).minimal(deadline, limbs))

    def minimal_reasons(
        self, limit: int | None = None, timeout: float | None = None
    ) -> Iterator[Reason]:
        """Give all sufficient reasons with the fewest conditions, each once.

        As :meth:`sufficient_reasons` does; ``count("minimal")`` says how many there are.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), ("d", ("b", 0, 1), 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1, 1])
        >>> for reason in e.minimal_reasons():
        ...     print(reason)
        a and b
        a and d
        b and c
        """
        return self._iterate(limit, timeout, SufficientReasons.every_minimal)

    def diverse_reasons(self, k: int, timeout: float | None = None) -> DiverseReasons:
        """Return ``k`` sufficient reasons that overlap as little as can be had.

        One reason alone can mislead: another may share little with it. The first is a minimal one;
        each next shares as little as any other reason can with those before it, and is a shortest
        of such; then each is exchanged as long as that makes the overlap smaller. Where there are
        fewer than ``k`` reasons, all of them are given.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> found = cattleya.Explainer(tree).explain([1, 1, 1]).diverse_reasons(2)
        >>> print(*found, sep=" | ")
        a and c | b and c
        >>> found.coverage, found.overlap
        (Fraction(1, 1), 1)
        """
        if not is_whole(k):
            raise TypeError(f"k must be a whole number, not {shown(k)}")
        if k < 1:
            raise ValueError(f"k must be 1 or more, not {shown(k)}")
        deadline = Deadline(timeout)
        return diverse(self._row.sufficient(deadline), int(k), deadline)

    def representative(self, reason: Iterable[Condition | str]) -> Representation:
        """Tell whether one sufficient reason stands for all of them.

        It does where its conditions are about the necessary ones (nearly all of it is in every
        reason) or about the relevant ones (nearly all that is in any reason is in it). The result
        has both distances.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.representative(e.minimal_reason()))
        1 of its 2 conditions is not in every sufficient reason; 1 of the 3 conditions that are in \
some sufficient reason is not in it
        """
        verified = self.verify(reason)
        if not verified:
            raise ValueError(
                f"that is not a sufficient reason of the row: {verified}; take one from this "
                f"explanation"
            )
        return represent(verified.conditions, self.necessary(), self.relevant())

    def is_free_of(self, features: Iterable[Any]) -> bool:
        """Tell whether some sufficient reason mentions none of the features.

        Where none does, ``explain(x, exclude=features)`` has no sufficient reason to give.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> e.is_free_of(["a"]), e.is_free_of(["c"])
        (True, False)
        """
        atoms = np.union1d(self._row.atoms_of("is_free_of", features), self._row.excluded)
        return not self._row.complete.inside(atoms.astype(np.int32))

    # Usually: few facts, and how often they are right.

    @cached_property
    def _short(self) -> ShortQuestions:
        from cattleya.explain.short import ShortQuestions

        return ShortQuestions(self._row, self._table)

    def short_reason(
        self,
        precision: Any = 0.95,
        among: Any = None,
        max_size: int | None = None,
        min_coverage: Any = None,
        prove: bool = False,
        timeout: float | None = None,
    ) -> ShortReason:
        """Return few facts of the row that are usually right, and exactly how often.

        Of the rows of a table that have these facts, at least a share ``precision`` get the row's
        outcome. The facts are the row's sides of any tests of the tree, not only of those on its
        path, or with ``over="features"`` its values; a fact about a number that the row has leaves
        out rows that lack it. The smallest set that is found is returned; of several that are
        found, the safest: that with the highest lower bound by Wilson's interval, then the one with
        most rows. It does not force the outcome: ``exceptions(table)`` has the others.

        Chosen on one table, facts are right a little less often on another;
        ``check(other_rows)`` counts that. Rows that the tree was trained on flatter it.

        Parameters
        ----------
        precision : number
            The share of the rows with these facts that must get the outcome; 0.95 is 19/20.
        among : table of rows, ``explainer.among(table)``, or what rows are weighed by, optional
            What is counted: each row once, equal rows each time, no weights. Without a table,
            :class:`cattleya.TrainingWeights`, :class:`cattleya.Independent` and
            :class:`cattleya.Uniform` weigh what could be; their figures are exact, too. By default
            the rows that ``Explainer(data=...)`` was given, else the training weights.
        max_size : int, optional
            How many facts at the most; by default 7 among rows, and 12 where they are weighed.
        min_coverage : number, optional
            The share of the rows that must have the facts at the least; by default 0.01 of the
            rows of a table, and any where rows are weighed.
        prove : bool
            Whether to prove that no fewer facts do, as far as ``timeout`` allows; ``at_least`` and
            ``proved_smallest`` say how far that went. Up to two facts need no further proof.
        timeout : float, optional
            Seconds. Where they end the proof, what was found is returned; where they end the
            search, :class:`cattleya.TimeoutExpired` is raised.

        Raises
        ------
        cattleya.NoSuchReason
            Where no such facts were found: ``best`` has the best of every size.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), ("c", "no", "yes")))
        >>> rows = 8 * [[1, 0, 1]] + 2 * [[1, 0, 0]] + 20 * [[0, 0, 0]]
        >>> e = cattleya.Explainer(tree).explain([1, 0, 1])
        >>> short = e.short_reason(0.8, among=rows)
        >>> print(short, "|", short.precision, short.coverage)
        c | 1 4/15
        >>> print(e.short_reason(0.75, among=rows[:10]).sentence)
        of all 10 rows of the table, 80% (8) get yes; 2 do not
        """
        return self._short.reason(precision, among, max_size, min_coverage, prove, timeout)

    def trade_off(
        self,
        among: Any = None,
        max_size: int | None = None,
        min_coverage: Any = None,
        timeout: float | None = None,
    ) -> TradeOff:
        """Return what each further fact gains: the safest facts that are found of every size.

        Each is ``(size, precision, coverage, reason)``; the parameters are those of
        :meth:`short_reason`. ``ladder`` has facts that are added one after the other.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
        >>> rows = 4 * [[0, 0]] + 3 * [[1, 0]] + 3 * [[1, 1]]
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> for size, precision, coverage, reason in e.trade_off(among=rows):
        ...     print(size, precision, coverage, reason)
        0 3/10 1 (no condition)
        1 1 3/10 b
        """
        return self._short.trade_off(among, max_size, min_coverage, timeout)

    def precision(
        self, facts: Iterable[Condition | str] | str, among: Any = None
    ) -> Share | Chance:
        """Count how many rows of a table have some facts, and how many of these get the outcome.

        The facts are any that :meth:`verify` takes, as conditions or as text; they need not hold in
        the row. They are counted as the model sees a row: a missing value counts as what is filled
        in for it. Where rows are weighed (``among`` as for :meth:`short_reason`), they are the
        row's.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> print(e.precision(["a"], among=[[0, 0], [1, 0], [1, 1]]))
        1 of 2 rows (50%), 66.6% of 3
        """
        return self._short.precision(facts, among)

    @overload
    def verify(self, conditions: Iterable[Condition | str] | str) -> Verification: ...
    @overload
    def verify(self, conditions: ShortReason, *, among: Any) -> Recount | Reweighing: ...
    def verify(
        self, conditions: Iterable[Condition | str] | str, *, among: Any = None
    ) -> Verification | Recount | Reweighing:
        """Prove or refute that a set of conditions is a sufficient reason for this row.

        The proof walks the tree itself, and knows nothing of the search for reasons. It takes
        whatever is printed anywhere, as conditions, as their texts or as one sentence: conditions
        of :attr:`over` are taken as their definition takes them; intervals, sets of values and
        conditions of other vocabularies as what they leave of the values of each feature. A number
        that was rounded when it was printed is taken for the threshold that it stands for, and
        ``notes`` say so.

        A short reason is counted again ``among`` the rows of a table, one by one, or weighed again
        node by node: the result is true where the figures are those that it claims.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> print(e.verify(["x1", "x2"]))
        a sufficient reason: it forces the class, and nothing in it can be left out
        >>> refuted = e.verify(["x1"])
        >>> bool(refuted), refuted.row.tolist()
        (False, [1.0, 0.0])
        >>> bool(e.verify("x1 and x2")), bool(e.verify(e.reason()))
        (True, True)
        """
        if among is not None:
            return self._short.verify(conditions, among)
        verified = self._row.verify(conditions)
        noun = self._row.classes.noun
        return verified if noun == verified.noun else replace(verified, noun=noun)

    def is_contrastive(self, conditions: Iterable[Condition | str]) -> bool:
        """Prove or refute that a set of conditions is a contrastive explanation of this row.

        As :meth:`verify` does: all the row's conditions but these are not sufficient for its class,
        and with any one of them added back they are.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> e.is_contrastive(["x1"]), e.is_contrastive(["x1", "x2"])
        (True, False)
        """
        return self._row.prover.is_contrast(self._row.meant(conditions))

    # How many.

    def count(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> int:
        """Return how many explanations of a kind there are, exactly.

        Parameters
        ----------
        kind : {"sufficient", "minimal", "contrastive"}
            Sufficient reasons are counted without listing them: there may be 10^40. So are the
            minimal ones, those with the fewest conditions.
        timeout : float, optional
            Seconds after which :class:`cattleya.TimeoutExpired` is raised. The explanation stays
            usable, and can be asked again.
        threads : int
            How many cores may work on it, where it is hard enough to share.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> e.count(), e.count("minimal"), e.count("contrastive")
        (2, 2, 2)
        """
        return self._counting.count(kind, timeout, threads)

    def importance(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> dict[Condition, Fraction]:
        """Return the share of the explanations that contain each condition, highest first.

        Every condition of the row is there, with 0 if it is in no explanation. The shares are
        exact; :meth:`importance_array` has them as floating point numbers. The parameters are
        those of :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> {str(condition): str(share) for condition, share in e.importance().items()}
        {'c': '1', 'a': '1/2', 'b': '1/2'}
        """
        return self._counting.importance(kind, timeout, threads)

    def feature_importance(self, timeout: float | None = None) -> dict[str, Fraction]:
        """Return the share of the sufficient reasons that mention each feature, highest first.

        A reason that has several conditions on a feature counts once, so that a feature does not
        gain from having many thresholds. Every feature is there, with 0 if no reason mentions it.
        The shares are exact: the reasons that avoid a feature are counted.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> {feature: str(share) for feature, share in e.feature_importance().items()}
        {'c': '1', 'a': '1/2', 'b': '1/2'}
        """
        return self._counting.feature_importance(timeout)

    def importance_array(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> tuple[tuple[Condition, ...], Floats]:
        """Return the relevant conditions and their importance as floating point numbers.

        The same as :meth:`importance`, rounded, and faster to work with: for plots.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> e.importance_array()
        ((<Condition c>, <Condition a>, <Condition b>), array([1. , 0.5, 0.5]))
        """
        ranked = self.importance(kind, timeout)
        positive = [(condition, float(share)) for condition, share in ranked.items() if share]
        return tuple(c for c, _ in positive), np.array([share for _, share in positive])

    def count_by_size(self, timeout: float | None = None) -> dict[int, int]:
        """Return how many sufficient reasons of each size there are, exactly.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), 1))
        >>> cattleya.Explainer(tree).explain([1, 1, 1]).count_by_size()
        {1: 1, 2: 1}
        """
        deadline = Deadline(timeout)
        return dict(self._row.sufficient(deadline).by_size(deadline))

    def sample(
        self, n: int, seed: int | None = None, timeout: float | None = None
    ) -> tuple[Reason, ...]:
        """Return sufficient reasons drawn uniformly from all of them, each independently.

        Parameters
        ----------
        n : int
            How many to draw. One may come more than once.
        seed : int, optional
            The same seed gives the same reasons.
        timeout : float, optional
            As for :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> for reason in e.sample(3, seed=2):
        ...     print(reason)
        b and c
        b and c
        a and c
        """
        return self._counting.sample(n, seed, timeout)

    def compile(self, timeout: float | None = None) -> Circuit:
        """Return the circuit behind the counts, to be asked many times or kept in a file.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> circuit = e.compile()
        >>> circuit.count(), circuit.count(including=["b"])
        (2, 1)
        """
        deadline = Deadline(timeout)
        return self._row.sufficient(deadline).compiled(deadline)

    # What would change it.

    def counterfactuals(
        self,
        n: int = 1,
        toward: Hashable = None,
        immutable: Iterable[Any] = (),
        ranges: Mapping[Any, Any] | None = None,
        metric: str = "l0",
        data: Any = None,
        weights: Any = None,
        timeout: float | None = None,
    ) -> tuple[Counterfactual, ...]:
        """Return the nearest rows of another class, the nearest first.

        They are proved to be nearest: every leaf of the tree is considered, each by its nearest
        row. Whole numbers (that ``Explainer(integer=...)`` names), categories and one-hot groups
        stay what they are, and each row is checked against the model itself.
        :class:`cattleya.NoSuchCounterfactual` says which constraint stands in the way where there
        is none.

        Parameters
        ----------
        n : int
            How many at the most: one per leaf of the tree.
        toward : label of a class, optional
            Only rows of this class.
        immutable : list of features
            Features that stay as they are, besides those that :meth:`Explainer.explain` was given.
        ranges : dict, optional
            What features may change to; they may always stay. A number: ``(low, high)``, with None
            for no bound, ``"increase"``, ``"decrease"``, or a list of these. A category: the set of
            values. A value that is there does not become missing, unless ``"missing"`` (for a
            category None among the values) is permitted here.
        metric : {"l0", "l1", "l2"}
            How many features change, the sum of absolute changes deciding between equals; the sum
            of absolute changes; or the root of the sum of their squares.
        data : rows as the model takes them, optional
            A change of a number is then measured in units of its range there, whatever an imputer
            makes of its gaps. Without, a unit is 1. A change of category costs 1, and so does one
            from or to a missing value.
        weights : dict, "range" or "mad", optional
            What a unit of a number, or a change of category, costs, by feature; or what a number's
            unit is in ``data``: its range or its median absolute deviation (its range where that
            is 0).
        timeout : float, optional
            As for :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 1, -1, -1],
        ...                      [30.5, 0, 2.5, 0, 0], [-1, 0, -1, 0, 1], n_features=2,
        ...                      feature_names=["age", "children"], class_names=["no", "yes"])
        >>> e = cattleya.Explainer(tree, integer=True).explain([28, 3])
        >>> nearest, = e.counterfactuals()
        >>> print(nearest, "|", nearest.prediction, nearest.row)
        age: 28 -> 31 | yes [31.  3.]
        """
        return self._changes.counterfactuals(
            immutable,
            data,
            timeout,
            n=n,
            toward=toward,
            ranges=ranges,
            metric=metric,
            weights=weights,
        )

    def generalise(
        self, reason: Iterable[Condition | str], timeout: float | None = None
    ) -> General:
        """Return a sufficient reason with every interval and set of values as large as can be.

        While it still forces the class: an interval of a number, a set of values of a category.
        The result prints, and tells which rows of a data set it covers (``covers(X)``) and what
        share of them (``share(X)``).

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
        ...                      [18.5, 0, 30.5, 0, 0], [-1, 0, -1, 1, 0], n_features=1,
        ...                      feature_names=["age"])
        >>> e = cattleya.Explainer(tree, over="features").explain([20])
        >>> wide = e.generalise(e.minimal_reason())
        >>> print(e.minimal_reason(), "|", wide, "|", wide.share([[18], [19], [29], [40]]))
        age = 20.0 | 18.5 < age <= 30.5 | 0.5
        """
        return self._changes.generalise(reason, timeout)

    def reach(self, reason: Reason, X: Any) -> Reach:
        """Return how far a reason reaches in a table: its rows, and its share of the decisions.

        Parameters
        ----------
        reason : Reason
            Any reason of this explanation, also a general one.
        X : table of rows, as the model takes them, or ``explainer.among(table)``

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), 1))
        >>> e = cattleya.Explainer(tree).explain([1, 0])
        >>> print(e.reach(e.reason(), [[1, 0], [1, 1], [0, 1], [0, 0]]))
        covers 2 of 4 rows, 66.7% of the 3 that get 1
        """
        if not isinstance(reason, Reason):
            raise TypeError(f"reach takes a Reason of this explanation, not {shown(reason)}")
        from cattleya.explain.short import Among

        context = self._row.context  # rows are read once: that may cost more than all the rest
        own = X.of(context) if isinstance(X, Among) else None
        matrix = context.model.rows.matrix(X) if own is None else own.matrix
        prepared = self._row.prepared
        outcomes = context.outcomes_for(prepared, matrix) if own is None else own.outcomes(prepared)
        # With a gap where the row has none, a row may have what the reason says and another class.
        covered = gets = outcomes == self._row.row_class
        for condition in reason.general if isinstance(reason, Worded) else reason:
            covered = covered & condition.holds_in(matrix)
        return Reach(int(covered.sum()), len(matrix), int(gets.sum()), self.outcome)

    def is_fair(self, protected: Iterable[Any], timeout: float | None = None) -> Fairness:
        """Tell whether the class stays the same whatever some features are.

        All of them may change together, to any value that there is. The result is false where
        another class can be reached that way, and then has the row that shows it.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("sex", ("job", 0, 1), 1))
        >>> e = cattleya.Explainer(tree).explain([1, 0])
        >>> print(e.is_fair(["job"]))
        fair: no change of job changes the class
        >>> print(e.is_fair(["sex"]))
        not fair: with sex: 1 -> 0 the class is 0
        """
        return self._changes.is_fair(protected, timeout)

    # How it shows itself: words and pages are above, and imported only when somebody looks.

    def __str__(self) -> str:
        from cattleya.present.words.show import describe

        return describe(self)

    def __rich__(self) -> Group:
        from cattleya.present.words.show import styled

        return styled(self)

    def _repr_html_(self) -> str:
        from cattleya.present.pages.page import fragment

        return fragment(self)

    @overload
    def to_html(
        self,
        path: None = None,
        *,
        timeout: float | None = 5.0,
        shape: Sequence[int] | None = None,
        about: str | None = None,
        data: Any = None,
    ) -> str: ...
    @overload
    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        timeout: float | None = 5.0,
        shape: Sequence[int] | None = None,
        about: str | None = None,
        data: Any = None,
    ) -> None: ...
    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        timeout: float | None = 5.0,
        shape: Sequence[int] | None = None,
        about: str | None = None,
        data: Any = None,
    ) -> str | None:
        """Write a page with all the answers: one file that needs no network.

        It is written in full or not at all. Names and values are shown as they are: nothing in
        them is run.

        Parameters
        ----------
        path : path, optional
            Where to write it; by default the text is returned.
        timeout : float or None
            Seconds for each question that may take long, such as counting the reasons. The page
            says which were not settled.
        shape : sequence of int, optional
            Height and width, and channels if there are any, of a row that is an image: pixel after
            pixel, line by line. The page then shows the paper's figure: the instance, a reason,
            the heat map, the explanatory features.
        about : str, optional
            Which row it is, as the page should call it, such as ``"application 0815"``; by default
            its label in the table that it was taken from, where it is a row of one.
        data : table of rows, optional
            As the model takes them. The page then says how many of them the reason covers, and what
            share of the decisions for the class that is.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "yes", "no")))
        >>> page = cattleya.Explainer(tree).explain([1, 0]).to_html()
        >>> page[:15], "<title>yes: why?" in page
        ('<!doctype html>', True)
        """
        from cattleya.present.pages.page import page

        text = page(self, timeout, shape, about, data)
        if path is None:
            return text
        from cattleya.support.files.atomic import write_text

        write_text(path, text)
        return None

    def __repr__(self) -> str:
        return (
            f"<Explanation: {printable(self.outcome)}, direct reason of "
            f"{len(self._row.atoms.path)} of {len(self._row.atoms)} conditions>"
        )

    @cached_property
    def _direct(self) -> Reason:
        path = self._row.atoms.path
        return Reason(self._row.reasons("direct reason", np.array([0, len(path)]), path), 0)

    def _set_of(self, kind: str, numbers: str) -> frozenset[Condition]:
        """Return what the complete reason of a kind calls ``numbers``, as conditions."""
        if (checked_kind(kind), numbers) not in self._sets:
            if kind == "sufficient":
                complete = self._row.sufficient(Deadline(None)).complete
            else:
                complete = self._row.changeable
            self._sets[kind, numbers] = self._row.atoms.set_of(getattr(complete, numbers))
        return self._sets[kind, numbers]

    def _iterate(
        self,
        limit: int | None,
        timeout: float | None,
        every: Callable[[SufficientReasons, float, Deadline], Iterator[Reason]],
    ) -> Iterator[Reason]:
        Deadline(timeout)  # a bad value is refused now, not when the first reason is asked for
        most = math.inf if limit is None else _checked_limit(limit)

        def reasons() -> Iterator[Reason]:
            deadline = Deadline(timeout)
            yield from every(self._row.sufficient(deadline), most, deadline)

        return reasons()


def count_on(explanation: Explanation, table: Callable[[], Among | None]) -> None:
    """Have short reasons counted on a table by default: for explainers, not for users."""
    explanation._table = table


def explained_row(explanation: Explanation) -> ExplainedRow:
    """Return the row behind an explanation: for what shows it, not for users."""
    return explanation._row


def judged_outcome(explanation: Explanation) -> str:
    """Return the outcome of the row in words, by what the proof makes of the model's numbers."""
    row = explanation._row
    return row.classes.names[row.prepared.judged(row.row)]


def refuting_outcome(explanation: Explanation, verification: Verification) -> str | None:
    """Return the outcome of the row that refutes a reason; None where no row does."""
    row = explanation._row
    if verification.row is None:
        return None
    found = row.context.outcomes_for(row.prepared, verification.row[None, :])
    return row.classes.names[int(found[0])]


def checked_explanation(value: Any) -> Explanation:
    """Return an explanation; refuse what is none."""
    if not isinstance(value, Explanation):
        raise TypeError(f"give an Explanation, which Explainer.explain makes, not {shown(value)}")
    return value


def _checked_limit(limit: int) -> int:
    if not is_whole(limit):
        raise TypeError(f"limit must be a whole number or None, not {shown(limit)}")
    if limit < 0:
        raise ValueError(f"limit must be 0 or more, not {shown(limit)}")
    return int(limit)
