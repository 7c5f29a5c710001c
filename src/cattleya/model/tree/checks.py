"""What is asked of the arrays and names of a tree before they become one.

Whatever is refused is named, with its place, and with what to give instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.support.arrays import Bools, Floats, Int32s, Numbers
from cattleya.support.guards import is_whole
from cattleya.support.text import quoted, shown

__all__ = [
    "bool_array",
    "boolean_features",
    "check_class_names",
    "check_features",
    "check_labels",
    "check_lengths",
    "check_names",
    "check_one_kind",
    "check_thresholds",
    "counted",
    "float_array",
    "int_array",
    "leaf_arrays",
    "settled_classes",
    "whole_number",
]


LARGEST = np.iinfo(np.int32)
MOST_UNNAMED = 1 << 20  # classes: each would get a name


def counted(number: int, noun: str) -> str:
    """Return how many there are of something."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check_labels(names: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return class labels as a tuple; refuse one that is there twice, or cannot be a label."""
    if isinstance(names, str):
        raise TypeError(
            f"class_names must be a sequence of labels, not the one text {shown(names)}"
        )
    labels = _in_order(names, "class_names")
    classes = tuple(n.item() if isinstance(n, np.generic) else n for n in labels)
    _refuse_duplicates(classes, "class names")
    return classes


def check_names(
    names: Sequence[str], expected: int | None = None, what: str = "feature names"
) -> tuple[str, ...]:
    """Return the names as a tuple; refuse a wrong number, a name twice, or what is no text."""
    given = _names_in_order(names, what)
    for name in given:
        if not isinstance(name, str):
            plain = name.item() if isinstance(name, np.generic) else name
            raise TypeError(f"{what} must be text, but {shown(plain)} is {type(plain).__name__}")
    given = tuple(str(name) for name in given)  # numpy's own strings become plain ones
    if expected is not None and len(given) != expected:
        raise ValueError(f"{len(given)} {what} were given where {expected} are needed")
    _refuse_duplicates(given, what)
    return given


def check_class_names(names: Sequence[Any], classes: Sequence[Hashable]) -> tuple[str, ...]:
    """Return the names to show for classes: text, whole numbers, or the model's own labels.

    Names that are the labels in another order would show every decision as another one.
    """
    what = "class_names"
    given = [n.item() if isinstance(n, np.generic) else n for n in _names_in_order(names, what)]
    are_numbers = all(isinstance(name, (int, float)) for name in given)  # truth values, too
    if all(type(name) is int for name in given) or (are_numbers and given == list(classes)):
        given = list(map(str, given))
    texts, labels = check_names(given, what=what), tuple(map(str, classes))
    if len(texts) != len(labels):
        raise ValueError(
            f"{len(texts)} class names were given, but the model has {len(labels)} classes: "
            f"{quoted(classes)}"
        )
    if texts != labels and sorted(texts) == sorted(labels):
        raise ValueError(
            f"class_names are the model's classes in another order: {quoted(texts)}; leave them "
            f"out, or give them in the order of the classes: {quoted(labels)}"
        )
    return texts


def _names_in_order(names: Any, what: str) -> tuple[Any, ...]:
    if isinstance(names, str):
        raise TypeError(f"{what} must be a sequence of names, not the one text {shown(names)}")
    return _in_order(names, what)


