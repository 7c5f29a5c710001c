"""Two rows side by side: what was decided about each, why, and what they share."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from cattleya.explain.explanation import Explanation
from cattleya.explore.explorer import Explorer
from cattleya.explore.rows_view import ExplorerPage
from cattleya.explore.state import BadAddress, State
from cattleya.model.conditions.condition import Condition
from cattleya.present.findings import Findings
from cattleya.present.pages.content import Content
from cattleya.present.words.numbers import class_name
from cattleya.present.words.statements import Statement, one_by_one

__all__ = ["CompareView"]

FIELDS_AT_ONCE = 40  # more features than this are told by those that differ


class CompareView(ExplorerPage):
    """The contents of the page with two rows."""

    view = "compare"

    def __init__(self, explorer: Explorer, state: State) -> None:
        super().__init__(explorer)
        other = state.other
        if other is None:
            last = len(explorer.table) - 1
            other = state.row + 1 if state.row < last else max(last - 1, 0)
            if last == 0 and not state.sets:
                raise BadAddress(
                    "the table has only this row: there is no other to compare it with"
                )
        self.state = replace(state, other=other)
        second = replace(state, row=other, other=None, sets={})
        self.states = [replace(self.state, other=None), second]
        self._found: list[Findings] = [explorer.found(one) for one in self.states]
        self.sides = [Content(one, explorer.shape) for one in self._found]
        for side in self.sides:
            side.panels = side.panels[:2]  # the row, and its reason
        self.row_query = self.states[0].query(facts=(), ranges={})

    def link(self, side: int) -> str:
        """Return the address of one of the rows."""
        return f"/row?{self.states[side].query(facts=())}"

    @property
    def heading(self) -> str:
        """What both get."""
        one, other = (side.decision for side in self.sides)
        return f"Both get {one}" if self.same else f"{one} and {other}"

    @property
    def same(self) -> bool:
        """Whether both get the same."""
        return self.sides[0].decision == self.sides[1].decision

    @cached_property
    def shared(self) -> list[tuple[str, list[Statement], list[Statement]]]:
        """Of each reason: which of its facts hold in the other row, too, and which do not."""
        found = []
        for side in (0, 1):
            e, other = self._found[side].explanation, self._found[1 - side].explanation
            reason = list(self._found[side].reason or ())
            holds = [_holds(condition, other) for condition in reason]
            both = [c for c, is_shared in zip(reason, holds, strict=True) if is_shared]
            own = [c for c, is_shared in zip(reason, holds, strict=True) if not is_shared]
            found.append((class_name(e.outcome), one_by_one(e, both), one_by_one(e, own)))
        return found

    @property
    def shared_texts(self) -> list[list[str]]:
        """Of each reason: the facts that hold in the other row, too, as text."""
        found = []
        for side in (0, 1):
            other = self._found[1 - side].explanation
            reason = self._found[side].reason or ()
            found.append([str(condition) for condition in reason if _holds(condition, other)])
        return found

    @cached_property
    def values(self) -> list[tuple[str, str, str, bool]]:
        """Every feature of both rows, and whether they have the same."""
        pairs = zip(self.sides[0].every_value, self._by_name, strict=True)
        return [(one, here, there, here == there) for (one, here, _), there in pairs]

    @property
    def is_long(self) -> bool:
        """Whether the features that differ are shown first."""
        return len(self.values) > FIELDS_AT_ONCE

    @property
    def differing(self) -> list[tuple[str, str, str, bool]]:
        """The features in which they differ."""
        return [one for one in self.values if not one[-1]]

    @property
    def _by_name(self) -> list[str]:
        there = {feature: value for feature, value, _ in self.sides[1].every_value}
        return [there.get(feature, "") for feature, _, _ in self.sides[0].every_value]

    @property
    def n_shared(self) -> int:
        """In how many features both have the same."""
        return sum(same for *_, same in self.values)


def _holds(condition: Condition, other: Explanation) -> bool:
    return bool(condition.holds_in(other.row[None, :])[0])
