"""The pages about a whole model, and about two of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cattleya.explain.whole import WholeRegion
from cattleya.present.pages.origin import Origin, checked_about
from cattleya.present.pages.page import filled
from cattleya.present.words import whole
from cattleya.present.words.numbers import class_name, listed, name, percent
from cattleya.present.words.statements import general_statements
from cattleya.support.text import grouped, printable

if TYPE_CHECKING:
    from cattleya.batch.rules import Rules
    from cattleya.explain.audit import Audit
    from cattleya.explain.compare import ModelComparison, SideBySide
    from cattleya.explain.explanation import Explanation
    from cattleya.explain.whole import RowPair

__all__ = ["audit_page", "comparison_page"]

REGIONS_SHOWN = 100
REGIONS_AT_ONCE = 10
RULES_SHOWN = 20
BRANCHES_SHOWN = 20


def audit_page(
    audit: Audit, path: str | os.PathLike[str] | None = None, about: str | None = None
) -> str | None:
    """Return the page about a model, or write it to a file."""
    return _made("audit.html", AuditContent(audit, checked_about(about) or ""), path)


def comparison_page(
    found: ModelComparison,
    path: str | os.PathLike[str] | None = None,
    about: str | None = None,
    row: SideBySide | None = None,
) -> str | None:
    """Return the page about two models, or write it to a file."""
    content = ComparisonContent(found, checked_about(about) or "", row)
    return _made("compare.html", content, path)


def _made(template: str, content: Origin, path: str | os.PathLike[str] | None) -> str | None:
    text = filled(template, content)
    if path is None:
        return text
    from cattleya.support.files.atomic import write_text

    write_text(path, text)
    return None


class _Content(Origin):
    """What both pages have."""

    at_once = REGIONS_AT_ONCE

    def _region(self, region: WholeRegion, largest: float) -> dict[str, Any]:
        share = float(region.share)
        return {
            "where": general_statements(region.conditions),
            "share": percent(region.share),
            "bar": share / largest if largest else 0.0,
        }


class AuditContent(_Content):
    """The contents of the page about a whole model."""

    title = "A whole model, audited"

    def __init__(self, audit: Audit, about: str) -> None:
        super().__init__(about, audit.model_hash)
        self._audit = audit
        self.protected = listed(audit.protected, 10) if audit.protected else ""
        self.fair = whole.fair_sentence(audit) if audit.protected else ""
        self.rows = whole.rows_sentence(audit) if audit.rows is not None else ""
        self.order = whole.order_of(audit)
        self.noun = audit.noun
        self.facts = list(whole.class_facts(audit))
        self.impossible = [class_name(one) for one in audit.impossible]
        self.unused = [name(one) for one in audit.unused]
        self.untested = [name(one) for one in audit.untested]
        self.leaves = whole.leaves_sentence(audit) if audit.simplified is not None else ""
        self.assumptions = list(audit.assumptions)
        self.n_regions = len(audit.regions)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The few numbers that say most."""
        audit, found = self._audit, []
        if audit.protected:
            word = {True: "fair", False: "not fair", None: "open"}[audit.fair]
            found.append((word, f"everywhere, by {self.protected}"))
            if audit.regions:
                found.append(_figure(len(audit.regions), "region", "where it matters"))
        if audit.simplified is not None:
            found.append((grouped(audit.removable), f"of {grouped(audit.leaves)} leaves can go"))
        return found

    @property
    def witness(self) -> list[tuple[str, str, str]]:
        """The two rows, column by column."""
        return _pair(self._audit.witness)

    @property
    def outcomes(self) -> tuple[str, str]:
        """What each of the two rows gets."""
        pair = self._audit.witness
        return ("", "") if pair is None else (class_name(pair.outcomes[0]),
                                              class_name(pair.outcomes[1]))  # fmt: skip  # short

    @property
    def regions(self) -> list[dict[str, Any]]:
        """Where decisions depend on what is protected."""
        shown = self._audit.regions[:REGIONS_SHOWN]
        largest = float(shown[0].share) if shown else 0.0
        return [
            self._region(region, largest)
            | {
                "outcomes": [
                    (class_name(outcome), printable(whole.conditions_text(parts)))
                    for parts, outcome in region.outcomes
                ]
            }
            for region in shown
        ]

    @property
    def monotone(self) -> list[dict[str, str]]:
        """How the outcome goes with each number."""
        return [
            {
                "name": whole.raised(feature, one),
                "goes": whole.goes_word(one),
                "expected": one.expected or "",
                "verdict": one.status if one.expected else "",
                "witness": "" if one.witness is None else str(one.witness),
            }
            for feature, one in self._audit.monotone.items()
        ]

    @property
    def branches(self) -> list[str]:
        """What no row reaches."""
        return [printable(str(one)) for one in self._audit.unreachable[:BRANCHES_SHOWN]]

    @property
    def rules(self) -> list[dict[str, Any]]:
        """The rules of each class, with bars of what they cover."""
        return [] if self._audit.rules is None else _rules(self._audit.rules)

    @property
    def rules_sentence(self) -> str:
        """What the rules are."""
        return "" if self._audit.rules is None else whole.rules_sentence(self._audit.rules)


