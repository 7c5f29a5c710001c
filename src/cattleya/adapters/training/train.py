"""Trains a tree on a table: of a size that is worth explaining, or of one that is asked for.

The size is chosen on the rows to learn from alone (``size``). Rows that are held out are seen by no
tree: what is said of its accuracy is measured on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.adapters.registry import TARGET_NAME
from cattleya.adapters.training.pipeline import pipeline_of
from cattleya.adapters.training.size import FEWEST_ROWS, FOLDS, SizeSearch, search_size
from cattleya.adapters.training.table import FEWEST_CLASSES, TrainingTable
from cattleya.support.arrays import Places
from cattleya.support.guards import is_real, is_whole
from cattleya.support.limits import Deadline
from cattleya.support.progress import progress_bar
from cattleya.support.text import shown

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

__all__ = ["KINDS", "SIZES", "Candidate", "Growth", "Trained", "train", "train_table"]

SIZES = ("chosen", "full")
KINDS = ("tree", "forest", "boosted")
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Growth:
    """How large a tree may grow: None is without limit.

    Examples
    --------
    >>> Growth(max_leaves=8).is_limited, Growth().is_limited
    (True, False)
    """

    max_depth: int | None = None
    max_leaves: int | None = None
    min_leaf: int | None = None
    kind: str = "tree"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"the model must be one of {KINDS}, not {shown(self.kind)}")
        for name, least in (("max_depth", 1), ("max_leaves", 2), ("min_leaf", 1)):
            value = getattr(self, name)
            if value is not None and (not is_whole(value) or value < least):
                raise ValueError(
                    f"{name} must be a whole number, {least} or more, not {shown(value)}"
                )

    @property
    def is_limited(self) -> bool:
        """Whether anything was said about the size."""
        return self != Growth(kind=self.kind)

    def model(self, seed: int, penalty: float = 0.0) -> Any:
        """Return an unfitted model of scikit-learn; a penalty per leaf is for a tree alone."""
        if self.kind == "tree":
            return self.tree(seed, penalty)
        from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

        given = {"max_depth": self.max_depth, "max_leaf_nodes": self.max_leaves}
        if self.min_leaf is not None:
            given["min_samples_leaf"] = self.min_leaf
        if self.kind == "forest":
            return RandomForestClassifier(**given, random_state=seed)
        if self.max_leaves is None and self.max_depth is None:
            del given["max_leaf_nodes"]  # scikit-learn's 31, by which it bounds its trees
        return HistGradientBoostingClassifier(**given, random_state=seed)

    def tree(self, seed: int, penalty: float = 0.0) -> Any:
        """Return an unfitted tree of scikit-learn."""
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaves,
            min_samples_leaf=self.min_leaf or 1,
            ccp_alpha=penalty,
            random_state=seed,
        )


@dataclass(frozen=True, eq=False)
class Candidate:
    """A tree of some size, and how many of the held-out rows it gets right."""

    model: Any
    right: int

    @property
    def nodes(self) -> int:
        """How many nodes the tree has."""
        return int(self.model[-1].tree_.node_count)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model, and what is to be said about it.

    ``learned`` and ``tried`` are rows of ``table``. ``search`` is None where the size was given,
    or where there are too few rows to choose one.
    """

    table: TrainingTable
    chosen: Candidate
    learned: Places
    tried: Places
    search: SizeSearch | None
    fitted: Callable[[float], Candidate]

    @property
    def model(self) -> Any:
        """The fitted Pipeline."""
        return self.chosen.model

    @property
    def held_out(self) -> list[int]:
        """The held-out rows, by their numbers in the table as it was given."""
        return [int(place) for place in self.table.places[self.tried]]

    @property
    def accuracy(self) -> Fraction:
        """The share of the held-out rows that get their own class."""
        return Fraction(self.chosen.right, len(self.tried))

    @property
    def always_right(self) -> int:
        """How many held-out rows have the class that was most frequent in training."""
        labels, counts = np.unique(self.table.classes[self.learned], return_counts=True)
        return int((self.table.classes[self.tried] == labels[counts.argmax()]).sum())

    def at(self, place: int) -> Candidate:
        """Return the tree at one of the penalties that the search tried."""
        assert self.search is not None
        if place == self.search.chosen:
            return self.chosen
        return self.fitted(float(self.search.penalties[place]))


