"""The classes of a model: their labels, the names shown for them, and which one a user means."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from cattleya.support.suggestions import hint
from cattleya.support.text import quoted, shown

__all__ = ["Classes"]


@dataclass(frozen=True)
class Classes:
    """The classes, by their places.

    Attributes
    ----------
    labels : tuple
        What ``model.predict`` gives.
    names : tuple of str
        What is shown.
    noun : str
        What one of them is called: "class", "number" or "outcome".

    Examples
    --------
    >>> classes = Classes.of((0, 1), ("benign", "malignant"))
    >>> classes.meant(1), classes.meant("benign"), classes.name(1)
    (1, 0, 'malignant')
    >>> classes.other_than(1, "malignant")
    Traceback (most recent call last):
        ...
    ValueError: toward='malignant' is the class that the row has; give another one
    """

    labels: tuple[Hashable, ...]
    names: tuple[str, ...]
    noun: str = "class"

    @classmethod
    def of(
        cls, labels: Sequence[Hashable], names: Sequence[str] = (), noun: str = "class"
    ) -> Classes:
        """Return classes with their names; by default the labels as text."""
        return cls(tuple(labels), tuple(names) or tuple(map(str, labels)), noun)

    def meant(self, label: Hashable, asked: str = "toward") -> int:
        """Return the place of the class with a label, or with a name."""
        if isinstance(label, Hashable) and label in self.labels:
            return self.labels.index(label)
        if isinstance(label, str) and label in self.names:
            return self.names.index(label)
        raise ValueError(
            f"{asked}={shown(label)} is no {self.noun} of the model; it has "
            f"{quoted(self.labels)}{hint([label], self.names)}"
        )

    def other_than(self, own: int, label: Hashable) -> int:
        """Return the place of a class that is meant; refuse the row's own."""
        place = self.meant(label)
        if place == own:
            raise ValueError(
                f"toward={shown(label)} is the {self.noun} that the row has; give another one"
            )
        return place

    def name(self, label: Hashable) -> str:
        """Return what the class with a label is called."""
        return self.names[self.labels.index(label)]