def _in_order(values: Any, what: str) -> tuple[Any, ...]:
    """Return what was given one after the other; refuse what has no order, or is one thing."""
    if isinstance(values, (set, frozenset, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be a sequence, one after the other, not {shown(values)}")
    return tuple(values)


def _refuse_duplicates(values: Sequence[Hashable], what: str) -> None:
    seen: set[Hashable] = set()
    for value in values:
        if not isinstance(value, Hashable):
            raise TypeError(f"{what} must be text or numbers, not {shown(value)}")
        if value in seen:
            raise ValueError(f"{what} must differ, but {shown(value)} is there twice")
        if isinstance(value, str) and not _can_be_written(value):
            raise ValueError(
                f"{what} must be valid text: {shown(value)} has half of a surrogate pair"
            )
        seen.add(value)


def _can_be_written(text: str) -> bool:
    """Tell whether a text can go into a file: half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _one_dimensional(name: str, values: Any) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:  # lists in lists
        raise ValueError(f"{name} must hold one entry per node, not {shown(values)}") from None
    if array.ndim == 0:
        raise TypeError(
            f"{name} must be a list or an array, one entry per node, not {shown(values)}"
        )
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, one entry per node, not of shape {array.shape}"
        )
    return array


def _wrong_entry(name: str, values: Any, types: tuple[type, ...], what: str) -> TypeError:
    """Name the first entry that is no number, or what numpy makes of all of them."""
    entries = values if isinstance(values, (list, tuple)) else np.asarray(values).tolist()
    for place, value in enumerate(entries):
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, types):
            return TypeError(
                f"{name} must hold {what}, but {name}[{place}] is {shown(value)}, a "
                f"{type(value).__name__}"
            )
    return TypeError(f"{name} must hold {what}, but has dtype {np.asarray(values).dtype}")


def int_array(name: str, values: Any) -> Int32s:
    """Return whole numbers of 32 bits."""
    array = _one_dimensional(name, values)
    if array.size == 0:
        return np.empty(0, dtype=np.int32)
    if array.dtype.kind not in "iu":
        raise _wrong_entry(name, values, (int, np.integer), "whole numbers")
    if array.dtype == np.int32:
        return array.copy()
    wrong = np.flatnonzero((array < LARGEST.min) | (array > LARGEST.max))
    if wrong.size:
        raise ValueError(
            f"{name}[{wrong[0]}] is {array[wrong[0]]}, which is out of range: at most {LARGEST.max}"
        )
    return np.array(array, dtype=np.int32)


def float_array(name: str, values: Any) -> Floats:
    """Return numbers of 64 bits."""
    array = _one_dimensional(name, values)
    if array.dtype.kind not in "iuf":
        raise _wrong_entry(name, values, (int, float, np.integer, np.floating), "numbers")
    return np.array(array, dtype=np.float64)


def leaf_arrays(
    leaf_class: Any, missing_left: Any, leaf_value: Any, leaf_probability: Any
) -> dict[str, Any]:
    """Return those arrays of a tree that not every tree has."""
    found: dict[str, Any] = {}
    if leaf_value is None:
        found["leaf_class"] = int_array("leaf_class", leaf_class)
    else:
        found["leaf_value"] = _numbers("leaf_value", leaf_value, 1)
    if missing_left is not None:
        found["missing_left"] = bool_array("missing_left", missing_left)
    if leaf_probability is not None:
        found["leaf_probability"] = _numbers("leaf_probability", leaf_probability, 2)
    return found


def check_lengths(arrays: dict[str, Any]) -> None:
    """Refuse arrays of several lengths."""
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"the arrays of a tree must be of one length, one entry per node: {told}")


def settled_classes(
    class_names: Sequence[Hashable] | None, arrays: dict[str, Any], leaf: Bools
) -> tuple[Hashable, ...]:
    """Return the labels of the classes, or the distinct numbers, and put the class of each leaf."""
    if "leaf_value" in arrays:
        _check_leaf_numbers("leaf_value", arrays["leaf_value"], leaf)
        classes, arrays["leaf_class"] = distinct_numbers(arrays["leaf_value"], leaf)
        return classes
    classes = _checked_classes(class_names, arrays["leaf_class"], leaf)
    if "leaf_probability" in arrays:
        _check_leaf_numbers("leaf_probability", arrays["leaf_probability"], leaf, classes)
    return classes


def _numbers(name: str, values: Any, dimensions: int) -> Numbers:
    """Return the numbers of leaves, in as many bits as they were given."""
    each = "one number per node" if dimensions == 1 else "one row per node, one column per class"
    try:
        array = np.asarray(values)
    except ValueError:  # rows of several lengths
        raise ValueError(f"{name} must hold {each}, not {shown(values)}") from None
    if array.ndim != dimensions:
        raise ValueError(f"{name} must hold {each}, not {shown(values)}")
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > np.dtype(np.float64).itemsize:
        raise TypeError(f"{name} must hold numbers of at most 64 bits, not {array.dtype}")
    if array.dtype == np.float32:
        return np.array(array, dtype=np.float32)
    return np.array(array, dtype=np.float64)


def _check_leaf_numbers(
    name: str, numbers: Numbers, leaf: Bools, classes: tuple[Hashable, ...] | None = None
) -> None:
    """Refuse numbers of leaves that are no numbers, or not one per class."""
    if classes is not None and numbers.shape[1] != len(classes):
        raise ValueError(
            f"{name} has {counted(numbers.shape[1], 'column')}, but the tree has "
            f"{len(classes)} classes: give one column per class"
        )
    finite = np.isfinite(numbers).reshape(len(numbers), -1).all(axis=1)
    wrong = np.flatnonzero(leaf & ~finite)
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(f"leaf {node} has {name} {numbers[node]}; give finite numbers")


def distinct_numbers(numbers: Numbers, leaf: Bools) -> tuple[tuple[Hashable, ...], Int32s]:
    """Return the distinct numbers of the leaves in ascending order, and the place of each leaf's.

    >>> distinct_numbers(np.array([0, 2.5, 1.5, 2.5]), np.array([False, True, True, True]))
    ((1.5, 2.5), array([-1,  1,  0,  1], dtype=int32))
    """
    found, inverse = np.unique(numbers[leaf], return_inverse=True)
    place = np.full(len(numbers), -1, dtype=np.int32)
    place[leaf] = inverse
    return tuple(found.tolist()), place


def check_one_kind(leaf_class: Any, class_names: Any, leaf_value: Any, probability: Any) -> None:
    """Refuse a tree that predicts both classes and numbers, or neither."""
    if leaf_value is None:
        if leaf_class is None:
            raise ValueError("leaf_class is None: give the class of each leaf, or leaf_value")
    elif leaf_class is not None or class_names is not None or probability is not None:
        raise ValueError(
            "a tree with leaf_value predicts numbers, and has no classes: give None as leaf_class, "
            "and neither class_names nor leaf_probability"
        )


def bool_array(name: str, values: Any) -> Bools:
    """Return truth values."""
    array = _one_dimensional(name, values)
    zero_or_one = array.dtype.kind in "iu" and ((array == 0) | (array == 1)).all()
    if array.dtype.kind != "b" and not zero_or_one:
        odd = next((v for v in array.tolist() if v not in (0, 1)), array.dtype)
        raise TypeError(f"{name} must hold True or False for each node, not {shown(odd)}")
    return np.array(array, dtype=np.bool_)


def whole_number(name: str, value: Any) -> int:
    """Return a number of features, or the number of one."""
    if not is_whole(value):
        raise TypeError(f"{name} must be a whole number, not {shown(value)}")
    if not 0 <= value <= LARGEST.max:
        raise ValueError(f"{name} is {shown(value)}; give a whole number from 0 to {LARGEST.max}")
    return int(value)


def check_features(feature: Int32s, leaf: Bools, n_features: int) -> None:
    """Refuse tests of features that are not there, and leaves that test one."""
    wrong = np.flatnonzero(~leaf & ((feature < 0) | (feature >= n_features)))
    if wrong.size:
        node = int(wrong[0])
        known = f"features are 0 to {n_features - 1}" if n_features else "there are none"
        raise ValueError(
            f"node {node} tests feature {feature[node]}, out of range: with "
            f"n_features={n_features} {known}"
        )
    wrong = np.flatnonzero(leaf & (feature >= 0))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"node {node} is a leaf (it has no children) but tests feature {feature[node]}; "
            f"give leaves feature -1"
        )


def check_thresholds(threshold: Floats, leaf: Bools, missing_left: Bools | None) -> None:
    """Refuse thresholds that are no numbers."""
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


def _checked_classes(
    names: Sequence[Hashable] | None, leaf_class: Int32s, leaf: Bools
) -> tuple[Hashable, ...]:
    """Return the labels of the classes; refuse leaves of a class that is not there."""
    used = leaf_class[leaf]
    if names is None:
        most = max(int(used.max()) + 1, 1)
        if most > MOST_UNNAMED:
            raise ValueError(
                f"a leaf has the class {most - 1}, but no class_names were given: number classes "
                f"0, 1 and so on, or give class_names"
            )
        classes: tuple[Hashable, ...] = tuple(range(most))
    else:
        classes = check_labels(names)
    wrong = np.flatnonzero(leaf & ((leaf_class < 0) | (leaf_class >= len(classes))))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"leaf {node} has the class {leaf_class[node]}, out of range: "
            f"with {counted(len(classes), 'class name')} classes are 0 to {len(classes) - 1}"
        )
    return classes


def boolean_features(
    boolean: Sequence[int], n_features: int, arrays: dict[str, Any], leaf: Bools
) -> tuple[int, ...]:
    """Return the Boolean features in order; refuse tests that do not tell 0 from 1."""
    given = _in_order(boolean, "boolean") if not isinstance(boolean, (set, frozenset)) else boolean
    chosen = tuple(sorted({whole_number("a Boolean feature", value) for value in given}))
    for value in chosen:
        if value >= n_features:
            raise ValueError(f"Boolean feature {value} is out of range 0 to {n_features - 1}")
    tested = ~leaf & np.isin(arrays["feature"], chosen)
    wrong = np.flatnonzero(tested & ((arrays["threshold"] < 0) | (arrays["threshold"] >= 1)))
    if wrong.size:
        node = int(wrong[0])
        raise ValueError(
            f"node {node} tests a Boolean feature with the threshold {arrays['threshold'][node]}; "
            f"to tell 0 from 1 it must be at least 0 and less than 1 (customarily 0.5)"
        )
    return chosen
