"""Tests of the tree as what they say in the user's own columns and units.

The tree's column, threshold and side stay what they are, and decide; only the words are others.
"""

from __future__ import annotations

from functools import partial

from cattleya.model.conditions.condition import Comparison
from cattleya.model.domain.domain import is_nameless

__all__ = ["Membership", "UserCondition"]


class UserCondition(Comparison):
    """A test of a number that reaches the tree in another form: ``age <= 46.5``.

    ``shown`` is the threshold in the user's units. ``column`` is the name of the tree's column
    where another test reads the same in the user's units; it is then added, with the threshold
    there.

    Examples
    --------
    >>> condition = UserCondition("age", 0, 0.55, 46.5, sense=True)
    >>> print(condition, "|", condition.negated())
    age <= 46.5 | age > 46.5
    >>> condition.holds(0.5)
    True
    >>> print(UserCondition("age", 0, 0.55, 46.5, sense=True, column="scaled__age"))
    age <= 46.5 [scaled__age <= 0.55]
    """

    __slots__ = ("_shown", "column")

    _shown: float
    column: str

    def __init__(
        self,
        feature: str,
        index: int,
        threshold: float,
        shown: float,
        *,
        sense: bool,
        missing_left: bool | None = None,
        boolean: bool = False,
        whole: bool = False,
        column: str = "",
    ) -> None:
        how = {"missing_left": missing_left, "boolean": boolean, "whole": whole}
        super().__init__(feature, index, threshold, sense=sense, **how)  # type: ignore[arg-type]  # each its own
        self._put(_shown=shown, column=column)

    @property
    def shown(self) -> float:
        """The threshold in the user's units."""
        return self._shown

    def negated(self) -> UserCondition:
        """Return the other side of the same test."""
        return UserCondition(
            self.feature,
            self.index,
            self.threshold,
            self.shown,
            sense=not self.sense,
            missing_left=self.missing_left,
            boolean=self.boolean,
            whole=self.whole,
            column=self.column,
        )

    @property
    def itself(self) -> str:
        """The test in the tree's own column, where another one reads the same; else nothing."""
        return _itself(self, self.column)

    def _worded(self) -> str:
        return super()._worded() + self.itself

    def __reduce__(self) -> tuple[object, ...]:
        made = partial(
            UserCondition,
            sense=self.sense,
            missing_left=self.missing_left,
            boolean=self.boolean,
            whole=self.whole,
            column=self.column,
        )
        return made, (self.feature, self.index, self.threshold, self.shown)


class Membership(Comparison):
    """A test of a column behind a category: ``sex = Male``, ``job not in {clerk, nurse}``.

    Attributes
    ----------
    values, others : tuple of str
        The category's values on this side of the test, and those on the other, as they are called.
        The fewer of them are said, but some with names; of as many, those that are above the
        threshold.
    column : str
        The name of the tree's column where another test reads the same, else empty.

    Examples
    --------
    >>> male = Membership("sex", 3, 0.5, ("Male",), ("Female",), sense=False)
    >>> print(male, "|", male.negated())
    sex = Male | sex is not Male
    >>> male.holds(1.0)
    True
    >>> print(Membership("job", 4, 1.5, ("pilot", "cook", "vet"), ("clerk", "nurse"), sense=False))
    job not in {clerk, nurse}
    """

    __slots__ = ("column", "others", "values")

    values: tuple[str, ...]
    others: tuple[str, ...]
    column: str

    def __init__(
        self,
        feature: str,
        index: int,
        threshold: float,
        values: tuple[str, ...],
        others: tuple[str, ...],
        *,
        sense: bool,
        missing_left: bool | None = None,
        column: str = "",
    ) -> None:
        super().__init__(feature, index, threshold, sense=sense, missing_left=missing_left)
        self._put(values=values, others=others, column=column)

    @property
    def _says_values(self) -> bool:
        if not self.values or not self.others:  # a test that all values pass, or none
            return bool(self.values)
        if is_nameless(self.values) or is_nameless(self.others):
            return is_nameless(self.others)
        few, many = len(self.values), len(self.others)
        return few < many or (few == many and not self.sense)

    @property
    def listed(self) -> tuple[str, ...]:
        """The values that are said: those of this side, or those of the other."""
        return self.values if self._says_values else self.others

    @property
    def operator(self) -> str:
        """How it stands to these: ``=``, ``is not``, ``in`` or ``not in``."""
        if len(self.listed) == 1:
            return "=" if self._says_values else "is not"
        return "in" if self._says_values else "not in"

    @property
    def relation(self) -> str:
        """What is said of the feature: ``= Male``, ``not in {clerk, nurse}``."""
        values = ", ".join(self.listed)
        said = values if len(self.listed) == 1 else f"{{{values}}}"
        return f"{self.operator} {said}{self.itself}"

    @property
    def itself(self) -> str:
        """The test in the tree's own column, where another one reads the same; else nothing."""
        return _itself(self, self.column)

    def negated(self) -> Membership:
        """Return the other side of the same test."""
        return Membership(
            self.feature,
            self.index,
            self.threshold,
            self.others,
            self.values,
            sense=not self.sense,
            missing_left=self.missing_left,
            column=self.column,
        )

    def _worded(self) -> str:
        return f"{self.feature} {self.relation}"

    def __reduce__(self) -> tuple[object, ...]:
        made = partial(
            Membership, sense=self.sense, missing_left=self.missing_left, column=self.column
        )
        return made, (self.feature, self.index, self.threshold, self.values, self.others)


def _itself(test: Comparison, column: str) -> str:
    """Return the test in the tree's own column, to be added to its words; nothing without."""
    if not column:
        return ""
    own = Comparison(
        column, test.index, test.threshold, sense=test.sense, missing_left=test.missing_left
    )
    return f" [{own}]"
