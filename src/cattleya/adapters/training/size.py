"""How large a tree should be: cost-complexity pruning, with the penalty chosen by cross-validation.

A tree that is grown until its leaves are pure learns the noise as well. Pruned with a penalty
``alpha`` per leaf it is the subtree that minimises impurity + ``alpha`` * leaves (Breiman and
others, 1984). Each part of the rows in turn is predicted by a tree that was grown on the other
parts, at every penalty; chosen is the largest penalty whose accuracy is within one standard error
of the best, which is their rule, too: the smallest tree that is about as good as any.

scikit-learn prunes while it fits, and would fit again for every penalty. Here a tree is grown once
per part, and its optimal subtrees are found from the bottom up, as ``cost(t) = min(impurity(t) +
alpha, cost(left) + cost(right))``: a vectorised pass over the nodes for each penalty. The tree that
is trained in the end is scikit-learn's own, with its ``ccp_alpha``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.support.arrays import Bools, Floats
from cattleya.support.limits import Deadline

__all__ = ["FEWEST_ROWS", "FOLDS", "SizeSearch", "search_size"]

FOLDS = 5
FEWEST_ROWS = 2 * FOLDS
PENALTIES = 60
LARGEST_IMPURITY = 1.0
ROWS_AT_ONCE = 1 << 16  # of which the paths are held in memory
ROUNDING = 1e-12  # of impurities, which are at most 1: a split must gain more than that

Grow = Callable[[Any, Any], Any]  # rows and classes to a fitted tree


@dataclass(frozen=True, eq=False)
class SizeSearch:
    """What cross-validation found, for each penalty in ascending order.

    Attributes
    ----------
    penalties : array
        Of ``ccp_alpha``; the first is 0, which prunes nothing.
    leaves : array
        Of the tree on all the rows, pruned with each penalty.
    accuracy, error : array
        The mean over the folds, and its standard error.
    """

    penalties: Floats
    leaves: npt.NDArray[np.int64]
    accuracy: Floats
    error: Floats

    @property
    def best(self) -> int:
        """The penalty of the highest accuracy, by its place; of equal ones, the largest."""
        return int(np.flatnonzero(self.accuracy == self.accuracy.max())[-1])

    @cached_property
    def chosen(self) -> int:
        """The largest penalty within one standard error of the best that leaves a test at all.

        Where every such penalty leaves a single leaf, the tree is the smallest with a test.
        """
        enough = self.accuracy >= self.accuracy[self.best] - self.error[self.best]
        places = np.flatnonzero(enough & (self.leaves > 1))
        if not places.size:
            places = np.flatnonzero(self.leaves > 1)
        return int(places[-1]) if places.size else 0

    @cached_property
    def smaller(self) -> int | None:
        """The penalty that leaves at most half of the leaves; None where that is no tree."""
        half = int(self.leaves[self.chosen]) // 2
        places = np.flatnonzero((self.leaves <= half) & (self.leaves > 1))
        return int(places[0]) if places.size else None

    @property
    def sizes(self) -> list[int]:
        """One penalty for each size of tree, by its place: the largest ones first."""
        last = {int(leaves): place for place, leaves in enumerate(self.leaves) if leaves > 1}
        return sorted(last.values())


def search_size(
    rows: Floats,
    classes: npt.NDArray[Any],
    grow: Grow,
    seed: int,
    deadline: Deadline,
    advance: Callable[[int], None],
) -> SizeSearch:
    """Cross-validate every penalty.

    Parameters
    ----------
    rows, classes : array
        Encoded rows, and the class of each.
    grow : callable
        Trains a tree on some rows and classes, without pruning it.
    seed : int
        Decides which rows are in which part.
    deadline : Deadline
        Is checked before a tree is grown.
    advance : callable
        Is told when one of the ``FOLDS + 1`` trees is done.
    """
    penalties = np.concatenate(
        ([0.0], np.geomspace(1 / (4 * len(rows)), LARGEST_IMPURITY, PENALTIES))
    )
    deadline.check()
    whole = grow(rows, classes).tree_
    leaves = np.array([kept.sum() for kept in _pruned(whole, penalties)])
    advance(1)
    shares = []
    for learned, tried in _parts(classes, seed):
        deadline.check()
        model = grow(rows[learned], classes[learned])
        right = _right(model, rows[tried], classes[tried])
        shares.append([right[kept].sum() / len(tried) for kept in _pruned(model.tree_, penalties)])
        advance(1)
    by_fold = np.array(shares)
    error = by_fold.std(axis=0, ddof=1) / np.sqrt(len(by_fold))
    return SizeSearch(penalties, leaves, by_fold.mean(axis=0), error)


def _parts(
    classes: npt.NDArray[Any], seed: int
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Give the rows to learn from and those to try, each class in proportion where it can be."""
    from sklearn.model_selection import KFold, StratifiedKFold

    _, sizes = np.unique(classes, return_counts=True)
    kind = StratifiedKFold if sizes.max() >= FOLDS else KFold
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        yield from kind(FOLDS, shuffle=True, random_state=seed).split(classes, classes)


def _pruned(tree: Any, penalties: Floats) -> Iterator[Bools]:
    """Give the leaves of the optimal subtree for each penalty, as a mask of the tree's nodes."""
    left, right = tree.children_left, tree.children_right
    own = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    levels = []
    level = np.flatnonzero(left[:1] >= 0)
    while level.size:
        levels.append(level)
        below = np.concatenate((left[level], right[level]))
        level = below[left[below] >= 0]
    for penalty in penalties:
        if penalty == 0:  # not even what gains nothing
            yield left < 0
            continue
        cost = own + penalty
        is_leaf = np.ones(len(left), dtype=np.bool_)
        for level in reversed(levels):
            split = cost[left[level]] + cost[right[level]]
            gains = split < cost[level] - ROUNDING
            is_leaf[level] = ~gains
            cost[level] = np.where(gains, split, cost[level])
        reached = np.zeros(len(left), dtype=np.bool_)
        reached[0] = True
        for level in levels:
            on = reached[level] & ~is_leaf[level]
            reached[left[level]] = on
            reached[right[level]] = on
        yield reached & is_leaf


def _right(model: Any, rows: Floats, classes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return for each node how many rows pass through it and have the class that it would give."""
    tree = model.tree_
    said = model.classes_[tree.value[:, 0, :].argmax(axis=1)]
    counts = np.zeros(tree.node_count, dtype=np.int64)
    for first in range(0, len(rows), ROWS_AT_ONCE):
        some = slice(first, first + ROWS_AT_ONCE)
        path = model.decision_path(rows[some]).tocoo()
        agree = said[path.col] == classes[some][path.row]
        counts += np.bincount(path.col[agree], minlength=tree.node_count)
    return counts
