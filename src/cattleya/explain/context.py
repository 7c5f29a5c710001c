"""What all the explanations of one model share: made once, and the costly parts on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from cattleya.adapters.adapted import AdaptedModel
from cattleya.changes.counterfactual import Question
from cattleya.changes.prices import Sample
from cattleya.explain.prepared import PreparedTree
from cattleya.model.domain.column_types import under_types
from cattleya.model.domain.domain import Category, Domain, is_missing
from cattleya.model.domain.number import Number
from cattleya.model.domain.stated import Statements
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.fingerprint import tree_hash
from cattleya.model.tree.rows import RangedRows, RawRows, is_frame, is_sparse
from cattleya.model.tree.target import PredictedClass, Probability, Target
from cattleya.model.tree.threshold import number_text
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s, Numbers, Places
from cattleya.support.distinct import distinct
from cattleya.support.limits import Deadline
from cattleya.support.text import plain_value, printable
from cattleya.vocabularies.named_features import FeatureNames
from cattleya.vocabularies.over import Over

__all__ = ["ModelContext"]

MOST_AROUND = 64  # trees that are kept, each labelled around another number


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
        How the model's classes are shown.
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

    is_ensemble: ClassVar[bool] = False

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
            self.domain.check_rows(matrix, self.model.row_dtype, deadline.check)

    def possible(self, matrix: Floats) -> Floats:
        """Return the rows without those with values that there are not."""
        return np.delete(matrix, list(self.faults(matrix)), axis=0)

    def check_row(self, row: Floats) -> None:
        """Refuse a row with a value that there is not, by what the user has said."""
        if self.is_stated:
            self.domain.check_row(row, self.model.row_dtype)

    def measured(self, X: Any) -> Sample:
        """Return rows to take units from; an error says why they cannot be read."""
        rows = self.model.rows
        ranges = rows.ranges(X) if isinstance(rows, RangedRows) else None
        sample = Sample(partial(self._measured, X), ranges)
        return sample.held() if ranges is None else sample

    def _measured(self, X: Any) -> Floats:
        """Return rows in the tree's columns; NaN where the user's are missing.

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
        listed = [category for category in categories if category.written is not None]
        truth = [category.name for category in listed if category.values[0] is False]
        stated = [category.name for category in listed if category.name not in truth]
        said = [f"only whole numbers are possible for {', '.join(whole)}"] if whole else []
        if truth:
            said.append(f"only True and False are possible for {', '.join(truth)}")
        if stated:
            said.append(f"only the values that were stated are possible for {', '.join(stated)}")
        taken = (*self.model.notes, *said, *self.domain.untraced, *self._about_numbers())
        return tuple(map(printable, taken))

    def _about_numbers(self) -> list[str]:
        """Say how numbers of the model are understood."""
        numbers = self.target.numbers(self.tree, self.model_classes)
        if numbers is None:
            return []
        if self.target.bound is None:
            return [
                "the outcome is exactly the number that the model predicts; "
                "cattleya.Value asks about a range"
            ]
        if numbers.dtype == np.float32:
            return ["thresholds are rounded to the 32 bits that the model's numbers have"]
        return []

    @cached_property
    def features(self) -> FeatureNames:
        """The features by the names that users have for them."""
        return FeatureNames(self.tree, self.domain)

    # What is explained of it.

    @property
    def predicts_numbers(self) -> bool:
        """Whether the model predicts numbers, not classes."""
        return self.tree.predicts_numbers

    @cached_property
    def model_classes(self) -> Classes:
        """The classes of the model, and how they are shown."""
        return Classes.of(self.tree.class_names, self.class_labels)

    @cached_property
    def outcome_names(self) -> dict[Any, str]:
        """What each outcome is called; empty where each number is one, or each row has its own."""
        if self._around_row or (self.target.bound is None and self.predicts_numbers):
            return {}
        classes = self._complete.classes
        return dict(zip(classes.labels, classes.names, strict=True))

    @cached_property
    def target_words(self) -> str:
        """What is explained, in words; empty for the predicted class."""
        target, bound = self.target, self.target.bound
        if bound is None:
            return "exactly the number predicted" if self.predicts_numbers else ""
        if bound.by_row:
            return f"within {number_text(bound.numbers[0])} of the number predicted for the row"
        number = "predicted number"
        if isinstance(target, Probability):
            classes = self.model_classes
            number = f"probability of {classes.names[classes.meant(target.label, 'label')]}"
        return f"whether the {number} is {bound.words()[1]}"

    @cached_property
    def target_form(self) -> dict[str, Any] | None:
        """What is explained, as JSON values; None for what the model predicts."""
        return self.target.form(self.model_classes)

    @cached_property
    def tree_hash(self) -> str:
        """The SHA-256 of the tree, with all that what is explained depends on."""
        return tree_hash(self.tree, probabilities=isinstance(self.target, Probability))

    # A model may take missing values without ever having seen one. Where they go is then part of
    # the conditions only for the rows that lack a value which it tests: there are two trees.

    @cached_property
    def _complete(self) -> PreparedTree:
        return self._made_ready(self.model.tree)

    @cached_property
    def _with_gaps(self) -> PreparedTree:
        tree = self.model.tree_for_all
        return self._complete if tree is self.tree else self._made_ready(tree)

    @property
    def over_features(self) -> ModelContext:
        """The same model, explained in whole features."""
        return self.over_another(Over.FEATURES)

    def over_another(self, over: Over) -> ModelContext:
        """Return the same model, explained in another vocabulary; all else is shared."""
        if over is self.over:
            return self
        if over not in self._others:
            other = replace(self, over=over)
            complete = self._complete.over_another(over)
            same = self._with_gaps is self._complete
            gaps = complete if same else self._with_gaps.over_another(over)
            other.__dict__.update(domain=self.domain, _complete=complete, _with_gaps=gaps)
            self._others[over] = other
        return self._others[over]

    @cached_property
    def _others(self) -> dict[Over, ModelContext]:
        return {}

    def _made_ready(self, tree: Tree) -> PreparedTree:
        target: Target = PredictedClass() if self._around_row else self.target
        return PreparedTree(
            *(tree, target, self.model_classes, self.over, self._found_domain),
            is_traced=self.model.trace is not None,
        )

    def _found_domain(self) -> Domain:
        return self.domain

    def prepared_for(self, row: Floats) -> PreparedTree:
        """Return the tree that decides about a row, made ready."""
        prepared = self._with_gaps if self.model.lacks_tested(row) else self._complete
        if not self._around_row:
            return prepared
        return self._around(prepared, float(self.numbers_of(prepared, row[None, :])[0]))

    def by_tree(self, matrix: Floats) -> list[tuple[PreparedTree, Places]]:
        """Return the trees that decide about several rows, and the places of those of each."""
        gaps = self.has_gap(matrix)
        if not gaps.any():
            shared = [(self._complete, np.arange(len(matrix)))]
        else:
            parts = (self._complete, np.flatnonzero(~gaps)), (self._with_gaps, np.flatnonzero(gaps))
            shared = [(prepared, rows) for prepared, rows in parts if len(rows)]
        if not self._around_row:
            return shared
        apart = []
        for prepared, rows in shared:
            own = self.numbers_of(prepared, matrix[rows])
            apart += [(self._around(prepared, n), rows[own == n]) for n in np.unique(own).tolist()]
        return apart or shared  # of no rows, any tree will do

    def has_gap(self, matrix: Floats) -> Bools:
        """Tell for each row whether it needs the tree with the routing of missing values."""
        return self.model.has_gap(matrix)

    def of_rows_like(self, matrix: Floats | None) -> PreparedTree:
        """Return the tree for all rows where some of a table lack a value, else for complete ones.

        Where a whole model is asked about, a table is what shows that values may be missing.
        """
        lacks = matrix is not None and bool(self.has_gap(matrix).any())
        return self.of_all_rows if lacks else self.of_complete_rows

    def about_gaps(self, prepared: PreparedTree) -> tuple[str, ...]:
        """Say that rows with missing values are left out, where the model takes them."""
        if prepared is self.of_all_rows:
            return ()
        return ("no number is missing; a table with gaps, or missing_values=True, asks about such",)

    @property
    def of_complete_rows(self) -> PreparedTree:
        """The tree that decides about rows without missing values, made ready."""
        return self._complete

    @property
    def of_all_rows(self) -> PreparedTree:
        """The tree that decides about all rows that the model takes, made ready."""
        return self._with_gaps

    @property
    def depends_on_row(self) -> bool:
        """Whether what is explained is about a row's own number."""
        return self._around_row

    @cached_property
    def _around_row(self) -> bool:
        """Whether what is explained depends on the row's own number."""
        return self.target.bound is not None and self.target.bound.by_row

    def _around(self, prepared: PreparedTree, own: float) -> PreparedTree:
        key = prepared is self._complete, own
        found = self._arounds.get(key)
        if found is None:
            found = self._arounds[key] = prepared.around(self.target, own)
            while len(self._arounds) > MOST_AROUND:
                self._arounds.pop(next(iter(self._arounds)), None)
        return found

    @cached_property
    def _arounds(self) -> dict[tuple[bool, float], PreparedTree]:
        return {}

    def numbers_of(self, prepared: PreparedTree, matrix: Floats) -> Numbers:
        """Return the numbers of rows that what is explained is about."""
        tree = prepared.model_tree
        numbers = self.target.numbers(tree, self.model_classes)
        assert numbers is not None  # asked where there is a bound
        return numbers[tree.apply(matrix)]

    def outcomes_of(self, matrix: Floats) -> Int32s:
        """Return the outcome of each row, by its place among the outcomes."""
        found = np.empty(len(matrix), dtype=np.int32)
        for prepared, rows in self.by_tree(matrix):
            found[rows] = prepared.tree.leaf_class[prepared.tree.apply(matrix[rows])]
        return found

    def predicted(self, row: Floats) -> Any:
        """Return what the model predicts for a row of numbers."""
        return self.tree.class_names[int(self.model.classes_of(row[None, :])[0])]

    def outcomes_for(self, prepared: PreparedTree, matrix: Floats) -> Int32s:
        """Return the outcome of each row, in the tree's columns, by its place.

        Where what is explained is around a row's own number, around that of ``prepared``.
        """
        bound = self.target.bound
        if prepared.own is None or bound is None:
            return self.outcomes_of(matrix)
        numbers = self.target.numbers(self.model.tree_for_all, self.model_classes)
        assert numbers is not None  # there is a bound
        inside = bound.holds(numbers[self.model.tree_for_all.apply(matrix)], prepared.own)
        return inside.astype(np.int32)

    def distinct(self, matrix: Floats, *, by_value: bool = False) -> tuple[Places, Places]:
        """Return the indices of the distinct rows of a matrix, and each row's group.

        Rows of one group cannot be told apart by any explanation; ``by_value``, they are equal.
        """
        cells = matrix if by_value else self._alike(matrix)
        faults = self.faults(matrix)
        if faults:  # also of columns that are not tested
            number = {fault: n for n, fault in enumerate(dict.fromkeys(faults.values()), 1)}
            own = [number.get(faults.get(place, ""), 0) for place in range(len(matrix))]
            cells = np.column_stack((cells, np.array(own, dtype=np.int32)))
        return distinct(cells)

    def _alike(self, matrix: Floats) -> Any:
        """Return numbers by which rows can be told apart, one line per row."""
        return self._with_gaps.vocabulary.alike(matrix)

    def faults(self, matrix: Floats) -> dict[int, str]:
        """Return what is said of each row that is refused because of a value that there is not."""
        if not self.is_stated:
            return {}
        return self.domain.faults(matrix, self.model.row_dtype, Deadline(None).check)

    def question(self, row: Floats, row_class: int, raw: Any, deadline: Deadline) -> Question:
        """Return a row as counterfactuals and fairness ask about it."""
        prepared = self.prepared_for(row)
        in_tree_columns = raw is None and isinstance(self.model.rows, RawRows)
        ask = self._said_of_numbers if in_tree_columns else self._said
        regions = prepared.regions(deadline)
        return Question(
            *(regions, row, row_class, ask, raw, prepared.classes),
            predict_numbers=self._said_of_numbers,
            read=partial(self._read, prepared),
        )

    def asked_of_model(self, x: Mapping[str, Any]) -> int:
        """Return the place of the outcome of a row, by the word of the model itself."""
        rows = self.model.rows
        row = rows.row(x)
        raw = rows.raw_row(x) if isinstance(rows, RawRows) else row[None, :]
        (word,) = self._said_of_numbers(row[None, :]) if raw is None else self._said(raw)
        prepared = self.prepared_for(row)
        bound = self.target.bound
        if bound is None:
            return prepared.classes.meant(plain_value(word[0]))
        return int(bound.holds(np.asarray(word[1])[None], prepared.own)[0])

    def _said(self, X: Any) -> list[tuple[Any, Any]]:
        """Return what the model itself says of rows: what it predicts, and the number asked for."""
        return self._words(self.model.predict, self.model.predict_proba, X)

    def _said_of_numbers(self, X: Any) -> list[tuple[Any, Any]]:
        """Return the same for rows in the tree's columns, by the tree."""
        tree = self.model.tree_for_all
        return self._words(tree.predict, tree.predict_proba, X)

    def _words(self, predict: Any, predict_proba: Any, X: Any) -> list[tuple[Any, Any]]:
        predicted = predict(X)
        numbers = predicted
        if isinstance(self.target, Probability):
            numbers = predict_proba(X)[:, self.model_classes.meant(self.target.label, "label")]
        return list(zip(predicted, numbers, strict=True))

    def _read(self, prepared: PreparedTree, word: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return what the model predicts for a row, and the label of the outcome it comes to."""
        predicted = plain_value(word[0])
        bound = self.target.bound
        if bound is None:
            return predicted, word[0]
        inside = bound.holds(np.asarray(word[1])[None], prepared.own)
        return predicted, prepared.tree.class_names[int(inside[0])]

    def of_numbers(self) -> ModelContext:
        """Return the same for rows of numbers only, without the model's library.

        Another process takes it in a fraction of the time that importing scikit-learn takes.
        """
        return replace(self, model=self.model.of_numbers())

    def __reduce__(self) -> tuple[object, ...]:
        # What is made on demand stays behind.
        return type(self), tuple(getattr(self, one.name) for one in fields(self))
