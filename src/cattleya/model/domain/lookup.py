"""Features as users name them: by their own columns, or by those of the tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cattleya.model.domain.domain import Domain
from cattleya.support.guards import is_whole
from cattleya.support.suggestions import known_names
from cattleya.support.text import quoted, shown

__all__ = ["FeatureLookup", "Named", "listed"]


@dataclass(frozen=True)
class Named:
    """What a name stands for: attributes of the domain, or one column of the tree."""

    attributes: tuple[int, ...]
    column: int | None = None


class FeatureLookup:
    """Finds features by name or number.

    A name may be that of an attribute, of a column of the tree, or of a column that the user gave.
    A number is the place of a column that the user gave.

    Examples
    --------
    >>> from cattleya.model.tree.tree import Tree
    >>> tree = Tree.from_nested(("sex", 0, ("job", 0, 1)))
    >>> lookup = FeatureLookup(Domain.plain(tree), tree.feature_names)
    >>> lookup.find("exclude", "job")
    Named(attributes=(1,), column=None)
    >>> lookup.find("exclude", "pay")
    Traceback (most recent call last):
        ...
    ValueError: exclude: unknown feature 'pay'; the model knows 'sex', 'job'
    """

    def __init__(self, domain: Domain, columns: Sequence[str]) -> None:
        self._domain = domain
        self._names = columns
        self._attribute: dict[str, list[int]] = {}
        for place, attribute in enumerate(domain.attributes):
            self._attribute.setdefault(attribute.name, []).append(place)
        self._column = {name: column for column, name in enumerate(columns)}
        self._raw = {name: place for place, name in enumerate(domain.raw_names)}
        self._behind: dict[int, list[int]] = {}
        for place, attribute in enumerate(domain.attributes):
            for raw in attribute.raw:
                self._behind.setdefault(raw, []).append(place)

    def find(self, what: str, feature: Any) -> Named:
        """Return what a user's name or number stands for; ``what`` it was given for."""
        if isinstance(feature, str):
            if feature in self._attribute:
                return Named(tuple(self._attribute[feature]))
            if feature in self._column:
                return self._of_column(self._column[feature])
            if feature in self._raw:
                return self._of_raw(what, self._raw[feature])
            known = known_names([feature], list(self._attribute))
            raise ValueError(f"{what}: unknown feature {shown(feature)}; the model knows {known}")
        if is_whole(feature):
            count = len(self._raw) or len(self._names)
            if not 0 <= feature < count:
                raise ValueError(
                    f"{what}: unknown feature {shown(int(feature))}; they are numbered from 0 to "
                    f"{count - 1}"
                )
            raw = int(feature)
            if not self._raw or list(self._raw) == list(self._names):
                return self._of_column(raw)
            return self._of_raw(what, raw)
        raise TypeError(
            f"{what}: {shown(feature)} is neither the name nor the number of a feature; the model "
            f"knows {quoted(list(self._attribute))}"
        )

    def knows(self, name: str) -> bool:
        """Tell whether a name is one of a feature."""
        return name in self._attribute or name in self._column or name in self._raw

    def _of_column(self, column: int) -> Named:
        return Named((int(self._domain.of_column[column]),), column)

    def _of_raw(self, what: str, raw: int) -> Named:
        lost = [self._names[c] for c, raws in enumerate(self._domain.sources) if raw in raws]
        if lost:
            raise ValueError(
                f"{what}: {self._domain.raw_names[raw]!r} reaches the tree in a way that cannot be "
                f"traced back; name the columns that are made from it: {quoted(lost)}"
            )
        return Named(tuple(self._behind.get(raw, ())))  # none: the model does not look at it


def listed(what: str, features: Iterable[Any]) -> list[Any]:
    """Return features as a list; ``TypeError`` where they are no list of features."""
    if isinstance(features, (str, bytes)) or not isinstance(features, Iterable):
        raise TypeError(f"{what} must be a list of features, not {shown(features)}")
    return list(features)
