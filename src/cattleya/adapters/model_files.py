"""Models in files: ``.skops``, our own ``.json``, and pickles for those who trust them.

Files of XGBoost, LightGBM and CatBoost (``.json``, ``.ubj``, ``.txt``, ``.model``) are found by
what is in them, and read without these libraries (``saved_models.py``).

Nothing in a file is trusted. A ``.skops`` file is loaded only if it holds types that are known to
be safe. scikit-learn's native tree is not one of them for skops, because its node numbers are used
unchecked; here they are checked before anything uses them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from cattleya._core import check_shape
from cattleya.adapters.saved_models import ENDINGS, is_foreign_json, read_saved
from cattleya.adapters.saved_models import LARGEST as LARGEST_SAVED
from cattleya.adapters.skops_schema import check_references
from cattleya.adapters.stored_tree import StoredTree, stored_tree
from cattleya.adapters.wrappers import unwrapped
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.ensemble.json_form import FORMAT
from cattleya.model.tree.json_form import DEPTH
from cattleya.model.tree.tree import Tree
from cattleya.support.files.cache import Cache
from cattleya.support.files.errors import one_line
from cattleya.support.files.unpacking import blocks_within, check_archive
from cattleya.support.json_nesting import check_nesting
from cattleya.support.text import shown

__all__ = ["ModelFileError", "read_model", "write_model"]

SKOPS = ".skops"
PICKLES = (".joblib", ".pkl", ".pickle")
NATIVE_TREE = "sklearn.tree._tree.Tree"
CHECK_ARRAY = "sklearn.utils.validation.check_array"
_LINKS = ("Interval", "IdentityLink", "LogLink", "LogitLink", "HalfLogitLink", "MultinomialLogit")
_LOSSES = (
    *("HalfSquaredError", "AbsoluteError", "PinballLoss", "HuberLoss", "HalfPoissonLoss"),
    *("HalfGammaLoss", "HalfBinomialLoss", "HalfMultinomialLoss", "ExponentialLoss"),
)
# Unknown to skops, but harmless, and in what everybody has: every imputer has a dtype, which numpy
# reads from an empty array; column transformers of scikit-learn 1.6 have a list of their own; a
# search keeps how it split the rows, and a scorer that only asks the model.
KNOWN_HERE = {
    NATIVE_TREE,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",  # checked here as well
    "functools.partial",  # of CHECK_ARRAY only, which is looked at
    CHECK_ARRAY,
    "numpy.dtype",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.compose._column_transformer._RemainderColsList",
    # Of boosted trees; skops knows them since 0.14. They hold numbers, and nothing calls them here.
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "_loss.CyHalfMultinomialLoss",
    *(f"sklearn._loss.link.{name}" for name in _LINKS),
    *(f"sklearn._loss.loss.{name}" for name in _LOSSES),
}
LARGEST, LARGEST_JSON = 1 << 30, 1 << 28  # bytes: of JSON, a tree of four million nodes
_LARGEST = {".json": LARGEST_JSON, **dict.fromkeys((SKOPS, *PICKLES), LARGEST)}
SNIFFED = 1 << 12  # bytes at the beginning of a file that tell who wrote it
TYPES_SHOWN = 10
LONGEST_TOLD = 500


class ModelFileError(ValueError):
    """A model file that cannot be used, and why."""


def read_model(
    path: str | os.PathLike[str],
    *,
    trust: bool = False,
    is_only_explained: bool = False,
    cache: Cache | None = None,
) -> Any:
    """Return the model in a file: a Tree, an Ensemble, or what else the file holds.

    Parameters
    ----------
    path : path of a ``.skops``, ``.json``, ``.ubj``, ``.txt``, ``.joblib`` or ``.pkl`` file
        The format is told by the ending, and of ``.json``, ``.ubj``, ``.txt`` and ``.model`` files
        by what is in them.
    trust : bool
        Whether the file may run code: pickles always can, and types unknown to skops might.
    is_only_explained : bool
        Whether the model is for an explainer only: a single tree of scikit-learn is then given as
        its file has it, and scikit-learn is not imported before its model itself is asked.
    cache : Cache, optional
        Where a model that is only explained is kept once it was read, and found when it is read
        again; of ``.skops`` files only.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in PICKLES and not trust:
        raise ModelFileError(
            f"{str(path)!r} is a pickle, which can run any code when it is loaded; save the model "
            f"with skops.io.dump(model, {path.stem + SKOPS!r}), or give --trust if you trust it"
        )
    if suffix not in (SKOPS, ".json", *ENDINGS, *PICKLES):
        raise ModelFileError(
            f"{str(path)!r} is not a model: its name must end in .skops, .json, .ubj, .txt, "
            f".model, .joblib or .pkl"
        )
    try:
        most = _LARGEST.get(suffix, LARGEST_SAVED)
        if suffix == ".json" and path.is_file() and _is_foreign(path):  # a pipe is read only once
            most = LARGEST_SAVED
        content = b"".join(blocks_within(path, most))
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    if not content:
        raise ModelFileError(f"{str(path)!r} is empty; save the model again")
    if suffix == SKOPS:
        if is_only_explained and (stored := _stored(path, content, trust)) is not None:
            return stored
        load = partial(_from_skops, path, content, trust)
        if is_only_explained and cache is not None:
            from cattleya.adapters.kept_model import entry_name, opened

            return opened(cache, entry_name(content, trust), load)
        return load()
    if suffix in PICKLES:
        return _from_pickle(path, content)
    if suffix != ".json" or is_foreign_json(content[:SNIFFED]):
        return _from_saved(path, content)
    return _from_json(path, content)


