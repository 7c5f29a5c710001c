"""The paper's protocol: ten folds, a tree of each, at most 100 rows of what it has not seen.

CART by scikit-learn with its defaults. Folds, trees and rows depend on one seed; fewer rows are the
first of more, so that a run with more goes on from one with fewer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.experiments.data.coding import Data

__all__ = ["Fold", "folds"]

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Fold:
    """One part held out: the places of the rows on both sides, and those drawn to be explained."""

    data: Data
    number: int
    seed: int
    train: Places
    test: Places
    drawn: tuple[int, ...]

    @cached_property
    def model(self) -> Any:
        """The tree, trained on the other parts."""
        from sklearn.tree import DecisionTreeClassifier

        model = DecisionTreeClassifier(random_state=self.seed)
        return model.fit(self.data.x[self.train], self.data.y[self.train])

    def forget(self) -> None:
        """Let go of the tree; it is trained again if it is asked for."""
        self.__dict__.pop("model", None)

    @property
    def accuracy(self) -> float:
        """The share of the part's rows that get their own class."""
        return float(self.model.score(self.data.x[self.test], self.data.y[self.test]))


def folds(data: Data, number: int, rows: int, seed: int) -> Iterator[Fold]:
    """Give the folds of a data set; the trees are trained when they are asked for."""
    from sklearn.model_selection import KFold

    if not 2 <= number <= len(data.y):  # noqa: PLR2004 - one part to train on, one to try
        raise ValueError(
            f"{data.name} has {len(data.y)} rows: there can be 2 to {len(data.y)} folds, "
            f"not {number}"
        )
    parts = KFold(number, shuffle=True, random_state=seed).split(data.y)
    for fold, (train, test) in enumerate(parts):
        drawn = np.random.default_rng([seed, fold]).permutation(test)[:rows]
        yield Fold(data, fold, seed, train, test, tuple(drawn.tolist()))
