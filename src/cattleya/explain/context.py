"""What all the explanations of one model share: made once, and the costly parts on demand."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.adapters.adapted import AdaptedModel
from cattleya.changes.counterfactual import Question
from cattleya.explain.prepared import PreparedTree
from cattleya.model.domain.column_types import under_types
from cattleya.model.domain.domain import Category, Domain, is_missing
from cattleya.model.domain.number import Number
from cattleya.model.domain.stated import Statements
from cattleya.model.tree.rows import RawRows, is_frame, is_sparse
from cattleya.model.tree.target import PredictedClass, Target
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Floats, Places
from cattleya.support.distinct import distinct
from cattleya.support.limits import Deadline
from cattleya.support.text import printable
from cattleya.vocabularies.named_features import FeatureNames
from cattleya.vocabularies.over import Over

__all__ = ["ModelContext"]


@dataclass(frozen=True, eq=False)
class ModelContext:
    """A model, what is explained of it and in which terms, and what its user stated about it.

    Attributes
    ----------
    model : AdaptedModel
        The model, as its adapter has read it.
    over : Over
        What explanations are made of.
    statements : Statements
        What the user said about the values of features.
    class_labels : tuple of str
        How the classes are shown.
    memory_limit : int
        What one question may take, in bytes.
    types : table, optional
        An empty table whose column types say what values there are.
    target : Target
        What is explained.
    """

    model: AdaptedModel
    over: Over
    statements: Statements
    class_labels: tuple[str, ...]
    memory_limit: int
    types: Any = None
    target: Target = field(default_factory=PredictedClass)

    @property
    def tree(self) -> Tree:
        """The model's tree, as it decides about rows without missing values."""
        return self.model.tree

    @cached_property
    def domain(self) -> Domain:
        """What values rows can have."""
        domain = self.statements.applied(self.model.domain, self.model.tree)
        return domain if self.types is None else under_types(domain, self.model.tree, self.types)

    @cached_property
    def is_stated(self) -> bool:
        """Whether the user has said what values there are: rows with others are then refused."""
        return bool(self.statements) or self.types is not None

    def check_rows(self, matrix: Floats, deadline: Deadline) -> None:
        """Refuse rows with values that there are not, by what the user has said."""
        if self.is_stated:
            self.domain.check_rows(matrix, self.model.tree.row_dtype, deadline.check)

    def check_row(self, row: Floats) -> None:
        """Refuse a row with a value that there is not, by what the user has said."""
        if self.is_stated:
            self.domain.check_row(row, self.model.tree.row_dtype)

    def measured(self, X: Any) -> Floats:
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

    # A model may take missing values without ever having seen one. Where they go is then part of
    # the conditions only for the rows that lack a value which it tests: there are two trees.

    @cached_property
    def _complete(self) -> PreparedTree:
        return self._made_ready(self.model.tree)

    @cached_property
    def _with_gaps(self) -> PreparedTree:
        tree = self.model.tree_for_all
        return self._complete if tree is self.tree else self._made_ready(tree)

    def _made_ready(self, tree: Tree) -> PreparedTree:
        return PreparedTree(
            self.target.labelled(tree),
            self.over,
            self._found_domain,
            is_traced=self.model.trace is not None,
        )

    def _found_domain(self) -> Domain:
        return self.domain

    def prepared_for(self, row: Floats) -> PreparedTree:
        """Return the tree that decides about a row, made ready."""
        return self._with_gaps if self.model.lacks_tested(row) else self._complete

    def by_tree(self, matrix: Floats) -> list[tuple[PreparedTree, Places]]:
        """Return the trees that decide about several rows, and the places of those of each."""
        gaps = self.model.has_gap(matrix)
        if not gaps.any():
            return [(self._complete, np.arange(len(matrix)))]
        shared = (self._complete, np.flatnonzero(~gaps)), (self._with_gaps, np.flatnonzero(gaps))
        return [(prepared, rows) for prepared, rows in shared if len(rows)]

    def distinct(self, matrix: Floats) -> tuple[Places, Places]:
        """Return the indices of the distinct rows of a matrix, and each row's group.

        Rows of one group cannot be told apart by any explanation.
        """
        cells = self._with_gaps.vocabulary.alike(matrix)
        faults = self._faults(matrix)
        if faults:  # also of columns that are not tested
            number = {fault: n for n, fault in enumerate(dict.fromkeys(faults.values()), 1)}
            own = [number.get(faults.get(place, ""), 0) for place in range(len(matrix))]
            cells = np.column_stack((cells, np.array(own, dtype=np.int32)))
        return distinct(cells)

    def _faults(self, matrix: Floats) -> dict[int, str]:
        """Return what is said of each row that is refused because of a value that there is not."""
        if not self.is_stated:
            return {}
        return self.domain.faults(matrix, self.model.tree.row_dtype, Deadline(None).check)

    def question(self, row: Floats, row_class: int, raw: Any, deadline: Deadline) -> Question:
        """Return a row as counterfactuals and fairness ask about it."""
        prepared = self.prepared_for(row)
        in_tree_columns = raw is None and isinstance(self.model.rows, RawRows)
        of_numbers = self.model.tree_for_all.predict
        predict = of_numbers if in_tree_columns else self.model.predict
        regions = prepared.regions(deadline)
        return Question(regions, row, row_class, predict, raw, self.class_labels, of_numbers)

    def of_numbers(self) -> ModelContext:
        """Return the same for rows of numbers only, without the model's library.

        Another process takes it in a fraction of the time that importing scikit-learn takes.
        """
        return replace(self, model=self.model.of_numbers())

    def __reduce__(self) -> tuple[object, ...]:
        # What is made on demand stays behind.
        return ModelContext, tuple(getattr(self, one.name) for one in fields(self))
