"""What stands on a page: the findings about a row, in the order and the number that are shown."""

from __future__ import annotations

import math
from collections.abc import Sized
from dataclasses import dataclass
from functools import cached_property

from cattleya.explain.explanation import explained_row
from cattleya.explain.questions import QUESTIONS
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.implication import implies
from cattleya.model.tree.fingerprint import tree_hash
from cattleya.present.findings import Findings, change, only_other_class
from cattleya.present.pages.origin import Origin
from cattleya.present.pages.picture import panels
from cattleya.present.plots.pixels import Shape
from cattleya.present.words import sentences
from cattleya.present.words.numbers import class_name, counted, name, plain
from cattleya.present.words.show import PAPER
from cattleya.present.words.statements import Statement, one_by_one, statements
from cattleya.reasons.reason import Reason
from cattleya.support.text import grouped
from cattleya.vocabularies.over import Over

__all__ = ["Content"]

# What is more is counted: a page must open at once, and stay below a megabyte.
CONDITIONS_SHOWN, CONDITIONS_AT_ONCE = 300, 15
CHANGES_SHOWN, CHANGES_AT_ONCE = 100, 10
LINES_OF_CHANGES = 400
TESTS_SHOWN = 200
VALUES_SHOWN, VALUES_AT_ONCE = 300, 40
SIZES_SHOWN = 300

IN_EVERY, IN_SOME, IN_NONE = "in every reason", "in some reasons", "in no reason"
EXCLUDED, UNTESTED = "excluded", "not tested by the tree"


@dataclass(frozen=True)
class Weighed:
    """A condition with the part that it plays; its share counts where it is settled."""

    statement: Statement
    part: str
    share: float


@dataclass(frozen=True)
class Contrast:
    """What would have to change, from what to what, and where that leads."""

    steps: list[tuple[str, list[Statement]]]
    leads_to: str


@dataclass(frozen=True)
class Test:
    """A test on the row's path, and what the reason makes of it."""

    statement: Statement
    fate: str


