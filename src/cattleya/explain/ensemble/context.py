"""What all the explanations of one ensemble share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from cattleya._core import any_missing
from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.ensembles.prepared import PreparedEnsemble
from cattleya.explain.context import MOST_AROUND, ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.model.domain.column_types import under_types
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.ensemble.links import probabilities
from cattleya.model.ensemble.outcomes import Outcomes, outcomes_of
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.rows import RawRows
from cattleya.model.tree.target import Probability
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.support.text import printable
from cattleya.vocabularies.over import Over

__all__ = ["EnsembleContext"]


@dataclass(frozen=True, eq=False)
class EnsembleContext(ModelContext):
    """An ensemble, what is explained of it and in which terms, and what its user stated about it.

    The ``tree`` has every test of the ensemble: it gives names to facts, and decides nothing.
    """

    is_ensemble: ClassVar[bool] = True

    @property
    def adapted(self) -> AdaptedEnsemble:
        """The model, as its adapter has read it."""
        return cast("AdaptedEnsemble", self.model)

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble."""
        return self.adapted.ensemble

    @property
    def tree(self) -> Tree:
        """A tree with the same tests."""
        return self._plain.tree

    @property
    def predicts_numbers(self) -> bool:
        """Whether the ensemble predicts numbers, not classes."""
        return self.ensemble.class_names is None

    @cached_property
    def model_classes(self) -> Classes:
        """The classes of the ensemble, and how they are shown; none of numbers."""
        return Classes.of(self.ensemble.class_names or (), self.class_labels)

    @cached_property
    def domain(self) -> Domain:
        """What values rows can have."""
        tree, trace = self._plain.tree, self.adapted.trace
        domain = Domain.plain(tree) if trace is None else trace()
        domain = self.statements.applied(domain, tree)
        return domain if self.types is None else under_types(domain, tree, self.types)

    def _domain_of(self, tree: Tree) -> Domain:
        return self.domain

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted, one sentence each."""
        said = list(super().assumptions)
        ensemble = self.ensemble
        if not ensemble.ordered_sum and ensemble.rounding_bound.any():
            said.append(
                "the library adds the trees in no fixed order; what forces an outcome does so in "
                "every order, and a row that the order decides counts as one of another outcome"
            )
        if ensemble.missing_left is not None and self.adapted.takes_missing is not True:
            what = "value" if self.adapted.step is None else "number"
            said.append(f"no {what} is missing but those that the row lacks")
        return tuple(map(printable, said))

    def _about_numbers(self) -> list[str]:
        if not self.predicts_numbers or self.target.bound is not None:
            return []
        return [
            "the outcome is exactly the number that the model predicts; cattleya.Value asks about "
            "a range"
        ]

    @cached_property
    def tree_hash(self) -> str:
        """The SHA-256 of the ensemble, as it was read."""
        return self.adapted.as_read.fingerprint

    # Rows that lack a value are considered always, never, or only where the row itself lacks one.

    @cached_property
    def _plain(self) -> PreparedEnsemble:
        return self._ready(takes_missing=self.adapted.takes_missing is True)

    @cached_property
    def _routed(self) -> PreparedEnsemble:
        if self.adapted.takes_missing is not None:
            return self._plain
        return self._ready(takes_missing=True)

    def _ready(self, *, takes_missing: bool) -> PreparedEnsemble:
        return PreparedEnsemble(
            self._outcomes(None),
            self.over,
            takes_missing=takes_missing,
            domain=self._domain_of,
            is_traced=self.adapted.trace is not None,
        )

    @property
    def of_all_rows(self) -> PreparedTree:
        """The ensemble as it decides about all rows, made ready."""
        return cast("PreparedTree", self._routed)

    @property
    def depends_on_row(self) -> bool:
        """Whether what is explained is about a row's own number."""
        return self.is_around_row

    def asked_of_model(self, x: Mapping[str, Any]) -> int:
        """Return the place of the outcome of a row by the word of the model itself; -1 if none.

        There is none where the library's own rounding says otherwise than the sums.
        """
        bound = self.target.bound
        if bound is None:
            return super().asked_of_model(x)
        rows = self.model.rows
        row = rows.row(x)
        raw = rows.raw_row(x) if isinstance(rows, RawRows) else row[None, :]
        (word,) = self._said(raw)
        place = self._plain.judged(row)
        inside = self._plain.classes.names[place].endswith(bound.words()[1])
        return place if bool(bound.holds(np.asarray(word[1])[None], None)[0]) == inside else -1

    @cached_property
    def is_around_row(self) -> bool:
        """Whether what is explained depends on the row's own number."""
        bound = self.target.bound
        return self.predicts_numbers if bound is None else bound.by_row

    def _outcomes(self, row: Floats | None) -> Outcomes:
        if row is None and self.is_around_row:
            return Outcomes(self.ensemble, Classes((), ()), np.zeros(1))
        return outcomes_of(self.ensemble, self.target, self.model_classes, row)

    @property
    def over_features(self) -> EnsembleContext:
        """The same ensemble, explained in whole features."""
        return self.over_another(Over.FEATURES)

    def over_another(self, over: Over) -> EnsembleContext:
        """Return the same ensemble, explained in another vocabulary."""
        if over is self.over:
            return self
        if over not in self._others:
            other = replace(self, over=over)
            other.__dict__["domain"] = self.domain
            other.__dict__["_plain"] = self._plain.another(over=over)
            if self._routed is self._plain:
                other.__dict__["_routed"] = other._plain
            self._others[over] = other
        return cast("EnsembleContext", self._others[over])

    def ready_for(self, row: Floats) -> PreparedEnsemble:
        """Return the ensemble made ready for a row."""
        takes = self.adapted.takes_missing
        gaps = any_missing(row) and bool(self.has_gap(row[None, :])[0])
        if gaps and takes is False:
            raise ValueError(
                "a value that the model tests is missing (NaN), but missing values were ruled out; "
                "fill it in, or leave missing_values=False out"
            )
        gaps = gaps and takes is None
        prepared = self._routed if gaps else self._plain
        if not self.is_around_row:
            return prepared
        key = gaps, float(self.ensemble.margins_of(row[None, :])[0, 0])
        found = self._ready_around.get(key)
        if found is None:
            found = prepared.another(outcomes=self._outcomes(row))
            self._ready_around[key] = found
            while len(self._ready_around) > MOST_AROUND:
                self._ready_around.pop(next(iter(self._ready_around)), None)
        return found

    @cached_property
    def _ready_around(self) -> dict[tuple[bool, float], PreparedEnsemble]:
        return {}

    def prepared_for(self, row: Floats) -> PreparedTree:
        """Return the same, in the words of a single tree."""
        return cast("PreparedTree", self.ready_for(row))

    @property
    def of_complete_rows(self) -> PreparedTree:
        """What decides about rows without missing values, in the words of a single tree."""
        return cast("PreparedTree", self._plain)

    def has_gap(self, matrix: Floats) -> Bools:
        """Tell for each row whether a value is missing that some test reads."""
        if not np.isnan(matrix).any():  # as usual
            return np.zeros(len(matrix), dtype=np.bool_)
        tested = sorted(self.adapted.tested)
        return np.asarray(np.isnan(matrix[:, tested]).any(axis=1))

    @cached_property
    def outcome_names(self) -> dict[Any, str]:
        """What each outcome is called; empty where each row has its own."""
        if self.is_around_row:
            return {}
        classes = self._plain.classes
        return dict(zip(classes.labels, classes.names, strict=True))

    def outcomes_of(self, matrix: Floats) -> Int32s:
        """Return the outcome of each row, by its place; around its own number that is 1."""
        if self.is_around_row:
            return np.ones(len(matrix), dtype=np.int32)
        return self._plain.outcomes.of(matrix)

    def outcomes_for(self, prepared: PreparedTree, matrix: Floats) -> Int32s:
        """Return the outcome of each row, around the number of a row where that is asked."""
        return cast("PreparedEnsemble", prepared).outcomes.of(matrix)

    def _alike(self, matrix: Floats) -> Any:
        return self._routed.vocabulary.alike(matrix)

    def predicted(self, row: Floats) -> Any:
        """Return what the ensemble predicts for a row of numbers."""
        (found,) = self.ensemble.decided(self.ensemble.margins_of(row[None, :]))
        return found.item() if isinstance(found, np.generic) else found

    def number_of(self, row: Floats) -> np.floating[Any] | None:
        """Return the number of a row that the target is about; None where it is about classes."""
        margins = self.ensemble.margins_of(row[None, :])
        if isinstance(self.target, Probability):
            shares = probabilities(self.ensemble.link, margins, self.ensemble.link_scale)
            found: np.floating[Any]
            found = shares[0, self.model_classes.meant(self.target.label, "label")]
            return found
        if not self.predicts_numbers:
            return None
        return cast("np.floating[Any]", self.ensemble.decided(margins)[0])

    def judged(self, row: Floats, given: Any) -> Any:
        """Return what the model itself predicts for a row of numbers, or as the user gives it."""
        own = self.predicted(row)
        if given is None:
            return own
        (found,) = self.adapted.predict(given)
        found = found.item() if isinstance(found, np.generic) else found
        if found != own and self.ensemble.ordered_sum and not self.predicts_numbers:
            raise RuntimeError(
                "internal error: the model gives a counterfactual another class than its trees; "
                "please report this model"
            )
        return found

    def of_numbers(self) -> EnsembleContext:
        """Return the same for rows of numbers only, without the model's library."""
        return replace(self, model=cast("Any", self.adapted.of_numbers(self.domain)))

    def check(self) -> None:
        """Refuse what makes no sense for any row: a target, or a statement about features."""
        any_row = np.zeros(self.ensemble.n_features)
        self._outcomes(any_row if self.is_around_row else None)
        _ = self._plain
        if self.is_stated:
            _ = self.domain