def _is_foreign(path: Path) -> bool:
    """Tell whether another library wrote a JSON file; if not, refuse one that is no flat one.

    Block by block: it is not held in memory.
    """
    blocks = blocks_within(path, LARGEST_SAVED)
    first = next(blocks, b"")  # an error of the file itself is told as such
    try:
        if is_foreign_json(first[:SNIFFED]):
            return True
        check_nesting(chain([first], blocks), DEPTH)
        return False
    except ValueError as error:
        raise ValueError(
            f"{str(path)!r} is not what Tree.to_json or Ensemble.to_json wrote: {error}"
        ) from None
    finally:
        blocks.close()


def write_model(path: str | os.PathLike[str], model: Any) -> None:
    """Write a scikit-learn model as ``.skops``, the whole file or none."""
    from zipfile import ZIP_DEFLATED

    import skops.io

    from cattleya.support.files.atomic import write_bytes

    write_bytes(path, skops.io.dumps(model, compression=ZIP_DEFLATED))


def _from_json(path: Path, content: bytes) -> Tree | Ensemble:
    is_ensemble = f'"{FORMAT}"'.encode() in content and b'"cattleya-tree"' not in content
    try:
        text = content.decode()
        return Ensemble.from_json(text) if is_ensemble else Tree.from_json(text)
    except (ValueError, TypeError) as error:
        what = "an ensemble" if is_ensemble else "a tree"
        raise ModelFileError(f"{str(path)!r} is damaged, or not {what}: {error}") from None


def _from_saved(path: Path, content: bytes) -> Ensemble:
    try:
        return read_saved(content)
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{str(path)!r} cannot be read: {_told(error)}") from None


def _from_pickle(path: Path, content: bytes) -> Any:
    import joblib

    try:
        return joblib.load(BytesIO(content))
    except Exception as error:  # a pickle raises whatever its code raises
        raise ModelFileError(
            f"{str(path)!r} cannot be loaded: {_told(error)}; save the model again"
        ) from error


def _from_skops(path: Path, content: bytes, trust: bool) -> Any:
    try:
        _check_archive(path, content, trust)
        import skops.io

        unknown = skops.io.get_untrusted_types(data=content)
    except Exception as error:  # damage shows up in every way
        raise ModelFileError(
            f"{str(path)!r} is damaged, or not skops: {_told(error)}; save the model again"
        ) from error
    unsafe = [name for name in unknown if name not in KNOWN_HERE]
    if unsafe and not trust:
        more = f" and {len(unsafe) - TYPES_SHOWN} more" if len(unsafe) > TYPES_SHOWN else ""
        raise ModelFileError(
            f"{str(path)!r} was not loaded: it holds types that are not known to be safe: "
            f"{', '.join(map(shown, unsafe[:TYPES_SHOWN]))}{more}; give --trust if you trust where "
            f"it is from"
        )
    try:
        model = skops.io.loads(content, trusted=unknown)
    except Exception as error:  # likewise, and other versions of scikit-learn
        raise ModelFileError(
            f"{str(path)!r} cannot be loaded: {_told(error)}; save the model again"
        ) from error
    if not trust:
        _check_functions(path, model)
        _check_native_trees(path, model)
    return model


def _check_archive(path: Path, content: bytes, trust: bool) -> None:
    if not trust:
        remedy = "give --trust if you trust where it is from"
        check_archive(str(path), BytesIO(content), len(content), remedy)
        check_references(BytesIO(content))


def _stored(path: Path, content: bytes, trust: bool) -> StoredTree | None:
    """Return a tree that can be explained as its file has it, if it is one and in order."""
    try:
        _check_archive(path, content, trust)
        found = stored_tree(content, partial(_from_skops, path, content, trust))
        if found is not None:
            _check_tree(found, vars(found)["n_features_in_"])
        return found
    except Exception:  # damage shows up in every way: the whole reading says what is wrong
        return None


