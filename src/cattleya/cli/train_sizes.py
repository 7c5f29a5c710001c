"""The trade of ``cattleya train``: accuracy and length of reasons, for trees of several sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.cli.screen import progress
from cattleya.present.json_form import share_form
from cattleya.support.limits import Deadline

if TYPE_CHECKING:
    from cattleya.adapters.training.train import Candidate, Trained
    from cattleya.batch.lengths import Lengths

__all__ = ["Sized", "check_picture", "draw_sizes", "measured_sizes", "sizes_form", "sizes_table"]

MOST_DRAWN = 12


@dataclass(frozen=True, eq=False)
class Sized:
    """A tree of some size under its name, with the lengths of its reasons."""

    name: str
    tree: Candidate
    lengths: Lengths

    @property
    def leaves(self) -> int:
        """How many leaves it has."""
        return int(self.tree.model[-1].get_n_leaves())

    @property
    def depth(self) -> int:
        """How deep it is."""
        return int(self.tree.model[-1].get_depth())


def measured_sizes(trained: Trained, name: str, deadline: Deadline) -> list[Sized]:
    """Return the tree that was trained and, if its size was chosen, a smaller and the full one."""
    trees = {name: trained.chosen}
    if trained.search is not None:
        smaller, full = trained.search.smaller, trained.at(0)
        if smaller is not None:
            trees = {"smaller": trained.at(smaller)} | trees
        if full.nodes > trained.chosen.nodes:
            trees["full"] = full
    return [_measured(trained, which, tree, deadline) for which, tree in trees.items()]


def _measured(trained: Trained, name: str, tree: Candidate, deadline: Deadline) -> Sized:
    from cattleya.batch.lengths import reason_lengths

    with progress(f"measuring the reasons of the {name or 'pruned'} tree ({tree.nodes:,} nodes)"):
        rows = trained.table.columns.iloc[trained.tried]
        return Sized(name, tree, reason_lengths(tree.model, rows, deadline))


def sizes_table(sizes: list[Sized], trained: Trained) -> list[str]:
    """Return the trade as lines of text."""
    tried = len(trained.tried)
    lines = [f"  {'':8}  accuracy  {'nodes':>9}  depth  median reason"]
    for one in sizes:
        lines.append(
            f"  {one.name:8}  {one.tree.right / tried:>8.1%}  {one.tree.nodes:>9,}  "
            f"{one.depth:>5}  {_length(one.lengths)}"
        )
    rows = max(one.lengths.asked for one in sizes)
    lines.append(
        f"  (median reason: the facts in the shortest reason over intervals, of {rows} rows held "
        f"out)"
    )
    return lines


def sizes_form(sizes: list[Sized], trained: Trained) -> list[dict[str, Any]]:
    """Return the trade as JSON values."""
    from fractions import Fraction

    return [
        {
            "size": one.name,
            "accuracy": share_form(Fraction(one.tree.right, len(trained.tried))),
            "nodes": one.tree.nodes,
            "leaves": one.leaves,
            "depth": one.depth,
            "reason_length": one.lengths.median,
            "rows_measured": one.lengths.settled,
        }
        for one in sizes
    ]


def _length(lengths: Lengths) -> str:
    if lengths.median is None:
        return "not measured in time"
    facts = f"{lengths.median:g} fact{'' if lengths.median == 1 else 's'}"
    if lengths.settled < lengths.asked:
        facts += f" ({lengths.settled} of {lengths.asked} rows in time)"
    return facts


def check_picture(path: str) -> None:
    """Refuse a picture that could not be drawn, before the work begins."""
    from cattleya.experiments.drawing import check_ending, subplots

    check_ending(Path(path))
    subplots(1, 1, (1, 1))


def draw_sizes(path: str, sizes: list[Sized], trained: Trained, deadline: Deadline) -> None:
    """Draw accuracy against the length of reasons, for trees of a dozen sizes."""
    from cattleya.experiments.drawing import saved, subplots
    from cattleya.present.plots.tree_sizes import SizedTree, tree_sizes

    known = {one.leaves: one for one in sizes}
    for place in _spread(trained):
        tree = trained.at(place)
        if int(tree.model[-1].get_n_leaves()) not in known:
            found = _measured(trained, "", tree, deadline)
            known[found.leaves] = found
    figure, (ax,) = subplots(1, 1, (6.4, 4.4))
    tried = len(trained.tried)
    points = [
        SizedTree(leaves, one.tree.right / tried, one.lengths.median, one.name)
        for leaves, one in known.items()
        if one.lengths.median is not None
    ]
    tree_sizes(points, trained.always_right / tried, trained.table.target, ax)
    saved(figure, Path(path))


def _spread(trained: Trained) -> list[int]:
    """Return penalties that give trees of very different sizes, by their places."""
    if trained.search is None:
        return []
    sizes = trained.search.sizes
    leaves = [math.log(trained.search.leaves[place]) for place in sizes]
    picked: list[int] = []
    last = math.inf
    gap = (leaves[0] - leaves[-1]) / MOST_DRAWN if leaves else 0.0
    for place, size in zip(sizes, leaves, strict=True):
        if last - size >= gap:
            picked.append(place)
            last = size
    return picked
