"""The way in: a model, then its rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from cattleya.adapters.adapted import AdaptedModel
from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.adapters.registry import adapt_any
from cattleya.explain.context import ModelContext
from cattleya.explain.ensemble import many
from cattleya.explain.ensemble.context import EnsembleContext
from cattleya.explain.explaining import explanation_of
from cattleya.explain.explanation import Explanation, count_on
from cattleya.model.domain.column_types import only_types
from cattleya.model.domain.lookup import listed
from cattleya.model.domain.stated import Statements
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.checks import check_class_names
from cattleya.model.tree.rows import RawRows, is_frame, is_sparse, label_of
from cattleya.model.tree.target import Target, checked_target
from cattleya.model.tree.threshold import number_text
from cattleya.model.tree.tree import Tree
from cattleya.support.limits import MEMORY_LIMIT, Deadline, checked_memory
from cattleya.support.text import shown
from cattleya.vocabularies.over import over_named

if TYPE_CHECKING:
    from cattleya.batch.rules import Rules
    from cattleya.batch.summary import Summary
    from cattleya.changes.counterfactual import Counterfactual
    from cattleya.changes.fairness import DataFairness
    from cattleya.explain.audit import Audit
    from cattleya.explain.short import Among
    from cattleya.explore.server import Running

__all__ = ["Explainer", "context_of"]


class Explainer:
    """Explains what a tree model decides.

    Parameters
    ----------
    model : a fitted tree, forest or boosted model, a Pipeline that ends in one, Tree or Ensemble
        ``DecisionTreeClassifier``, ``ExtraTreeClassifier``, ``DecisionTreeRegressor`` or
        ``ExtraTreeRegressor``; also one tree of a forest, ``forest.estimators_[3]``. It is read
        once: a model that is fitted again needs a new explainer. Or a forest, a bag of trees or a
        boosted model of scikit-learn, XGBoost, LightGBM or CatBoost, or an
        :class:`cattleya.Ensemble`.
    feature_names : sequence of str, optional
        Names to show; by default those the model was trained with.
    class_names : sequence of str or int, optional
        Names to show for the model's classes, in the order of ``model.classes_``; numbers are shown
        as text, so that ``load_digits().target_names`` will do. The trees of a forest have numbers
        for classes: give ``forest.classes_``.
    over : {"conditions", "features", "intervals"}
        What explanations are made of: the tree's binary conditions, each a Boolean variable of its
        own, as in the paper; whole features, fixed to the row's values; or conditions under the
        logic of the features' values, where ``age > 40`` implies ``age > 30`` and a category is one
        fact, ``job = nurse``.
    target : Probability or Value, optional
        What is explained, where it is not the predicted class: whether the probability of a class
        reaches a threshold (:class:`cattleya.Probability`), or whether a predicted number is in a
        range (:class:`cattleya.Value`). By default the outcome of a model that predicts numbers is
        exactly the number that it predicts.
    output : int, optional
        Which output to explain of a tree that predicts several at once; the first is 0.
        (scikit-learn keeps no names of outputs.)
    categories : dict, optional
        The categories among the features, where the model itself does not tell (a Pipeline with
        encoders does). ``{"job": ["job_clerk", "job_nurse"]}`` names columns of which exactly one
        is 1; ``{"job": {1: "clerk", 2: "nurse"}}`` the codes in a column ``job``.
    integer : list of str, or True, optional
        The features that take whole numbers only; True for all that are numbers.
    data : DataFrame, optional
        A table such as the model was trained on, as far as its column types go: a column of
        integers takes whole numbers only, one of Booleans 0 and 1, a pandas categorical of numbers
        one of its categories. Only dtypes are read; ``integer`` and ``categories`` take
        precedence. :attr:`assumptions` says what is taken for granted. A row that has another value
        is refused.
    missing_values : bool, optional
        Whether the model was trained with missing values. Then the side to which a test sends them
        is part of each condition (``age <= 30.5 or missing``). By default this is taken from the
        tree where it shows: scikit-learn does not keep it, and a tree with few missing values may
        look like one with none. It is then part of the conditions only in rows that lack a value
        which the tree tests.
    memory_limit : int
        What one question may take, in bytes (by default 1 GiB), give or take 8 MiB, and 8 MiB more
        for each further thread. One that would need more raises
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
    petal width (cm) <= 0.8

    What it was told:

    >>> import cattleya
    >>> explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", "no", "yes")))
    >>> explainer.over, explainer.memory_limit, explainer.target, explainer.target_name
    ('conditions', 1073741824, PredictedClass(), None)
    >>> explainer.tree
    <Tree: 3 nodes, depth 1, 1 feature, classes 'no', 'yes'>
    >>> explainer.definition
    "over the tree's binary conditions, each taken as a Boolean variable of its own"
    """

    def __init__(
        self,
        model: Any,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | Sequence[int] | None = None,
        over: str = "conditions",
        *,
        target: Target | None = None,
        output: int | None = None,
        categories: Mapping[str, Any] | None = None,
        integer: Sequence[str] | bool | None = None,
        data: Any = None,
        missing_values: bool | None = None,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        tag, memory_limit = over_named(over), checked_memory(memory_limit)
        if missing_values is not None and not isinstance(missing_values, (bool, np.bool_)):
            raise TypeError(
                f"missing_values must be True, False or None, not {shown(missing_values)}"
            )
        asked = checked_target(target)
        adapted = adapt_any(model, feature_names, missing_values, output)
        statements = Statements(categories, integer)
        types = None if data is None else only_types(data)
        self._data = data if data is not None and len(data) else None
        if isinstance(adapted, AdaptedEnsemble):
            labels = _ensemble_labels(class_names, adapted.ensemble)
            same = cast("AdaptedModel", adapted)  # by the same words
            made = EnsembleContext(same, tag, statements, labels, memory_limit, types, asked)
            made.check()
            self._context: ModelContext = made
        else:
            labels = _labels(class_names, adapted.tree)
            self._context = ModelContext(
                adapted, tag, statements, labels, memory_limit, types, asked
            )
            asked.numbers(adapted.tree, self._context.model_classes)  # refused now
            if self._context.is_stated:
                _ = self._context.domain  # a wrong statement is refused now
        # What costs much to ask for each row.
        self._raw_rows = adapted.rows if isinstance(adapted.rows, RawRows) else None

    _data: Any = None  # with rows: facts are counted on them
    _among: Among | None = None
    _raw_rows: RawRows | None = None

    @property
    def tree(self) -> Tree:
        """The tree that is explained; of an ensemble one that has all its tests."""
        return self._context.tree

    @property
    def target(self) -> Target:
        """What is explained."""
        return self._context.target

    @property
    def over(self) -> str:
        """What explanations are made of: "conditions", "features" or "intervals"."""
        return self._context.over.value

    @property
    def target_name(self) -> str | None:
        """The column that the model predicts, where it is known: ``cattleya train`` keeps it."""
        return self._context.model.target_name

    @property
    def memory_limit(self) -> int:
        """What one question may take, in bytes."""
        return self._context.memory_limit

    def explain(
        self, x: Any, exclude: Iterable[Any] = (), immutable: Iterable[Any] = ()
    ) -> Explanation:
        """Explain one row. The explanation of an ensemble has the same words, where they apply.

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
        row = self._context.model.rows.row(x)
        made = explanation_of(self._context, row, raw, label_of(x), exclude, immutable)
        if self._data is not None:
            count_on(made, self._table)
        return made

    def _table(self) -> Among | None:
        """Return the rows that were given as ``data``, read when first needed."""
        if self._among is None and self._data is not None:
            self._among = self.among(self._data)
        return self._among

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_data", "_among")}

    def __call__(self, X: Any, timeout: float | None = None) -> Any:
        """Return the importance of features in rows, as users of ``shap`` call an explainer.

        The result is a ``shap.Explanation`` for their plots: ``shap.plots.beeswarm(explainer(X))``,
        ``shap.plots.waterfall(explainer(X)[0])``. Its values are no SHAP values, but shares of the
        sufficient reasons: see :func:`cattleya.plots.to_shap`, which gives those of explanations.

        Parameters
        ----------
        X : table of rows, as the model takes them
        timeout : float, optional
            Of each row, as for :meth:`cattleya.Explanation.importance`.
        """
        from cattleya.present.plots.shap_values import to_shap

        Deadline(timeout)  # a bad value is refused before anything is done
        if self._context.is_ensemble:
            raise TypeError(
                "the importance of features is a share of all reasons, which are not counted for "
                "ensembles; give one tree"
            )
        matrix = self._context.model.rows.matrix(X)
        raw: Any = None if self._raw_rows is None else self._raw_rows.raw_row(X)
        if is_sparse(raw):
            raw = raw.tocsr()
        several = []
        for i, row in enumerate(matrix):
            own = None if raw is None else raw.iloc[[i]] if is_frame(raw) else raw[[i]]
            several.append(explanation_of(self._context, row, own))
        return to_shap(several, timeout=timeout)

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
        want : list of {"sufficient", "minimal", "contrastive", "counterfactual", "necessary", \
                "count", "importance", "short"}
            What to ask of each row; short reasons are counted on the rows of ``X``.
        n_jobs : int, optional
            How many rows are worked on at once. Of a tree these are threads, for all questions
            but "counterfactual", "short" and "importance"; else processes.
            ``joblib.parallel_config`` chooses something else: processes, a cluster (Dask, Ray).
        timeout : float, optional
            Seconds per row. One that needs longer has the status "timeout".
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
            One row per row of ``X``, with its index: ``prediction``, ``status`` ("ok", "timeout",
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
            self._context,
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

    def among(self, data: Any) -> Among:
        """Return the rows of a table, read once: for many questions that count on them.

        ``explanation.short_reason(among=...)`` takes the table itself as well, but reads it again
        for every row.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "yes", "no")))
        >>> explainer = cattleya.Explainer(tree)
        >>> rows = explainer.among([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> for x in ([0, 0], [1, 0]):
        ...     print(explainer.explain(x).short_reason(among=rows))
        not a
        a and not b
        """
        from cattleya.explain.short import Among

        return Among(self._context, data)

    def rules(
        self,
        data: Any,
        precision: Any = 1,
        max_size: int | None = None,
        *,
        held_out: Any = None,
        cover: Any = None,
        min_coverage: Any = None,
        timeout: float | None = None,
        progress: bool = True,
    ) -> Rules:
        """Return few rules that cover the rows of each class.

        At precision 1 each is a general reason: every row with its facts gets the class, which is
        proved on the model. They cover all rows of the table, and ``at_least`` bounds how few could
        (``proved_fewest`` where these are as few as can be). Below 1 each is a short reason,
        counted on the table; together they are right less often, which ``union`` counts.

        Parameters
        ----------
        data : table of rows, as the model takes them
        precision : number
            1 for rules without exceptions; below, the share of the rows with a rule's facts that
            must get its class.
        max_size : int, optional
            How many facts a rule has at the most: by default any number at precision 1, 4 below.
            Rows whose reasons are all longer stay uncovered.
        held_out : table of rows, optional
            Rows to count the same on, which the rules are not chosen by.
        cover : number, optional
            The share of the rows of each class at which to stop: by default 1 at precision 1, and
            0.8 below, where the last rows would take most of the rules.
        min_coverage : number, optional
            The share of the table that a rule must cover, below precision 1; by default 0.01.
        timeout : float, optional
            Seconds; what was found until then is returned, and ``unasked`` says what is open.
        progress : bool
            Show how many rows are covered, on a terminal.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
        >>> rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> print(cattleya.Explainer(tree).rules(rows))
        no: 1 rule covers 100% of 1 row; no fewer do: proved
          not a and not b: every row gets no
        yes: 2 rules cover 100% of 3 rows; no fewer do: proved
          b: all 2 rows get yes
          a: all 2 rows get yes
        """
        from cattleya.batch.rules import rules

        return rules(
            self._context,
            data,
            precision,
            max_size,
            held_out=held_out,
            cover=cover,
            min_coverage=min_coverage,
            timeout=timeout,
            progress=progress,
        )

    def summarise(
        self,
        X: Any,
        protected: Iterable[Any] = (),
        n_jobs: int | None = None,
        timeout: float | None = None,
        progress: bool = True,
        *,
        truth: Any = None,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
    ) -> Summary:
        """Explain many rows, and tell what they have in common.

        How many rows get each class, what the decisions rest on, few reasons that together cover
        most rows, which rows are hardest to explain, and which decisions depend on a protected
        feature.

        Parameters
        ----------
        X, n_jobs, timeout, progress, exclude, immutable
            As for :meth:`explain_all`.
        protected : list of features
            Features that no decision should depend on.
        truth : list of classes, optional
            The true class of each row, missing where it is not known.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("sex", ("job", "no", "yes"), "yes"))
        >>> rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> found = cattleya.Explainer(tree).summarise(rows, ["sex"], truth=["no"] + 3 * ["yes"])
        >>> found.accuracy, found.unfair["change"].tolist()
        (Fraction(1, 1), ['sex: 0 -> 1', 'sex: 1 -> 0'])
        >>> for one in found.cover.reasons:
        ...     print(one.reason, "->", one.prediction, one.rows)
        job -> yes 2
        sex -> yes 2
        not sex and not job -> no 1
        """
        from cattleya.batch.summary import summarise

        return summarise(
            self._context,
            X,
            protected=protected,
            truth=truth,
            n_jobs=n_jobs,
            timeout=timeout,
            progress=progress,
            exclude=exclude,
            immutable=immutable,
        )

    @property
    def definition(self) -> str:
        """What the explanations are made of."""
        return self._context.over.definition

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
        return self._context.assumptions

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
        from cattleya.changes.fairness import fairness

        deadline = Deadline(timeout)
        if isinstance(self._context, EnsembleContext):
            return many.is_fair(self._context, X, protected, deadline)
        matrix = self._context.model.rows.matrix(X)
        self._context.check_rows(matrix, deadline)
        deadline.check()
        names, fair = listed("protected", protected), np.ones(len(matrix), dtype=np.bool_)
        for prepared, rows in self._context.by_tree(matrix):
            found = fairness(prepared.regions(deadline), matrix[rows], names, deadline)
            fair[rows] = found.fair
        return replace(found, fair=fair, noun=prepared.classes.noun)

    def audit(
        self,
        protected: Iterable[Any] = (),
        data: Any = None,
        monotone: Mapping[str, str] | None = None,
        timeout: float | None = None,
        *,
        rules: Any = None,
    ) -> Audit:
        """Answer questions about the whole model, over all that rows can be.

        Can a change of the protected features alone change any decision, and where? How does the
        outcome go with each number? Which features does no decision depend on?

        Parameters
        ----------
        protected : list of features
            What no decision should depend on; all of them may change together.
        data : table, optional
            Rows to tell the share of, and to take typical values from. Which values there can be
            is as the explainer was told: give the table to it, too, for columns of whole numbers.
        monotone : dict, optional
            What is expected of numbers: ``{"income": "up"}`` for never from a later outcome to an
            earlier one as it is raised, "down" for the other way. Also of a category in one column
            of codes, in their order.
        timeout : float, optional
            Seconds. Of a tree, :class:`cattleya.TimeoutExpired` is raised when they are over; of an
            ensemble, what is open by then is told as open.
        rules : number, optional
            A precision: also find few rules of it that cover the rows of ``data``, as
            :meth:`rules` does; 1 for rules without exceptions.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("sex", ("job", "no", "yes"), "yes"))
        >>> found = cattleya.Explainer(tree).audit(["sex"])
        >>> found.fair, str(found.witness)
        (False, 'sex: 0 -> 1 changes no to yes')
        >>> print(found.regions[0])
        not job: no with not sex; yes with sex
        """
        from cattleya.explain.audit import audit

        if rules is not None and data is None:
            raise ValueError(f"rules={shown(rules)} covers the rows of a table: give data")
        if isinstance(self._context, EnsembleContext):
            from cattleya.explain.ensemble.audit import audit_ensemble

            found = audit_ensemble(self._context, protected, data, monotone, timeout)
        else:
            found = audit(self._context, protected, data, monotone, timeout)
        if rules is None:
            return found
        return replace(found, rules=self.rules(data, rules, timeout=timeout))

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
        from cattleya.changes.nearest import Wanted
        from cattleya.explain.many_counterfactuals import counterfactuals_of

        deadline = Deadline(timeout)
        rows = None if data is None else self._context.measured(data).held()
        wanted = Wanted(
            n, toward, tuple(listed("immutable", immutable)), ranges, metric, rows, weights
        )
        if isinstance(self._context, EnsembleContext):
            return many.counterfactuals_of(self._context, X, wanted, deadline)
        return counterfactuals_of(self._context, X, wanted, deadline)

    def explore(
        self,
        X: Any,
        *,
        image: Sequence[int] | None = None,
        protected: Iterable[str] = (),
        port: int = 0,
        host: str = "127.0.0.1",
        open_browser: bool = True,
    ) -> Running:
        """Open a page to look around in: the rows of a table, each with its explanation.

        It runs on this machine, in a thread of its own, and needs ``pip install
        "cattleya[explore]"``. The result has its ``address``, with a token in it, and ``close()``.

        Parameters
        ----------
        X : table of rows, as the model takes them
        image : sequence of int, optional
            Height and width of rows that are images.
        protected : list of str
            Features that no decision should depend on, for the report.
        port : int
            Where to listen; 0 takes a free port.
        host : str
            The address to listen on: by default only this machine can ask.
        open_browser : bool
            Whether to open the page in the browser.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "yes", "no")))
        >>> running = cattleya.Explainer(tree).explore([[1, 0], [0, 1]], open_browser=False)
        >>> running.address[:17]
        'http://127.0.0.1:'
        >>> running.close()
        """
        from cattleya.explore.explorer import explorer_of
        from cattleya.explore.server import started

        explorer = explorer_of(self, X, image=image, protected=protected)
        return started(explorer, port=port, host=host, open_browser=open_browser)

    def __repr__(self) -> str:
        asked = "" if self.target.bound is None else f" for {self.target!r}"
        context = self._context
        explained = context.ensemble if isinstance(context, EnsembleContext) else self.tree
        return f"<Explainer over {self.over} of {explained!r}{asked}>"


def _labels(names: Sequence[Any] | None, tree: Tree) -> tuple[str, ...]:
    if tree.leaf_value is not None:
        if names is not None:
            raise ValueError(
                f"class_names={shown(names)}, but the model predicts numbers, not classes; leave "
                f"them out"
            )
        dtype = tree.leaf_value.dtype.name
        return tuple(number_text(number, dtype) for number in tree.class_names)
    if names is None:
        return tuple(str(label) for label in tree.class_names)
    return check_class_names(names, tree.class_names)


def _ensemble_labels(names: Sequence[Any] | None, ensemble: Ensemble) -> tuple[str, ...]:
    if ensemble.class_names is None and names is not None:
        raise ValueError(
            f"class_names={shown(names)}, but the model predicts numbers, not classes; leave them "
            f"out"
        )
    classes = ensemble.class_names or ()
    return tuple(map(str, classes)) if names is None else check_class_names(names, classes)


def as_asked(explainer: Explainer, over: str, data: Any = None) -> Explainer:
    """Return an explainer in another vocabulary, with rows to count facts on: for saved lines."""
    made = copy(explainer)
    made._context = explainer._context.over_another(over_named(over))
    made._data, made._among = data, None
    return made


def context_of(explainer: Explainer) -> ModelContext:
    """Return what an explainer knows of its model: for the rest of the package, not for users."""
    return explainer._context
