"""Explanations as pages: one file that needs no network, and a fragment for notebooks."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from cattleya.explain.explanation import Explanation
from cattleya.present.findings import TIME_LIMIT, Findings, Wish, find_out
from cattleya.present.pages.content import Content
from cattleya.present.pages.origin import Origin, checked_about
from cattleya.present.plots.pixels import Pixels, Shape
from cattleya.present.words.numbers import class_name, noting_rounded, percent

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "filled", "fragment", "page", "page_of"]

#: What stands before a threshold; and a point of one that nothing follows.
_BOUND = re.compile(r" ([<>]=) (?=-?\d)")
_POINT = re.compile(r"(?:(?<=\d)\.0(?= < )|(?<=[≤≥>] )(?P<whole>-?\d+)\.0(?!\d|\.\d))")


def page(
    explanation: Explanation,
    timeout: float | None = TIME_LIMIT,
    shape: Shape = None,
    about: str | None = None,
    data: Any = None,
) -> str:
    """Return a whole page; with ``shape``, of a row that is an image."""
    checked_about(about)
    if shape is not None:
        Pixels(explanation, shape)  # refuse a bad one before what may take long
    return page_of(
        find_out(explanation, timeout, Wish(data=None if data is None else lambda: data)),
        shape,
        about,
    )


def page_of(found: Findings, shape: Shape = None, about: str | None = None) -> str:
    """Return a whole page of what was found out: the same, when that was done before."""
    return filled("page.html", Content(found, shape, about))


def fragment(explanation: Explanation, timeout: float | None = TIME_LIMIT) -> str:
    """Return a short form to put into a page: its style touches nothing else there."""
    return filled("fragment.html", Content(find_out(explanation, timeout)))


def filled(template: str, content: Origin) -> str:
    """Return a template with its contents; it can tell whether thresholds were rounded so far."""
    with noting_rounded():
        return environment().get_template(template).render(it=content)


@cache
def environment() -> Environment:
    """Return what fills templates in."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Everything is escaped: names and values come from files that anybody may have written.
    environment = Environment(
        loader=PackageLoader("cattleya.present.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "sign": _sign,
        "in_signs": _in_signs,
        "percent": percent,
        "class_name": class_name,
    }
    return environment


def _sign(after: str) -> str:
    """Return what stands after a feature's name, with the sign that readers know."""
    for sign, known in ((" <= ", " ≤ "), (" >= ", " ≥ ")):
        if after.startswith(sign):
            return known + after.removeprefix(sign)
    return after


def _in_signs(sentence: str) -> str:
    """Return a sentence about facts with the signs that readers know, and no needless ``.0``."""
    signed = _BOUND.sub(lambda found: f" {'≤' if found[1] == '<=' else '≥'} ", sentence)
    return _POINT.sub(lambda found: found["whole"] or "", signed)
