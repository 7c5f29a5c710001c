"""Numbers as a reader wants them: few digits, and never so few that they mislead."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction

import numpy as np

from cattleya.support.text import grouped, printable

__all__ = [
    "class_name",
    "counted",
    "is_any_rounded",
    "listed",
    "name",
    "noting_rounded",
    "number_in",
    "percent",
    "plain",
    "rounded",
    "shortened",
]

FEWEST_DIGITS = 4
EXACT_DIGITS = 7
MOST_DIGITS = 17
LARGEST_WITHOUT_EXPONENT = 1e16
LONGEST_NAME = 120
CLOSE = 1e-9
# A threshold with many digits: after the sign of a test, or before that of an interval.
_LONG = r"-?\d+\.\d{5,}(?:e[+-]?\d+)?"
_THRESHOLD = re.compile(
    rf"(?:(?<= <= )|(?<= > )){_LONG}(?=$| and | or missing)|(?:^|(?<= and )){_LONG}(?= < )"
)


_ROUNDED: ContextVar[list[float] | None] = ContextVar("rounded", default=None)


@contextmanager
def noting_rounded() -> Iterator[list[float]]:
    """Note which thresholds are rounded where they are shown: what says so stands after them.

    >>> with noting_rounded() as noted:
    ...     texts = rounded(30.5), rounded(1.23456789)
    >>> noted, is_any_rounded()
    ([1.23456789], True)
    """
    noted: list[float] = []
    token = _ROUNDED.set(noted)
    try:
        yield noted
    finally:
        _ROUNDED.reset(token)


def is_any_rounded() -> bool:
    """Tell whether a threshold was rounded so far; where nobody notes, it may have been."""
    noted = _ROUNDED.get()
    return noted is None or bool(noted)


def rounded(threshold: float, value: float = math.nan, others: Iterable[float] = ()) -> str:
    """Return a threshold with few digits: the same text for it wherever it is shown.

    Parameters
    ----------
    threshold : float
        What a test compares with. One that needs few digits, as halfway between whole numbers, has
        them all; no digit before the point is ever rounded away.
    value : float
        What the row has, as it is shown. It stays on the side that it is on.
    others : iterable of float
        The thresholds next to it: those look different.

    Examples
    --------
    >>> rounded(0.7950000166893005, 2.0), rounded(30.500000001, 30.5), rounded(212809.499, 0.0)
    ('0.795', '30.500000001', '212809.5')
    >>> rounded(1.23456789), rounded(1.23456789, others=[1.23454321])
    ('1.235', '1.2346')
    """
    text = _rounded(threshold, value, others)
    noted = _ROUNDED.get()
    if noted is not None and float(text) != threshold:
        noted.append(threshold)
    return text


def _rounded(threshold: float, value: float, others: Iterable[float]) -> str:
    exact = f"{threshold:.{EXACT_DIGITS}g}"
    if float(exact) == threshold and "e" not in exact:
        return exact
    before_the_point = len(f"{abs(threshold):.0f}")
    others = list(others)
    for digits in range(max(FEWEST_DIGITS, before_the_point + 1), MOST_DIGITS):
        text = f"{threshold:.{digits}g}"
        short = float(text)
        same_side = (value <= short) == (value <= threshold)
        if short == threshold or (
            same_side
            and not math.isclose(value, short, rel_tol=CLOSE)
            and not any(f"{other:.{digits}g}" == text for other in others)
        ):
            large = "e+" in text and abs(short) < LARGEST_WITHOUT_EXPONENT
            return f"{short:.0f}" if large else text
    return repr(threshold).removesuffix(".0")


def shortened(reason: str) -> str:
    """Return the text of a reason, as tables of results have it, with its thresholds rounded.

    >>> shortened("ash <= 2.9949999 and 13.174999713897705 < hue <= 13.5 and a not in {1.23456}")
    'ash <= 2.995 and 13.17 < hue <= 13.5 and a not in {1.23456}'
    """
    return _THRESHOLD.sub(lambda found: rounded(float(found.group())), reason)


def plain(value: float, dtype: str) -> str:
    """Return a value with all the digits that the model sees, and no more.

    >>> plain(0.10000000149011612, "float32"), plain(38.0, "float64"), plain(math.nan, "float32")
    ('0.1', '38', 'missing')
    >>> plain(1000000064.0, "float32"), plain(1e300, "float64")
    ('1000000064', '1e+300')
    """
    if math.isnan(value):
        return "missing"
    seen = np.dtype(dtype).type(value)
    text = str(seen) if float(seen) == value else repr(value)
    if value and value.is_integer() and abs(value) < LARGEST_WITHOUT_EXPONENT:
        text = str(int(value))  # numpy has an exponent here, or zeros for digits
    return text.removesuffix(".0")


def number_in(text: str) -> float:
    """Return a value that was shown as a number again; NaN where it is none.

    >>> number_in("38"), number_in("missing")
    (38.0, nan)
    """
    try:
        return float(text)
    except ValueError:
        return math.nan


def percent(share: Fraction | float) -> str:
    """Return a share as text; only 1 is 100%, and only 0 is 0%.

    >>> percent(1), percent(0.99999), percent(0.123), percent(0.00001)
    ('100%', '>99.9%', '12.3%', '<0.1%')
    """
    if share in (0, 1):
        return f"{float(share):.0%}"
    if share * 1000 < 1:
        return "<0.1%"
    if (1 - share) * 1000 < 1:
        return ">99.9%"
    return f"{float(share):.1%}".replace(".0%", "%")


def name(text: str) -> str:
    """Return a name safe to print, and cut in the middle where it is very long.

    Blank names are quoted.

    >>> name("age"), name(""), len(name("a" * 1000))
    ('age', "''", 122)
    """
    safe = printable(text)
    if not safe.strip():
        safe = f"'{safe}'"
    return safe if len(safe) <= LONGEST_NAME else f"{safe[:80]} … {safe[-39:]}"


def class_name(text: str) -> str:
    """Return the name of a class as text; ``class 3`` where a bare number could be anything.

    >>> class_name("3"), class_name("malignant")
    ('class 3', 'malignant')
    """
    try:
        float(text)
    except ValueError:
        return name(text)
    return f"class {name(text)}"


def counted(number: int, noun: str) -> str:
    """Return how many there are of something.

    >>> counted(1, "reason"), counted(2000, "reason")
    ('1 reason', '2,000 reasons')
    """
    return f"{grouped(number)} {noun}" if number == 1 else f"{grouped(number)} {noun}s"


def listed(names: Iterable[str], most: int) -> str:
    """Return names as a list, cut after some, safe to print.

    >>> listed(["a", "b", "c"], 3), listed("abcdef", 3)
    ('a, b and c', 'a, b, c and 3 more')
    """
    shown: Sequence[str] = [name(each) for each in names]
    if len(shown) > most + 1:
        return f"{', '.join(shown[:most])} and {len(shown) - most:,} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), *shown[-1:]) if part)
