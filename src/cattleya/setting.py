"""What all the explanations of one model share: made once, and the costly parts on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.adapters import AdaptedModel
from cattleya.domain import Category, Domain, is_missing
from cattleya.feature_names import FeatureNames
from cattleya.known_types import under_types
from cattleya.leaf_regions import Regions
from cattleya.limits import Deadline
from cattleya.number import Number
from cattleya.printable import printable
from cattleya.rows import RawRows, is_frame, is_sparse
from cattleya.stated_domain import Statements
from cattleya.tree import Tree
from cattleya.vocabulary import Conditions

__all__ = ["Setting"]


@dataclass(frozen=True, eq=False)
class Setting:
    """A model, what its user stated about its features, and how its classes are shown."""

    model: AdaptedModel
    statements: Statements
    class_labels: tuple[str, ...]
    memory_limit: int
    types: Any = None  # an empty table whose column types say what values there are

    @cached_property
    def domain(self) -> Domain:
        """What values rows can have."""
        domain = self.statements.applied(self.model.domain, self.model.tree)
        return domain if self.types is None else under_types(domain, self.model.tree, self.types)

    @cached_property
    def is_stated(self) -> bool:
        """Whether the user has said what values there are: rows with others are then refused."""
        return bool(self.statements) or self.types is not None

    def check_rows(self, matrix: npt.NDArray[np.float64], deadline: Deadline) -> None:
        """Refuse rows with values that there are not, by what the user has said."""
        if self.is_stated:
            self.domain.check_rows(matrix, self.model.tree.row_dtype, deadline.check)

    def faults(self, matrix: npt.NDArray[np.float64]) -> dict[int, str]:
        """Return what is said of each row that is refused because of such a value."""
        if not self.is_stated:
            return {}
        return self.domain.faults(matrix, self.model.tree.row_dtype, Deadline(None).check)

    def measured(self, X: Any) -> npt.NDArray[np.float64]:
        """Return rows to take ranges from, in the tree's columns; NaN where the user's are missing.

        What an imputer writes there is nobody's number: 9999 would be a range by itself.
        """
        rows = self.model.rows
        matrix = rows.matrix(X)
        raw = rows.raw_row(X) if isinstance(rows, RawRows) else None
        if raw is None or is_sparse(raw):  # what is not stored there is zero
            return matrix
        for number in self.domain.attributes:
            if isinstance(number, Number) and number.extra:
                (place,) = number.raw
                given = raw[self.domain.raw_names[place]] if is_frame(raw) else raw[:, place]
                matrix[[is_missing(value) for value in given], number.column] = np.nan
        return matrix

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted about the columns, one sentence each."""
        numbers = (a for a in self.domain.attributes if isinstance(a, Number) and not a.boolean)
        whole = [number.name for number in numbers if number.integer]
        categories = (a for a in self.domain.attributes if isinstance(a, Category))
        stated = [category.name for category in categories if category.written is not None]
        said = [f"only whole numbers are possible for {', '.join(whole)}"] if whole else []
        if stated:
            said.append(f"only the values that were stated are possible for {', '.join(stated)}")
        return tuple(map(printable, (*said, *self.domain.untraced)))

    @cached_property
    def features(self) -> FeatureNames:
        """The features by the names that users have for them."""
        return FeatureNames(self.model.tree, self.domain)

    def regions_of(self, tree: Tree, deadline: Deadline) -> Regions:
        """Return what is behind each node of one of the model's two trees; made once, in time."""
        is_usual = tree is self.model.tree
        if is_usual not in self._regions:
            self._regions[is_usual] = Regions(tree, self.domain, deadline)
        return self._regions[is_usual]

    @cached_property
    def _regions(self) -> dict[bool, Regions]:
        return {}

    @property
    def users_domain(self) -> Callable[[], Domain] | None:
        """Finds the domain, where the tree's columns are not those that the user gave."""
        return None if self.model.trace is None else self._domain

    def _domain(self) -> Domain:
        return self.domain

    @cached_property
    def _tests(self) -> dict[bool, Conditions]:
        return {}

    def tests_of(self, tree: Tree) -> Conditions:
        """Return the tests of one of the model's two trees, in the user's words."""
        is_usual = tree is self.model.tree
        if is_usual not in self._tests:
            self._tests[is_usual] = Conditions(tree, self.users_domain)
        return self._tests[is_usual]
