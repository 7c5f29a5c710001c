"""What the text of a condition says of a row of the user's, read as anybody would read it.

A missing value is no number and none of the named values: it is meant where the text says so. It is
also "not" a named value, unless it is named among them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Mapping
from typing import Any

SIGNS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq}


def is_gap(value: Any) -> bool:
    return value is None or bool(value != value)  # noqa: PLR0124 - only NaN differs from itself


def holds(text: str, row: Mapping[str, Any], known: Mapping[str, Collection[Any]]) -> bool:
    """Tell whether a row has what a text says; ``known`` has the values seen, by category."""
    text = text.removeprefix("(").removesuffix(")")  # around "or missing"
    name = next(n for n in row if re.search(rf"(^| ){re.escape(n)}( |$)", text))
    before, after = (part.strip() for part in f" {text} ".split(f" {name} ", 1))
    if name in known:
        return _of_category(after, row[name], known[name])
    return _of_number(before, after, row[name])


def _of_number(before: str, after: str, value: Any) -> bool:
    if after in ("is missing", "= missing", "is present"):
        return is_gap(value) != after.endswith("present")
    if is_gap(value):
        return after.endswith("or missing")
    after = after.removesuffix("or missing").strip()
    if not after:
        return bool(value) != (before == "not")
    if found := re.fullmatch(r"is (\S+)(?: to (\S+))?", after):
        low, high = found.groups()
        return bool(float(low) <= value <= float(high or low))
    sign, bound = after.split()
    within = bool(SIGNS[sign](value, float(bound)))
    return within and (not before or float(before.removesuffix(" <")) < value)


def _of_category(after: str, value: Any, known: Collection[Any]) -> bool:
    found = re.fullmatch(r"(is not|not in|=|is|in) (.*)", after)
    assert found, after
    stands, told = found.groups()
    words = told[1:-1].split(", ") if told.startswith("{") else re.split(r", | or ", told)
    if is_gap(value):
        said = "missing" in words
    else:
        said = str(value) in words or (value not in known and "any unseen value" in words)
    return said != (stands in ("is not", "not in"))
