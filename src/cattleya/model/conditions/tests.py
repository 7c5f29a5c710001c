"""The conditions of a tree: its distinct tests, numbered, and the words for them.

This is the paper's vocabulary. Each distinct test ``feature <= threshold`` is a Boolean variable
of its own, and ``t_x`` is the set of all of them, each on the side that the row is on. Where a tree
takes missing values, where a test sends them is part of the test: two nodes with one threshold that
send them to different sides are two conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property

import numpy as np

from cattleya.model.conditions.condition import Comparison, Condition, spellings
from cattleya.model.conditions.wording import Wording
from cattleya.model.domain.domain import Domain
from cattleya.model.domain.shortest import alike_when_cast
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Bytes, Int32s

__all__ = ["Conditions"]


class Conditions:
    """The distinct conditions of a tree, in the order of feature and threshold.

    Parameters
    ----------
    tree : Tree
    domain : callable, optional
        Finds the domain, where the tree's columns are not those that the user gave; conditions are
        then in the user's words. It is asked when the first of them is.

    Attributes
    ----------
    feature, threshold, missing_left : ndarray
        One entry per condition.
    of_node : ndarray
        The condition that each node tests, -1 at leaves.
    """

    def __init__(self, tree: Tree, domain: Callable[[], Domain] | None = None) -> None:
        self.tree, self._domain = tree, domain
        inner = np.flatnonzero(tree.left >= 0)
        feature = tree.feature[inner]
        threshold = tree.threshold[inner]
        missing = (
            np.zeros(len(inner), dtype=np.bool_)
            if tree.missing_left is None
            else tree.missing_left[inner]
        )
        order = np.lexsort((missing, threshold, feature))
        feature, threshold, missing = feature[order], threshold[order], missing[order]
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (
            (feature[1:] != feature[:-1])
            | (threshold[1:] != threshold[:-1])
            | (missing[1:] != missing[:-1])
        )
        self.of_node = np.full(tree.n_nodes, -1, dtype=np.int32)
        self.of_node[inner[order]] = np.cumsum(is_new) - 1
        self.feature = np.ascontiguousarray(feature[is_new])
        self.threshold = np.ascontiguousarray(threshold[is_new])
        self.missing_left = np.ascontiguousarray(missing[is_new]).view(np.uint8)
        # Condition i on its false side is at 2 i, on its true side at 2 i + 1.
        self._made: list[Comparison | None] = [None] * (2 * len(self.feature))

    def of_labels(self, tree: Tree) -> Conditions:
        """Return the same conditions for a tree that differs in the labels of its leaves."""
        same = copy(self)
        same.tree = tree
        return same

    def __len__(self) -> int:
        return len(self.feature)

    def side(self, code: int) -> Comparison:
        """Return condition ``code // 2`` on its true side (odd codes) or its false side."""
        made = self._made[code]
        if made is None:
            made = self._made[code] = self._make(code)
        return made

    def texts(self, codes: Int32s) -> list[str]:
        """Return what conditions print as, by code: those of the given codes, and some more."""
        known, texts = self._texts
        new = codes[known[codes] == 0]
        for code in np.unique(new).tolist():
            texts[code] = str(self.side(code))
        known[new] = 1
        return texts

    @cached_property
    def _texts(self) -> tuple[Bytes, list[str]]:
        """Which texts were made, and those."""
        return np.zeros(len(self._made), dtype=np.uint8), [""] * len(self._made)

    @property
    def named_by_code(self) -> tuple[list[Comparison | None], Callable[[int], Comparison]]:
        """The conditions that were made so far, by code, and what makes another."""
        return self._made, self._make

    def sides(self, codes: Iterable[int]) -> list[Comparison]:
        """Return the conditions of several codes."""
        made = self._made
        return [made[code] or self.side(code) for code in codes]

    @cached_property
    def _wording(self) -> Wording | None:
        if self._domain is None:
            return None
        routes = self.missing_left.view(np.bool_)
        return Wording(self.tree, self.feature, self.threshold, routes, self._domain)

    def _make(self, code: int) -> Comparison:
        number, sense = divmod(code, 2)
        if self._wording is not None:
            return self._wording.side(number, sense=bool(sense))
        return self._as_tested(code)

    def _as_tested(self, code: int) -> Comparison:
        """Return a condition in the tree's own columns."""
        number, sense = divmod(code, 2)
        index = int(self.feature[number])
        dtype = "float64" if self._alike_when_cast[number] else self.tree.row_dtype
        return Comparison(
            self.tree.feature_name(index),
            index,
            float(self.threshold[number]),
            sense=bool(sense),
            missing_left=(
                None if self.tree.missing_left is None else bool(self.missing_left[number])
            ),
            boolean=index in self._boolean,
            row_dtype=dtype,
        )

    @cached_property
    def _boolean(self) -> frozenset[int]:
        return frozenset(self.tree.boolean)

    def code_of(self, condition: Condition | str) -> int:
        """Return the code of a condition, or of the text that it prints as."""
        if isinstance(condition, Condition):
            return self.code(condition)
        if isinstance(condition, str):
            return self.code_of_text(condition)
        raise TypeError(f"{condition!r} is not a Condition, nor the text of one")

    def code(self, condition: Condition) -> int:
        """Return the code of a condition; ``ValueError`` if the tree does not test it."""
        code = self.code_of_test(condition)
        if self.side(code) == condition:
            return code
        raise _not_tested(condition)

    def code_of_test(self, condition: Condition) -> int:
        """Return the code of the test that a condition speaks of, whatever its words."""
        if isinstance(condition, Comparison):
            key = (condition.index, condition.threshold, condition.missing_left or False)
            code = 2 * self._numbers.get(key, -1) + condition.sense
            if code >= 0:
                return code
        raise _not_tested(condition)

    @cached_property
    def _numbers(self) -> dict[tuple[int, float, bool], int]:
        keys = zip(
            self.feature.tolist(),
            self.threshold.tolist(),
            self.missing_left.astype(np.bool_).tolist(),
            strict=True,
        )
        return {key: number for number, key in enumerate(keys)}

    @cached_property
    def _codes_by_text(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for code in range(len(self._made)):
            found.setdefault(str(self.side(code)), []).append(code)
        if self._wording is not None:  # the tree's own words are understood, too
            for code in range(len(self._made)):
                found.setdefault(str(self._as_tested(code)), [code])
        return found

    def code_of_text(self, text: str) -> int:
        """Return the code of the condition that prints as ``text``."""
        known = self._codes_by_text
        codes = next((known[one] for one in spellings(text) if one in known), [])
        if len(codes) == 1:
            return codes[0]
        problem = (
            "more than one condition reads" if codes else "the tree tests no condition that reads"
        )
        raise ValueError(f"{problem} {text!r}; take conditions from this explanation")

    @cached_property
    def _alike_when_cast(self) -> Bools:
        """Of each test, whether another one reads the same with few digits: both have them all."""
        return alike_when_cast(self.feature, self.threshold, self.tree.row_dtype)

    def __reduce__(self) -> tuple[object, ...]:
        return Conditions, (self.tree, self._domain)


def _not_tested(condition: Condition) -> ValueError:
    return ValueError(
        f"the tree does not test {str(condition)!r}; take conditions from this explanation"
    )
