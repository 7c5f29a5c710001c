"""Families of trees of any size: the paper's complete trees and combs, and random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import cattleya

Numbers = npt.NDArray[Any]


def explain_ones(tree: cattleya.Tree) -> cattleya.Explanation:
    return cattleya.Explainer(tree).explain(np.ones(tree.n_features))


def boolean_tree(left: Numbers, right: Numbers, leaf_class: Numbers) -> cattleya.Tree:
    """A tree whose inner nodes come first, each with a variable of its own."""
    inner = int((left >= 0).sum())
    feature = np.where(left >= 0, np.arange(len(left)), -1)
    threshold = np.full(len(left), 0.5)
    return cattleya.Tree(
        left, right, feature, threshold, leaf_class, n_features=inner, boolean=range(inner)
    )


def grid_tree(depth: int, n_features: int, seed: int) -> cattleya.Tree:
    """A complete tree with random tests and classes."""
    rng = np.random.default_rng(seed)
    size = 2 ** (depth + 1) - 1
    nodes = np.arange(size)
    is_inner = nodes < 2**depth - 1
    return cattleya.Tree(
        np.where(is_inner, 2 * nodes + 1, -1),
        np.where(is_inner, 2 * nodes + 2, -1),
        np.where(is_inner, rng.integers(0, n_features, size), -1),
        np.full(size, 0.5),
        np.where(is_inner, -1, rng.integers(0, 2, size)),
        n_features=n_features,
        boolean=range(n_features),
    )


def complete(depth: int) -> cattleya.Tree:
    """The complete tree of the proof: below each of the last tests a 0 on the left, a 1 beside."""
    nodes = np.arange(2 ** (depth + 1) - 1)
    is_inner = nodes < 2**depth - 1
    left, right = (np.where(is_inner, 2 * nodes + side, -1) for side in (1, 2))
    return boolean_tree(left, right, np.where(is_inner, -1, (nodes + 1) % 2))


def comb(k: int) -> cattleya.Tree:
    """The tree of the proof's figure: a spine of k - 1 tests with a tooth each, and a last test."""
    spine, n = np.arange(k - 1), 2 * k - 1
    ends = np.arange(k - 1, n)  # the teeth, then the last test
    left, right, leaf_class = (np.full(2 * n + 1, -1) for _ in range(3))
    left[spine], right[spine] = ends[:-1], np.append(spine[1:], n - 1)[: k - 1]
    left[ends], right[ends] = n + 2 * np.arange(k), n + 1 + 2 * np.arange(k)
    leaf_class[left[ends]], leaf_class[right[ends]] = 0, 1
    return boolean_tree(left, right, leaf_class)
