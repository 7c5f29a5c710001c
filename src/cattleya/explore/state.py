"""What an address holds: the row, the vocabulary, the toggles, the changes, the question.

An address says everything, so that going back, reloading and passing it on all work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from cattleya.support.text import shown
from cattleya.vocabularies.over import Over

__all__ = ["FIRST", "SECONDS", "WHOLE", "BadAddress", "Chosen", "State", "checked_part"]

SET, RANGE, WHERE = "set:", "range:", "where:"
METRICS = ("l0", "l1", "l2")
MOST_NEAREST = 10
MOST_FACTS = 500
MOST_DIGITS = 18
LONGEST = 8000  # characters of one value
SECONDS = (10, 60, 600, 3600)  # that the rows of a report are explained for
OF_FACTS = ("exceptions", "usual")  # of a short reason, that of the row which the address names
#: The whole page of a row with its first answers, to which all others follow.
FIRST = "first"
#: The page with all that follows elsewhere: for browsers that run no script.
WHOLE = "whole"
PARTS = (
    *(FIRST, WHOLE, "reason", "rest", "fields", "enough", "facts"),
    *("nearest", "count", "changes", "short"),
)
FINDINGS = ("mentions", "decisive", "length", "reason", "depends", *OF_FACTS)


class BadAddress(ValueError):
    """Something in an address that cannot be used; the message says what, and what to do."""


Given = Iterable[tuple[str, str]]  # names and values, in the order of the address


def _whole(name: str, text: str, least: int = 0) -> int:
    if not text.isdecimal() or len(text) > MOST_DIGITS or int(text) < least:
        raise BadAddress(f"{name} must be a whole number, {least} or more, not {shown(text)}")
    return int(text)


def _checked(given: Given) -> list[tuple[str, str]]:
    pairs = list(given)
    for name, value in pairs:
        if len(name) > LONGEST or len(value) > LONGEST:
            raise BadAddress(f"{shown(name)} is too long: {len(value):,} characters")
    return pairs


def _named(pairs: Given, start: str) -> dict[str, str]:
    """Return the values whose names begin with a word, by what follows it."""
    return {
        name.removeprefix(start): value.strip()
        for name, value in pairs
        if name.startswith(start) and value.strip()
    }


@dataclass(frozen=True)
class State:
    """What is asked about one row.

    Attributes
    ----------
    row : int
        The place of the row in the table.
    other : int or None
        Another row, to compare it with.
    over : Over
        The vocabulary.
    exclude, fix : tuple of str
        Features that no reason may mention, and that no change may touch.
    sets : dict
        Features that are set to other values, as text.
    facts : tuple of str
        The reason of one's own.
    ranges : dict
        What features may change to in the nearest rows of another class, as text.
    toward, n, metric
        Which class these must get, how many are shown, and what is near.
    """

    row: int = 0
    other: int | None = None
    over: Over = Over.INTERVALS
    exclude: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()
    sets: Mapping[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    ranges: Mapping[str, str] = field(default_factory=dict)
    toward: str = ""
    n: int = 3
    metric: str = "l0"

    @classmethod
    def read(cls, given: Given, over: Over) -> State:
        """Read an address; ``over`` is the vocabulary where it names none."""
        pairs = _checked(given)
        one = dict(pairs)
        named = one.get("over", over.value)
        if named not in {known.value for known in Over}:
            raise BadAddress(
                f"over must be {', '.join(known.value for known in Over)}, not {shown(named)}"
            )
        metric = one.get("metric") or "l0"
        if metric not in METRICS:
            raise BadAddress(f"metric must be {', '.join(METRICS)}, not {shown(metric)}")
        facts = _several(pairs, "fact")
        if len(facts) > MOST_FACTS:
            raise BadAddress(f"{len(facts):,} facts are too many; give at most {MOST_FACTS}")
        return cls(
            _whole("row", one.get("row", "0")),
            _whole("other", one["other"]) if one.get("other") else None,
            Over(named),
            _several(pairs, "exclude"),
            _several(pairs, "fix"),
            _named(pairs, SET),
            facts,
            _named(pairs, RANGE),
            one.get("toward", ""),
            min(_whole("n", one.get("n") or "3", 1), MOST_NEAREST),
            metric,
        )

    def __hash__(self) -> int:
        return hash((self.row, self.over, self.exclude, self.fix, *self.sets.items()))

    @property
    def key(self) -> tuple[Any, ...]:
        """What its explanation depends on."""
        return self.row, self.over, self.exclude, self.fix, tuple(sorted(self.sets.items()))

    def query(self, **changes: Any) -> str:
        """Return the same, with some changes, as the end of an address."""
        it = replace(self, **changes)
        pairs: list[tuple[str, str]] = [("row", str(it.row)), ("over", it.over.value)]
        pairs += [("other", str(it.other))] if it.other is not None else []
        pairs += [("exclude", name) for name in it.exclude] + [("fix", name) for name in it.fix]
        pairs += [(SET + name, value) for name, value in it.sets.items()]
        pairs += [("fact", fact) for fact in it.facts]
        pairs += [(RANGE + name, value) for name, value in it.ranges.items()]
        pairs += [("toward", it.toward)] if it.toward else []
        pairs += [("n", str(it.n))] if it.n != 3 else []  # noqa: PLR2004 - the default
        pairs += [("metric", it.metric)] if it.metric != "l0" else []
        return urlencode(pairs)


@dataclass(frozen=True)
class Chosen:
    """Which rows of the table are shown, and in which order.

    Attributes
    ----------
    page : int
        From 1.
    sort : str
        A column, and ``descending``; empty for the order of the table.
    text : str
        What some cell has to contain.
    where : dict
        What a column has to be, as text: ``30..40``, ``>= 30``, or what it contains.
    decision : str
        The decision; empty for all.
    rows : tuple of int
        The rows, where some are named one by one.
    found : str
        Which part of the report on all of these they are behind: ``decisive:age``; or of which row
        they have the facts of the short reason: ``usual:row=3``, ``exceptions:row=3``.
    protected, seconds
        What that report asks about, and how long it may take.
    """

    page: int = 1
    sort: str = ""
    descending: bool = False
    text: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    decision: str = ""
    rows: tuple[int, ...] = ()
    found: str = ""
    protected: tuple[str, ...] = ()
    seconds: int = SECONDS[1]

    @classmethod
    def read(cls, given: Given, protected: tuple[str, ...] = ()) -> Chosen:
        """Read an address; ``protected`` is what it names where it names nothing."""
        pairs = _checked(given)
        one = dict(pairs)
        sort, found = one.get("sort", ""), one.get("found", "")
        seconds = one.get("seconds") or str(SECONDS[1])
        if seconds not in map(str, SECONDS):
            known = ", ".join(map(str, SECONDS))
            raise BadAddress(f"seconds must be {known}, not {shown(seconds)}")
        if found and found.partition(":")[0] not in FINDINGS:
            raise BadAddress(f"found must begin with {', '.join(FINDINGS)}, not {shown(found)}")
        return cls(
            _whole("page", one.get("page") or "1", 1),
            sort.removeprefix("-"),
            sort.startswith("-"),
            one.get("text", "").strip(),
            _named(pairs, WHERE),
            one.get("decision", ""),
            tuple(_whole("rows", part) for part in one.get("rows", "").split(",") if part),
            found,
            _several(pairs, "protected") or protected,
            int(seconds),
        )

    @property
    def key(self) -> tuple[Any, ...]:
        """What the rows and their order depend on."""
        where = tuple(sorted(self.where.items()))
        return self.sort, self.descending, self.text, where, self.rows, self.decision, self.found

    @property
    def base(self) -> Chosen:
        """The rows that a report is about."""
        return replace(self, page=1, sort="", descending=False, found="")

    @property
    def is_filtered(self) -> bool:
        """Whether some rows may be left out."""
        return bool(self.text or self.where or self.decision or self.rows or self.found)

    @property
    def is_of_facts(self) -> bool:
        """Whether these are rows with the facts of a short reason, not those of a report."""
        return self.found.partition(":")[0] in OF_FACTS

    def query(self, **changes: Any) -> str:
        """Return the same, with some changes, as the end of an address."""
        it = replace(self, **changes)
        pairs = [("page", str(it.page))] if it.page > 1 else []
        pairs += [("sort", ("-" if it.descending else "") + it.sort)] if it.sort else []
        pairs += [("text", it.text)] if it.text else []
        pairs += [(WHERE + name, value) for name, value in it.where.items()]
        pairs += [("decision", it.decision)] if it.decision else []
        pairs += [("rows", ",".join(map(str, it.rows)))] if it.rows else []
        pairs += it.asked if it.found else []
        return urlencode(pairs)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """What is asked of the report, and which part of it these rows are behind."""
        pairs = [("found", self.found)] if self.found else []
        if self.is_of_facts:
            return pairs
        pairs += [("protected", one) for one in self.protected]
        return pairs + ([("seconds", str(self.seconds))] if self.seconds != SECONDS[1] else [])


def checked_part(part: str, parts: tuple[str, ...] = PARTS) -> str:
    """Return a part of a page; refuse what is none."""
    if part and part not in parts:
        raise BadAddress(f"there is no part {part!r} of a page; there are {', '.join(parts)}")
    return part


def _several(pairs: Given, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for given, value in pairs if given == name and value))
