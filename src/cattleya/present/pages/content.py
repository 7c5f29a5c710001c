"""What stands on a page: the findings about a row, in the order and the number that are shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sized
from dataclasses import dataclass
from functools import cached_property

from cattleya.changes.minimal.change import Change, Destination
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.explanation import explained_row
from cattleya.explain.questions import QUESTIONS
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.implication import implies
from cattleya.present.findings import Findings
from cattleya.present.pages.origin import Origin
from cattleya.present.pages.picture import panels
from cattleya.present.plots.pixels import Shape
from cattleya.present.words import sentences
from cattleya.present.words.numbers import class_name, counted, name, plain
from cattleya.present.words.show import PAPER
from cattleya.present.words.statements import Statement, moves, moves_of, one_by_one, statements
from cattleya.support.text import grouped
from cattleya.vocabularies.over import Over

__all__ = ["Content"]

# What is more is counted: a page must open at once, and stay below a megabyte.
CONDITIONS_SHOWN, CONDITIONS_AT_ONCE = 300, 15
CHANGES_SHOWN, CHANGES_AT_ONCE = 100, 6
SHARES_SHOWN = 40
LINES_OF_CHANGES = 400
TESTS_SHOWN = 200
VALUES_SHOWN, VALUES_AT_ONCE = 300, 40
SIZES_SHOWN = 300

IN_EVERY, IN_SOME, IN_NONE = "in every reason", "in some reasons", "in no reason"
IN_REASON = "in the reason above"
EXCLUDED, UNTESTED = "excluded", "not tested by the tree"


@dataclass(frozen=True)
class Weighed:
    """A condition with the part that it plays; its share counts where it is settled."""

    statement: Statement
    part: str
    share: float


@dataclass(frozen=True)
class Step:
    """One way to another class: what each feature becomes, all together, and the class."""

    moves: list[tuple[str, str, str]]  # feature, before, after
    leads_to: str


@dataclass(frozen=True)
class OtherRow:
    """A nearest row of another class: what it changes, and where that leads."""

    changes: list[tuple[str, str, str]]
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
        self.vocabularies = sentences.vocabularies(found)
        self._e = found.explanation
        super().__init__(
            sentences.about(self._e.label) if about is None else about,
            explained_row(self._e).context.tree_hash,
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
        return _at_once(self.changes, CHANGES_AT_ONCE)

    @property
    def values_at_once(self) -> int:
        """How many of the row's values are."""
        return _at_once(self.values, VALUES_AT_ONCE)

    @property
    def decision(self) -> str:
        """The class of the row, or what else is explained."""
        return class_name(self._e.outcome)

    @property
    def predicted(self) -> str:
        """What the model predicts, where that is not what is explained."""
        return sentences.decision(self._e)

    @property
    def title(self) -> str:
        """The decision, with the name of the target where it is known."""
        return sentences.decided(self.found.explanation)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Nothing: the reason is the headline."""
        return []

    @cached_property
    def sentences(self) -> dict[str, str]:
        """The sentences that a summary in words has, too."""
        found = self.found
        texts = {
            "why": sentences.why(found),
            "usually": sentences.usually(found),
            "reach": sentences.reach(found),
            "proof": sentences.proof(found),
            "vocabulary": sentences.vocabulary(found),
            "depends": sentences.depends(found),
            "nearest": sentences.nearest(found),
        }
        if found.changes_asked:
            texts["changes"] = sentences.changes(found)
        if found.reason:
            texts |= {
                "decisive": sentences.decisive(found),
                "in_every": sentences.in_every(found),
                "idle": sentences.idle(found),
            }
            if found.of_ensemble or found.count is not None or "count" in found.limits:
                texts["number"] = sentences.number(found)
        return texts

    @property
    def exact_count(self) -> str:
        """The number of reasons in full, where it is too long for a sentence; a footnote."""
        count = self.found.count
        return "" if count is None or count < sentences.HEADLINE else f"{count:,}"

    @property
    def protected(self) -> str:
        """The features that were asked about."""
        fair = self.found.fairness
        return "" if fair is None else " or ".join(map(name, fair.protected))

    @property
    def order_of_changes(self) -> str:
        """Which of the changes come first."""
        if self.found.n_changes == 1:
            return "The only change"
        return sentences.order_of_changes(self.found).capitalize()

    @property
    def definitions(self) -> list[tuple[str, str]]:
        """The words used, and what they mean."""
        return sentences.definitions(self.found)

    @cached_property
    def shares(self) -> list[tuple[str, float]]:
        """The features that some reasons mention, with the share that do; not those in all."""
        found = self.found.features or {}
        shares = [(name(one), float(share)) for one, share in found.items() if 0 < share < 1]
        return shares[:SHARES_SHOWN]

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
        if found.all_decisive or found.by_feature:
            return []
        return statements(self._e, found.necessary)

    @property
    def settled(self) -> bool:
        """Whether it is known how many of the reasons have each condition."""
        return self.found.importance is not None

    @cached_property
    def weighed(self) -> list[Weighed]:
        """The conditions that are in some reason: by importance, where that is settled."""
        found = self.found
        necessary = frozenset(found.necessary)
        if found.of_ensemble:
            return []
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
    def changes(self) -> list[list[Step]]:
        """The minimal changes, each with where it leads."""
        shown: list[list[Step]] = []
        lines = 0
        for change in self.found.changes[:CHANGES_SHOWN]:
            shown.append([self._step(one) for one in change.destinations] or [_impossible(change)])
            lines += sum(len(step.moves) for step in shown[-1])
            if lines > LINES_OF_CHANGES:
                break
        return shown

    @property
    def changes_more(self) -> int:
        """How many more there are."""
        return self.found.n_changes - len(self.changes)

    def _step(self, destination: Destination) -> Step:
        return Step(moves(destination), class_name(destination.outcome_name))

    @property
    def other_rows(self) -> list[OtherRow]:
        """The nearest rows of another class; none where a change above leads there."""
        return (
            []
            if self.found.nearest_change is not None
            else [
                OtherRow(moves_of(other), class_name(other.outcome))
                for other in self.found.counterfactuals
            ]
        )

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
        """The tests that the row met, and whether the reason needs them; of an ensemble none."""
        if self.found.of_ensemble:  # hundreds, on the ways through all trees
            return []
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
        direct = self._e.direct_reason()
        reason = self.found.reason or ()
        if self.found.by_feature:
            tested = {test.feature for test in direct}
            return statements(self._e, [c for c in reason if c.feature not in tested])
        met = frozenset(direct)
        return one_by_one(self._e, [c for c in reason if c not in met])

    def _fate(self, test: Condition) -> str:
        reason = self.found.reason
        if reason is None:
            return ""
        if test in reason:
            return "kept"
        if self._e.over is Over.CONDITIONS:
            return "dropped"
        if any(implies(condition, test) for condition in reason):
            return "kept"
        said = test.feature in {condition.feature for condition in reason}
        return "kept in part" if said else "dropped"

    @cached_property
    def every_value(self) -> list[tuple[str, str, str]]:
        """Every feature of the row, what the row has of it, and the part that it plays."""
        e, found = self._e, self.found
        begin = IN_NONE if found.reason is not None and not found.of_ensemble else ""
        part = dict.fromkeys((column for own in e.values for column in own.columns), begin)
        shown = found.reason or () if found.of_ensemble else ()
        ranks: tuple[tuple[Iterable[int], str], ...] = (
            (_columns(shown), IN_REASON),
            (_columns(e.excluded), EXCLUDED),
            (found.mentioned[1], IN_SOME),
            (_columns(found.necessary), IN_EVERY),
        )
        for columns, name_of_part in ranks:
            part |= dict.fromkeys(columns, name_of_part)
        order = (IN_EVERY, IN_REASON, IN_SOME, EXCLUDED, IN_NONE, "", UNTESTED)
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
        return rows

    @property
    def values(self) -> list[tuple[str, str, str]]:
        """The first of these, as many as a page has room for."""
        return self.every_value[:VALUES_SHOWN]

    @property
    def values_more(self) -> int:
        """How many more there are."""
        return len(self.every_value) - len(self.values)

    @property
    def decider(self) -> str:
        """What decided, in a word."""
        return "ensemble" if self.found.of_ensemble else "tree"

    @property
    def tree(self) -> str:
        """What decided."""
        if isinstance(self._e, EnsembleExplanation):
            model = self._e.ensemble
            leaves = counted(model.n_leaves, "leaf") if model.n_leaves == 1 else ""
            leaves = leaves or f"{model.n_leaves:,} leaves"
            return (
                f"an ensemble of {counted(model.n_trees, 'tree')} with {leaves}, whose numbers "
                f"add up, over {counted(model.n_features, 'feature')}"
            )
        tree = self._e.tree
        return (
            f"a decision tree of {counted(tree.n_nodes, 'node')} and depth {tree.depth}, over "
            f"{counted(tree.n_features, 'feature')}"
        )


def _columns(conditions: Iterable[Condition]) -> Iterable[int]:
    return (column for condition in conditions for column in condition.columns)


def _impossible(change: Change) -> Step:
    """Return a change of single conditions that no row makes."""
    return Step([(name(str(change.contrast)), "", "no row makes this change alone")], "")


def _at_once(shown: Sized, most: int) -> int:
    """Return how many of some things are shown at once; never to hide one alone."""
    return len(shown) if len(shown) <= most + 1 else most
