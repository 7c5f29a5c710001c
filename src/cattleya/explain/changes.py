"""The nearest rows of another class, and the part that features played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cattleya.changes.counterfactual import Counterfactual, Question
from cattleya.changes.fairness import Fairness, is_fair
from cattleya.changes.general.general_reason import General, Worded, with_rows
from cattleya.changes.general.generalise import generalise
from cattleya.changes.general.widest import widest
from cattleya.changes.minimal.change import Change
from cattleya.changes.minimal.destinations import Destinations
from cattleya.changes.nearest import nearest
from cattleya.explain.row import ExplainedRow
from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.lookup import listed
from cattleya.reasons.reason import Reason
from cattleya.support.limits import Deadline
from cattleya.vocabularies.interface import ANY_OTHER_CLASS

if TYPE_CHECKING:
    from cattleya.explain.short import Among

__all__ = ["Changes"]

COMPARED = 200  # reasons of the fewest features


class Changes:
    """The questions about a row that are answered by other rows."""

    def __init__(self, row: ExplainedRow) -> None:
        self._row = row
        self._reasons: dict[int, tuple[Among | None, General]] = {}

    def _question(self, deadline: Deadline) -> Question:
        row = self._row
        return row.context.question(row.row, row.row_class, row.raw_row, deadline)

    def counterfactuals(
        self, immutable: Iterable[Any], data: Any, timeout: float | None, **wanted: Any
    ) -> tuple[Counterfactual, ...]:
        """Return the nearest rows of another class, the nearest first."""
        deadline = Deadline(timeout)
        return nearest(
            self._question(deadline),
            immutable=(*self._row.immutable_names, *listed("immutable", immutable)),
            data=None if data is None else self._row.context.measured(data),
            timeout=deadline,
            **wanted,
        )

    def generalise(self, reason: Iterable[Condition | str], timeout: float | None) -> General:
        """Return a sufficient reason with every interval and set of values as large as can be."""
        row = self._row
        if isinstance(reason, (str, Condition)) or not isinstance(reason, Iterable):
            raise TypeError(f"a reason is a set of conditions, not {reason!r}")
        conditions = [c if isinstance(c, Condition) else row.condition(c) for c in reason]
        deadline = Deadline(timeout)
        cells = row.prepared.cell_regions(deadline)
        noun = row.classes.noun
        wide = generalise(cells, row.row, row.row_class, conditions, deadline, noun)
        return with_rows(wide, row.context.model.rows, noun)

    def worded(self, reason: Reason) -> Reason:
        """Return a reason that prints as wide as it can be, where it is one of intervals."""
        if not self._row.over.merges:
            return reason
        return Worded(reason, lambda: self.generalise(reason.conditions, None))

    def reason(self, timeout: float | None, among: Among | None = None) -> General:
        """Return the widest of the reasons that mention the fewest features.

        In the rows of a table, where one is given; found once for each.
        """
        deadline, row = Deadline(timeout), self._row
        known = self._reasons.get(id(among))
        if known is None:
            sets = row.over_features.sufficient(deadline).every_minimal(COMPARED + 1, deadline)
            cells = row.prepared.cell_regions(deadline)
            table = None if among is None else among.of_class(row.prepared, row.row_class, cells)
            found = widest(cells, row.row, row.row_class, sets, COMPARED, deadline, table)
            made = with_rows(found, row.context.model.rows, row.classes.noun)
            known = self._reasons[id(among)] = among, made  # by identity: the table is kept
        return known[1]

    def changes(
        self, contrasts: Iterable[Reason], target: int, deadline: Deadline
    ) -> Iterator[Change]:
        """Give where contrastive explanations lead."""
        row = self._row
        before = [own.value for own in row.values]
        cells = row.prepared.cell_regions(deadline)
        finder = Destinations(self._question(deadline), cells, before, deadline)
        for contrast in contrasts:
            deadline.check()
            yield finder.of(contrast, None if target == ANY_OTHER_CLASS else target)

    def is_fair(self, protected: Iterable[Any], timeout: float | None) -> Fairness:
        """Tell whether the class stays the same whatever some features are."""
        deadline = Deadline(timeout)
        return is_fair(self._question(deadline), protected, deadline)
