"""What would be if: the nearest rows of another class, and the part that features played."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from cattleya.changes.counterfactual import Counterfactual, Question
from cattleya.changes.fairness import Fairness, is_fair
from cattleya.changes.general_reason import General
from cattleya.changes.generalise import generalise
from cattleya.changes.nearest import nearest
from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.lookup import listed
from cattleya.support.limits import Deadline

if TYPE_CHECKING:
    from cattleya.explain.explanation import Explanation

__all__ = ["WhatIf"]


class WhatIf:
    """The questions of an explanation about other rows."""

    def _question(self, deadline: Deadline) -> Question:
        e = cast("Explanation", self)
        return e.setting.question(e.tree, e.row, e.row_class, e.raw_row, deadline)

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
            How many at the most: one a leaf of the tree.
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
        e = cast("Explanation", self)
        deadline = Deadline(timeout)
        return nearest(
            self._question(deadline),
            n=n,
            toward=toward,
            immutable=(*e.immutable_names, *listed("immutable", immutable)),
            ranges=ranges,
            metric=metric,
            data=None if data is None else e.setting.measured(data),
            weights=weights,
            timeout=deadline,
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
        e = cast("Explanation", self)
        if isinstance(reason, (str, Condition)) or not isinstance(reason, Iterable):
            raise TypeError(f"a reason is a set of conditions, not {reason!r}")
        conditions = [c if isinstance(c, Condition) else e.condition(c) for c in reason]
        deadline = Deadline(timeout)
        regions = e.setting.regions_of(e.tree, deadline)
        wide = generalise(regions, e.row, e.row_class, conditions, deadline)
        return replace(wide, rows=e.setting.model.rows)

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
        deadline = Deadline(timeout)
        return is_fair(self._question(deadline), protected, deadline)
