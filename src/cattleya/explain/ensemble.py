"""What can be said about one row of an ensemble: forests and boosted trees, exactly."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.fairness import Fairness
from cattleya.changes.general.general_reason import General, with_rows
from cattleya.ensembles.changes import CellChanges
from cattleya.ensembles.prepared import PreparedEnsemble
from cattleya.ensembles.search import RowSearch
from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.domain import NOT_GIVEN, value_in
from cattleya.model.domain.lookup import listed
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.checks import check_class_names
from cattleya.model.tree.classes import Classes
from cattleya.proof.ensemble import EnsembleProver, EnsembleVerification
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.reasons.reason_list import RowReasons
from cattleya.support.arrays import Floats
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import printable, shown
from cattleya.vocabularies.named_features import FeatureNames
from cattleya.vocabularies.over import Over

__all__ = ["EnsembleContext", "EnsembleExplanation"]

NOT_COUNTED = (
    "{what} is not offered for ensembles: it needs all reasons at once, and there is no way known "
    "to have them without listing them; sufficient_reasons(limit=...) lists some"
)
NOT_KNOWN = (
    "{what} is not offered for ensembles: whether some reason has a condition can only be told "
    "from all of them; necessary() and sufficient_reasons(limit=...) are"
)


class EnsembleContext:
    """An ensemble, in which terms it is explained, and how its classes are called."""

    def __init__(
        self,
        ensemble: Ensemble,
        over: Over,
        class_names: Sequence[Any] | None,
        memory_limit: int,
        missing_values: bool | None = None,
    ) -> None:
        takes = ensemble.missing_left is not None
        if missing_values and not takes:
            raise ValueError("missing_values=True, but the ensemble takes no missing values")
        self.ensemble, self.memory_limit = ensemble, memory_limit
        takes_missing = takes and missing_values is not False
        self.prepared = PreparedEnsemble(ensemble, over, takes_missing=takes_missing)
        classes = ensemble.class_names or ()
        names = () if class_names is None else check_class_names(class_names, classes)
        self.classes = Classes.of(classes, names)

    @property
    def over(self) -> Over:
        """What explanations are made of."""
        return self.prepared.over

    @cached_property
    def features(self) -> FeatureNames:
        """The features by the names that users have for them."""
        return FeatureNames(self.prepared.tree, self.prepared.domain)

    @cached_property
    def prover(self) -> EnsembleProver:
        """Proves or refutes; knows nothing of the search."""
        prepared = self.prepared
        takes = prepared.takes_missing
        return EnsembleProver(self.ensemble, prepared.domain, takes_missing=takes)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted, one sentence each."""
        said = []
        if not self.ensemble.ordered_sum and self.ensemble.rounding_bound.any():
            said.append(
                "the library adds the trees in no fixed order, so that rows whose margin is within "
                "its rounding may be decided otherwise; here they are added one after the other"
            )
        takes = self.ensemble.missing_left is not None
        if takes and not self.prepared.takes_missing:
            said.append("no value is missing")
        return tuple(said)


