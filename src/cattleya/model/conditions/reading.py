"""Reads conditions that were printed: on a page, in a table, on a terminal; or typed by hand.

There is one grammar for all that is printed of a feature ``N``, in whichever vocabulary::

    N <= 30.5    N > 30.5    30.5 < N <= 41.5            a number, also with >=, < and =
    N >= 35      N <= 39     N is 35 to 39     N is 35   a whole number
    N    not N                                           a Boolean variable
    N = nurse    N is not nurse    N in {clerk, nurse}   a category, also "is", "not in",
                                                         "other than", "is clerk, cook or vet"
    N is missing    N is present    ... or missing

in parentheses or not, and with what a text adds about the row, ``(it is 38)``. What is read is a
part (``parts``) or a fact: a set of values of one feature. A truth value may be said as a number,
and a number that the tree only tells apart as 0 and 1 as a truth value (``truth``).

A number stands for what the model sees of it, as in a row. Where the tree has a threshold that
says the same, this is taken. A text may also have been rounded: where the number is no threshold of
the tree, but one threshold is printed as this number when it is rounded to as many digits, then
that is meant, and a note says so, as the two are not the same set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.parts import interval_part, missing_part, values_part
from cattleya.model.conditions.truth import (
    NUMBER,
    TRUTH,
    as_number,
    bounds_in,
    numbers_of,
    places_within,
)
from cattleya.model.domain.domain import ANY_OTHER, Attribute, Category, Domain, said
from cattleya.model.domain.number import Number
from cattleya.model.domain.scaling import neighbour
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats
from cattleya.support.suggestions import known_names
from cattleya.support.text import printable, shown

__all__ = ["Read", "Reader"]

_ABOUT_THE_ROW = re.compile(r" \((?:it is|instead of) [^()]*\)$")
_OR_MISSING = " or missing"
_AND, _OR = " and ", " or "
_FORMERLY = "any other value"  # what version 0.1 called any unseen one
_FEWEST_DIGITS = 3  # of a number that may have been rounded
_PRINTED_DIGITS = 4  # of a threshold that is rounded where it is shown, at the least
_HALF = 0.5 * (1 + 1e-6)  # of the last digit; what lies halfway may go either way
_MOST_PIECES = 400  # of a sentence


class Read(NamedTuple):
    """A condition that was read, and how, where that is not just what the text says."""

    condition: Condition
    note: str | None = None


class _Bound(NamedTuple):
    """A threshold of the tree's, and what it was rounded to, if it was."""

    threshold: float
    note: str | None = None


