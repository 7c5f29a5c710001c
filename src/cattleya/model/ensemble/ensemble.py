"""An ensemble of trees as an immutable value: arrays, names and numbers, and no learning library.

All trees lie one after the other in the same arrays, as in the libraries themselves and in the
native core. One test serves all libraries, ``row[feature] <= threshold``: a library that asks
``x < t`` of float32 numbers asks ``x <= u``, where ``u`` is the float32 number before ``t``. What a
library multiplies or rounds leaf by leaf is done once, when its model is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya._core import Sums, check_trees
from cattleya.model.ensemble.checks import (
    checked_categories,
    checked_decision,
    checked_nodes,
    checked_reading,
    checked_sets,
    checked_sum,
)
from cattleya.model.ensemble.fingerprint import ensemble_hash
from cattleya.model.ensemble.links import probabilities, values
from cattleya.model.ensemble.rounding import rounding_bound
from cattleya.model.ensemble.rows import EnsembleRows
from cattleya.model.ensemble.sums import made_ready
from cattleya.model.tree.checks import check_names, counted, whole_number
from cattleya.model.tree.rows import Columns
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.support.guards import is_real
from cattleya.support.text import shown

__all__ = ["Ensemble", "one_output", "over_tests"]

ROW_DTYPES = ("float32", "float64")
Numbers = npt.NDArray[np.floating[Any]]


class Ensemble:
    """Trees with numbers at their leaves, how these add up, and how the sum decides.

    Parameters
    ----------
    tree_start : sequence of int
        Where each tree starts in the arrays of nodes, its root first, and at the end the number of
        nodes: one more than there are trees. An ensemble may have no trees (``[0]``).
    left, right : sequence of int
        The children of each node, as indices into the whole arrays; -1 and -1 at a leaf.
    feature : sequence of int
        The number of the feature that a node tests; -1 at leaves.
    threshold : sequence of float
        A node goes to its left child where ``row[feature] <= threshold``; it may be infinite.
        Ignored at leaves and at nodes that test a set of categories.
    value : array of shape (n_leaves,) or (n_leaves, width)
        What each leaf adds, one line per leaf, in the order in which the leaves stand in the
        arrays of nodes. The width is the number of outputs, or 1 with ``output_of_tree``.
    n_features : int
        The length of a row.
    feature_names : sequence of str, optional
        One name per feature; by default ``x0``, ``x1`` and so on.
    class_names : sequence, optional
        The labels of the classes, where the ensemble decides between classes.
    missing_left : sequence of bool, optional
        Where each node sends a missing value (NaN). Without it the ensemble takes none.
    category_set : sequence of int, optional
        At nodes that test a set of categories the number of the set, elsewhere -1.
    set_start, set_codes : sequence of int
        The sets: where each starts in ``set_codes``, and one more entry for the end; the codes of
        a set ascend. A value has the code that is its whole part; negative values have none.
    set_left : sequence of bool
        For each set whether its codes go left and everything else right (True), or its codes go
        right and everything else left (False). Missing values go where ``missing_left`` says.
    output_of_tree : sequence of int, optional
        To which output each tree adds the one number of its leaf. By default the leaves have one
        number per output.
    base : sequence of float
        One number per output, with which the sum begins.
    divide_by : float
        The sum is divided by it (1 changes nothing), as where a forest takes the mean.
    scale, offset : float, sequence of float
        The quotient is multiplied by ``scale``, then ``offset`` is added, one number per output.
    sum_dtype : {"float64", "float32"}
        The numbers in which all this is computed, tree by tree in the order of the arrays.
    ordered_sum : bool
        Whether the library always adds in that order. If not (several threads),
        :attr:`rounding_bound` says how far its sums may be from ours.
    decision : {"largest", "threshold", "value"}
        The class of the largest output (the first of equals); the second of two classes where the
        one output is at least ``cut``; or the number itself.
    cut : float
        Only for the decision "threshold". A library that asks ``margin > 0`` has the smallest
        number above 0 as its cut.
    link : str
        What makes probabilities, or numbers, of the sums, such as ``identity``, ``exp``,
        ``logistic`` or ``softmax``.
    row_dtype : {"float64", "float32"}
        What rows are cast to before they meet a threshold.
    link_scale : float
        The sums are multiplied by it on their way into the link.
    by_probability : bool
        Only for the decision "largest": whether the largest probability is meant, as the link
        gives it. Almost equal sums may have equal probabilities: the first of these is taken.
    takes_infinite : bool
        Whether the library takes infinite values.
    missing_value : float
        A value that the library reads as missing, as NaN.
    categories : mapping of int to sequence, optional
        For features whose values are labels: the labels, whose places are the codes. What is not
        among them is missing.
    reading : mapping of int to str, optional
        How the values of some features are read: ``"whole part"`` (rounded toward 0), ``"zero is
        missing"`` (so are numbers of at most 1e-35, as float32), ``"known labels"`` (a label that
        is not among ``categories`` is refused).

    Examples
    --------
    >>> from cattleya import Ensemble
    >>> stumps = Ensemble([0, 3, 6], [1, -1, -1, 4, -1, -1], [2, -1, -1, 5, -1, -1],
    ...                   [0, -1, -1, 1, -1, -1], [30.5, 0, 0, 9.5, 0, 0], [-1, 2, -0.5, 0.5],
    ...                   n_features=2, feature_names=["age", "hours"],
    ...                   class_names=["low", "high"], decision="threshold", link="logistic")
    >>> stumps
    <Ensemble: 2 trees, 4 leaves, depth 1, 2 features, classes 'low', 'high'>
    >>> stumps.margins([[30, 10], [31, 9]])
    array([[-0.5],
           [ 1.5]])
    >>> stumps.predict([[30, 10], [31, 9]])
    array(['low', 'high'], dtype=object)

    What it knows of itself:

    >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 2],
    ...                n_features=1, feature_names=["age"], class_names=["low", "high"],
    ...                decision="threshold", link="logistic")
    >>> one.n_trees, one.n_nodes, one.n_leaves, one.n_outputs, one.depth
    (1, 3, 2, 1, 1)
    >>> one.feature_names, one.has_names, one.rounding_bound.tolist(), len(one.fingerprint)
    (('age',), True, [0.0], 64)
    >>> one.columns.matrix([[31]]).tolist()
    [[31.0]]
    """

    tree_start: Int32s
    left: Int32s
    right: Int32s
    feature: Int32s
    threshold: Floats
    value: Floats
    n_features: int
    class_names: tuple[Hashable, ...] | None
    missing_left: Bools | None
    category_set: Int32s
    set_start: Int32s
    set_codes: Int32s
    set_left: Bools
    output_of_tree: Int32s | None
    base: Floats
    divide_by: float
    scale: float
    offset: Floats
    sum_dtype: str
    ordered_sum: bool
    decision: str
    cut: float
    link: str
    link_scale: float
    by_probability: bool
    row_dtype: str
    takes_infinite: bool
    missing_value: float
    categories: Mapping[int, tuple[Hashable, ...]]
    reading: Mapping[int, str]
    tree_depth: Int32s
    _feature_names: tuple[str, ...] | None

    def __init__(
        self,
        tree_start: Sequence[int] | Int32s,
        left: Sequence[int] | Int32s,
        right: Sequence[int] | Int32s,
        feature: Sequence[int] | Int32s,
        threshold: Sequence[float] | Floats,
        value: Any,
        n_features: int,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Hashable] | None = None,
        *,
        missing_left: Sequence[bool] | Bools | None = None,
        category_set: Sequence[int] | Int32s | None = None,
        set_start: Sequence[int] | Int32s = (0,),
        set_codes: Sequence[int] | Int32s = (),
        set_left: Sequence[bool] | Bools = (),
        output_of_tree: Sequence[int] | Int32s | None = None,
        base: Sequence[float] | Floats = (0.0,),
        divide_by: float = 1.0,
        scale: float = 1.0,
        offset: Sequence[float] | Floats | None = None,
        sum_dtype: str = "float64",
        ordered_sum: bool = True,
        decision: str = "value",
        cut: float = 0.0,
        link: str = "identity",
        link_scale: float = 1.0,
        by_probability: bool = False,
        row_dtype: str = "float64",
        takes_infinite: bool = False,
        missing_value: float = np.nan,
        categories: Mapping[int, Sequence[Hashable]] | None = None,
        reading: Mapping[int, str] | None = None,
    ) -> None:
        if row_dtype not in ROW_DTYPES:
            raise ValueError(f"row_dtype must be 'float32' or 'float64', not {shown(row_dtype)}")
        n_features = whole_number("n_features", n_features)
        parts: dict[str, Any] = checked_sets(set_start, set_codes, set_left)
        parts |= checked_nodes(
            tree_start,
            left,
            right,
            feature,
            threshold,
            missing_left,
            category_set,
            n_features,
            len(parts["set_left"]),
        )
        parts["tree_depth"] = check_trees(parts["tree_start"], parts["left"], parts["right"])
        leaves = int((parts["left"] < 0).sum())
        parts |= checked_sum(
            value,
            output_of_tree,
            base,
            divide_by,
            scale,
            offset,
            sum_dtype,
            ordered_sum,
            leaves,
            len(parts["tree_start"]) - 1,
        )
        outputs = len(parts["base"])
        parts |= checked_decision(
            decision, cut, link, link_scale, by_probability, class_names, outputs, sum_dtype
        )
        for array in parts.values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        parts["n_features"] = n_features
        parts["row_dtype"] = str(row_dtype)
        if not isinstance(takes_infinite, bool):
            raise TypeError(f"takes_infinite must be True or False, not {shown(takes_infinite)}")
        if not is_real(missing_value):
            raise TypeError(f"missing_value must be a number, not {shown(missing_value)}")
        parts["takes_infinite"] = takes_infinite
        parts["missing_value"] = float(missing_value)
        parts["categories"] = checked_categories(categories, n_features)
        parts["reading"] = checked_reading(reading, n_features)
        names = None if feature_names is None else check_names(feature_names, n_features)
        parts["_feature_names"] = names
        vars(self).update(parts)

    @classmethod
    def from_json(cls, text: str) -> Ensemble:
        """Read an ensemble that :meth:`to_json` wrote.

        Examples
        --------
        >>> from cattleya import Ensemble
        >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 2],
        ...                n_features=1, feature_names=["age"], class_names=["low", "high"],
        ...                decision="threshold", link="logistic")
        >>> Ensemble.from_json(one.to_json()).predict([[31]])
        array(['high'], dtype=object)
        """
        from cattleya.model.ensemble.json_form import arguments_from_json

        return cls(**arguments_from_json(text))

    def to_json(self) -> str:
        """Write the ensemble as JSON, with the version of the format in it.

        Examples
        --------
        >>> from cattleya import Ensemble
        >>> one = Ensemble([0, 1], [-1], [-1], [-1], [0], [1.5], n_features=1)
        >>> Ensemble.from_json(one.to_json()) == one
        True
        """
        from cattleya.model.ensemble.json_form import json_from_arguments

        return json_from_arguments(self._arguments())

    @property
    def n_trees(self) -> int:
        """The number of trees."""
        return len(self.tree_start) - 1

    @property
    def n_nodes(self) -> int:
        """The number of nodes of all trees, leaves included."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """The number of leaves of all trees."""
        return len(self.value)

    @property
    def n_outputs(self) -> int:
        """The number of sums."""
        return len(self.base)

    @property
    def depth(self) -> int:
        """The depth of the deepest tree."""
        return int(self.tree_depth.max(initial=0))

    @cached_property
    def leaf_of_node(self) -> Int32s:
        """The line of ``value`` of each leaf; -1 at inner nodes.

        :meta private:
        """
        leaf = self.left < 0
        return np.where(leaf, np.cumsum(leaf) - 1, -1).astype(np.int32)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features."""
        if self._feature_names is not None:
            return self._feature_names
        return tuple(f"x{i}" for i in range(self.n_features))

    @property
    def has_names(self) -> bool:
        """Whether the features were given names."""
        return self._feature_names is not None

    @cached_property
    def rounding_bound(self) -> Floats:
        """How far the library's margin may be from ours, for each output; 0 if they are the same.

        Not 0 only where the library adds in an order that nobody knows (``ordered_sum`` is False)
        and the numbers are such that the order matters, and where it compares probabilities, which
        tell sums apart only if they are farther from each other.
        """
        return rounding_bound(self)

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256: the same for every ensemble that is made of the same numbers and names."""
        return ensemble_hash(self._arguments())

    @property
    def columns(self) -> EnsembleRows:
        """What rows of this ensemble look like, and how to read them."""
        plain = Columns(
            names=self._feature_names,
            count=self.n_features,
            dtype=self.row_dtype,
            takes_missing=self.missing_left is not None,
            takes_infinite=self.takes_infinite,
        )
        known = dict(self.categories), self.missing_value, dict(self.reading)  # to be pickled
        return EnsembleRows(plain, *known)

    def margins(self, X: Any) -> Numbers:
        """Return the sums of each row of ``X``, one column per output, as the library has them.

        Examples
        --------
        >>> from cattleya import Ensemble
        >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 2],
        ...                n_features=1, feature_names=["age"], class_names=["low", "high"],
        ...                decision="threshold", link="logistic")
        >>> one.margins([[30], [31]]).tolist()
        [[-1.0], [2.0]]
        """
        return self.margins_of(self.columns.matrix(X))

    def margins_of(self, matrix: Floats) -> Numbers:
        """Return the sums of each row of a matrix, as ``columns.matrix`` gives it.

        :meta private:
        """
        if not isinstance(matrix, np.ndarray) or matrix.shape[1:] != (self.n_features,):
            raise TypeError(
                f"margins_of takes an array with {self.n_features} columns, as columns.matrix "
                f"gives it, not {shown(matrix)}"
            )
        flat = np.ascontiguousarray(matrix, dtype=np.float64).reshape(-1)
        found = self._sums.margins(flat, len(matrix)).reshape(len(matrix), self.n_outputs)
        return found.astype(self.sum_dtype, copy=False)

    def margins_of_leaves(self) -> Numbers:
        """Return the sums of an ensemble of one tree, one line per leaf.

        :meta private:
        """
        if self.n_trees != 1:
            raise ValueError(f"the sums of {self.n_trees} trees are not those of one leaf each")
        grid = np.dtype(self.sum_dtype)
        total = self.base.astype(grid) + np.zeros((self.n_leaves, 1), dtype=grid)
        place = slice(None) if self.output_of_tree is None else self.output_of_tree
        total[:, place] += self.value.astype(grid)
        if self.divide_by != 1:
            total /= grid.type(self.divide_by)
        if self.scale != 1:
            total *= grid.type(self.scale)
        return np.asarray(total + self.offset.astype(grid))

    @cached_property
    def _sums(self) -> Sums:
        return made_ready(self)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row of ``X``, or its number.

        Examples
        --------
        >>> from cattleya import Ensemble
        >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 2],
        ...                n_features=1, feature_names=["age"], class_names=["low", "high"],
        ...                decision="threshold", link="logistic")
        >>> one.predict([[30], [31]]).tolist()
        ['low', 'high']
        """
        return self.decided(self.margins(X))

    def decided(self, margins: Numbers) -> npt.NDArray[Any]:
        """Return the labels, or numbers, that margins stand for.

        :meta private:
        """
        self._check_margins(margins)
        if self.class_names is None:
            numbers = values(self.link, margins, self.link_scale)
            return numbers[:, 0] if self.n_outputs == 1 else numbers
        labels = np.empty(len(self.class_names), dtype=object)
        labels[:] = self.class_names
        return labels[self.classes_of(margins)]

    def classes_of(self, margins: Numbers) -> Int32s:
        """Return the class that each row of margins decides, by its place.

        :meta private:
        """
        if self.class_names is None:
            raise TypeError("this ensemble decides no class: its predictions are numbers")
        self._check_margins(margins)
        if self.decision == "threshold":
            return np.asarray(margins[:, 0] >= self.cut, dtype=np.int32)
        if self.by_probability:
            margins = probabilities(self.link, margins, self.link_scale)
        return np.asarray(margins.argmax(axis=1), dtype=np.int32)

    def class_of(self, row: Floats) -> int:
        """Return the class that one row of numbers gets, by its place: :meth:`classes_of` of it.

        :meta private:
        """
        if not isinstance(row, np.ndarray) or row.shape != (self.n_features,):
            raise TypeError(
                f"class_of takes an array of {self.n_features} numbers, a row as columns.matrix "
                f"gives it, not {shown(row)}"
            )
        if self.class_names is None or self.by_probability:
            return int(self.classes_of(self.margins_of(row[None, :]))[0])
        return self._sums.decide(row, self.cut if self.decision == "threshold" else None)

    def _check_margins(self, margins: Any) -> None:
        if not isinstance(margins, np.ndarray) or margins.shape[1:] != (self.n_outputs,):
            raise TypeError(
                f"margins must have one line per row and {self.n_outputs} columns, as "
                f"Ensemble.margins gives them, not {shown(margins)}"
            )

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of each class, one line per row of ``X``.

        Examples
        --------
        >>> from cattleya import Ensemble
        >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 2],
        ...                n_features=1, feature_names=["age"], class_names=["low", "high"],
        ...                decision="threshold", link="logistic")
        >>> one.predict_proba([[30], [31]]).round(3).tolist()
        [[0.731, 0.269], [0.119, 0.881]]
        """
        if self.class_names is None:
            raise TypeError(
                "this ensemble predicts numbers, and no probabilities; call its predict"
            )
        return probabilities(self.link, self.margins(X), self.link_scale)

    def too_close(self, X: Any) -> Bools:
        """Tell for each row of ``X`` whether the library itself may decide one way or the other.

        It may where it adds in no fixed order (several threads) or compares probabilities, and
        margins are nearer to each other, or to the cut, than :attr:`rounding_bound` allows to tell.
        Always False otherwise.

        Examples
        --------
        >>> from cattleya import Ensemble
        >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 2],
        ...                n_features=1, feature_names=["age"], class_names=["low", "high"],
        ...                decision="threshold", link="logistic")
        >>> one.too_close([[30], [31]]).tolist()
        [False, False]
        """
        if self.class_names is None:
            raise TypeError("too_close is about classes, and this ensemble predicts numbers")
        sums, slack = self.margins(X), self.rounding_bound
        margins = sums.astype(np.float64)
        if not slack.any():
            return np.zeros(len(margins), dtype=np.bool_)
        if self.decision == "threshold":
            return np.asarray(np.abs(margins[:, 0] - self.cut) <= slack[0])
        own = self.classes_of(sums)
        near = margins + slack >= (np.take_along_axis(margins, own[:, None], 1) - slack[own, None])
        return np.asarray(near.sum(axis=1) > 1)

    def renamed(self, feature_names: Sequence[str]) -> Ensemble:
        """Return the same ensemble with other names for its features.

        :meta private:
        """
        return self.changed({"feature_names": feature_names})

    def changed(self, parts: Mapping[str, Any]) -> Ensemble:
        """Return the same ensemble with other values for some of its parameters.

        :meta private:
        """
        return Ensemble(**self._arguments() | dict(parts))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Ensemble is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Ensemble is immutable: cannot delete {name!r}")

    def _arguments(self) -> dict[str, Any]:
        """Return what the ensemble is made of: what its constructor takes."""
        return {name: getattr(self, name) for name in ARGUMENTS} | {
            "feature_names": self._feature_names
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ensemble):
            return NotImplemented
        return self is other or self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        mappings = {"categories": dict(self.categories), "reading": dict(self.reading)}
        return _restore, (self._arguments() | mappings,)

    def __repr__(self) -> str:
        shown = 5
        decides = "numbers"
        if self.class_names is not None:
            decides = ("class " if len(self.class_names) == 1 else "classes ") + ", ".join(
                repr(name) for name in self.class_names[:shown]
            )
            if len(self.class_names) > shown:
                decides += f" and {len(self.class_names) - shown} more"
        return (
            f"<Ensemble: {counted(self.n_trees, 'tree')}, "
            f"{self.n_leaves} {'leaf' if self.n_leaves == 1 else 'leaves'}, depth {self.depth}, "
            f"{counted(self.n_features, 'feature')}, {decides}>"
        )


#: What an ensemble is made of, but for the names of its features.
ARGUMENTS = tuple(
    name for name in Ensemble.__annotations__ if name not in ("tree_depth", "_feature_names")
)


def _restore(arguments: dict[str, Any]) -> Ensemble:
    return Ensemble(**arguments)


def one_output(ensemble: Ensemble, place: int) -> Ensemble:
    """Return the ensemble of one of several outputs, whose sum it predicts as a number.

    Examples
    --------
    >>> shares = Ensemble([0, 1], [-1], [-1], [-1], [0], [[0.25, 0.75]], n_features=1,
    ...                   class_names=["no", "yes"], base=[0, 0], decision="largest")
    >>> one_output(shares, 1).predict([[0]])
    array([0.75])
    """
    value = ensemble.value
    if ensemble.output_of_tree is None:
        value = value[:, [place]]
    else:  # the trees of the other outputs stay, and add nothing
        leaves = np.diff(np.searchsorted(np.flatnonzero(ensemble.left < 0), ensemble.tree_start))
        value = value * np.repeat(ensemble.output_of_tree == place, leaves)[:, None]
    own = {
        "value": value,
        "output_of_tree": None,
        "base": ensemble.base[[place]],
        "offset": ensemble.offset[[place]],
        "class_names": None,
        "decision": "value",
        "link": "identity",
        "by_probability": False,
    }
    return ensemble.changed(own)


def over_tests(ensemble: Ensemble, test: Int32s, count: int) -> Ensemble:
    """Return the same trees over their tests as features: 0 where a test holds, 1 otherwise.

    ``test`` is the number of the test of each node, of ``count``.
    """
    inner = ensemble.left >= 0
    own = {
        "feature": np.where(inner, test, -1),
        "threshold": np.where(inner, 0.5, 0.0),
        "n_features": count,
        "feature_names": None,
        "missing_left": None,
        "category_set": None,
        "categories": None,
        "reading": None,
    }
    sets = {"set_start": (0,), "set_codes": (), "set_left": ()}
    return ensemble.changed(own | sets)