class Content(Origin):
    """The contents of a page about one row."""

    paper = PAPER

    def __init__(self, found: Findings, shape: Shape = None, about: str | None = None) -> None:
        self.found = found
        self._e = found.explanation
        super().__init__(
            sentences.about(self._e.label) if about is None else about,
            tree_hash(explained_row(self._e).context.tree),
        )
        #: The panels of the paper's figure, where the row is an image.
        self.panels = [] if shape is None else panels(found, shape)

    @property
    def headings(self) -> dict[str, str]:
        """How a reader would ask each question."""
        return {name: question.heading for name, question in QUESTIONS.items()}

    @property
    def conditions_at_once(self) -> int:
        """How many conditions are shown before one asks for more."""
        return _at_once(self.weighed, CONDITIONS_AT_ONCE)

    @property
    def changes_at_once(self) -> int:
        """How many changes are."""
        return _at_once(self.contrasts, CHANGES_AT_ONCE)

    @property
    def values_at_once(self) -> int:
        """How many of the row's values are."""
        return _at_once(self.values, VALUES_AT_ONCE)

    @property
    def decision(self) -> str:
        """The class of the row."""
        return class_name(self._e.prediction_name)

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences that a summary in words has, too."""
        found = self.found
        texts = {"why": sentences.why(found), "proof": sentences.proof(found)}
        if found.searched:
            texts["changes"] = sentences.changes(found)
        if found.reason:
            texts |= {
                "decisive": sentences.decisive(found),
                "in_every": sentences.in_every(found),
                "idle": sentences.idle(found),
                "number": sentences.number(found),
            }
        return texts

    @property
    def order_of_changes(self) -> str:
        """Which of the changes come first."""
        if len(self.found.contrasts) == 1:
            return "The only change"
        return sentences.order_of_changes(self.found).capitalize()

    @property
    def definitions(self) -> list[tuple[str, str]]:
        """The words used, and what they mean."""
        return sentences.definitions(self.found)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The few numbers that say most."""
        found = self.found
        if not found.reason:
            return []
        many = "many" if found.count is None else grouped(found.count, in_full=10**9)
        return [
            (
                str(len(found.reason)),
                "condition is enough" if len(found.reason) == 1 else "conditions are enough",
            ),
            (f"{len(found.necessary):,}", "decisive"),
            (many, "sufficient reason" if found.count == 1 else "sufficient reasons"),
            (
                f"{len(found.contrasts):,}",
                "minimal change" if len(found.contrasts) == 1 else "minimal changes",
            ),
        ]

    @cached_property
    def reason(self) -> list[Statement]:
        """The reason in words; the path, where the tree could not be searched in time."""
        found = self.found
        if found.reason is None and found.refusal is None:
            return statements(self._e, self._e.direct_reason())
        return statements(self._e, found.reason or ())

    @property
    def necessary(self) -> list[Statement]:
        """What is in every reason; nothing where that is all of the reason above."""
        found = self.found
        return [] if found.all_decisive else statements(self._e, found.necessary)

    @property
    def settled(self) -> bool:
        """Whether it is known how many of the reasons have each condition."""
        return self.found.importance is not None

    @cached_property
    def weighed(self) -> list[Weighed]:
        """The conditions that are in some reason: by importance, where that is settled."""
        found = self.found
        necessary = frozenset(found.necessary)
        if found.importance is not None:
            ranked = [(c, float(share)) for c, share in found.importance.items() if share]
        else:
            ranked = [(c, 0.0) for c in sorted(found.relevant, key=lambda c: c not in necessary)]
        ranked = ranked[:CONDITIONS_SHOWN]
        said = one_by_one(self._e, [condition for condition, _ in ranked])
        return [
            Weighed(statement, IN_EVERY if condition in necessary else IN_SOME, share)
            for statement, (condition, share) in zip(said, ranked, strict=True)
        ]

    @property
    def weighed_more(self) -> int:
        """How many more there are."""
        return len(self.found.relevant) - len(self.weighed)

    @cached_property
    def contrasts(self) -> list[Contrast]:
        """The smallest contrasts."""
        shown: list[Contrast] = []
        lines = 0
        for contrast in self.found.contrasts[:CHANGES_SHOWN]:
            shown.append(self._contrast(contrast))
            lines += len(shown[-1].steps)
            if lines > LINES_OF_CHANGES:
                break
        return shown

    @property
    def contrasts_more(self) -> int:
        """How many more there are."""
        return len(self.found.contrasts) - len(self.contrasts)

    def _contrast(self, contrast: Reason) -> Contrast:
        reached = change(self._e, contrast)
        groups: dict[tuple[int, str], list[Condition]] = {}
        for condition in contrast:
            groups.setdefault((condition.index, condition.feature), []).append(condition)
        steps = []
        for (index, _), group in groups.items():
            if reached is None:
                after = statements(self._e, group, changed=True)
            else:
                after = statements(self._e, [c for c in reached.conditions if c.index == index])
            own = statements(self._e, group)[0]
            before = f"{own.feature} is {own.value}" if own.value else str(own)
            steps.append((before, after))
        known = only_other_class(self._e) if reached is None else reached.leads_to
        return Contrast(steps, "another class" if known is None else class_name(known))

    @property
    def sizes(self) -> list[tuple[int, str, float]]:
        """How many reasons of each size there are: as text, and beside the largest number."""
        sizes = self.found.sizes or {}
        largest = max(sizes.values(), default=1)
        every = range(min(sizes, default=0), max(sizes, default=-1) + 1)
        return [
            (size, grouped(sizes.get(size, 0)), sizes.get(size, 0) / largest)
            for size in every[:SIZES_SHOWN]
        ]

    @property
    def most_usual_size(self) -> int:
        """The size that most reasons have."""
        sizes = self.found.sizes or {0: 0}
        return max(sizes, key=sizes.__getitem__)

    @cached_property
    def path(self) -> list[Test]:
        """The tests that the row met, and whether the reason needs them."""
        direct = list(self._e.direct_reason())[:TESTS_SHOWN]
        said = one_by_one(self._e, direct)
        return [Test(s, self._fate(c)) for s, c in zip(said, direct, strict=True)]

    @property
    def path_more(self) -> int:
        """How many more there are."""
        return len(self._e.direct_reason()) - len(self.path)

    @property
    def off_path(self) -> list[Statement]:
        """What the reason has beside the tests of the path."""
        direct = frozenset(self._e.direct_reason())
        others = [c for c in self.found.reason or () if c not in direct]
        return one_by_one(self._e, others)

    def _fate(self, test: Condition) -> str:
        reason = self.found.reason
        if reason is None:
            return ""
        if test in reason:
            return "kept"
        if self._e.over is Over.CONDITIONS or not isinstance(test, Comparison):
            return "dropped"
        if any(implies(condition, test) for condition in reason):
            return "implied"
        same_side = (
            isinstance(c, Comparison) and (c.index, c.sense) == (test.index, test.sense)
            for c in reason
        )
        return "kept in part" if any(same_side) else "dropped"

    @cached_property
    def values(self) -> list[tuple[str, str, str]]:
        """Every feature of the row, what the row has of it, and the part that it plays."""
        e, found = self._e, self.found
        part: dict[int, str] = {}
        ranks = (
            (e.conditions, IN_NONE if found.reason is not None else ""),
            (e.excluded, EXCLUDED),
            (found.relevant, IN_SOME),
            (found.necessary, IN_EVERY),
        )
        for conditions, name_of_part in ranks:
            for condition in conditions:
                for column in condition.columns:
                    part[column] = name_of_part
        order = (IN_EVERY, IN_SOME, EXCLUDED, IN_NONE, "", UNTESTED)
        tested = set(e.tree.feature.tolist())
        rows = []
        for own in e.values:
            parts = [part.get(column, UNTESTED) for column in own.columns]
            played = UNTESTED if tested.isdisjoint(own.columns) else min(parts, key=order.index)
            if own.feature in found.in_every:
                played = IN_EVERY
            value = math.nan if own.value is None else own.value
            text = plain(value, e.tree.row_dtype) if isinstance(value, float) else name(str(value))
            rows.append((name(own.feature), text, played))
        if len(rows) > VALUES_SHOWN:  # what plays a part goes first
            rows.sort(key=lambda row: order.index(row[2]))
        self._n_values = len(rows)
        return rows[:VALUES_SHOWN]

    @property
    def values_more(self) -> int:
        """How many more there are."""
        shown = len(self.values)
        return self._n_values - shown

    @property
    def tree(self) -> str:
        """What decided."""
        tree = self._e.tree
        return (
            f"a decision tree of {counted(tree.n_nodes, 'node')} and depth {tree.depth}, over "
            f"{counted(tree.n_features, 'feature')}"
        )


def _at_once(shown: Sized, most: int) -> int:
    """Return how many of some things are shown at once; never to hide one alone."""
    return len(shown) if len(shown) <= most + 1 else most
