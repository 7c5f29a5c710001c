"""What values a row can have: the attributes that users speak of, behind the tree's columns.

A tree tests columns of numbers. What a user knows is an *attribute*: a number, perhaps a whole one,
perhaps scaled on its way to the tree; or a category, which may be one column of codes or a group of
one-hot columns. A ``Domain`` says which attribute each column belongs to, and which values it can
take. Attributes are independent of each other: any value of one goes with any value of another.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["Attribute", "Category", "Domain", "Number"]


@dataclass(frozen=True)
class Number:
    """A number, in one column of the tree.

    The column holds ``value * scale + offset`` computed in the steps given, which are increasing.

    Attributes
    ----------
    name : str
        As the user knows it.
    column : int
        The tree's column.
    integer : bool
        Whether it takes whole numbers only.
    lower, upper : float
        The least and the greatest value it can take, in the user's units.
    steps : tuple of (str, float)
        The arithmetic from the user's value to the tree's, in order: ("add", c), ("multiply", c),
        ("divide", c) with positive factors. Empty where the tree sees the value itself.
    extra : tuple of float
        Values of the column, beyond the grid, that stand for a missing one (an imputer's).
    boolean : bool
        Whether it is a Boolean variable, printed ``x1`` and ``not x1``.
    """

    name: str
    column: int
    integer: bool = False
    lower: float = -math.inf
    upper: float = math.inf
    steps: tuple[tuple[str, float], ...] = ()
    extra: tuple[float, ...] = ()
    boolean: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's columns."""
        return (self.column,)


@dataclass(frozen=True)
class Category:
    """One of finitely many values, each a point in one or more columns of the tree.

    Attributes
    ----------
    name : str
        As the user knows it.
    columns : tuple of int
        The tree's columns: one of codes, or a one-hot group.
    values : tuple
        The categories, as in the user's data.
    points : tuple of tuples of float
        What each value is in these columns, as the tree sees it.
    """

    name: str
    columns: tuple[int, ...]
    values: tuple[Hashable, ...]
    points: tuple[tuple[float, ...], ...]


Attribute = Number | Category


@dataclass(frozen=True)
class Domain:
    """The attributes of a model; each column of the tree belongs to exactly one.

    Attributes
    ----------
    attributes : tuple of Number or Category
        In the order of the user's columns.
    n_columns : int
        How many columns the tree has.
    untraced : tuple of str
        What could not be traced back to the user's columns, one sentence each: the attributes
        behind it are the tree's own columns.
    """

    attributes: tuple[Attribute, ...]
    n_columns: int
    untraced: tuple[str, ...] = ()

    @cached_property
    def of_column(self) -> npt.NDArray[np.int32]:
        """The attribute that each column of the tree belongs to."""
        owner = np.full(self.n_columns, -1, dtype=np.int32)
        for number, attribute in enumerate(self.attributes):
            for column in attribute.columns:
                if owner[column] != -1:
                    raise ValueError(f"column {column} belongs to two attributes")
                owner[column] = number
        if (owner < 0).any():
            raise ValueError(f"column {int(np.argmin(owner))} belongs to no attribute")
        return owner
