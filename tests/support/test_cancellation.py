"""Questions that another thread cancels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import pytest

import cattleya
from tests.samples.families import explain_ones
from tests.support.test_limits import QUESTIONS, hard_tree

LONG = 600.0  # seconds: what ends a test that hangs
WORKING = 0.2  # seconds: what was asked is in progress by then


@pytest.fixture(scope="module")
def hard() -> cattleya.Tree:
    return hard_tree()


def cancelled_while(ask: Callable[[], Any]) -> BaseException | None:
    """Return what a question raises when another thread cancels it."""
    cancellation, begun, ended = cattleya.Cancellation(), threading.Event(), []

    def asking() -> None:
        with cancellation:
            begun.set()
            try:
                ask()
            except BaseException as error:  # told to the thread that waits
                ended.append(error)

    thread = threading.Thread(target=asking)
    thread.start()
    assert begun.wait(LONG)
    time.sleep(WORKING)
    cancellation.cancel()
    thread.join(LONG)
    assert not thread.is_alive()
    assert cancellation.is_cancelled
    return ended[0] if ended else None


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name != "sample"])
def test_a_question_in_progress_is_cancelled(hard: cattleya.Tree, name: str) -> None:
    e = explain_ones(hard)
    error = cancelled_while(lambda: QUESTIONS[name](e, timeout=LONG))
    assert isinstance(error, cattleya.Cancelled)
    assert e.verify(e.sufficient_reason())  # and the explanation stays usable


def test_several_threads_of_one_question_are_cancelled(hard: cattleya.Tree) -> None:
    e = explain_ones(hard)
    assert isinstance(cancelled_while(lambda: e.count(threads=2)), cattleya.Cancelled)


def test_reasons_one_after_the_other_are_cancelled(hard: cattleya.Tree) -> None:
    e = explain_ones(hard)
    error = cancelled_while(lambda: list(e.sufficient_reasons()))
    assert isinstance(error, cattleya.Cancelled)


def test_many_rows_are_cancelled_and_no_row_says_so(hard: cattleya.Tree) -> None:
    explainer = cattleya.Explainer(hard)
    rows = [[1.0] * hard.n_features, [0.0] * hard.n_features]
    error = cancelled_while(lambda: explainer.explain_all(rows, ["count"], progress=False))
    assert isinstance(error, cattleya.Cancelled)


def test_other_threads_and_later_questions_are_not() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1])
    cancellation = cattleya.Cancellation()
    cancellation.cancel()
    with cancellation:
        with pytest.raises(cattleya.Cancelled, match="cancelled"):
            e.contrastive()
        counted: list[int] = []
        thread = threading.Thread(target=lambda: counted.append(e.count()))
        thread.start()
        thread.join(LONG)
        assert counted == [1]
    assert e.count() == 1


def test_one_within_another() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1])
    outer, inner = cattleya.Cancellation(), cattleya.Cancellation()
    with outer, inner:
        assert e.count() == 1
        outer.cancel()
        with pytest.raises(cattleya.Cancelled):
            e.minimal_reason()
    with inner:
        assert len(e.minimal_reason()) == 2


def test_who_leaves_first_takes_nobody_along() -> None:
    """Generators, and tasks of asyncio, do not leave in the order of entering."""
    tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
    first, second = cattleya.Cancellation(), cattleya.Cancellation()

    def within(cancellation: cattleya.Cancellation) -> Generator[None, None, None]:
        with cancellation:
            yield

    one, other = within(first), within(second)
    next(one)
    next(other)
    first.cancel()
    one.close()
    assert cattleya.Explainer(tree).explain([1, 1, 1]).count() == 2
    second.cancel()
    with pytest.raises(cattleya.Cancelled):
        cattleya.Explainer(tree).explain([1, 1, 1]).count()
    other.close()
    assert cattleya.Explainer(tree).explain([1, 1, 1]).count() == 2
