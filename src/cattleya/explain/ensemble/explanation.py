"""What can be said about one row of an ensemble: forests and boosted trees, exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Any, NoReturn

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.fairness import Fairness
from cattleya.changes.general.general_reason import General, with_rows
from cattleya.changes.minimal.change import Change
from cattleya.ensembles.search import RowSearch, Unsettled
from cattleya.explain.ensemble.row import EnsembleRow
from cattleya.explain.explanation import Explanation
from cattleya.explain.short import Among
from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.lookup import listed
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.threshold import number_text
from cattleya.proof.ensemble import EnsembleVerification
from cattleya.proof.recount import Recount
from cattleya.proof.reweigh import Reweighing
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.reasons.reason_list import RowReasons
from cattleya.support.arrays import Int32s
from cattleya.support.errors import TimeoutExpired
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import printable, shown

__all__ = ["NOT_COUNTED", "EnsembleExplanation"]

NOT_COUNTED = (
    "{what} is not offered for ensembles: it needs all reasons at once, and there is no way known "
    "to have them without listing them; sufficient_reasons(limit=...) lists some"
)
COMPARED = 8  # reasons of the fewest features: each is widened by some hundred questions
NO_TREE = "{what} is not offered for ensembles: it is about one tree; give one of the model's trees"


class EnsembleExplanation(Explanation):
    """The answers about one row of an ensemble. Made by :meth:`cattleya.Explainer.explain`.

    The words are those of a single tree; what is different is told in the guide. Every answer is
    proved: by a search over the cells that the trees tell apart, with sums bounded in whole numbers
    and every single row decided by the model's own arithmetic.

    Examples
    --------
    >>> import cattleya
    >>> stumps = cattleya.Ensemble(
    ...     [0, 3, 6], [1, -1, -1, 4, -1, -1], [2, -1, -1, 5, -1, -1], [0, -1, -1, 1, -1, -1],
    ...     [30.5, 0, 0, 9.5, 0, 0], [-1, 2, -0.5, 0.5], n_features=2,
    ...     feature_names=["age", "hours"], class_names=["low", "high"], decision="threshold")
    >>> e = cattleya.Explainer(stumps, over="intervals").explain([40, 12])
    >>> e.prediction
    'high'
    >>> print(e.sufficient_reason())
    age > 30.5
    >>> e.contrastive()
    (<Reason (contrastive explanation): age > 30.5>,)
    """

    _row: EnsembleRow

    def __init__(self, row: EnsembleRow) -> None:
        super().__init__(row)

    def __reduce__(self) -> tuple[object, ...]:
        return EnsembleExplanation, (self._row,)

    @property
    def _search(self) -> RowSearch:
        return self._row.search

    @property
    def prediction_name(self) -> str:
        """The prediction as text; a class by the ``class_names`` of the explainer, if any."""
        classes, prediction = self._row.context.model_classes, self.prediction
        if prediction in classes.labels:
            return classes.name(prediction)
        return number_text(prediction, self.ensemble.sum_dtype)

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that decided."""
        return self._row.ensemble_context.ensemble

    # Why.

    def direct_reason(self) -> Reason:
        """Return the conditions on the ways of the row through all trees."""
        return self._reason("direct reason", self._search.path)

    def quick_reason(self, timeout: float | None = None) -> Reason:
        """Return conditions that force the class by a bound on each tree alone.

        The bound takes every tree at its leaf that is worst for the class. It takes no search, and
        nothing in the reason can be left out without the bound failing; a search may still find
        that some can (:meth:`sufficient_reason`). For forests these are the majoritary reasons of
        the literature, for averaged probabilities instead of votes; for boosted trees its
        tree-specific ones. The bound may fail on the row itself (features are excluded, or two
        sums are equal but for rounding) though there is a reason; then :meth:`sufficient_reason`
        is returned.
        """
        deadline = Deadline(timeout)
        found = self._search.quick(deadline)
        if found is None:
            return self._sufficient(deadline)
        return self._reason("quick reason", found)

    def sufficient_reason(self, timeout: float | None = None) -> Reason:
        """Return a sufficient reason: conditions that force the class, with nothing to spare.

        It always forces the class. Where time runs out before it is known of every condition that
        it is needed, ``reason.irredundant`` is False, and ``reason.undecided`` has the others.
        """
        return self._sufficient(Deadline(timeout))

    def minimal_reason(self, weights: Any = None, timeout: float | None = None) -> Reason:
        """Return a sufficient reason with the fewest conditions, or of the least weight.

        It is proved to be one. :class:`cattleya.TimeoutExpired` says how many conditions every
        reason has at the least where time runs out first.
        """
        deadline = Deadline(timeout)
        limbs = None
        if weights is not None:
            limbs = self._row.context.features.weights(weights, self._search.atoms)
        found = self._search.minimal(limbs, deadline)
        if found is None:
            self._refuse_excluded()
        kind = (
            "minimal sufficient reason" if weights is None else "sufficient reason of least weight"
        )
        return self._reason(kind, found)

    def sufficient_reasons(
        self, limit: int | None = None, timeout: float | None = None
    ) -> Iterator[Reason]:
        """Give sufficient reasons, each once, one after the other; all of them without a limit."""
        return self._listed("sufficient reason", self._search.every, limit, timeout)

    def _listed(
        self,
        kind: str,
        every: Callable[[Deadline], Iterator[list[int]]],
        limit: int | None,
        timeout: float | None,
    ) -> Iterator[Reason]:
        Deadline(timeout)  # a bad value is refused now
        most = None if limit is None else _checked_limit(limit)

        def reasons() -> Iterator[Reason]:
            given = False
            for found in islice(every(Deadline(timeout)), most):
                given = True
                yield self._reason(kind, found)
            if not given and most != 0:
                self._refuse_excluded()

        return reasons()

    def contrastive(
        self, toward: Hashable = None, limit: int | None = None, timeout: float | None = None
    ) -> tuple[Reason, ...]:
        """Return contrastive explanations, the smallest first, each proved to be minimal.

        Each is a minimal set of the row's conditions whose change can change the class (to the
        class ``toward``, where it is given). Without a ``limit`` all of them are returned; there
        may be very many.
        """
        deadline = Deadline(timeout)
        most = None if limit is None else _checked_limit(limit)
        found = islice(self._search.contrasts(self._target(toward), deadline), most)
        return tuple(self._reason("contrastive explanation", one) for one in found)

    def necessary(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> frozenset[Condition]:
        """Return the conditions that every explanation of a kind contains; one question each."""
        deadline, search = Deadline(timeout), self._search
        if _check_kind(kind) == "sufficient":
            if search.excluded and search.sufficient(deadline) is None:
                self._refuse_excluded()
            numbers = search.necessary(deadline)
        else:
            everything = search.is_forced([], deadline)
            asked = () if everything else range(len(search.boxes))
            numbers = [n for n in asked if search.is_only(n, deadline)]
        return search.atoms.set_of(np.array(numbers, dtype=np.int32))

    def is_sufficient(
        self, conditions: Iterable[Condition | str], timeout: float | None = None
    ) -> bool:
        """Tell whether some of the row's conditions force its class."""
        numbers = [self._search.atoms.number(one) for one in self._row.meant(conditions)]
        return self._search.is_forced(numbers, Deadline(timeout))

    def verify(  # type: ignore[override]  # with a time limit
        self,
        conditions: Iterable[Condition | str] | str,
        timeout: float | None = None,
        *,
        among: Any = None,
    ) -> EnsembleVerification | Recount | Reweighing:
        """Prove or refute that conditions are a sufficient reason, by other means than the search.

        Few cells are all given to the ensemble itself; many are left to integer programming
        (scipy's HiGHS). The result says which (``methods``). Over ``conditions`` each test is a
        Boolean variable of its own; otherwise it is about rows, and takes whatever is printed
        anywhere, as for a single tree.
        """
        if among is not None:
            return self._short.verify(conditions, among)
        return self._row.verify_within(conditions, Deadline(timeout))

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
        """Return the nearest rows of another class, the nearest first; proved to be nearest.

        The parameters are those of :meth:`cattleya.Explanation.counterfactuals`. Of several rows
        none changes all the features that one before it changes.
        """
        row = self._row
        return row.changes.nearest(
            n,
            toward,
            (*row.immutable_names, *listed("immutable", immutable)),
            ranges,
            metric,
            None if data is None else row.context.measured(data),
            weights,
            Deadline(timeout),
        )

    def is_fair(self, protected: Iterable[Any], timeout: float | None = None) -> Fairness:
        """Tell whether the class stays the same whatever some features are."""
        return self._row.changes.is_fair(protected, Deadline(timeout))

    def generalise(
        self, reason: Iterable[Condition | str], timeout: float | None = None
    ) -> General:
        """Return a sufficient reason with every interval and set of values widened.

        As wide as a search of bounded length proves; where it does not settle a question, the
        interval stays as it is.
        """
        row = self._row
        wide = row.changes.generalise(row.meant(reason), Deadline(timeout))
        return with_rows(wide, row.context.model.rows, row.classes.noun)

    def reason(self, timeout: float | None = None, among: Any = None) -> General:
        """Return the one reason to show a person: of the fewest features, then the widest found.

        Proved are: every row that has these values gets the outcome, and no fewer features force
        it. Of the sets of as few features, up to eight are compared: each interval and set of
        values is widened as far as a search of bounded length proves, and the widest by
        :attr:`General.measure` is returned: the one that covers most rows of a table, or without
        one the largest share of the cells. ``widest`` says how many were compared, and whether
        these are all. :class:`cattleya.TimeoutExpired` is raised where time runs out before a
        smallest set of features is proved; :meth:`sufficient_reason` always gives one.
        """
        needed = among is not None or self._table is not None
        rows = self._short.table(among) if needed else None
        known = self._shown.get(id(rows))
        if known is None:
            known = self._shown[id(rows)] = rows, self._widest(rows, Deadline(timeout))
        return known[1]

    @cached_property
    def _shown(self) -> dict[int, tuple[Among | None, General]]:
        """The reasons to show: by the identity of the table, which is kept."""
        return {}

    def _widest(self, among: Among | None, deadline: Deadline) -> General:
        row = self._row.over_features
        # A search of its own: what was asked before must not decide which reasons are compared.
        search = RowSearch(row.ready, row.row, row.context.memory_limit)
        search.excluded = row.search.excluded
        found = search.every_minimal(deadline)
        first = next(found, None)
        if first is None:
            self._refuse_excluded()
        table = None
        if among is not None:
            table = among.of_class(row.prepared, row.row_class, row.ready.cell_regions)
        sets = (row.atoms.named(one) for one in chain([first], found))
        wide = row.changes.widest(sets, COMPARED, table, deadline)
        return with_rows(wide, row.context.model.rows, row.classes.noun)

    def changes(
        self, limit: int | None = None, toward: Hashable = None, timeout: float | None = None
    ) -> tuple[Change, ...]:
        """Return minimal changes, each with the values that do it and the class that follows.

        They are the contrastive explanations, the smallest first; ``limit`` says how many. The
        values are the nearest ones, and as many around them as all lead to the class, found by at
        most 2,000 decisions of the ensemble. Where several features have to change, none of the
        values can be left out: changing only some of the features to them does not change the
        outcome (with ``toward``: does not lead to that class).
        """
        deadline = Deadline(timeout)
        row, target = self._row, self._target(toward)
        found = self.contrastive(toward, limit, timeout)
        return tuple(row.changes.destination(one, target, deadline) for one in found)

    def contrasts_as_read(self) -> tuple[Reason, ...]:
        """Return all contrastive explanations, the smallest first."""
        return self.contrastive()

    def necessary_features(self, timeout: float | None = None) -> tuple[str, ...]:
        """Return the features that every sufficient reason mentions: one question each."""
        deadline, search = Deadline(timeout), self._row.over_features.search
        atoms = self._row.over_features.atoms
        return tuple(condition.feature for condition in atoms.named(search.necessary(deadline)))

    def relevant(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> frozenset[Condition]:
        """Return the conditions that some explanation of a kind contains.

        They are those of all contrastive explanations, which are listed for it: there may be very
        many. :class:`cattleya.TimeoutExpired` says how many conditions are known to be; the bounds
        are in :meth:`relevant_bounds`.
        """
        at_least, at_most = self.relevant_bounds(kind, timeout)
        if at_least != at_most:
            raise Unsettled(
                f"the time limit was reached; {len(at_least)} to {len(at_most)} conditions are "
                f"relevant: relevant_bounds says which"
            )
        return at_least

    def relevant_bounds(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> tuple[frozenset[Condition], frozenset[Condition]]:
        """Return the conditions that are proved to be relevant, and those that may be.

        Both are the same where all contrastive explanations were found in time.
        """
        _check_kind(kind)
        atoms, known = self._search.atoms, set[frozenset[int]]()
        excluded = self._search.excluded if kind == "sufficient" else frozenset[int]()
        every = frozenset(range(len(atoms))) - excluded
        complete = True
        try:
            for found in self._search.contrasts(-1, Deadline(timeout)):
                known.add(frozenset(found) - excluded)
        except TimeoutExpired:
            complete = False
        if frozenset[int]() in known:
            self._refuse_excluded()
        least = [one for one in known if not any(other < one for other in known)]
        # With something left out, a clause that is not known yet may be smaller than one that is.
        proved = least if complete or not excluded else []
        sure = frozenset[int]().union(*proved)
        may = sure if complete else every
        return tuple(atoms.set_of(np.array(sorted(one), np.int32)) for one in (sure, may))  # type: ignore[return-value]  # two of them

    def irrelevant(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> frozenset[Condition]:
        """Return the row's conditions that no explanation of a kind contains."""
        return self.conditions - self.relevant(kind, timeout)

    def is_free_of(self, features: Iterable[Any], timeout: float | None = None) -> bool:
        """Tell whether some sufficient reason mentions none of the features: one question."""
        without = {*self._row.atoms_of("is_free_of", features).tolist(), *self._search.excluded}
        rest = [number for number in range(len(self._search.atoms)) if number not in without]
        return self._search.is_forced(rest, Deadline(timeout))

    def is_contrastive(
        self, conditions: Iterable[Condition | str], timeout: float | None = None
    ) -> bool:
        """Tell whether conditions are a contrastive explanation of this row.

        All the row's conditions but these are not sufficient for its outcome, and with any one of
        them added back they are.
        """
        deadline, search = Deadline(timeout), self._search
        chosen = {search.atoms.number(one) for one in self._row.meant(conditions)}
        rest = [number for number in range(len(search.atoms)) if number not in chosen]
        if not chosen or search.is_forced(rest, deadline):
            return False
        return all(search.is_forced([*rest, one], deadline) for one in chosen)

    def minimal_reasons(
        self, limit: int | None = None, timeout: float | None = None
    ) -> Iterator[Reason]:
        """Give all sufficient reasons with the fewest conditions, each once.

        Smallest sets that hit all known contrastive explanations are listed for it.
        """
        return self._listed("minimal sufficient reason", self._search.every_minimal, limit, timeout)

    # What ensembles have no exact answer for.

    def test_at(self, node: int) -> NoReturn:
        """Refuse: there are many trees."""
        raise TypeError(NO_TREE.format(what="test_at"))

    def count(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> NoReturn:
        """Refuse: reasons of ensembles are not counted."""
        raise TypeError(NOT_COUNTED.format(what="count"))

    def importance(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="importance"))

    def feature_importance(self, timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="feature_importance"))

    def importance_array(self, kind: str = "sufficient", timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="importance_array"))

    def count_by_size(self, timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="count_by_size"))

    def sample(self, n: int, seed: int | None = None, timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="sample"))

    def compile(self, timeout: float | None = None) -> NoReturn:
        """Refuse: there is no circuit of an ensemble's reasons."""
        raise TypeError(NOT_COUNTED.format(what="compile"))

    def diverse_reasons(self, k: int, timeout: float | None = None) -> NoReturn:
        """Refuse: which reasons overlap least takes all of them."""
        raise TypeError(NOT_COUNTED.format(what="diverse_reasons"))

    def __repr__(self) -> str:
        return f"<EnsembleExplanation: {printable(self.outcome)}, {self.ensemble.n_trees} trees>"

    def _target(self, toward: Hashable) -> int:
        """Return the place of the outcome that is wanted; -1 is any other."""
        row = self._row
        return -1 if toward is None else row.classes.other_than(row.row_class, toward)

    def _sufficient(self, deadline: Deadline) -> Reason:
        found = self._search.sufficient(deadline)
        if found is None:
            self._refuse_excluded()
        return self._reason("sufficient reason", *found)

    def _refuse_excluded(self) -> NoReturn:
        needed = np.array(sorted(self._search.needed(Deadline(None))), dtype=np.int32)
        raise NoSuchReason([self._search.atoms.set_of(needed)])

    def _reason(
        self, kind: str, numbers: Sequence[int] | Int32s, undecided: Iterable[int] = ()
    ) -> Reason:
        row = self._row
        open_ = tuple(row.atoms.named(sorted(undecided))) if undecided else ()
        start, atom = np.array((0, len(numbers))), np.asarray(numbers, dtype=np.int32)
        return Reason(RowReasons(kind, row.atoms, row.context.model.rows, start, atom, open_), 0)


def _check_kind(kind: str) -> str:
    if kind not in ("sufficient", "contrastive"):
        raise ValueError(f"kind must be 'sufficient' or 'contrastive', not {shown(kind)}")
    return kind


def _checked_limit(limit: int) -> int:
    if not is_whole(limit):
        raise TypeError(f"limit must be a whole number or None, not {shown(limit)}")
    if limit < 0:
        raise ValueError(f"limit must be 0 or more, not {shown(limit)}")
    return int(limit)
