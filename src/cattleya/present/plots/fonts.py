r"""Text that is drawn as it was given, whatever is in it.

matplotlib would read ``$`` as mathematics, break lines where a name has a newline, and warn of
characters that its font lacks. Here mathematics is off, what cannot be seen is written as Python
writes it (``\n``), and for characters that the user's fonts lack another installed font is looked
for; where no font has them, they are written as Python writes them, too (``\u4e2d``).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

__all__ = ["as_drawn", "shortened", "visible", "width"]

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
UPRIGHT = (400, "normal", "regular", "book")


def visible(text: str) -> str:
    r"""Return the text with what cannot be seen written out.

    >>> print(visible("first\nsecond"))
    first\nsecond
    """
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def shortened(text: str, most: int) -> str:
    """Return at most ``most`` visible characters, with the middle left out: both ends matter.

    >>> print(shortened("the length of the left arm > 30.5", 20))
    the length…rm > 30.5
    """
    text = visible(text)
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - 1 - tail] + ELLIPSIS + text[len(text) - tail :]


def width(text: str) -> float:
    """Estimate the width of a text, in units of the font's size."""
    return sum(_advance(c) for c in text)


def _advance(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.72 if character.isupper() or character in "<>=+mw%" else 0.57


def as_drawn(*texts: str) -> tuple[list[str], dict[str, Any]]:
    """Return texts that can be drawn, and the arguments to draw them with."""
    from matplotlib import rcParams

    families = list(rcParams["font.family"])
    missing = frozenset(c for text in texts for c in text if not c.isspace())
    for family in families:
        missing = _lacking(_file(family), missing)
    if missing:
        found, missing = _other_fonts(missing)
        families += found
    drawn = ["".join(_escaped(c) if c in missing else c for c in text) for text in texts]
    return drawn, {"family": families, "parse_math": False, "usetex": False}


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _file(family: str) -> str:
    """Return the file that matplotlib takes for a family, or an empty text."""
    from matplotlib.font_manager import FontProperties, findfont

    try:
        return str(findfont(FontProperties(family=[family]), fallback_to_default=False))
    except ValueError:
        return ""


def _lacking(file: str, characters: frozenset[str]) -> frozenset[str]:
    """Return the characters that a font does not have."""
    from matplotlib.font_manager import get_font

    try:
        there = get_font(file).get_charmap() if file else {}
    except (OSError, RuntimeError):  # a font that cannot be read has no characters for us
        there = {}
    return frozenset(c for c in characters if ord(c) not in there)


@cache
def _other_fonts(missing: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return installed families that have these characters, and those that none has."""
    from matplotlib.font_manager import fontManager

    upright = [f for f in fontManager.ttflist if f.style == "normal" and f.weight in UPRIGHT]
    # "Last Resort" fonts have a box for every character that there is.
    files = {
        f.name: f.fname for f in upright if "lastresort" not in f.name.lower().replace(" ", "")
    }
    found = []
    # DejaVu, which comes with matplotlib, before those that only some machines have.
    for family in sorted(files, key=lambda name: (name != "DejaVu Sans", name)):
        rest = _lacking(files[family], missing)
        if rest != missing:
            found.append(family)
            missing = rest
        if not missing:
            break
    return tuple(found), missing
