"""Names from files, made safe to show in a terminal."""

from __future__ import annotations

import unicodedata

__all__ = ["printable"]

# Joiners shape letters in Persian and Indic scripts; they move nothing and hide nothing.
_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    r"""Return a text with every control character written out.

    A column may be called anything. Escape sequences could recolour or rewrite the terminal, a
    line break could forge a line of an explanation, and marks of direction could reorder one.

    Examples
    --------
    >>> printable("income \x1b[31m\n")
    'income \\x1b[31m\\n'
    >>> printable("âge > 30")
    'âge > 30'
    """
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else _escaped(char) for char in text)


def _is_harmless(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
