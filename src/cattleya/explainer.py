"""The way in: a model, then its rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cattleya.adapters import adapt
from cattleya.distinct import distinct
from cattleya.explanation import Explanation
from cattleya.feature_lookup import listed
from cattleya.features import OVER_FEATURES, Features
from cattleya.intervals import OVER_INTERVALS, Intervals
from cattleya.known_types import only_types
from cattleya.limits import MEMORY_LIMIT, Deadline, checked_memory
from cattleya.printable import shown
from cattleya.row_atoms import OVER_CONDITIONS, ConditionAtoms, RowAtoms
from cattleya.rows import RawRows, RowReader, label_of
from cattleya.setting import Setting
from cattleya.stated_domain import Statements
from cattleya.tree import Tree
from cattleya.tree_checks import check_class_names
from cattleya.walker import Walker

if TYPE_CHECKING:
    from cattleya.batch.summary import Summary
    from cattleya.counterfactual import Counterfactual
    from cattleya.fairness import DataFairness

__all__ = ["Explainer"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

VOCABULARIES = ("conditions", "features", "intervals")
OVER = {"conditions": OVER_CONDITIONS, "features": OVER_FEATURES, "intervals": OVER_INTERVALS}


class Explainer:
    """Explains what a decision tree decides.

    Parameters
    ----------
    model : Tree, or a fitted scikit-learn tree, or a Pipeline that ends in one
        ``DecisionTreeClassifier`` or ``ExtraTreeClassifier``. It is read once: a model that is
        fitted again needs a new explainer.
    feature_names : sequence of str, optional
        Names to show; by default those the model was trained with.
    class_names : sequence of str or int, optional
        Names to show for the model's classes, in the order of ``model.classes_``; numbers are shown
        as text, so that ``load_digits().target_names`` will do.
    over : {"conditions", "features", "intervals"}
        What explanations are made of: the tree's binary conditions, each a Boolean variable of its
        own, as in the paper; whole features, fixed to the row's values; or conditions under the
        logic of the features' values, where ``age > 40`` implies ``age > 30`` and a category is one
        fact, ``job = nurse``.
    categories : dict, optional
        The categories among the features, where the model itself does not tell (a Pipeline with
        encoders does). ``{"job": ["job_clerk", "job_nurse"]}`` names columns of which exactly one
        is 1; ``{"job": {1: "clerk", 2: "nurse"}}`` the codes in a column ``job``.
    integer : list of str, or True, optional
        The features that take whole numbers only; True for all that are numbers.
    data : DataFrame, optional
        A table such as the model was trained on, as far as its column types go: a column of
        integers takes whole numbers only, one of Booleans 0 and 1, a pandas categorical of numbers
        one of its categories. Values are not looked at, and ``integer`` and ``categories`` go
        before. :attr:`assumptions` says what is taken for granted. A row that has another value is
        refused.
    missing_values : bool, optional
        Whether the model was trained with missing values. Then the side to which a test sends them
        is part of each condition (``age <= 30.5 or missing``). By default this is taken from the
        tree where it shows: scikit-learn does not keep it, and a tree with few missing values may
        look like one with none. It is then part of the conditions only in rows that lack a value
        which the tree tests.
    memory_limit : int
        What one question may take, in bytes (by default 1 GiB). One that would need more raises
        :class:`cattleya.MemoryLimitExceeded`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import cattleya
    >>> iris = load_iris(as_frame=True)
    >>> model = DecisionTreeClassifier(random_state=0).fit(iris.data, iris.target)
    >>> e = cattleya.Explainer(model, class_names=iris.target_names).explain(iris.data.iloc[[0]])
    >>> e.prediction, e.prediction_name
    (0, 'setosa')
    >>> print(e.sufficient_reason())
    petal width (cm) <= 0.800000011920929
    """

    def __init__(
        self,
        model: Any,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | Sequence[int] | None = None,
        over: str = "conditions",
        *,
        categories: Mapping[str, Any] | None = None,
        integer: Sequence[str] | bool | None = None,
        data: Any = None,
        missing_values: bool | None = None,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        if not isinstance(over, str) or over not in VOCABULARIES:
            raise ValueError(f"over must be one of {VOCABULARIES}, not {shown(over)}")
        self.over = over
        self.memory_limit = checked_memory(memory_limit)
        if missing_values is not None and not isinstance(missing_values, (bool, np.bool_)):
            raise TypeError(
                f"missing_values must be True, False or None, not {shown(missing_values)}"
            )
        self._model = adapt(model, feature_names, missing_values)
        rows = self._model.rows
        self._raw_rows = rows if isinstance(rows, RawRows) else None  # costly to ask for each row
        labels = _labels(class_names, self._model.tree.class_names)
        statements = Statements(categories, integer)
        types = None if data is None else only_types(data)
        self.setting = Setting(self._model, statements, labels, self.memory_limit, types)
        if self.setting.is_stated:
            _ = self.setting.domain  # a wrong statement is refused now
        self._vocabulary = self._vocabulary_of(self._model.tree)

    @property
    def tree(self) -> Tree:
        """The tree that is explained."""
        return self._model.tree

    def _vocabulary_of(self, tree: Tree) -> Walker | Features | Intervals:
        if self.over == "conditions":
            return Walker(tree, self.setting.users_domain)
        make = Features if self.over == "features" else Intervals
        return make(tree, self.setting.domain)

    @cached_property
    def _vocabulary_for_missing(self) -> Walker | Features | Intervals:
        # A model may take missing values without ever having seen one. Where they go is then part
        # of the conditions only for the rows that have some in columns that it tests.
        tree = self._model.tree_for_all
        return self._vocabulary if tree is self.tree else self._vocabulary_of(tree)

    def explain(
        self, x: Any, exclude: Iterable[Any] = (), immutable: Iterable[Any] = ()
    ) -> Explanation:
        """Explain one row.

        Parameters
        ----------
        x : array, list, dict by name, Series, one-row DataFrame or sparse row
            As the model takes it; for a Pipeline, before its transformations. Where both the model
            and the row have names, columns are matched by name.
        exclude : list of features, by name or number
            Features that no sufficient reason may mention. Every question about sufficient reasons
            is then answered over those that do not; :class:`cattleya.NoSuchReason` is raised where
            there are none.
        immutable : list of features, by name or number
            Features that no contrastive explanation may change.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("sex", ("age", 0, 1), ("job", 0, 1)))
        >>> explainer = cattleya.Explainer(tree)
        >>> print(*explainer.explain([1, 1, 1]).sufficient_reasons(), sep=" | ")
        sex and job | age and job
        >>> print(*explainer.explain([1, 1, 1], exclude=["sex"]).sufficient_reasons(), sep=" | ")
        age and job
        >>> explainer.explain([1, 1, 1], immutable=["sex", "age"]).contrastive()
        (<Reason (contrastive explanation): job>,)
        """
        raw = None if self._raw_rows is None else self._raw_rows.raw_row(x)
        row = self._model.rows.row(x)
        return self.explain_numbers(row, exclude, immutable, raw, label_of(x))

    def explain_all(
        self,
        X: Any,
        want: Sequence[str] = ("sufficient", "contrastive"),
        n_jobs: int | None = None,
        timeout: float | None = None,
        progress: bool = True,
        errors: str = "row",
        *,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
        contrasts: int = 5,
        output: str = "pandas",
    ) -> Any:
        """Explain many rows.

        Parameters
        ----------
        X : DataFrame, array, sparse matrix or list of rows
            As the model takes it.
        want : list of {"sufficient", "minimal", "contrastive", "necessary", "count", "importance"}
            What to ask of each row.
        n_jobs : int, optional
            How many rows are worked on at once: by joblib, so that ``joblib.parallel_config``
            chooses between threads, processes and a cluster (Dask, Ray).
        timeout : float, optional
            Seconds a row. One that needs longer has the status "timeout".
        progress : bool
            Whether to show progress on a terminal.
        errors : {"row", "raise"}
            Whether a row that cannot be explained is a row with its status and error, or stops
            everything.
        exclude, immutable : list of features
            As for :meth:`explain`.
        contrasts : int
            How many contrastive explanations to give for a row, the smallest first; their number
            is always there.
        output : {"pandas", "pyarrow"}
            What kind of table to return. In one of pyarrow (``pip install "cattleya[parquet]"``)
            counts and shares are text, because they have no bounds, and the version of the library,
            the hash of the model, the definition and the parameters are metadata of the schema.

        Returns
        -------
        DataFrame or pyarrow.Table
            One row a row of ``X``, with its index: ``prediction``, ``status`` ("ok", "timeout",
            "memory", "no such reason" or "error"), ``error``, the answers (a reason as text, as a
            tuple of conditions, and its size; counts as Python integers; importance as a dict of
            fractions, highest first), and ``seconds``.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> table = cattleya.Explainer(tree).explain_all([[1, 1], [0, 1]], ["sufficient"])
        >>> print(table[["prediction", "status", "sufficient"]])
           prediction status sufficient
        0           1     ok  x1 and x2
        1           0     ok     not x1
        """
        from cattleya.batch.table import explain_all

        return explain_all(
            self,
            X,
            want,
            n_jobs=n_jobs,
            timeout=timeout,
            progress=progress,
            errors=errors,
            exclude=exclude,
            immutable=immutable,
            contrasts=contrasts,
            output=output,
        )

    def summarise(
        self,
        X: Any,
        protected: Iterable[Any] = (),
        n_jobs: int | None = None,
        timeout: float | None = None,
        progress: bool = True,
        *,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
    ) -> Summary:
        """Explain many rows, and tell what they have in common.

        How long reasons are and how many there are, what the decisions rest on by feature and by
        class, which rows are hardest to explain, and which cannot be explained without a
        protected feature.

        Parameters
        ----------
        X, n_jobs, timeout, progress, exclude, immutable
            As for :meth:`explain_all`.
        protected : list of features
            Features that a reason should not need.
        """
        from cattleya.batch.summary import summarise

        return summarise(
            self,
            X,
            protected=protected,
            n_jobs=n_jobs,
            timeout=timeout,
            progress=progress,
            exclude=exclude,
            immutable=immutable,
        )

    @property
    def definition(self) -> str:
        """What the explanations are made of."""
        return OVER[self.over]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted about the columns, one sentence each.

        Which features take whole numbers only, and what of a Pipeline could not be traced back to
        the columns that it was given, so that its own are used.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
        ...                      n_features=1, feature_names=["age"])
        >>> cattleya.Explainer(tree, integer=["age"]).assumptions
        ('only whole numbers are possible for age',)
        """
        return self.setting.assumptions

    @property
    def rows(self) -> RowReader:
        """Reads rows as the model takes them."""
        return self._model.rows

    def distinct(self, matrix: Floats) -> tuple[Places, Places]:
        """Return, for rows of numbers, one of each kind that explanations can tell apart.

        As the places of the first ones, and the kind of each row.
        """
        from cattleya.batch.alike import grid_cells

        _check_numbers(matrix, (len(matrix) if np.ndim(matrix) else 0, self.tree.n_features))
        vocabulary = self._vocabulary_for_missing
        if not isinstance(vocabulary, Walker):
            return distinct(matrix)
        cells, faults = grid_cells(vocabulary.conditions, matrix), self.setting.faults(matrix)
        if faults:  # also of columns that are not tested
            number = {fault: n for n, fault in enumerate(dict.fromkeys(faults.values()), 1)}
            own = [number.get(faults.get(place, ""), 0) for place in range(len(matrix))]
            cells = np.column_stack((cells, np.array(own, dtype=np.int32)))
        return distinct(cells)

    def explain_numbers(
        self,
        row: Floats,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
        raw_row: Any = None,
        label: Any = None,
    ) -> Explanation:
        """Explain a row as :attr:`rows` reads it: numbers in the tree's columns."""
        _check_numbers(row, (self.tree.n_features,))
        row = row + 0.0  # a copy, which is kept; -0.0 and 0.0 are one value
        if self.setting.is_stated:
            self.setting.domain.check_row(row, self._model.tree.row_dtype)
        tree = self._model.tree_for(row)
        routed = tree is not self._model.tree
        vocabulary = self._vocabulary_for_missing if routed else self._vocabulary
        atoms: RowAtoms = (
            ConditionAtoms(vocabulary, row)
            if isinstance(vocabulary, Walker)
            else vocabulary.row(row)
        )
        return Explanation(
            self.setting,
            tree,
            atoms,
            row,
            raw_row,
            label=label,
            exclude=exclude,
            immutable=immutable,
        )

    def of_numbers(self) -> Explainer:
        """Return an explainer for :meth:`explain_numbers` only, without the model's library.

        Another process takes it in a fraction of the time that importing scikit-learn takes.
        """
        made = copy(self)
        made._model = self._model.of_numbers()
        made._raw_rows = None
        made.setting = replace(self.setting, model=made._model)
        made._vocabulary = made._vocabulary_of(made.tree)
        made.__dict__.pop("_vocabulary_for_missing", None)
        return made

    def is_fair(
        self, X: Any, protected: Iterable[Any], timeout: float | None = None
    ) -> DataFairness:
        """Tell of many rows whether each keeps its class whatever some features are.

        The result has the share of such rows, and the places of the others. All other features
        stay as they are, those that give a protected one away as well.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("sex", ("job", 0, 1), 1))
        >>> print(cattleya.Explainer(tree).is_fair([[0, 0], [0, 1]], ["sex"]))
        50.0% of 2 rows are fair: no change of sex changes their class
        """
        from cattleya.fairness import fairness

        deadline = Deadline(timeout)
        matrix = self._model.rows.matrix(X)
        self.setting.check_rows(matrix, deadline)
        deadline.check()
        names, fair = listed("protected", protected), np.ones(len(matrix), dtype=np.bool_)
        for tree, rows in self._model.by_tree(matrix):
            regions = self.setting.regions_of(tree, deadline)
            found = fairness(regions, matrix[rows], names, deadline)
            fair[rows] = found.fair
        return replace(found, fair=fair)

    def counterfactuals(
        self,
        X: Any,
        n: int = 1,
        toward: Hashable = None,
        immutable: Iterable[Any] = (),
        ranges: Mapping[Any, Any] | None = None,
        metric: str = "l0",
        data: Any = None,
        weights: Any = None,
        timeout: float | None = None,
    ) -> Iterator[tuple[Counterfactual, ...]]:
        """Give the nearest rows of another class of each of many rows, one row after the other.

        As :meth:`Explanation.counterfactuals` does for a single row, but much faster with a
        Pipeline, which is called once for many rows. A row that has none under these constraints,
        or is of the class ``toward`` already, gets an empty tuple; the single row's own question
        says which constraint stands in the way.

        Parameters
        ----------
        X : DataFrame, array, sparse matrix or list of rows
            As the model takes it.
        n, toward, immutable, ranges, metric, data, weights
            As for :meth:`Explanation.counterfactuals`.
        timeout : float, optional
            Seconds for all rows together, from the call.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("sex", 0, ("job", 0, 1)))
        >>> for found in cattleya.Explainer(tree).counterfactuals([[0, 1], [1, 1]]):
        ...     print(*found)
        sex: 0 -> 1
        sex: 1 -> 0
        """
        from cattleya.counterfactuals import Wanted
        from cattleya.many_counterfactuals import counterfactuals_of

        deadline = Deadline(timeout)
        rows = None if data is None else self.setting.measured(data)
        wanted = Wanted(
            n, toward, tuple(listed("immutable", immutable)), ranges, metric, rows, weights
        )
        return counterfactuals_of(self.setting, X, wanted, deadline)

    def check_features(self, what: str, features: Iterable[Any]) -> None:
        """Refuse names and numbers that are no features of the model."""
        self.setting.features.check(what, features)

    def __repr__(self) -> str:
        return f"<Explainer over {self.over} of {self.tree!r}>"


def _labels(names: Sequence[Any] | None, classes: tuple[Any, ...]) -> tuple[str, ...]:
    if names is None:
        return tuple(str(label) for label in classes)
    return check_class_names(names, classes)


def _check_numbers(numbers: Any, shape: tuple[int, ...]) -> None:
    """Refuse what is not as the reader of rows gives it; the native core looks no closer."""
    right = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
    if not right or numbers.shape != shape:
        raise TypeError(
            f"numbers must be a float64 array of shape {shape}, as explainer.rows gives them, "
            f"not {shown(numbers)}"
        )
