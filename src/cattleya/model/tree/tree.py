"""A decision tree as an immutable value: arrays, names and classes, and no learning library."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya._core import check_shape
from cattleya.model.tree.checks import (
    boolean_features,
    check_features,
    check_lengths,
    check_names,
    check_one_kind,
    check_thresholds,
    counted,
    float_array,
    int_array,
    leaf_arrays,
    settled_classes,
    whole_number,
)
from cattleya.model.tree.rows import Columns
from cattleya.support.arrays import Bools, Floats, Int32s, Numbers, Places
from cattleya.support.text import shown

__all__ = ["Tree"]


ROW_DTYPES = ("float32", "float64")


class Tree:
    """A binary decision tree.

    Node 0 is the root. A node goes to its left child where ``row[feature] <= threshold``.

    Parameters
    ----------
    left, right : sequence of int
        The children of each node; -1 and -1 at a leaf.
    feature : sequence of int
        The number of the feature that a node tests; -1 at leaves.
    threshold : sequence of float
        Ignored at leaves.
    leaf_class : sequence of int, or None
        The class of a leaf as an index into ``class_names``; ignored at inner nodes. None in a
        tree that predicts numbers.
    n_features : int
        The length of a row.
    feature_names : sequence of str, optional
        One name a feature; by default ``x0``, ``x1`` and so on.
    class_names : sequence, optional
        The labels of the classes; by default 0, 1 and so on.
    missing_left : sequence of bool, optional
        Where each node sends a missing value (NaN). Without it the tree takes none.
    boolean : sequence of int, optional
        The features that are Boolean variables, with values 0 and 1.
    row_dtype : {"float64", "float32"}
        What rows are cast to before they meet a threshold (which stays float64). scikit-learn
        casts to float32.
    leaf_value : array of float, optional
        The number that each leaf predicts, for a tree that predicts numbers; 0 at inner nodes. It
        takes the place of ``leaf_class`` and ``class_names``: the distinct numbers are then what
        ``class_names`` has. An array of float32 stays one, and is compared as such.
    leaf_probability : array of float, one row per node and one column per class, optional
        What ``predict_proba`` gives at each leaf of a tree that predicts classes. It does not
        decide the class, which is ``leaf_class``. An array of float32 stays one.

    Examples
    --------
    >>> from cattleya import Tree
    >>> tree = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
    ...             n_features=1, feature_names=["age"], class_names=["low", "high"])
    >>> tree
    <Tree: 3 nodes, depth 1, 1 feature, classes 'low', 'high'>
    >>> tree.predict([[30.5], [31]])
    array(['low', 'high'], dtype=object)

    One that predicts numbers:

    >>> prices = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], None, n_features=1,
    ...               leaf_value=[0, 95000.0, 120000.0])
    >>> prices
    <Tree: 3 nodes, depth 1, 1 feature, 2 numbers from 95000.0 to 120000.0>
    >>> prices.predict([[30.5], [31]])
    array([ 95000., 120000.])

    What it knows of itself:

    >>> tree = Tree.from_nested(("old", "no", ("rich", "no", "yes")))
    >>> tree.n_nodes, tree.feature_names, tree.has_names, tree.predicts_numbers
    (5, ('old', 'rich'), True, False)
    >>> tree.columns.row({"old": 1, "rich": 0}).tolist()
    [1.0, 0.0]
    """

    __slots__ = (
        "_feature_names",
        "boolean",
        "class_names",
        "depth",
        "feature",
        "leaf_class",
        "leaf_probability",
        "leaf_value",
        "left",
        "missing_left",
        "n_features",
        "right",
        "row_dtype",
        "threshold",
    )

    left: Int32s
    right: Int32s
    feature: Int32s
    threshold: Floats
    leaf_class: Int32s
    n_features: int
    class_names: tuple[Hashable, ...]
    missing_left: Bools | None
    boolean: tuple[int, ...]
    row_dtype: str
    leaf_value: Numbers | None
    leaf_probability: Numbers | None
    depth: int
    _feature_names: tuple[str, ...] | None

    def __init__(
        self,
        left: Sequence[int] | Int32s,
        right: Sequence[int] | Int32s,
        feature: Sequence[int] | Int32s,
        threshold: Sequence[float] | Floats,
        leaf_class: Sequence[int] | Int32s | None,
        n_features: int,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Hashable] | None = None,
        *,
        missing_left: Sequence[bool] | Bools | None = None,
        boolean: Sequence[int] = (),
        row_dtype: str = "float64",
        leaf_value: Sequence[float] | Numbers | None = None,
        leaf_probability: Sequence[Sequence[float]] | Numbers | None = None,
    ) -> None:
        check_one_kind(leaf_class, class_names, leaf_value, leaf_probability)
        arrays: dict[str, Any] = {
            "left": int_array("left", left),
            "right": int_array("right", right),
            "feature": int_array("feature", feature),
            "threshold": float_array("threshold", threshold),
        } | leaf_arrays(leaf_class, missing_left, leaf_value, leaf_probability)
        check_lengths(arrays)
        if row_dtype not in ROW_DTYPES:
            raise ValueError(f"row_dtype must be 'float32' or 'float64', not {shown(row_dtype)}")

        depth = check_shape(arrays["left"], arrays["right"])
        n_features = whole_number("n_features", n_features)
        leaf = arrays["left"] < 0
        check_features(arrays["feature"], leaf, n_features)
        check_thresholds(arrays["threshold"], leaf, arrays.get("missing_left"))
        classes = settled_classes(class_names, arrays, leaf)
        names = None if feature_names is None else check_names(feature_names, n_features)

        # One form for what is ignored, so that equal trees have equal arrays. Adding zero turns
        # -0.0 into 0.0, which is the same threshold.
        arrays["feature"][leaf] = -1
        arrays["threshold"][leaf] = 0.0
        arrays["threshold"] += 0.0
        arrays["leaf_class"][~leaf] = -1
        for name, where in (
            ("leaf_value", ~leaf), ("leaf_probability", ~leaf), ("missing_left", leaf),
        ):  # fmt: skip  # a list in few lines
            if name in arrays:
                arrays[name][where] = 0
        chosen = boolean_features(boolean, n_features, arrays, leaf)
        if chosen:
            arrays["threshold"][~leaf & np.isin(arrays["feature"], chosen)] = 0.5
        put = object.__setattr__
        for name in ("missing_left", "leaf_value", "leaf_probability"):
            put(self, name, None)
        for name, values in arrays.items():
            values.flags.writeable = False
            put(self, name, values)
        put(self, "n_features", n_features)
        put(self, "class_names", classes)
        put(self, "boolean", chosen)
        put(self, "row_dtype", row_dtype)
        put(self, "depth", depth)
        put(self, "_feature_names", names)

    @classmethod
    def from_nested(
        cls,
        nested: Any,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Hashable] | None = None,
    ) -> Tree:
        """Make a tree over Boolean variables from nested tuples.

        A node is ``(name, subtree if 0, subtree if 1)``; anything that is not a tuple is a leaf,
        and stands for its class. Features are numbered in the order in which the tuple names
        them, read from left to right, unless ``feature_names`` gives the order.

        Examples
        --------
        >>> from cattleya import Tree
        >>> tree = Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> tree.feature_names, tree.class_names
        (('x1', 'x2'), (0, 1))
        >>> tree.predict([[1, 1], [1, 0]]).tolist()
        [1, 0]
        """
        from cattleya.model.tree.nested import arrays_from_nested

        return cls(**arrays_from_nested(nested, feature_names, class_names))

    @classmethod
    def from_json(cls, text: str) -> Tree:
        """Read a tree that :meth:`to_json` wrote.

        Examples
        --------
        >>> from cattleya import Tree
        >>> tree = Tree.from_nested(("x1", "no", "yes"))
        >>> Tree.from_json(tree.to_json()).predict([[1]])
        array(['yes'], dtype=object)
        """
        from cattleya.model.tree.json_form import arrays_from_json

        return cls(**arrays_from_json(text))

    def to_json(self) -> str:
        """Write the tree as JSON, with the version of the format in it.

        Examples
        --------
        >>> from cattleya import Tree
        >>> tree = Tree.from_nested(("x1", "no", "yes"))
        >>> Tree.from_json(tree.to_json()) == tree
        True
        """
        from cattleya.model.tree.json_form import json_from_arrays

        return json_from_arrays(self.arguments())

    def simplified(self, timeout: float | None = None) -> Tree:
        """Return the smallest tree that is left when splits go; it decides the same, proved.

        First the branches go that no row reaches. Then a split goes when one of its sides takes its
        place; the other splits stay in their order. A split stays where some thousand steps do not
        settle whether it can go, which ``smallest`` of an audit tells. The classes of all rows that
        the tree takes stay as they are; probabilities at leaves are left out.
        ``simplified`` of :meth:`cattleya.Explainer.audit` does the same over the values that an
        explainer was told of.

        Parameters
        ----------
        timeout : float, optional
            Seconds after which :class:`cattleya.TimeoutExpired` is raised.

        Examples
        --------
        >>> from cattleya import Tree
        >>> tree = Tree.from_nested(("a", ("b", 0, 1), ("c", ("b", 0, 1), ("b", 0, 1))))
        >>> tree.simplified()
        <Tree: 3 nodes, depth 1, 3 features, classes 0, 1>
        """
        from cattleya.model.tree.simplify import simplified_tree

        made: Tree = simplified_tree(self, timeout)
        return made

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.left)

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

    def feature_name(self, index: int) -> str:
        """Return the name of one feature, without making all of them.

        Examples
        --------
        >>> from cattleya import Tree
        >>> Tree.from_nested(("old", "no", "yes")).feature_name(0)
        'old'
        """
        if self._feature_names is None:
            return f"x{index}"
        try:
            return self._feature_names[index]
        except (IndexError, TypeError):
            raise ValueError(
                f"there is no feature {shown(index)}; they are 0 to {self.n_features - 1}"
            ) from None

    @property
    def columns(self) -> Columns:
        """What rows of this tree look like, and how to read them."""
        return Columns(
            names=self._feature_names,
            count=self.n_features,
            dtype=self.row_dtype,
            boolean=self.boolean,
            takes_missing=self.missing_left is not None,
        )

    def apply(self, matrix: Floats) -> Places:
        """Return the leaf that each row of a matrix, as ``columns.matrix`` gives it, comes to.

        Examples
        --------
        >>> from cattleya import Tree
        >>> tree = Tree.from_nested(("old", "no", "yes"))
        >>> tree.apply(tree.columns.matrix([[0], [1]])).tolist()
        [1, 2]
        """
        if not isinstance(matrix, np.ndarray) or matrix.shape[1:] != (self.n_features,):
            raise TypeError(
                f"apply takes an array with {self.n_features} columns, as columns.matrix gives it, "
                f"not {shown(matrix)}"
            )
        at = np.zeros(len(matrix), dtype=np.intp)
        moving = np.flatnonzero(self.left[at] >= 0)
        while moving.size:
            node = at[moving]
            value = matrix[moving, self.feature[node]]
            goes_left = value <= self.threshold[node]
            if self.missing_left is not None:
                goes_left |= np.isnan(value) & self.missing_left[node]
            at[moving] = np.where(goes_left, self.left[node], self.right[node])
            moving = moving[self.left[at[moving]] >= 0]
        return at

    @property
    def predicts_numbers(self) -> bool:
        """Whether the tree predicts numbers, and not classes."""
        return self.leaf_value is not None

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row of ``X``, or its number where the tree predicts numbers.

        Examples
        --------
        >>> from cattleya import Tree
        >>> Tree.from_nested(("old", "no", "yes")).predict([[0], [1]]).tolist()
        ['no', 'yes']
        """
        leaves = self.apply(self.columns.matrix(X))
        if self.leaf_value is not None:
            return self.leaf_value[leaves]
        labels = np.empty(len(self.class_names), dtype=object)
        labels[:] = self.class_names
        return labels[self.leaf_class[leaves]]

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of each class, one row per row of ``X``.

        Examples
        --------
        >>> from cattleya import Tree
        >>> tree = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
        ...             n_features=1, leaf_probability=[[0, 0], [0.75, 0.25], [0.5, 0.5]])
        >>> tree.predict_proba([[31]])
        array([[0.5, 0.5]])
        """
        if self.leaf_probability is None:
            raise ValueError("the tree has no probabilities: give it leaf_probability")
        return self.leaf_probability[self.apply(self.columns.matrix(X))]

    def relabelled(self, leaf_class: Int32s, class_names: tuple[Hashable, ...]) -> Tree:
        """Return a tree with the same tests and other classes at its leaves, and no numbers.

        Made in no time: what it shares with this tree is neither copied nor checked again.

        :meta private:
        """
        other = object.__new__(Tree)
        put = object.__setattr__
        for name in Tree.__slots__:
            put(other, name, getattr(self, name))
        leaf = self.left < 0
        used = leaf_class[leaf]
        if len(leaf_class) != self.n_nodes or not ((used >= 0) & (used < len(class_names))).all():
            raise ValueError("leaf_class must have a class of class_names at each leaf")
        labels = np.where(leaf, leaf_class, -1).astype(np.int32)
        labels.flags.writeable = False
        put(other, "leaf_class", labels)
        put(other, "class_names", tuple(class_names))
        put(other, "leaf_value", None)
        put(other, "leaf_probability", None)
        return other

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tree is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tree is immutable: cannot delete {name!r}")

    def _key(self) -> tuple[object, ...]:
        arrays = (self.left, self.right, self.feature, self.threshold, self.leaf_class)
        optional = (self.missing_left, self.leaf_value, self.leaf_probability)
        given = (None if one is None else (one.dtype.name, one.tobytes()) for one in optional)
        return (
            *(values.tobytes() for values in arrays),
            *given,
            self.n_features,
            self._feature_names,
            self.class_names,
            tuple(type(name) for name in self.class_names),
            self.boolean,
            self.row_dtype,
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def arguments(self) -> dict[str, Any]:
        """Return what the tree is made of: what its constructor takes.

        :meta private:
        """
        names = ("left", "right", "feature", "threshold", "leaf_class", "n_features")
        more = ("class_names", "missing_left", "boolean", "row_dtype")
        numbers = ("leaf_value", "leaf_probability")
        found = {name: getattr(self, name) for name in (*names, *more, *numbers)}
        if self.predicts_numbers:  # whose classes follow from them
            found |= {"leaf_class": None, "class_names": None}
        return found | {"feature_names": self._feature_names}

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.arguments(),)

    def __repr__(self) -> str:
        return (
            f"<Tree: {counted(self.n_nodes, 'node')}, depth {self.depth}, "
            f"{counted(self.n_features, 'feature')}, {self._predicted()}>"
        )

    def _predicted(self) -> str:
        """Say what the tree predicts."""
        most, names = 5, self.class_names
        if self.predicts_numbers:
            span = f"{names[0]}" if len(names) == 1 else f"from {names[0]} to {names[-1]}"
            return f"{counted(len(names), 'number')} {span}"
        classes = ", ".join(repr(name) for name in names[:most])
        if len(names) > most:
            classes += f" and {len(names) - most} more"
        return f"{'class' if len(names) == 1 else 'classes'} {classes}"


def _restore(arguments: dict[str, Any]) -> Tree:
    return Tree(**arguments)
