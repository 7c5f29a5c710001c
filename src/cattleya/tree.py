"""A decision tree as an immutable value: arrays, names and classes, and no learning library."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya import _core
from cattleya.rows import Columns

__all__ = ["Tree"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

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
    leaf_class : sequence of int
        The class of a leaf as an index into ``class_names``; ignored at inner nodes.
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

    Examples
    --------
    >>> tree = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
    ...             n_features=1, feature_names=["age"], class_names=["low", "high"])
    >>> tree
    <Tree: 3 nodes, depth 1, 1 feature, classes 'low', 'high'>
    >>> tree.predict([[30.5], [31]])
    array(['low', 'high'], dtype=object)
    """

    __slots__ = (
        "_feature_names",
        "boolean",
        "class_names",
        "depth",
        "feature",
        "leaf_class",
        "left",
        "missing_left",
        "n_features",
        "right",
        "row_dtype",
        "threshold",
    )

    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats
    leaf_class: Ints
    n_features: int
    class_names: tuple[Hashable, ...]
    missing_left: Bools | None
    boolean: tuple[int, ...]
    row_dtype: str
    depth: int
    _feature_names: tuple[str, ...] | None

    def __init__(
        self,
        left: Sequence[int] | Ints,
        right: Sequence[int] | Ints,
        feature: Sequence[int] | Ints,
        threshold: Sequence[float] | Floats,
        leaf_class: Sequence[int] | Ints,
        n_features: int,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Hashable] | None = None,
        *,
        missing_left: Sequence[bool] | Bools | None = None,
        boolean: Sequence[int] = (),
        row_dtype: str = "float64",
    ) -> None:
        arrays: dict[str, Any] = {
            "left": _int_array("left", left),
            "right": _int_array("right", right),
            "feature": _int_array("feature", feature),
            "threshold": _float_array("threshold", threshold),
            "leaf_class": _int_array("leaf_class", leaf_class),
        }
        if missing_left is not None:
            arrays["missing_left"] = _bool_array("missing_left", missing_left)
        lengths = {name: len(values) for name, values in arrays.items()}
        if len(set(lengths.values())) != 1:
            told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise ValueError(
                f"the arrays of a tree must be of one length, one entry a node: {told}"
            )
        if row_dtype not in ROW_DTYPES:
            raise ValueError(f"row_dtype must be 'float32' or 'float64', not {row_dtype!r}")

        depth = _core.check_shape(arrays["left"], arrays["right"])
        n_features = _whole_number("n_features", n_features)
        leaf = arrays["left"] < 0
        _check_features(arrays["feature"], leaf, n_features)
        _check_thresholds(arrays["threshold"], leaf, arrays.get("missing_left"))
        classes = _class_names(class_names, arrays["leaf_class"], leaf)
        names = None if feature_names is None else check_names(feature_names, n_features)

        # One form for what is ignored, so that equal trees have equal arrays. Adding zero turns
        # -0.0 into 0.0, which is the same threshold.
        arrays["feature"][leaf] = -1
        arrays["threshold"][leaf] = 0.0
        arrays["threshold"] += 0.0
        arrays["leaf_class"][~leaf] = -1
        if missing_left is not None:
            arrays["missing_left"][leaf] = False
        chosen = _boolean_features(boolean, n_features, arrays, leaf)
        if chosen:
            arrays["threshold"][~leaf & np.isin(arrays["feature"], chosen)] = 0.5
        put = object.__setattr__
        put(self, "missing_left", None)
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
        >>> tree = Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> tree.feature_names, tree.class_names
        (('x1', 'x2'), (0, 1))
        >>> tree.predict([[1, 1], [1, 0]]).tolist()
        [1, 0]
        """
        from cattleya.nested import arrays_from_nested

        return cls(**arrays_from_nested(nested, feature_names, class_names))

    @classmethod
    def from_json(cls, text: str) -> Tree:
        """Read a tree that :meth:`to_json` wrote."""
        from cattleya.tree_json import arrays_from_json

        return cls(**arrays_from_json(text))

    def to_json(self) -> str:
        """Write the tree as JSON, with the version of the format in it.

        Examples
        --------
        >>> tree = Tree.from_nested(("x1", "no", "yes"))
        >>> Tree.from_json(tree.to_json()) == tree
        True
        """
        from cattleya.tree_json import tree_to_json

        return tree_to_json(self)

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
        """Return the name of one feature, without making all of them."""
        return f"x{index}" if self._feature_names is None else self._feature_names[index]

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

    def apply(self, matrix: Floats) -> npt.NDArray[np.intp]:
        """Return the leaf that each row of a matrix, as ``columns.matrix`` gives it, comes to."""
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

    def predict(self, X: Any) -> npt.NDArray[np.object_]:
        """Return the label of each row of ``X``."""
        leaves = self.apply(self.columns.matrix(X))
        labels = np.empty(len(self.class_names), dtype=object)
        labels[:] = self.class_names
        return labels[self.leaf_class[leaves]]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tree is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tree is immutable: cannot delete {name!r}")

    def _key(self) -> tuple[object, ...]:
        arrays = (self.left, self.right, self.feature, self.threshold, self.leaf_class)
        missing = None if self.missing_left is None else self.missing_left.tobytes()
        return (
            *(values.tobytes() for values in arrays),
            missing,
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

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (
            {
                "left": self.left,
                "right": self.right,
                "feature": self.feature,
                "threshold": self.threshold,
                "leaf_class": self.leaf_class,
                "n_features": self.n_features,
                "feature_names": self._feature_names,
                "class_names": self.class_names,
                "missing_left": self.missing_left,
                "boolean": self.boolean,
                "row_dtype": self.row_dtype,
            },
        )

    def __repr__(self) -> str:
        shown = 5
        classes = ", ".join(repr(name) for name in self.class_names[:shown])
        if len(self.class_names) > shown:
            classes += f" and {len(self.class_names) - shown} more"
        return (
            f"<Tree: {_counted(self.n_nodes, 'node')}, depth {self.depth}, "
            f"{_counted(self.n_features, 'feature')}, "
            f"{'class' if len(self.class_names) == 1 else 'classes'} {classes}>"
        )


def _restore(arguments: dict[str, Any]) -> Tree:
    return Tree(**arguments)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check_names(
    names: Sequence[str], expected: int, what: str = "feature names"
) -> tuple[str, ...]:
    """Return the names as a tuple; refuse a wrong number, a name twice, or what is no text."""
    if isinstance(names, str):
        raise TypeError(f"{what} must be a sequence of names, not the one text {names!r}")
    given = tuple(names)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be text, but {name!r} is {type(name).__name__}")
    given = tuple(str(name) for name in given)  # numpy's own strings become plain ones
    if len(given) != expected:
        raise ValueError(f"{len(given)} {what} were given where {expected} are needed")
    _refuse_duplicates(given, what)
    return given


def _refuse_duplicates(values: Sequence[Hashable], what: str) -> None:
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{what} must differ, but {value!r} is there twice")
        seen.add(value)


def _one_dimensional(name: str, values: Any) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {array.shape}")
    return array


def _int_array(name: str, values: Any) -> Ints:
    array = _one_dimensional(name, values)
    if array.size == 0:
        return np.empty(0, dtype=np.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold whole numbers, but has dtype {array.dtype}")
    limits = np.iinfo(np.int32)
    wrong = np.flatnonzero((array < limits.min) | (array > limits.max))
    if wrong.size:
        raise ValueError(f"{name}[{wrong[0]}] is {array[wrong[0]]}, which is out of range")
    return np.array(array, dtype=np.int32)


def _float_array(name: str, values: Any) -> Floats:
    array = _one_dimensional(name, values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, but has dtype {array.dtype}")
    return np.array(array, dtype=np.float64)


def _bool_array(name: str, values: Any) -> Bools:
    array = _one_dimensional(name, values)
    if array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        raise TypeError(f"{name} must hold True or False for each node")
    return np.array(array, dtype=np.bool_)


def _whole_number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if not 0 <= value <= np.iinfo(np.int32).max:
        raise ValueError(f"{name} is {value}, which is out of range")
    return int(value)


def _check_features(feature: Ints, leaf: Bools, n_features: int) -> None:
    wrong = np.flatnonzero(~leaf & ((feature < 0) | (feature >= n_features)))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"node {node} tests feature {feature[node]}, out of range: with "
            f"n_features={n_features} features are 0 to {n_features - 1}"
        )
    wrong = np.flatnonzero(leaf & (feature >= 0))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"node {node} is a leaf (it has no children) but tests feature {feature[node]}; "
            f"give leaves feature -1"
        )


def _check_thresholds(threshold: Floats, leaf: Bools, missing_left: Bools | None) -> None:
    allowed = np.isfinite(threshold) | leaf
    if missing_left is not None:
        # scikit-learn's way to split what is missing from what is not.
        allowed |= (threshold == np.inf) & ~missing_left
    wrong = np.flatnonzero(~allowed)
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"node {node} has the threshold {threshold[node]}; thresholds must be finite numbers"
        )


def _class_names(
    names: Sequence[Hashable] | None, leaf_class: Ints, leaf: Bools
) -> tuple[Hashable, ...]:
    used = leaf_class[leaf]
    if names is None:
        classes: tuple[Hashable, ...] = tuple(range(max(int(used.max()) + 1, 1)))
    else:
        if isinstance(names, str):
            raise TypeError(f"class_names must be a sequence of labels, not the one text {names!r}")
        if isinstance(names, (set, frozenset)):
            raise TypeError(f"class_names must be in order, not the set {names!r}")
        classes = tuple(n.item() if isinstance(n, np.generic) else n for n in names)
        _refuse_duplicates(classes, "class names")
    wrong = np.flatnonzero(leaf & ((leaf_class < 0) | (leaf_class >= len(classes))))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"leaf {node} has the class {leaf_class[node]}, out of range: "
            f"with {_counted(len(classes), 'class name')} classes are 0 to {len(classes) - 1}"
        )
    return classes


def _boolean_features(
    boolean: Sequence[int], n_features: int, arrays: dict[str, Any], leaf: Bools
) -> tuple[int, ...]:
    chosen = tuple(sorted({_whole_number("a Boolean feature", value) for value in boolean}))
    for value in chosen:
        if value >= n_features:
            raise ValueError(f"Boolean feature {value} is out of range 0 to {n_features - 1}")
    if not chosen:
        return ()
    tested = ~leaf & np.isin(arrays["feature"], chosen)
    wrong = np.flatnonzero(tested & ((arrays["threshold"] < 0) | (arrays["threshold"] >= 1)))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"node {node} tests a Boolean feature with the threshold {arrays['threshold'][node]}; "
            f"to tell 0 from 1 it must be at least 0 and less than 1 (customarily 0.5)"
        )
    return chosen
