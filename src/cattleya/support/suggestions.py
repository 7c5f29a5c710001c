"""Names that are nearly right: an error about an unknown one says which was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from cattleya.support.text import quoted, shown

__all__ = ["did_you_mean", "hint", "known_names"]

MOST_COMPARED = 10_000  # names: comparing is slow
LONGEST_COMPARED = 200  # characters
MOST_OFFERED = 3


def did_you_mean(given: Any, known: Iterable[Any]) -> str:
    """Return a question such as ``did you mean 'age'?``, or nothing where no name is near.

    Upper and lower case, blanks and ``-`` or ``_`` make no difference.

    Examples
    --------
    >>> did_you_mean("hours_per_week", ["age", "hours-per-week"])
    "did you mean 'hours-per-week'?"
    >>> did_you_mean("colour", ["age", "hours-per-week"])
    ''
    >>> did_you_mean(">50k", ["<=50K", ">50K"])
    "did you mean '>50K'?"
    """
    if not isinstance(given, str) or len(given) > LONGEST_COMPARED:
        return ""
    by_text: dict[str, list[Any]] = {}
    for name in known:
        by_text.setdefault(_folded(str(name)), []).append(name)
        if len(by_text) == MOST_COMPARED:
            break
    near = [
        name
        for text in get_close_matches(_folded(given), by_text, MOST_OFFERED)
        for name in by_text[text]
    ]
    same = [name for name in near if str(name).casefold() == given.casefold()]
    meant = " or ".join(map(shown, (same or near)[:MOST_OFFERED]))
    return f"did you mean {meant}?" if meant else ""


def known_names(given: Iterable[Any], known: Sequence[Any]) -> str:
    """Return the known names for a message, after what was probably meant by those given.

    Examples
    --------
    >>> known_names(["agee"], ["age", "pay"])
    "'age', 'pay'; did you mean 'age'?"
    """
    return quoted(known) + hint(given, known)


def hint(given: Iterable[Any], known: Sequence[Any]) -> str:
    """Return what to add to a message about unknown names: what the first of them probably means.

    Examples
    --------
    >>> hint(["x", "agee"], ["age", "pay"]), hint(["x"], ["age", "pay"])
    ("; did you mean 'age'?", '')
    """
    asked = (did_you_mean(name, known) for name in given)
    question = next(filter(None, asked), "")
    return f"; {question}" if question else ""


def _folded(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum()) or name
