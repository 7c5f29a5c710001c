"""Names and values from outside, made safe to show: in a terminal, in a message."""

from __future__ import annotations

import unicodedata

__all__ = ["printable", "shown"]

# Joiners shape letters in Persian and Indic scripts; they move nothing and hide nothing.
_JOINERS = "\u200c\u200d"
_LONGEST_SHOWN = 120


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


def shown(value: object) -> str:
    """Return a value as a message names it: as Python writes it, a long one cut in the middle.

    What is refused may be anything: a text of a gigabyte, or a number that Python does not print.

    Examples
    --------
    >>> shown("age"), shown(1.5)
    ("'age'", '1.5')
    >>> shown(10**5000)
    'a number of 16610 bits'
    >>> len(shown("a" * 10**6))
    123
    """
    half = _LONGEST_SHOWN // 2
    if isinstance(value, str) and len(value) > _LONGEST_SHOWN:
        value = value[:_LONGEST_SHOWN] + value[-_LONGEST_SHOWN:]  # the rest would not be shown
    try:
        text = repr(value)
    except ValueError:  # more digits than sys.get_int_max_str_digits()
        bits = getattr(value, "bit_length", int)()
        return f"a number of {bits} bits" if bits else type(value).__name__
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:half]} … {text[-half:]}"


def _is_harmless(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
