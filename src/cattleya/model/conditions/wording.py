"""What the tests of a tree behind a pipeline are called: in the user's columns and units.

A tree behind a ``StandardScaler`` and a ``OneHotEncoder`` tests ``scaled__age <= -0.59`` and
``encoded__sex_Male <= 0.5``. Whoever gave the table knows ``age <= 28.5`` and ``sex is not Male``.
Each test stays a condition of its own; where two read the same, the test itself is added.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cattleya.model.conditions.condition import Comparison
from cattleya.model.conditions.user_condition import Membership, UserCondition
from cattleya.model.domain.domain import Attribute, Category, Domain, said
from cattleya.model.domain.number import Number
from cattleya.model.domain.shortest import alike_when_cast
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s

__all__ = ["Wording"]


class Wording:
    """Names tests, each by its number: of a column, with a threshold and a side for missing values.

    Examples
    --------
    >>> tree = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [0.5, 0, 0], [-1, 0, 1], n_features=2,
    ...             feature_names=["sex_Male", "sex_Female"])
    >>> sex = Category("sex", (0, 1), ("Male", "Female"), ((1.0, 0.0), (0.0, 1.0)))
    >>> wording = Wording(tree, np.array([0]), np.array([0.5]), np.array([False]),
    ...                   lambda: Domain((sex,), 2))
    >>> print(wording.side(0, sense=True), "|", wording.side(0, sense=False))
    sex is not Male | sex = Male
    """

    def __init__(
        self,
        tree: Tree,
        column: npt.NDArray[np.integer],
        threshold: Floats,
        missing_left: Bools,
        domain: Callable[[], Domain],
    ) -> None:
        self._tree = tree
        self._column, self._threshold, self._missing_left = column, threshold, missing_left
        self._find_domain = domain
        self._alike: dict[int, set[int]] = {}  # tests that read alike, by attribute

    @cached_property
    def _domain(self) -> Domain:
        return self._find_domain()

    @cached_property
    def _owner(self) -> Int32s:
        owner: Int32s = self._domain.of_column[self._column]
        return owner

    @cached_property
    def _alike_when_cast(self) -> Bools:
        return alike_when_cast(self._column, self._threshold, self._tree.row_dtype)

    def side(self, test: int, *, sense: bool) -> Comparison:
        """Return one side of a test."""
        attribute = self._domain.attributes[int(self._owner[test])]
        if isinstance(attribute, Category):
            return self._of_category(attribute, test, sense)
        return self._of_number(attribute, test, sense)

    def _of_number(self, number: Number, test: int, sense: bool) -> Comparison:
        threshold = float(self._threshold[test])
        own = (number.name, number.column, threshold)
        routes = self._routes(test)
        if not number.steps or math.isinf(threshold):
            dtype = "float64" if self._alike_when_cast[test] else self._tree.row_dtype
            how = {"missing_left": routes, "boolean": number.boolean, "row_dtype": dtype}
            return Comparison(*own, sense=sense, **how)  # type: ignore[arg-type]  # each its own
        return UserCondition(
            *own,
            number.user_threshold(threshold, self._tree.row_dtype),
            sense=sense,
            missing_left=routes,
            boolean=number.boolean,
            column=self._added(test),
        )

    def _of_category(self, category: Category, test: int, sense: bool) -> Comparison:
        column, threshold = int(self._column[test]), float(self._threshold[test])
        routes = self._routes(test)
        right, left = self._values(category, test)
        return Membership(
            category.name,
            column,
            threshold,
            left if sense else right,
            right if sense else left,
            sense=sense,
            missing_left=routes,
            column=self._added(test),
        )

    def _routes(self, test: int) -> bool | None:
        if self._tree.missing_left is None:
            return None
        return bool(self._missing_left[test])

    def _values(self, category: Category, test: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the values above a threshold, and the others."""
        at = category.columns.index(int(self._column[test]))
        point = np.array([point[at] for point in category.points])
        goes_left = point <= self._threshold[test]
        if self._routes(test):
            goes_left |= np.isnan(point)
        right, left = (
            tuple(said([category.told(i) for i in np.flatnonzero(goes_left == side).tolist()]))
            for side in (False, True)
        )
        return right, left

    def _added(self, test: int) -> str:
        """Return the tree's column where another test reads the same as this one, else nothing."""
        place = int(self._owner[test])
        if place not in self._alike:
            tests: list[int] = np.flatnonzero(self._owner == place).tolist()
            words = self._words(self._domain.attributes[place], tests)
            count = Counter(words)
            self._alike[place] = {
                test for test, word in zip(tests, words, strict=True) if count[word] > 1
            }
        is_alike = test in self._alike[place]
        return self._tree.feature_name(int(self._column[test])) if is_alike else ""

    def _words(self, attribute: Attribute, tests: list[int]) -> list[Hashable]:
        """Return for each test of an attribute what its words depend on."""
        if isinstance(attribute, Category):
            return [min(self._values(attribute, test), key=len) for test in tests]
        last = attribute.last(self._threshold[tests], self._tree.row_dtype)
        return list(zip(last.tolist(), map(self._routes, tests), strict=True))