def _check_native_trees(path: Path, model: Any) -> None:
    """Refuse node numbers that lead out of a tree.

    Only a pipeline's steps and its last model are ever run. scikit-learn follows the numbers of a
    tree in native code without looking, so those of the last model are checked, and there must be
    no other.
    """
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.exceptions import NotFittedError
    from sklearn.pipeline import Pipeline
    from sklearn.tree import BaseDecisionTree

    from cattleya.adapters.sklearn_ensembles.reading import is_ensemble, read

    try:
        last, _ = unwrapped(model)
    except TypeError:
        return  # not explained at all
    while isinstance(last, (Pipeline, TransformedTargetRegressor)):
        is_pipeline = isinstance(last, Pipeline)
        last = last.steps[-1][1] if is_pipeline else getattr(last, "regressor_", None)
    if not isinstance(last, BaseDecisionTree) and not is_ensemble(last):
        return  # not explained at all
    trees = [last] if isinstance(last, BaseDecisionTree) else _trees_of(last)
    own = {id(native) for native in _native_trees(last)}
    if any(id(other) not in own for other in _native_trees(model)):
        raise ModelFileError(
            f"{str(path)!r} was not loaded: a step before its last has a tree of its own "
            f"({NATIVE_TREE}), which may be harmful; give --trust if you trust where it is from"
        )
    try:
        for native in _native_trees(last):  # also those that are never run
            _check_native(native, native.n_features)
        for tree in trees:
            if hasattr(tree, "tree_"):
                _check_tree(tree, tree.n_features_in_ if _chooses(last) else last.n_features_in_)
        if is_ensemble(last):
            read(last, None)  # which checks the rest
    except (NotFittedError, TypeError):
        return  # refused with its reason when it is to be explained
    except (ValueError, AttributeError, KeyError, IndexError) as error:
        raise ModelFileError(f"{str(path)!r} is damaged: it has no valid tree: {error}") from None


def _trees_of(ensemble: Any) -> list[Any]:
    """Return the trees of an ensemble that are models as well; those of histograms are not."""
    from sklearn.tree import BaseDecisionTree

    trees = np.ravel(np.asarray(getattr(ensemble, "estimators_", []), dtype=object)).tolist()
    return [tree for tree in trees if isinstance(tree, BaseDecisionTree)]


def _chooses(model: Any) -> bool:
    """Tell whether a model gives its trees columns of their choice, which numpy checks."""
    return hasattr(model, "estimators_features_") or not hasattr(model, "n_features_in_")


def _check_tree(tree: Any, n_features: int) -> None:
    native = tree.tree_
    _check_native(native, min(native.n_features, tree.n_features_in_, n_features))


def _check_native(native: Any, n_features: int) -> None:
    if not 1 <= native.node_count <= native.capacity:
        raise ValueError(f"it says it has {native.node_count} nodes")
    children = (native.children_left, native.children_right)
    if any(np.abs(child).max() > np.iinfo(np.int32).max for child in children):
        raise ValueError("a node number is out of range")
    check_shape(*(np.ascontiguousarray(child, dtype=np.int32) for child in children))
    tested = native.feature[children[0] >= 0]
    if ((tested < 0) | (tested >= n_features)).any():
        raise ValueError("a node tests a feature that is out of range")


def _check_functions(path: Path, model: Any) -> None:
    """Refuse a function with arguments that is not the one which checks arrays."""
    from sklearn.utils.validation import check_array

    for part in _reached(model, partial):
        if part.func is not check_array or part.args:
            raise ModelFileError(
                f"{str(path)!r} was not loaded: it holds a function with arguments, "
                f"{shown(part.func)}; give --trust if you trust where it is from"
            )


def _native_trees(model: Any) -> Iterator[Any]:
    """Give every native tree that can be reached from a model."""
    from sklearn.tree._tree import Tree as NativeTree

    return _reached(model, NativeTree)


def _reached(model: Any, kind: type) -> Iterator[Any]:
    """Give every object of a kind that can be reached from a model."""
    stack, seen = [model], set()
    while stack:
        value = stack.pop()
        if id(value) in seen or isinstance(value, (str, bytes, type)):
            continue
        seen.add(id(value))
        if isinstance(value, kind):
            yield value
        elif isinstance(value, dict):
            stack += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            stack += value
        elif isinstance(value, np.ndarray):
            stack += value.ravel().tolist() if value.dtype == object else []
        else:
            stack.append(getattr(value, "__dict__", ()))


def _told(error: Exception) -> str:
    """Return an error in a line, with its type where that says more."""
    text = one_line(error)[:LONGEST_TOLD]
    return text if isinstance(error, ValueError) and text else f"{type(error).__name__}: {text}"