class ComparisonContent(_Content):
    """The contents of the page about two models."""

    title = "Two models, compared"

    def __init__(self, found: ModelComparison, about: str, row: SideBySide | None) -> None:
        super().__init__(about, " and ".join(found.model_hashes))
        self._found = found
        self.same = whole.same_sentence(found)
        self.changed = whole.changed_sentence(found) if found.changed_rows is not None else ""
        self.assumptions = list(found.assumptions)
        self.n_regions = len(found.regions)
        self.row = [] if row is None else [_decision(e) for e in (row.old, row.new)]

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The few numbers that say most."""
        found = self._found
        word = {True: "same", False: "different", None: "open"}[found.same]
        told = [(word, "as functions")]
        if found.regions:
            told.append(_figure(len(found.regions), "region", "where they differ"))
        if found.changed_rows is not None:
            told.append(
                (grouped(found.changed_rows), f"of {grouped(found.n_rows or 0)} rows change")
            )
        return told

    @property
    def regions(self) -> list[dict[str, Any]]:
        """Where they differ."""
        shown = self._found.regions[:REGIONS_SHOWN]
        largest = float(shown[0].share) if shown else 0.0
        return [
            self._region(region, largest)
            | {"old": class_name(region.old), "new": class_name(region.new)}
            for region in shown
        ]

    @property
    def witness(self) -> list[tuple[str, str]]:
        """A row about which they differ."""
        row: Mapping[str, Any] = self._found.witness or {}
        return [(name(column), name(whole.said(value))) for column, value in row.items()]

    @property
    def outcomes(self) -> tuple[str, str]:
        """What it gets from each model."""
        old, new = self._found.outcomes or ("", "")
        return class_name(old), class_name(new)

    @property
    def directions(self) -> list[dict[str, Any]]:
        """How many rows go from one outcome to another."""
        return _directions(self._found.directions, self._found.n_rows or 0)

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The same by group."""
        return [
            {
                "feature": name(feature),
                "rows": [
                    {
                        "group": name(one.group),
                        "rows": grouped(one.rows),
                        "changed": grouped(one.changed),
                        "share": one.changed / one.rows,
                        "how": whole.directions_text(one.directions),
                    }
                    for one in groups
                ],
            }
            for feature, groups in self._found.groups.items()
        ]


def _figure(number: int, noun: str, where: str) -> tuple[str, str]:
    """Return a number, and what there are so many of."""
    return grouped(number), f"{noun if number == 1 else f'{noun}s'} {where}"


def _decision(e: Explanation) -> dict[str, str]:
    """Return what a model decides about a row, and why."""
    return {"outcome": class_name(e.outcome), "because": printable(str(e.reason()))}


def _directions(counts: Mapping[tuple[str, str], int], rows: int) -> list[dict[str, Any]]:
    return [
        {"old": class_name(old), "new": class_name(new), "rows": grouped(n), "share": n / rows}
        for (old, new), n in counts.items()
    ]


def _pair(pair: RowPair | None) -> list[tuple[str, str, str]]:
    """Return two rows, those columns first in which they differ."""
    if pair is None:
        return []
    columns = sorted(
        pair.first, key=lambda c: whole.said(pair.first[c]) == whole.said(pair.second[c])
    )
    return [
        (name(c), name(whole.said(pair.first[c])), name(whole.said(pair.second[c])))
        for c in columns
    ]


def _rules(rules: Rules) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for own in rules.classes:
        shown: Sequence[Any] = own.rules[:RULES_SHOWN]
        found.append({
            "outcome": class_name(shown[0].outcome) if shown else "",
            "more": len(own.rules) - len(shown),
            "rules": [
                {
                    "text": whole.facts_text(one),
                    "share": float(one.of_class),
                    "precision": percent(one.precision),
                }
                for one in shown
            ],
        })  # fmt: skip  # one per class
    return [one for one in found if one["rules"]]