class EnsembleExplanation:
    """The answers about one row of an ensemble. Made by :meth:`cattleya.Explainer.explain`.

    The words are those of a single tree's :class:`cattleya.Explanation`; what is different is told
    in the guide. Every answer is proved: by a search over the cells that the trees tell apart, with
    sums bounded in whole numbers and every single row decided by the model's own arithmetic.

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

    def __init__(
        self,
        context: EnsembleContext,
        row: Floats,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
        label: Any = None,
    ) -> None:
        self._context, self._row, self.label = context, row + 0.0, label
        self._row.flags.writeable = False
        self._names = tuple(listed("exclude", exclude)), tuple(listed("immutable", immutable))
        self._search = RowSearch(context.prepared, self._row, context.memory_limit)
        find, atoms = context.features.atoms, self._search.atoms
        self._search.excluded = frozenset(find("exclude", self._names[0], atoms).tolist())
        self._search.immutable = frozenset(find("immutable", self._names[1], atoms).tolist())

    def __reduce__(self) -> tuple[object, ...]:
        return EnsembleExplanation, (self._context, self._row, *self._names, self.label)

    # The row, and what was decided about it.

    @property
    def prediction(self) -> Any:
        """The class of the row: what ``model.predict`` gives."""
        return self._context.classes.labels[self._search.outcome]

    @property
    def prediction_name(self) -> str:
        """The class as text, by the ``class_names`` of the explainer where it was given some."""
        return self._context.classes.names[self._search.outcome]

    @property
    def outcome(self) -> str:
        """What is explained, in words."""
        return self.prediction_name

    @property
    def row(self) -> Floats:
        """The row in the model's columns, as the model rounds it."""
        return self._row

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that decided."""
        return self._context.ensemble

    @property
    def over(self) -> Over:
        """Which vocabulary the explanations are made of: "conditions", "features", "intervals"."""
        return self._context.over

    @property
    def definition(self) -> str:
        """What the explanations are made of, in words."""
        return self._context.over.definition

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted, one sentence each."""
        return self._context.assumptions

    @property
    def values(self) -> dict[str, Hashable]:
        """The value of every feature in the row; None is missing."""
        prepared = self._context.prepared
        dtype = prepared.tree.row_dtype
        return {
            attribute.name: value_in(attribute, self._row, NOT_GIVEN, dtype)
            for attribute in prepared.domain.attributes
        }

    def condition(self, text: str) -> Condition:
        """Return the condition of the row that prints as ``text``."""
        if not isinstance(text, str):
            raise TypeError(f"{shown(text)} is not a Condition, nor the text of one")
        return self._search.atoms.named([self._search.atoms.number(text)])[0]

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
        tree-specific ones. Where features are excluded, the bound may fail though there is a
        reason; then a reason by search is returned.
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
            limbs = self._context.features.weights(weights, self._search.atoms)
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
        Deadline(timeout)  # a bad value is refused now
        most = None if limit is None else _checked_limit(limit)

        def reasons() -> Iterator[Reason]:
            given = False
            for found in islice(self._search.every(Deadline(timeout)), most):
                given = True
                yield self._reason("sufficient reason", found)
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
        classes, target = self._context.classes, -1
        if toward is not None:
            target = classes.other_than(self._search.outcome, toward)
        most = None if limit is None else _checked_limit(limit)
        found = islice(self._search.contrasts(target, deadline), most)
        return tuple(self._reason("contrastive explanation", one) for one in found)

    def necessary(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> frozenset[Condition]:
        """Return the conditions that every explanation of a kind contains; one question each."""
        deadline, search = Deadline(timeout), self._search
        if kind == "sufficient":
            if search.excluded and search.sufficient(deadline) is None:
                self._refuse_excluded()
            numbers = search.necessary(deadline)
        elif kind == "contrastive":
            everything = search.is_forced([], deadline)
            asked = () if everything else range(len(search.boxes))
            numbers = [n for n in asked if search.is_only(n, deadline)]
        else:
            raise ValueError(f"kind must be 'sufficient' or 'contrastive', not {shown(kind)}")
        return search.atoms.set_of(np.array(numbers, dtype=np.int32))

    def is_sufficient(
        self, conditions: Iterable[Condition | str], timeout: float | None = None
    ) -> bool:
        """Tell whether some of the row's conditions force its class."""
        numbers = [self._search.atoms.number(one) for one in self._meant(conditions)]
        return self._search.is_forced(numbers, Deadline(timeout))

    def verify(
        self, conditions: Iterable[Condition | str], timeout: float | None = None
    ) -> EnsembleVerification:
        """Prove or refute that conditions are a sufficient reason, by other means than the search.

        Few cells are all given to the ensemble itself; many are left to integer programming
        (scipy's HiGHS). The result says which (``methods``). Over ``conditions`` this is not
        offered: it is about rows, and there each test is a Boolean variable of its own.
        """
        if self.over is Over.CONDITIONS:
            raise TypeError(
                "verify of an ensemble is about rows, and over='conditions' every test is a "
                "Boolean variable of its own; explain it over 'intervals' or 'features'"
            )
        return self._context.prover.verify(self._row, self._meant(conditions), Deadline(timeout))

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
        rows = self._context.ensemble.columns
        return self._changes.nearest(
            n,
            toward,
            (*self._names[1], *listed("immutable", immutable)),
            ranges,
            metric,
            None if data is None else rows.matrix(data),
            weights,
            Deadline(timeout),
        )

    def is_fair(self, protected: Iterable[Any], timeout: float | None = None) -> Fairness:
        """Tell whether the class stays the same whatever some features are."""
        return self._changes.is_fair(protected, Deadline(timeout))

    def generalise(
        self, reason: Iterable[Condition | str], timeout: float | None = None
    ) -> General:
        """Return a sufficient reason with every interval and set of values widened.

        As wide as a search of bounded length proves; where it does not settle a question, the
        interval stays as it is.
        """
        wide = self._changes.generalise(self._meant(reason), Deadline(timeout))
        return with_rows(wide, self._context.ensemble.columns)

    # What ensembles have no exact answer for.

    def count(self, kind: str = "sufficient", timeout: float | None = None) -> NoReturn:
        """Refuse: reasons of ensembles are not counted."""
        raise TypeError(NOT_COUNTED.format(what="count"))

    def importance(self, kind: str = "sufficient", timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="importance"))

    def count_by_size(self, timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="count_by_size"))

    def sample(self, n: int, seed: int | None = None, timeout: float | None = None) -> NoReturn:
        """Refuse: it would take a count."""
        raise TypeError(NOT_COUNTED.format(what="sample"))

    def compile(self, timeout: float | None = None) -> NoReturn:
        """Refuse: there is no circuit of an ensemble's reasons."""
        raise TypeError(NOT_COUNTED.format(what="compile"))

    def relevant(self, kind: str = "sufficient") -> NoReturn:
        """Refuse: it cannot be told without all reasons."""
        raise TypeError(NOT_KNOWN.format(what="relevant"))

    def irrelevant(self, kind: str = "sufficient") -> NoReturn:
        """Refuse: it cannot be told without all reasons."""
        raise TypeError(NOT_KNOWN.format(what="irrelevant"))

    def __repr__(self) -> str:
        return (
            f"<EnsembleExplanation: {printable(self.prediction_name)}, "
            f"{self.ensemble.n_trees} trees>"
        )

    @cached_property
    def _changes(self) -> CellChanges:
        context = self._context
        return CellChanges(context.prepared, self._row, context.classes, context.memory_limit)

    def _meant(self, conditions: Iterable[Condition | str]) -> list[Condition]:
        if isinstance(conditions, (str, Condition)) or not isinstance(conditions, Iterable):
            raise TypeError(f"a reason is a set of conditions, not {shown(conditions)}")
        found: dict[Condition, None] = {}
        for condition in conditions:
            if not isinstance(condition, (str, Condition)):
                raise TypeError(f"{condition!r} is not a Condition, nor the text of one")
            found[self._search.atoms.meant(condition)] = None
        return list(found)

    def _sufficient(self, deadline: Deadline) -> Reason:
        found = self._search.sufficient(deadline)
        if found is None:
            self._refuse_excluded()
        return self._reason("sufficient reason", *found)

    def _refuse_excluded(self) -> NoReturn:
        needed = np.array(sorted(self._search.needed(Deadline(None))), dtype=np.int32)
        raise NoSuchReason([self._search.atoms.set_of(needed)])

    def _reason(self, kind: str, numbers: list[int], undecided: Iterable[int] = ()) -> Reason:
        atoms = self._search.atoms
        open_ = tuple(atoms.named(sorted(undecided)))
        start, atom = np.array([0, len(numbers)]), np.array(numbers, dtype=np.int32)
        rows = self._context.ensemble.columns
        return Reason(RowReasons(kind, atoms, rows, start, atom, open_), 0)


def _checked_limit(limit: int) -> int:
    if not is_whole(limit):
        raise TypeError(f"limit must be a whole number or None, not {shown(limit)}")
    if limit < 0:
        raise ValueError(f"limit must be 0 or more, not {shown(limit)}")
    return int(limit)
