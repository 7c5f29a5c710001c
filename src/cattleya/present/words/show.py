"""A summary of an explanation: plain text, or colours in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cattleya.changes.minimal.change import Change
from cattleya.explain.explanation import Explanation
from cattleya.explain.questions import QUESTIONS
from cattleya.present.findings import TIME_LIMIT, Findings, find_out
from cattleya.present.words import sentences
from cattleya.present.words.numbers import class_name, name, noting_rounded, percent
from cattleya.present.words.statements import Statement, moves, moves_of, statements
from cattleya.support.text import printable, shown

if TYPE_CHECKING:
    from rich.console import Console, Group

__all__ = ["describe", "render", "render_findings"]

WIDTH = 100
CONDITIONS_SHOWN = 12
CONTRASTS_SHOWN = 5
SHARES_SHOWN = 6

PAPER = "Audemard et al., On the Explanatory Power of Decision Trees"

HEADING, FEATURE, QUIET = "bold cyan", "bold", "dim"
Spans = list[tuple[str, str]]  # pieces of text, each with how it looks in a terminal


@dataclass(frozen=True)
class _Line:
    spans: Spans
    indent: int = 0

    def __str__(self) -> str:
        text = "".join(text for text, _ in self.spans)
        hang = " " * (self.indent + 2 if self.indent else 0)
        lines = textwrap.wrap(
            " " * self.indent + text,
            WIDTH,
            subsequent_indent=hang,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return "\n".join(lines)


def describe(explanation: Explanation, timeout: float | None = TIME_LIMIT) -> str:
    """Return what the answers say about a row, as plain text.

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    timeout : float or None
        Seconds for each question that may take long; what takes longer is said to be unsettled.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("fragrant", "other", ("sympodial", "other", "Cattleya")))
    >>> text = describe(cattleya.Explainer(tree).explain({"fragrant": 1, "sympodial": 1}))
    >>> print(text[text.index("What would"):text.index("Decisive")].strip())
    ... # doctest: +NORMALIZE_WHITESPACE
    What would have changed it? 2 minimal changes can lead to another class, the smallest first:
      - fragrant: 1 -> 0 gives other
      - sympodial: 1 -> 0 gives other
    The first of them leads to the nearest row of another class, proved (the fewest features
    changed).
    """
    return _plain(find_out(explanation, timeout))


def styled(explanation: Explanation, timeout: float | None = TIME_LIMIT) -> Group:
    """Return the same with colours, for ``rich``."""
    return _coloured(find_out(explanation, timeout))


def render(
    explanation: Explanation, console: Console | None = None, timeout: float | None = TIME_LIMIT
) -> None:
    """Print a summary: with colours on a terminal, plain in a file."""
    render_findings(find_out(explanation, timeout), console)


def render_findings(found: Findings, console: Console | None = None) -> None:
    """Print a summary of what was found out: the same, when that was done before."""
    from rich.console import Console

    console = Console() if console is None else console
    if not isinstance(console, Console):
        raise TypeError(f"console must be a Console of rich, or None, not {shown(console)}")
    if console.is_terminal:
        console.print(_coloured(found), highlight=False)
    else:
        console.file.write(_plain(found) + "\n")


def _plain(found: Findings) -> str:
    return "\n".join(map(str, _lines(found)))


def _coloured(found: Findings) -> Group:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    # As pieces, never as markup: a name may look like some.
    return Group(
        *(Padding(Text.assemble(*line.spans), (0, 0, 0, line.indent)) for line in _lines(found))
    )


def _lines(found: Findings) -> list[_Line]:
    with noting_rounded() as noted:
        lines = list(_answers(found))
    text = f" as in {PAPER}.{' Thresholds are rounded.' if noted else ''}"
    lines.append(_Line([("Definitions", HEADING), (text, "")]))
    for word, meaning in sentences.definitions(found):
        lines.append(_Line([(f"- {word}: {meaning}", QUIET)], 2))
    return lines


def _answers(found: Findings) -> Iterator[_Line]:
    decision = class_name(found.explanation.outcome)
    more = sentences.decision(found.explanation)
    about = sentences.about(found.explanation.label)
    heading = f"Decision about {about}:" if about else "Decision:"
    spans = [(heading, HEADING), (f" {sentences.decided(found.explanation)}", "bold")]
    yield _Line([*spans, (f" ({more})", "")] if more else spans)
    yield _Line([])
    if text := sentences.usually(found):
        yield from _section("Usually:", text)
    yield from _section(f"Why {decision}?", sentences.why(found), _why(found))
    if found.changes or found.searched:
        said = sentences.changes(found)
        if len(found.changes) > 1:
            said += f", {sentences.order_of_changes(found)}"
        said += ":" if found.changes else ""
        yield from _section(QUESTIONS["contrastive"].heading, said, _changes(found))
    if found.reason:
        heading = QUESTIONS["necessary"].heading
        yield from _section(heading, sentences.decisive(found), _decisive(found))
    if found.fairness is not None:
        names = " or ".join(found.fairness.protected)
        yield from _section(f"Does it depend on {printable(names)}?", sentences.depends(found))
    if found.reason:
        yield from _section("Played no part:", sentences.idle(found))
        yield from _section(QUESTIONS["count"].heading, sentences.number(found))
    yield from _section("Checked:", sentences.proof(found))
    yield _Line([("Vocabulary:", HEADING), (f" {sentences.vocabulary(found)}", "")])
    yield _Line([])


def _section(heading: str, text: str, bullets: Iterable[_Line] = ()) -> Iterator[_Line]:
    yield _Line([(heading, HEADING), (f" {text}", "")])
    yield from bullets
    yield _Line([])


def _why(found: Findings) -> Iterator[_Line]:
    e = found.explanation
    reason = found.reason
    if reason is None and found.refusal is None:
        reason = e.direct_reason()
    for statement in statements(e, reason or ()):
        yield _bullet([statement])
    if text := sentences.reach(found):
        yield _Line([(text, "")])


def _decisive(found: Findings) -> Iterator[_Line]:
    if not found.all_decisive and not found.by_feature:
        lines = [_bullet([s]) for s in statements(found.explanation, found.necessary)]
        yield from _cut(lines, CONDITIONS_SHOWN)
        if text := sentences.in_every(found):
            yield _Line([(text, "")])
    yield from _shares(found)


def _changes(found: Findings) -> Iterator[_Line]:
    shown = [_change(c) for c in found.changes[: CONTRASTS_SHOWN + 1]]
    yield from _cut(shown, CONTRASTS_SHOWN, found.n_changes)
    others = found.counterfactuals if found.nearest_change is None else ()
    if text := sentences.nearest(found):
        yield _Line([(text, ""), (":" if others else "", "")])
    for other in others:
        yield _Line([("- ", ""), *_way(moves_of(other), other.outcome)], 2)


def _change(change: Change) -> _Line:
    """Return a minimal change, with where it leads."""
    spans: Spans = [("- ", "")]
    for place, one in enumerate(change.destinations):
        spans += [("; ", "")] if place else []
        spans += _way(moves(one), one.outcome_name)
    if not change.destinations:
        spans.append((name(str(change)), ""))
    return _Line(spans, 2)


def _way(moved: list[tuple[str, str, str]], outcome: str) -> Spans:
    """Return what becomes what, and the class that follows."""
    spans: Spans = []
    for place, (feature, before, after) in enumerate(moved):
        spans += [(" and ", "")] if place else []
        spans += [(feature, FEATURE), (f": {before} -> {after}", "")]
    gives = "together give" if len(moved) > 1 else "gives"
    return [*spans, (f" {gives} {class_name(outcome)}", "")]


def _shares(found: Findings) -> Iterator[_Line]:
    if found.count == 1:
        return
    if found.features is None:
        if found.count is not None:
            limit = found.limits["features"]
            text = f"- how many reasons mention each feature was not settled {limit}"
            yield _Line([(text, "")], 2)
        return
    # What is decisive is in all of them, as was said.
    shares = [(one, share) for one, share in found.features.items() if 0 < share < 1]
    if not shares:
        return
    yield _Line([(sentences.shares(found), "")])
    lines = [
        _Line([(f"- {percent(share):>6}  ", ""), (name(feature), FEATURE)], 2)
        for feature, share in shares[: SHARES_SHOWN + 1]
    ]
    yield from _cut(lines, SHARES_SHOWN, len(shares))


def _bullet(made: list[Statement], stands: str = "it is", lead: str = "") -> _Line:
    spans: Spans = [(f"- {lead}", "")]
    for place, statement in enumerate(made):
        if place:
            spans.append((" and ", ""))
        spans += [(statement.before, ""), (statement.feature, FEATURE), (statement.after, "")]
        if statement.value:
            spans.append((f" ({stands} {statement.value})", QUIET))
    return _Line(spans, 2)


def _cut(lines: list[_Line], most: int, total: int | None = None) -> Iterator[_Line]:
    """Give some lines, and say how many more there are; never cut one alone."""
    total = len(lines) if total is None else total
    if total <= most + 1:
        yield from lines
        return
    yield from lines[:most]
    yield _Line([(f"- and {total - most:,} more", "")], 2)
