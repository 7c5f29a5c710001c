"""One row of an ensemble: its outcome, its facts, and the search that answers for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from cattleya.changes.general.general_reason import General
from cattleya.ensembles.changes import CellChanges
from cattleya.ensembles.search import RowSearch
from cattleya.ensembles.skeleton import skeleton_of
from cattleya.explain.ensemble.context import EnsembleContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.row import ExplainedRow
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.classes import Classes
from cattleya.proof.ensemble import EnsembleProver, EnsembleVerification
from cattleya.proof.verification import Verification
from cattleya.support.arrays import Floats
from cattleya.support.limits import Deadline
from cattleya.vocabularies.over import Over

__all__ = ["EnsembleRow"]


class EnsembleRow(ExplainedRow):
    """A row of an ensemble that is explained, in the words of a row of a single tree."""

    def __init__(
        self,
        context: EnsembleContext,
        row: Floats,
        raw_row: Any = None,
        label: Any = None,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
    ) -> None:
        self.ensemble_context = context
        super().__init__(context, row, raw_row, label, exclude, immutable)
        if len(self.excluded):
            self.search.excluded = frozenset(self.excluded.tolist())
        if len(self.immutable):
            self.search.immutable = frozenset(self.immutable.tolist())

    def _prepare(self) -> None:
        context = self.ensemble_context
        self.ready = context.ready_for(self.row)
        self.prepared = cast("PreparedTree", self.ready)
        self.search = RowSearch(self.ready, self.row, context.memory_limit)
        self._check_outcome()
        self.atoms = self.search.atoms

    def _check_outcome(self) -> None:
        """Refuse a row whose outcome hangs on the last bits of a sum, or of a probability."""
        if not self.search.is_sure:
            raise ValueError(
                f"this row is too close to call: the library adds the trees in no fixed order, and "
                f"whether the row gets {self.classes.names[self.search.outcome]} depends on the "
                f"order; give a model with n_jobs=1, which adds them in theirs"
            )
        if not self.ready.outcomes.has(self.row, self.search.outcome):
            raise ValueError(
                f"this row is too close to call: its sums decide for "
                f"{self.classes.names[self.search.outcome]}, and the model, which compares what it "
                f"computes from them, for another {self.classes.noun}; they differ in the last bits"
            )

    @property
    def row_class(self) -> int:
        """The outcome of the row, as its place among the outcomes that are told apart."""
        return self.search.outcome

    @property
    def classes(self) -> Classes:
        """The outcomes that are told apart, and how they are shown."""
        return self.ready.classes

    @property
    def prediction(self) -> Hashable:
        """What the model predicts: a class, or a number."""
        return cast("Hashable", self.ensemble_context.predicted(self.row))

    @property
    def number(self) -> np.floating[Any] | None:
        """The number that is compared with the bound of the target; None where there is none."""
        return self._number

    @cached_property
    def _number(self) -> np.floating[Any] | None:
        return self.ensemble_context.number_of(self.row)

    @cached_property
    def changes(self) -> CellChanges:
        """The rows around it."""
        context = self.ensemble_context
        return CellChanges(self.ready, self.row, context.memory_limit, context.judged, self.raw_row)

    @cached_property
    def over_features(self) -> EnsembleRow:
        """The same row, explained in whole features."""
        context = self.ensemble_context.over_features
        if context is self.context:
            return self
        names = self._excluded_names, self.immutable_names
        return EnsembleRow(context, self.row, self.raw_row, self.label, *names)

    def judge(self) -> Callable[[Floats], bool]:
        """Return what tells for the proof, of one row at a time, whether it gets the outcome."""
        context = self.ensemble_context
        bound = context.target.bound
        if bound is None:
            return lambda row: bool(context.predicted(row) == self.prediction)
        own = None if self.number is None else float(self.number)

        def is_inside(row: Floats) -> bool:
            return bool(bound.holds(np.asarray(context.number_of(row))[None], own)[0])

        inside = is_inside(self.row)
        return lambda row: is_inside(row) == inside

    def verify_within(
        self, conditions: Iterable[Condition | str] | str, deadline: Deadline
    ) -> EnsembleVerification:
        """Prove or refute that conditions are a sufficient reason, by other means than the search.

        Conditions of other vocabularies, and general reasons, are taken as what they leave of the
        values of each feature.
        """
        given, read, notes = self._as_read(conditions)
        own = None if isinstance(conditions, General) else self._own(given)
        noun = self.classes.noun
        if own is not None and self.over is Over.CONDITIONS:
            found = self._by_tests(own, deadline)
            if not found.sufficient and not found.foreign:
                forced = self._prover.verify(self.row, own, deadline).sufficient
                found = replace(found, in_rows=forced)
        else:
            known = list(dict.fromkeys(read if own is None else own))
            found = self._prover.verify(self.row, known, deadline)
        return replace(found, notes=notes, noun=noun)

    def verify(self, conditions: Iterable[Condition | str] | str) -> Verification:
        """Prove or refute the same without a limit."""
        return self.verify_within(conditions, Deadline(None))

    @cached_property
    def _prover(self) -> EnsembleProver:
        outcomes, takes = self.ready.outcomes, self.ready.takes_missing
        return EnsembleProver(
            outcomes.ensemble,
            self.context.domain,
            takes_missing=takes,
            cuts=outcomes.cuts,
            doubt=outcomes.doubt,
        )

    def _by_tests(self, own: list[Condition], deadline: Deadline) -> EnsembleVerification:
        """Prove or refute it of an ensemble whose features are the tests, 0 where they hold."""
        boolean, outcomes = self.ready.of_booleans(), self.ready.outcomes
        domain = Domain.plain(skeleton_of(boolean, takes_missing=False).tree)
        row = self.ready.truth_of(self.row).astype(np.float64)
        prover = EnsembleProver(
            boolean, domain, takes_missing=False, cuts=outcomes.cuts, doubt=outcomes.doubt
        )
        number = {condition: self._test_of(condition) for condition in own}
        stands: dict[Condition, Condition] = {
            Comparison(domain.attributes[test].name, test, 0.5, sense=sense): condition
            for condition, (test, sense) in number.items()
        }
        found = prover.verify(row, list(stands), deadline)
        witness: frozenset[Condition] = frozenset()
        if found.row is not None:
            every = self.atoms.named(list(range(len(self.atoms))))
            flips = (found.row != row).tolist()
            sides = zip(every, flips, strict=True)
            witness = frozenset(
                one.negated() if flip and isinstance(one, Comparison) else one
                for one, flip in sides
            )
        return replace(
            found,
            conditions=frozenset(own),
            foreign=frozenset(stands[one] for one in found.foreign if one in stands),
            witness=witness,
            row=None,
            redundant=frozenset(stands[one] for one in found.redundant if one in stands),
        )

    def _test_of(self, condition: Condition) -> tuple[int, bool]:
        """Return the number of a condition's test, and whether it is on its true side."""
        assert isinstance(condition, Comparison)
        try:
            return self.atoms.number(condition), self._truth[self.atoms.number(condition)]
        except ValueError:
            number = self.atoms.number(condition.negated())
            return number, not self._truth[number]

    @cached_property
    def _truth(self) -> list[bool]:
        return [side == 0 for side in self.ready.truth_of(self.row).tolist()]
