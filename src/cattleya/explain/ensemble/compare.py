"""Two models, one or both of many trees: over the cells of both, by the exact search."""

from __future__ import annotations

from typing import Any

import numpy as np

from cattleya._core import EnsembleCells
from cattleya.changes.whole.joint import Joint
from cattleya.ensembles.boxes import Layout
from cattleya.ensembles.prepared import PreparedEnsemble
from cattleya.ensembles.whole import NO, YES, Half, Search
from cattleya.explain.prepared import PreparedTree
from cattleya.support.arrays import Bytes, Int32s, Words
from cattleya.support.limits import Deadline

__all__ = ["found_difference"]


def found_difference(
    joint: Joint,
    prepared: tuple[Any, Any],
    places: tuple[list[int], list[int]],
    deadline: Deadline,
    memory: int,
) -> tuple[bool | None, Int32s | None]:
    """Return whether two models decide the same, or None where that is open; and a row, in cells.

    Parameters
    ----------
    joint : Joint
        The tests of both.
    prepared : tuple
        Both models, made ready: trees or ensembles.
    places : tuple of lists of int
        The place of each outcome of each model among those of both.
    deadline : Deadline
    memory : int
        What one question may take, in bytes.
    """
    cells = joint.cells
    layout = Layout(
        np.ascontiguousarray(cells.n_levels),
        np.ascontiguousarray(cells.n_cells),
        (cells.may_be_missing & cells.tested).astype(np.uint8),
    )
    first, halves = 1, []
    for one, place in zip(prepared, places, strict=True):
        tree = one.tree
        tests = cells.tests.of_node[first : first + tree.n_nodes]
        first += tree.n_nodes
        native = _over(one, joint, layout, tests)
        halves.append(Half(native, place=place))
    answer, row = Search(layout, memory).run((halves[0], halves[1]), lambda a, b: a != b, deadline)
    return {NO: True, YES: False}.get(answer), row


def _over(
    one: PreparedTree | PreparedEnsemble, joint: Joint, layout: Layout, tests: Int32s
) -> EnsembleCells:
    """Return a model over the cells of both; ``tests`` has the joint test of each node."""
    cells = joint.cells
    if isinstance(one, PreparedEnsemble):
        here = one.tests.of_node
        inner = np.flatnonzero(here >= 0)
        of_test = np.zeros(len(one.tests), dtype=np.int32)
        of_test[here[inner]] = tests[inner]
        return one.over_cells(layout.n_levels, layout.n_cells, layout.may_be_missing,
                              *_tests(joint, of_test))  # fmt: skip  # as it reads
    tree = one.tree
    classes = max(len(tree.class_names), 2)
    leaves = tree.leaf_class[tree.left < 0]
    value = np.zeros((len(leaves), classes))
    value[np.arange(len(leaves)), leaves] = 1.0
    every = np.arange(len(cells.tests), dtype=np.int32)
    return EnsembleCells(
        layout.n_levels,
        layout.n_cells,
        layout.may_be_missing,
        np.array([0, tree.n_nodes], dtype=np.int32),
        tree.left,
        tree.right,
        np.ascontiguousarray(tests),
        np.zeros(0, dtype=np.int32),
        value.ravel(),
        *_tests(joint, every),
        np.zeros(classes),
        False,
        1.0,
        1.0,
        np.zeros(classes),
        np.zeros(0),
        np.zeros(0),
        True,
        "",
        1.0,
    )


def _tests(joint: Joint, chosen: Int32s) -> tuple[Int32s, Int32s, Bytes, Words]:
    """Return what some of the joint tests are: attribute, level, side of missing, sets."""
    cells = joint.cells
    return (
        np.ascontiguousarray(cells.test_attribute[chosen]),
        np.ascontiguousarray(cells.test_level[chosen]),
        np.ascontiguousarray(cells.tests.missing_left[chosen]),
        np.ascontiguousarray(cells.words),
    )
