"""Names, values and numbers as messages show them: safe in a terminal, never too long."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Any

__all__ = ["grouped", "plain_value", "printable", "quoted", "shown"]

# Joiners shape letters in Persian and Indic scripts; they move nothing and hide nothing.
_JOINERS = "\u200c\u200d"
_LONGEST_SHOWN = 120
_NAMES_SHOWN = 5
_LARGEST_IN_FULL = 10**30


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


def quoted(names: Sequence[Any]) -> str:
    """Return names for a message, the first few of them."""
    first = ", ".join(shown(name) for name in names[:_NAMES_SHOWN])
    return first if len(names) <= _NAMES_SHOWN else f"{first} and {len(names) - _NAMES_SHOWN} more"


def grouped(number: int, in_full: int = _LARGEST_IN_FULL) -> str:
    """Return a number with its digits in groups; a very long one by its size.

    >>> grouped(1234567), grouped(10**40 + 1)
    ('1,234,567', 'about 10^40')
    """
    if number < in_full:
        return f"{number:,}"
    return f"about 10^{round(math.log10(number))}"


def plain_value(value: Any) -> Any:
    """Return a label or a feature as Python has it, not numpy."""
    return value.item() if hasattr(value, "item") else value


def _is_harmless(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