class Reader:
    """Reads conditions on the features of a tree and a domain.

    Examples
    --------
    >>> tree = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1], n_features=1,
    ...             feature_names=["age"])
    >>> reader = Reader(tree, Domain.plain(tree))
    >>> print(reader.read("age > 30.5").condition, "|", reader.read("18 < age <= 30.5").condition)
    age > 30.5 | 18.0 < age <= 30.5
    >>> reader.split("age > 18 and age <= 30.5")
    ['age > 18', 'age <= 30.5']
    """

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self._tree, self._domain = tree, domain
        self._thresholds: dict[int, tuple[Floats, Floats, Floats]] = {}

    @cached_property
    def _names(self) -> dict[str, list[Attribute]]:
        names: dict[str, list[Attribute]] = {}
        for attribute in self._domain.attributes:
            names.setdefault(printable(attribute.name), []).append(attribute)
        return names

    # Sentences.

    def split(self, sentence: str, knows: Callable[[str], object] | None = None) -> list[str]:
        """Return the conditions of a sentence, which are joined by "and".

        A name or a value may have an "and" in it, so that all ways to part the sentence are tried.
        ``knows`` reads one condition, and raises ``ValueError`` where it cannot.
        """
        knows = knows or self.read
        pieces = sentence.split(_AND)
        if len(pieces) > _MOST_PIECES:
            raise ValueError(f"{shown(sentence)} has more than {_MOST_PIECES} conditions")
        best: list[list[str] | None] = [[]] + [None] * len(pieces)
        for end in range(1, len(pieces) + 1):
            for start in range(end - 1, -1, -1):
                before = best[start]
                text = _AND.join(pieces[start:end])
                if before is not None and _is_known(knows, text):
                    best[end] = [*before, text]
                    break
        found = best[-1]
        return pieces if found is None else found

    # One condition.

    def read(self, text: str) -> Read:
        """Return what a text says of a feature; ``ValueError`` where it cannot be read."""
        stripped = _without_parentheses(_ABOUT_THE_ROW.sub("", text.strip()))
        problems: list[str] = []
        found: list[Read] = []
        for attribute, rest, low in self._features_in(stripped):
            try:
                if not isinstance(attribute, Category):
                    found.append(self._number(attribute, rest, low))
                else:
                    found.append(self._category(attribute, rest, low))
            except ValueError as error:
                problems.append(str(error))
        if len({read.condition for read in found}) > 1:
            raise ValueError(f"{shown(text)} is the text of more than one condition")
        if found:
            return found[0]
        if problems:
            raise ValueError(f"{shown(text)}: {problems[0]}")
        named = re.split(r" (?:[<>=]|is |in |not in )", stripped, maxsplit=1)[0]
        raise ValueError(
            f"{shown(text)} is no condition on a feature of this model; write it as it is printed, "
            f"such as 'age > 30.5'; the model knows {known_names([named], list(self._names))}"
        )

    def _features_in(self, text: str) -> Iterator[tuple[Attribute, str, str | None]]:
        """Give the features that a text may be about, what it says of each, and a bound before."""
        low = re.match(rf"({NUMBER} <=?) (.*)$", text, re.DOTALL)
        starts: list[tuple[str, str | None]] = [(text, None)]
        if low:
            starts.append((low.group(2), low.group(1)))
        if text.startswith("not "):
            starts.append((text[4:], "not"))
        for body, before in starts:
            for end in sorted(_ends_of_words(body), reverse=True):  # the longest name first
                for attribute in self._names.get(body[:end], ()):
                    yield attribute, body[end:], before

    # Categories.

    def _category(self, category: Category, rest: str, before: str | None) -> Read:
        numbers = numbers_of(category)
        if numbers is not None and (read := self._in_numbers(category, numbers, rest, before)):
            return read
        if before is not None:
            raise ValueError(f"{category.name!r} is a category, and {before!r} stands before it")
        words = [list(said([category.told(place)])) for place in range(len(category.values))]
        allowed, notes = _allowed(category.name, words, category.values, rest)
        return Read(values_part(category, allowed), "; ".join(notes) or None)

    def _in_numbers(
        self, category: Category, numbers: list[float], rest: str, before: str | None
    ) -> Read | None:
        """Return what a text says of the numbers that a category is written in, if it does."""
        missing = rest.endswith(_OR_MISSING)
        body = rest.removesuffix(_OR_MISSING)
        if body == "" and before in (None, "not") and set(category.values) >= {False, True}:
            allowed = np.array(numbers) == (before is None)
        elif before == "not":
            return None
        elif (same := re.fullmatch(rf" = ({NUMBER})", body)) and before is None:
            if same.group(1) in [word for value in category.values for word in said([value])]:
                return None  # the value's own name
            allowed = np.array(numbers) == float(same.group(1))
        elif bounds := bounds_in(body, before):
            tree = self._tree
            tested = tree.threshold[(tree.left >= 0) & np.isin(tree.feature, category.columns)]
            allowed = places_within(category, numbers, bounds, tested)
        else:
            return None
        if not allowed.any():
            raise ValueError(f"{category.name!r} has no such value")
        filled, note = category.missing, None
        if filled is not None and allowed[filled] and not missing and math.isnan(numbers[filled]):
            note = f"a missing {category.name!r} is filled in so that it is meant, too"
        if missing and filled is None:
            raise ValueError(f"the model takes no missing {category.name!r}; leave it out")
        if missing:
            allowed[filled] = True
        return Read(values_part(category, allowed), note)

    # Numbers.

    def _number(self, number: Number, rest: str, before: str | None) -> Read:
        if before is None and rest in (" is missing", " = missing"):
            return Read(missing_part(number, self._tree.row_dtype))
        missing = rest.endswith(_OR_MISSING)
        rest = rest.removesuffix(_OR_MISSING)
        notes: list[str] = []
        if before is None and rest == " is present":
            return Read(self._interval(number, -math.inf, math.inf, missing, notes))
        if before in (None, "not") and rest == "":
            self._check_truth(number)
            middle = self._at_most(number, 0.0, "0", notes)
            ends = (middle, math.inf) if before is None else (-math.inf, middle)
            return Read(self._interval(number, *ends, missing, notes))
        if before is None and _is_truth(rest):
            return self._as_truth(number, rest + _OR_MISSING * missing, notes)
        if before == "not":
            raise ValueError(f"'not' goes with a Boolean feature, and {number.name!r} is none")
        same = re.fullmatch(rf" (=|is) ({NUMBER})", rest)
        if same and before is None and (same.group(1) == "=" or not number.integer):
            return Read(self._fact(number, as_number(same.group(2))))
        above, up_to = self._ends(number, rest, before, notes)
        part = self._interval(number, above, up_to, missing, notes)
        return Read(part, "; ".join(notes) or None)

    def _ends(
        self, number: Number, rest: str, before: str | None, notes: list[str]
    ) -> tuple[float, float]:
        """Return the thresholds that a text puts around a number."""
        bounds = bounds_in(rest, before)
        signs = "".join(sign[0] for sign, _ in bounds)
        if signs not in ("<", ">", "><", "<>"):
            raise ValueError(f"{number.name!r} is a number; say how it compares, as in '<= 30.5'")
        above, up_to = -math.inf, math.inf
        for sign, text in bounds:
            if sign in ("<", ">="):
                threshold = self._below(number, text, notes)
            else:
                threshold = self._at_most(number, float(text), text, notes)
            if sign in ("<", "<="):
                up_to = threshold
            else:
                above = threshold
        most = float(np.finfo(self._tree.row_dtype).max)
        if above >= most or up_to < -most:
            raise ValueError(f"the model takes no such {number.name!r}: its numbers end before")
        return above, up_to

    def _as_truth(self, number: Number, rest: str, notes: list[str]) -> Read:
        """Return what a text says of a number that it takes for a truth value."""
        self._check_truth(number)
        own, _, _ = self._known(number)
        takes = bool(number.extra) or self._tree.missing_left is not None
        allowed, _ = _allowed(number.name, TRUTH, (), rest)
        no, yes, missing = (allowed & [True, True, takes]).tolist()
        if missing and not (no or yes):
            return Read(missing_part(number, self._tree.row_dtype))
        if not missing and no != yes:
            return Read(self._fact(number, float(yes)))
        above = -math.inf if no else float(own.max(initial=0.0))
        up_to = math.inf if yes else float(own.min(initial=1.0))
        if not (no or yes):
            raise ValueError(f"{number.name!r} is never missing here")
        part = self._interval(number, above, up_to, missing, notes)
        return Read(part, "; ".join(notes) or None)

    def _check_truth(self, number: Number) -> None:
        """Refuse a number as a truth value where the tree can tell more than 0 and 1 apart."""
        for limit in self._known(number)[2].tolist():
            if not 0 <= limit < 1:
                raise ValueError(
                    f"{number.name!r} is a number, which the model compares with {limit!r}: what "
                    f"True and False are is not clear; write a number, as in '= 1'"
                )

    def _fact(self, number: Number, value: float) -> Fact:
        if number.integer and not value.is_integer():
            raise ValueError(f"{number.name!r} takes whole numbers only, not {value!r}")
        seen = float(number.to_tree(value, self._tree.row_dtype))
        if math.isinf(seen):
            raise ValueError(f"the model takes no such {number.name!r}: its numbers end before")
        said_value = int(value) if number.integer else value
        return Fact(number.name, number.column, said_value, number.columns, (seen,))

    def _interval(
        self, number: Number, above: float, up_to: float, missing: bool, notes: list[str]
    ) -> Condition:
        takes = self._tree.missing_left is not None
        part = interval_part(number, above, up_to, missing and takes, self._tree.row_dtype)
        if part.missing != missing:
            filled = (
                f"a missing {number.name!r} counts as {number.extra[0]!r} here"
                if (number.extra)
                else f"the model takes no missing {number.name!r}"
            )
            if missing:
                raise ValueError(f"{filled}, so that it cannot be 'or missing'; leave that out")
            notes.append(f"{filled}, and is in the interval, too")
        return part

    def _below(self, number: Number, text: str, notes: list[str]) -> float:
        """Return the threshold that parts the values below a number from it and those above."""
        value = float(text)
        if number.integer:
            return self._at_most(number, math.ceil(value) - 1.0, text, notes)
        dtype = self._tree.row_dtype
        seen = np.asarray(number.to_tree(value, dtype))
        return self._of_the_tree(number, float(neighbour(seen, -np.inf, dtype)))[0]

    def _at_most(self, number: Number, value: float, text: str, notes: list[str]) -> float:
        """Return the threshold that parts the values up to a number from those above."""
        if number.integer:
            value = math.floor(value)
        threshold, is_own = self._of_the_tree(number, number.to_tree(value, self._tree.row_dtype))
        if is_own or number.integer or number.boolean:
            return threshold
        rounded = self._rounded(number, value, text)
        if rounded is None:
            return threshold
        exact = number.printed(rounded, self._tree.row_dtype)
        notes.append(f"{text} was read as {exact!r}, a threshold of the tree that is rounded so")
        return rounded

    def _of_the_tree(self, number: Number, threshold: float) -> tuple[float, bool]:
        """Return the tree's first threshold that is the same test as this one, if it has any."""
        own, largest, _ = self._known(number)
        same = np.flatnonzero(largest == number.largest(threshold, self._tree.row_dtype))
        return (float(own[same[0]]), True) if len(same) else (float(threshold), False)

    def _rounded(self, number: Number, value: float, text: str) -> float | None:
        """Return the tree's only threshold that has this text when rounded, if there is one."""
        digits = len(re.sub(r"[-+.]|[eE].*$", "", text).lstrip("0"))
        decimals = len(re.sub(r"[eE].*$", "", text).partition(".")[2])
        if digits < _FEWEST_DIGITS and not decimals:
            return None
        own, _, printed = self._known(number)
        size = math.floor(math.log10(abs(value))) if value else 0
        # As it is printed, where zeros at the end go unsaid; then as somebody may have rounded it.
        as_printed = 10.0 ** (size - max(digits, _PRINTED_DIGITS, size + 2) + 1)
        for unit in (as_printed, 10.0 ** (size - max(digits, 1) + 1), 10.0**-decimals):
            alike = own[np.abs(printed - value) <= unit * _HALF]
            if len(alike):
                return float(alike[0]) if len(alike) == 1 else None
        return None

    def _known(self, number: Number) -> tuple[Floats, Floats, Floats]:
        """Return the tree's thresholds of a number, the last value up to each, and their texts."""
        if number.column not in self._thresholds:
            tree = self._tree
            own = np.unique(tree.threshold[(tree.left >= 0) & (tree.feature == number.column)])
            own = own[np.isfinite(own)]
            dtype = tree.row_dtype
            printed = np.array([number.printed(one, dtype) for one in own.tolist()])
            largest = number.largest(own, dtype) if len(own) else own
            self._thresholds[number.column] = own, largest, printed
        return self._thresholds[number.column]


