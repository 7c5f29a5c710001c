"""Counterfactuals of many rows, and witnesses of unfairness: confirmed some rows at a time.

A call of scikit-learn's costs a hundred times what the search in the tree does, for one row or for
a thousand: so all rows are transformed by one call, and those that are found are checked together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from cattleya.changes.counterfactual import Counterfactual, Question
from cattleya.changes.drafts import Drafts, confirmed
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.changes.fairness import Fairness, are_fair
from cattleya.changes.nearest import Wanted
from cattleya.explain.context import ModelContext
from cattleya.model.tree.rows import RawRows, is_frame, is_sparse
from cattleya.support.limits import Deadline

__all__ = ["counterfactuals_of", "fairness_of"]


ROWS_AT_ONCE = 256


def counterfactuals_of(
    context: ModelContext, X: Any, wanted: Wanted, deadline: Deadline
) -> Iterator[tuple[Counterfactual, ...]]:
    """Give the counterfactuals of each row, none where there are none."""
    questions = _questions(context, X, deadline)
    parts = _in_parts(questions, wanted, deadline)
    # The first part now: what is wrong with the question is said when it is asked.
    return chain(next(parts, []), chain.from_iterable(parts))


def fairness_of(
    context: ModelContext, X: Any, protected: Iterable[Any], deadline: Deadline
) -> Iterator[Fairness]:
    """Tell of each row whether its class depends on some features, with a witness where it does."""
    questions = _questions(context, X, deadline)
    while some := list(islice(questions, ROWS_AT_ONCE)):
        yield from are_fair(some, protected, deadline)


def _in_parts(
    questions: Iterator[Question], wanted: Wanted, deadline: Deadline
) -> Iterator[list[tuple[Counterfactual, ...]]]:
    drafts: list[Drafts | None] = []
    for question in questions:
        drafts.append(_drafts(question, wanted, deadline))
        if len(drafts) == ROWS_AT_ONCE:
            yield _confirmed(drafts)
            drafts = []
    yield _confirmed(drafts)


def _drafts(question: Question, wanted: Wanted, deadline: Deadline) -> Drafts | None:
    deadline.check()
    toward = wanted.toward
    if toward is not None and question.classes.meant(toward) == question.row_class:
        return None  # it is there already
    try:
        return wanted.drafts(question, deadline)
    except NoSuchCounterfactual:
        return None


def _confirmed(drafts: list[Drafts | None]) -> list[tuple[Counterfactual, ...]]:
    found = iter(confirmed([one for one in drafts if one is not None]))
    return [() if one is None else next(found) for one in drafts]


def _questions(context: ModelContext, X: Any, deadline: Deadline) -> Iterator[Question]:
    model = context.model
    matrix = model.rows.matrix(X)
    context.check_rows(matrix, deadline)
    raw: Any = model.rows.raw_row(X) if isinstance(model.rows, RawRows) else None
    classes = context.outcomes_of(matrix)
    if is_sparse(raw):
        raw = raw.tocsr()
    elif is_frame(raw):
        raw = raw.copy()  # puts columns of one type together: rows are quickly taken from it then
    for i, row in enumerate(matrix):
        own = None if raw is None else raw.iloc[[i]] if is_frame(raw) else raw[[i]]
        yield context.question(row, int(classes[i]), own, deadline)