def train(
    frame: Any,
    target: str,
    size: str = "chosen",
    seed: int = 0,
    *,
    drop: Iterable[str] = (),
    categories: str = "ordinal",
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_leaf: int | None = None,
    held_out: float = 0.0,
    timeout: float | None = None,
    progress: bool = True,
) -> Pipeline:
    """Train a tree that is worth explaining on a table of raw columns.

    A tree that is grown in full learns the noise in the data: it predicts worse than a small one,
    and its reasons are long. So its size is chosen by cross-validation: of all trees that are
    pruned from the full one, the smallest whose accuracy is within one standard error of the best.

    Parameters
    ----------
    frame : DataFrame
        The rows, of pandas or polars, with the target among the columns. Columns of text are
        categories; missing cells stay missing.
    target : str
        The column to predict. Rows that lack it are left out.
    size : {"chosen", "full"}
        Whether the size is chosen, or the tree is grown until its leaves are pure.
    seed : int
        The same seed gives the same tree.
    drop : list of str
        Columns that the tree shall not see.
    categories : {"ordinal", "onehot"}
        How categories become numbers: in alphabetical order, or one column each. Those that no row
        has are accepted all the same, as unseen.
    max_depth, max_leaves, min_leaf : int, optional
        The greatest depth and number of leaves, and the least number of rows per leaf. Where one is
        given, the size is not chosen.
    held_out : float
        The share of the rows that the tree shall not see, each class in proportion. The command
        line keeps a quarter to measure the accuracy; by default the tree learns from every row.
    timeout : float, optional
        Seconds for choosing the size; looked at before each of the six trees that this takes.
    progress : bool
        Whether to show progress on a terminal.

    Returns
    -------
    sklearn.pipeline.Pipeline
        A fitted ``ColumnTransformer`` and ``DecisionTreeClassifier``, which take the frame without
        its target.

    Examples
    --------
    >>> import cattleya
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True).frame
    >>> model = cattleya.train(wine, "target")
    >>> full = cattleya.train(wine, "target", size="full")
    >>> bool(model[-1].get_n_leaves() < full[-1].get_n_leaves())
    True
    >>> e = cattleya.Explainer(model).explain(wine.drop(columns="target").iloc[[62]])
    >>> bool(e.prediction == wine["target"][62])
    True
    """
    if size not in SIZES:
        raise ValueError(f"size must be 'chosen' or 'full', not {shown(size)}")
    trained = train_table(
        TrainingTable.of(frame, target, drop),
        Growth(max_depth, max_leaves, min_leaf),
        choose=size == "chosen",
        coding=categories,
        held_out=held_out,
        seed=seed,
        deadline=Deadline(timeout),
        progress=progress,
    )
    return trained.model


def train_table(
    table: TrainingTable,
    growth: Growth | None = None,
    *,
    choose: bool = True,
    coding: str = "ordinal",
    held_out: float = 0.25,
    seed: int = 0,
    deadline: Deadline | None = None,
    progress: bool = False,
) -> Trained:
    """Train a tree, and try it on the rows held out; ``choose`` its size, unless it is limited."""
    if not is_whole(seed) or not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"seed must be a whole number from 0 to {LARGEST_SEED}, not {shown(seed)}")
    growth = growth or Growth()
    learned, tried = _split(table.classes, held_out, seed)
    fitted = partial(_fitted, table, learned, tried, coding, growth, seed)
    search = None
    if choose and growth == Growth() and len(learned) >= FEWEST_ROWS:
        encoder = pipeline_of(table, learned, coding, "passthrough")
        rows = encoder.fit_transform(table.columns.iloc[learned]).astype(np.float32)

        def grow(some: Any, classes: Any) -> Any:
            return growth.tree(seed).fit(some, classes)

        with progress_bar(
            "choosing the size", lambda: FOLDS + 1, progress, unit="trees"
        ) as advance:
            search = search_size(
                rows, table.classes[learned], grow, seed, deadline or Deadline(None), advance
            )
    chosen = fitted(0.0 if search is None else float(search.penalties[search.chosen]))
    return Trained(table, chosen, learned, tried, search, fitted)


def _fitted(
    table: TrainingTable,
    learned: Places,
    tried: Places,
    coding: str,
    growth: Growth,
    seed: int,
    penalty: float,
) -> Candidate:
    """Train a tree with a penalty per leaf, and try it."""
    model = pipeline_of(table, learned, coding, growth.model(seed, penalty))
    model.fit(table.columns.iloc[learned], table.classes[learned])
    setattr(model, TARGET_NAME, table.target)
    if not len(tried):
        return Candidate(model, 0)
    right = model.predict(table.columns.iloc[tried]) == table.classes[tried]
    return Candidate(model, int(right.sum()))


def _split(classes: np.ndarray[Any, Any], held_out: float, seed: int) -> tuple[Places, Places]:
    """Return the places of rows to train on and to try, each class in proportion if it can be."""
    from sklearn.model_selection import train_test_split

    if not is_real(held_out) or not 0 <= held_out < 1:
        raise ValueError(
            f"the share of rows held out must be between 0 and 1, not {shown(held_out)}"
        )
    every = np.arange(len(classes))
    if held_out == 0:
        return every, every[:0]
    _, sizes = np.unique(classes, return_counts=True)
    tried = math.ceil(held_out * len(classes))
    enough = sizes.min() >= FEWEST_CLASSES and len(sizes) <= min(tried, len(classes) - tried)
    kept, others = train_test_split(
        every, test_size=held_out, random_state=seed, stratify=classes if enough else None
    )
    return np.sort(kept), np.sort(others)