def _is_truth(rest: str) -> bool:
    """Tell whether a text is about True and False."""
    return (
        re.match(r" (=|is|is not|in|not in|other than) \{?(True|False|missing, )", rest) is not None
    )


def _allowed(
    name: str, words: Sequence[Sequence[str]], values: Sequence[Hashable], rest: str
) -> tuple[Bools, list[str]]:
    """Tell which values, each said in some words, a text allows; and what it means besides."""
    known = {word: place for place, several in enumerate(words) for word in several}
    found = re.match(r" (=|is not|is|in|not in|other than) (.*)$", rest, re.DOTALL)
    if not found:
        raise ValueError(f"{name!r} is a category; say which values, as in 'in {{a}}'")
    stands, text = found.groups()
    if _FORMERLY not in known:
        text = text.replace(_FORMERLY, ANY_OTHER)
    if text.startswith("{") and text.endswith("}"):
        listed = _listed(text[1:-1], known)
    elif text in known:
        listed = [text]
    else:
        whole = [place for place, value in enumerate(values) if printable(str(value)) == text]
        listed = list(words[whole[0]]) if whole else _in_words(text, known)
    if listed is None:
        raise ValueError(
            f"{text} is no value of {name!r}; it has {known_names([text], list(known))}"
        )
    places = {known[word] for word in listed}
    notes = []
    for place in sorted(places):
        own = list(said([values[place]])) if values else words[place]
        if left_out := [word for word in own if word not in listed]:
            raise ValueError(
                f"the tree cannot tell {listed[0]} from {left_out[0]}; name both, or neither"
            )
        for word in words[place]:
            if word not in listed:
                said_as = f"a missing {name!r}" if word == "missing" else word
                notes.append(f"{said_as} counts as {own[0]} here, and is meant, too")
    allowed = np.array([place in places for place in range(len(words))])
    return ~allowed if stands in ("is not", "not in", "other than") else allowed, notes


def _in_words(text: str, known: dict[str, int]) -> list[str] | None:
    """Return the values of a list as a report writes it: "clerk, cook or nurse"."""
    place = text.rfind(_OR)
    while place > 0:
        found = _listed(f"{text[:place]}, {text[place + len(_OR) :]}", known)
        if found is not None:
            return found
        place = text.rfind(_OR, 0, place)
    return None


def _is_known(knows: Callable[[str], object], text: str) -> bool:
    try:
        knows(text)
    except ValueError:
        return False
    return True


def _without_parentheses(text: str) -> str:
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for place, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if depth == 0 and place < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text


def _ends_of_words(text: str) -> Iterator[int]:
    """Give the places where a name at the start of a text may end."""
    yield len(text)
    for place, char in enumerate(text):
        if char == " ":
            yield place


def _listed(text: str, known: dict[str, int]) -> list[str] | None:
    """Return the values that a list names, which may have commas in them; None where it cannot."""
    pieces = text.split(", ")
    found: list[str] = []
    at = 0
    while at < len(pieces):
        for end in range(len(pieces), at, -1):
            if (word := ", ".join(pieces[at:end])) in known:
                found.append(word)
                at = end
                break
        else:
            return None
    return found
