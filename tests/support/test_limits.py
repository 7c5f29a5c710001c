"""Time and memory limits, Ctrl-C, and many threads and processes at once.

A limit that is reached raises its exception, and leaves the explanation as it was. No clock is
read here. Of what nobody can count, an answer that is not a number shows that the limit was looked
at on the way; where there would be an answer in the end, the clock is one that counts the looks at
it. How well times are kept is for the benchmarks.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya import _core
from cattleya.support.limits import MEMORY_LIMIT, Deadline, checked_memory
from tests.checks.explanation import naming
from tests.oracles.hitting_sets import Arrays, as_arrays, renumbered
from tests.samples.families import comb, complete, explain_ones, grid_tree

SHORT = 0.1  # seconds

QUESTIONS: dict[str, Callable[..., Any]] = {
    "count": cattleya.Explanation.count,
    "importance": cattleya.Explanation.importance,
    "importance_array": cattleya.Explanation.importance_array,
    "count_by_size": cattleya.Explanation.count_by_size,
    "sample": lambda e, timeout=None: e.sample(3, seed=0, timeout=timeout),
    "compile": cattleya.Explanation.compile,
}


def hard_tree(levels: int = 9, atoms: int = 150) -> cattleya.Tree:
    """A tree whose row of ones has many clauses, drawn at random (512), that nobody can count."""
    rng = np.random.default_rng(0)

    def clause() -> object:
        nested: object = 0
        for atom in rng.choice(atoms, size=5, replace=False):
            nested = (f"v{atom}", nested, 1)
        return nested

    def selected(name: str) -> object:
        if len(name) > levels:
            return clause()
        return name, selected(name + "0"), selected(name + "1")

    return cattleya.Tree.from_nested(selected("s"))


@pytest.fixture(scope="module")
def hard() -> cattleya.Tree:
    return hard_tree()


def plain(answer: Any) -> Any:
    """What can be compared of an answer to a question."""
    if isinstance(answer, cattleya.Circuit):
        return answer.count(), answer.importance()
    if isinstance(answer, tuple) and isinstance(answer[1], np.ndarray):
        return answer[0], answer[1].tolist()
    return answer


def check_usable(e: cattleya.Explanation) -> None:
    """What can be known without counting is known."""
    assert e.prediction == 1
    assert e.verify(e.sufficient_reason())
    assert e.count("contrastive") == len(e.contrastive()) == 512
    assert sum(e.importance("contrastive").values()) > 0


# Time


def test_the_exceptions() -> None:
    assert issubclass(cattleya.TimeoutExpired, TimeoutError)
    assert issubclass(cattleya.MemoryLimitExceeded, MemoryError)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_time_limit_that_is_reached(hard: cattleya.Tree, name: str) -> None:
    e = explain_ones(hard)
    for _ in range(2):
        with pytest.raises(cattleya.TimeoutExpired, match="time"):
            QUESTIONS[name](e, timeout=SHORT)
        check_usable(e)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_time_limit_that_is_over_at_once(name: str) -> None:
    e = explain_ones(complete(11))
    with pytest.raises(cattleya.TimeoutExpired):
        QUESTIONS[name](e, timeout=1e-9)
    assert QUESTIONS["count"](e, timeout=60) == e.count()
    assert QUESTIONS[name](e, timeout=60) is not None


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_time_limit_that_is_not_reached(name: str) -> None:
    e, same = (explain_ones(grid_tree(8, 40, 1)) for _ in range(2))
    ask = QUESTIONS[name]
    for timeout in (60, 60.0, float("inf"), 1e300, None):
        assert plain(ask(e, timeout=timeout)) == plain(ask(same))


def test_a_circuit_has_time_limits_too() -> None:
    circuit = explain_ones(grid_tree(13, 200, 1)).compile()
    for ask in (circuit.count, circuit.importance):
        with pytest.raises(cattleya.TimeoutExpired):
            ask(timeout=1e-9)
    assert circuit.count(timeout=60) > 10**11


class CountedLooks:
    """A clock that goes on by a second whenever somebody looks at it."""

    looks = 0

    def monotonic(self) -> float:
        self.looks += 1
        return float(self.looks)


@pytest.mark.parametrize("ask", [cattleya.Explanation.importance, cattleya.Circuit.importance])
def test_time_limits_hold_where_large_numbers_take_the_time(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is over at once here; each of 10,000 fractions is preceded by a look."""
    e = explain_ones(complete(14))
    asked = e.compile() if ask is cattleya.Circuit.importance else e
    for seconds in (20, 2_000):
        clock = CountedLooks()
        monkeypatch.setattr("cattleya.support.limits.time", clock)
        with pytest.raises(cattleya.TimeoutExpired):
            ask(asked, timeout=seconds)
        assert clock.looks == seconds + 1  # one began it, and nothing was done after the last


def test_time_limits_hold_where_long_answers_take_the_time() -> None:
    """All that is drawn would need 16 GB: what did not look at the time would reach the limit."""
    e = explain_ones(comb(20_000))
    e.count()
    with pytest.raises(cattleya.TimeoutExpired):
        e.sample(100_000, seed=0, timeout=SHORT)


def reference_problem() -> Arrays:
    from tests.core.test_counting_clauses import reference_file  # heavy for other processes

    problems = json.loads(reference_file().read_text())
    clauses = {p["name"]: p["clauses"] for p in problems}["lending_loan-2652"]
    return as_arrays(*renumbered(clauses))


def random_problem() -> Arrays:
    rng = np.random.default_rng(0)
    sizes = rng.integers(4, 9, size=300)
    return as_arrays([rng.choice(150, size=size, replace=False).tolist() for size in sizes], 150)


@pytest.mark.parametrize("problem", [reference_problem, random_problem])
def test_the_core_stops_in_time(problem: Callable[[], Arrays]) -> None:
    arrays = problem()
    limits = SHORT, MEMORY_LIMIT
    ways: list[Callable[[], object]] = [
        lambda: _core.count_hitting_sets(*arrays, *limits),
        lambda: _core.weigh_hitting_sets(*arrays, *limits),
        lambda: _core.count_hitting_sets_by_size(*arrays, *limits),
        lambda: _core.sample_hitting_sets(*arrays, 1, 0, *limits),
        lambda: _core.Circuit.compile(*arrays, *limits),
    ]
    for way in ways:
        with pytest.raises(cattleya.TimeoutExpired):
            way()


@pytest.mark.parametrize("timeout", [0, -1, 0.0, -0.5, float("nan"), "1", True, [1], 1j])
@pytest.mark.parametrize("name", QUESTIONS)
def test_time_limits_that_are_none(name: str, timeout: object) -> None:
    e = explain_ones(complete(3))
    with pytest.raises((TypeError, ValueError), match=naming("timeout", "seconds")):
        QUESTIONS[name](e, timeout=timeout)
    circuit = e.compile()
    for ask in (circuit.count, circuit.importance):
        with pytest.raises((TypeError, ValueError), match=naming("timeout", "seconds")):
            ask(timeout=timeout)  # type: ignore[arg-type]  # wrong on purpose


def test_a_time_limit_beyond_any_clock() -> None:
    assert explain_ones(complete(3)).count(timeout=10**400) == 6


# Ctrl-C


INTERRUPTED = """
import sys
sys.path[:0] = {path!r}
from tests.support.test_limits import QUESTIONS, check_usable, explain_ones, hard_tree

e = explain_ones(hard_tree())
for name, ask in QUESTIONS.items():
    try:
        print("asking", name, flush=True)
        ask(e)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    else:
        print("answered", flush=True)
check_usable(e)
print("asking once more", flush=True)
e.count()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_ctrl_c() -> None:
    path = [entry for entry in sys.path if entry]
    program = INTERRUPTED.format(path=path)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        for name in QUESTIONS:
            assert process.stdout.readline() == f"asking {name}\n"
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
        assert process.stdout.readline() == "asking once more\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == -signal.SIGINT
        assert errors.strip().splitlines()[-1] == "KeyboardInterrupt"
    finally:
        process.kill()
        process.communicate()


# Memory


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_memory_limit_that_is_reached(hard: cattleya.Tree, name: str) -> None:
    e = cattleya.Explainer(hard, memory_limit=1 << 18).explain(np.ones(hard.n_features))
    with pytest.raises(cattleya.MemoryLimitExceeded, match=naming("bytes", "memory_limit")):
        QUESTIONS[name](e, timeout=30)
    check_usable(e)


@pytest.mark.parametrize("name", QUESTIONS)
def test_with_little_memory_the_answer_is_right_or_there_is_none(name: str) -> None:
    tree = grid_tree(8, 40, 1)
    expected = plain(QUESTIONS[name](explain_ones(tree)))
    outcomes = []
    powers = (1 << k for k in (*range(13), *range(16, 21)))
    for limit in sorted([*powers, *range(1 << 13, 1 << 16, 1 << 11)]):
        e = cattleya.Explainer(tree, memory_limit=limit).explain(np.ones(40))
        try:
            found = QUESTIONS[name](e)
        except cattleya.MemoryLimitExceeded:
            outcomes.append("refused")
        else:
            outcomes.append("answered")
            assert plain(found) == expected
    assert set(outcomes) == {"refused", "answered"}  # or one of both was never tried
    assert outcomes == sorted(outcomes, reverse=True)  # more memory never takes an answer away


def wide_tree() -> cattleya.Tree:
    """A tree whose row of ones has 4096 clauses about 3000 conditions: memory runs out first."""
    return hard_tree(levels=12, atoms=3000)


# Of each: the tree, the question, and whether it would need more than any of the limits.
MEMORY: dict[str, tuple[Callable[[], cattleya.Tree], Callable[[Any], Any], bool]] = {
    "count": (wide_tree, lambda e: e.count(), True),
    "count by two threads": (wide_tree, lambda e: e.count(threads=2), True),
    "importance": (wide_tree, lambda e: e.importance(), True),
    "by size": (wide_tree, lambda e: e.count_by_size(), True),
    "sample": (wide_tree, lambda e: e.sample(3, seed=0), True),
    "compile": (wide_tree, lambda e: e.compile(), True),
    "many samples": (lambda: comb(50_000), lambda e: e.sample(5_000, seed=0), True),
    "importance of many": (lambda: comb(50_000), lambda e: e.importance(), False),
    "compiled": (lambda: comb(50_000), lambda e: e.compile().importance(), False),
    "count of tasks": (hard_tree, lambda e: e.count(threads=2, timeout=1), False),
    "every": (
        lambda: comb(50_000),
        lambda e: [None for _ in e.sufficient_reasons(limit=5000, timeout=2)], False,
    ),
    "every minimal": (
        lambda: comb(50_000),
        lambda e: [None for _ in e.minimal_reasons(limit=5000, timeout=2)], False,
    ),
    "minimal": (lambda: comb(50_000), lambda e: e.minimal_reason(), False),
    "count minimal": (lambda: comb(50_000), lambda e: e.count("minimal"), False),
    "diverse": (wide_tree, lambda e: e.diverse_reasons(3, timeout=2), False),
}  # fmt: skip  # a table in few lines
MEASURED = """
import os, resource, sys
sys.path[:0] = {path!r}
import numpy as np
import cattleya
from tests.support.test_limits import MEMORY

def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

make, ask, _ = MEMORY[{name!r}]
tree = make()
cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1))).explain([1]).importance()  # imports
for limit in {limits!r}:
    e = cattleya.Explainer(tree, memory_limit=limit).explain(np.ones(tree.n_features))
    e.count("contrastive")
    if os.fork() == 0:  # whose peak begins anew
        before, how = peak(), "answered"
        try:
            ask(e)
        except (cattleya.MemoryLimitExceeded, cattleya.TimeoutExpired) as error:
            how = type(error).__name__
        print(how, peak() - before, flush=True)
        os._exit(0)
    os.wait()
"""
GIVE_OR_TAKE = 8 << 20  # bytes per thread: Python's own objects, and what the allocator keeps
THREADS = {"count by two threads": 2, "count of tasks": 2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process to be copied")
@pytest.mark.parametrize("name", MEMORY)
def test_memory_stays_within_the_limit(name: str) -> None:
    limits = [64 << 20, 128 << 20, 256 << 20]
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED.format(path=path, name=name, limits=limits)],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) == len(limits)
    for limit, (how, grown) in zip(limits, lines, strict=True):
        assert int(grown) <= limit + THREADS.get(name, 1) * GIVE_OR_TAKE
        if MEMORY[name][2]:
            assert how == "MemoryLimitExceeded"
            assert int(grown) > limit // 2  # it was used


MANY_SAMPLES = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
import cattleya
tree = cattleya.Tree.from_nested(("x1", ("x2", 0, 1), ("x3", 0, 1)))
e = cattleya.Explainer(tree, memory_limit=1 << 24).explain([1, 1, 1])
for n in (10**8, 10**12, 2**63, 10**30):
    try:
        e.sample(n, seed=0)
    except cattleya.MemoryLimitExceeded:
        print("refused", flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a bound on the address space")
def test_more_samples_than_fit_into_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_SAMPLES],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["refused"] * 4, done.stderr[-500:]


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", None, True, float("inf"), [1]])
def test_memory_limits_that_are_none(limit: Any, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match="memory_limit"):
        cattleya.Explainer(complete(2), memory_limit=limit)
    explain_ones(complete(2)).compile().save(tmp_path / "circuit")
    with pytest.raises((TypeError, ValueError), match="memory_limit"):
        cattleya.Circuit.load(tmp_path / "circuit", memory_limit=limit)


def test_a_memory_limit_beyond_any_machine() -> None:
    e = cattleya.Explainer(complete(3), memory_limit=2**80).explain(np.ones(7))
    assert e.count() == 6


def test_a_circuit_keeps_to_its_memory_limit(tmp_path: Path) -> None:
    circuit = explain_ones(grid_tree(11, 120, 1)).compile()
    circuit.save(tmp_path / "circuit")
    with pytest.raises(cattleya.MemoryLimitExceeded):
        cattleya.Circuit.load(tmp_path / "circuit", memory_limit=100)
    small = cattleya.Circuit(circuit._core, circuit.conditions, memory_limit=100)
    for ask in (small.count, small.importance):
        with pytest.raises(cattleya.MemoryLimitExceeded):
            ask()
    assert cattleya.Circuit.load(tmp_path / "circuit").count() == circuit.count()


# At once


Answers = tuple[int, dict[int, int], list[Fraction]]


def answers(number: int) -> Answers:
    """Some answers about one of several rows; the same in any thread and process."""
    e = cattleya.Explainer(grid_tree(11, 120, number)).explain(np.ones(120))
    return e.count(), e.count_by_size(), list(e.importance().values())


def test_ten_threads_with_a_row_each() -> None:
    expected = [answers(number) for number in range(10)]
    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(answers, range(10))) == expected
        assert list(pool.map(answers, [1] * 10)) == [expected[1]] * 10


def test_ten_threads_with_one_row() -> None:
    tree = grid_tree(11, 120, 1)
    expected = explain_ones(tree).count()
    for _ in range(3):
        e = explain_ones(tree)
        start = threading.Barrier(10)

        def ask(number: int, e: cattleya.Explanation = e, start: Any = start) -> list[int]:
            start.wait()
            ways: list[Callable[[], int]] = [
                e.count,
                lambda: sum(e.count_by_size().values()),
                lambda: e.compile().count(),
            ]
            return [way() for way in ways[number % 3 :] + ways[: number % 3]]

        with ThreadPoolExecutor(10) as pool:
            assert {n for found in pool.map(ask, range(10)) for n in found} == {expected}


@pytest.mark.parametrize(
    "tree", [comb(1), complete(6), grid_tree(11, 120, 1), grid_tree(13, 200, 1)]
)
def test_one_question_on_several_threads(tree: cattleya.Tree) -> None:
    alone = explain_ones(tree)
    expected = alone.count(), alone.importance()
    for threads in (2, 5):
        assert explain_ones(tree).count(threads=threads) == expected[0]
        assert explain_ones(tree).importance(threads=threads) == expected[1]


def test_several_threads_stop_in_time(hard: cattleya.Tree) -> None:
    e = explain_ones(hard)
    for ask in (e.count, e.importance):
        with pytest.raises(cattleya.TimeoutExpired):
            ask(timeout=SHORT, threads=2)
    check_usable(e)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", None, True])
def test_numbers_of_threads_that_are_none(threads: Any) -> None:
    e = explain_ones(complete(3))
    for ask in (e.count, e.importance):
        with pytest.raises((TypeError, ValueError), match="threads"):
            ask(threads=threads)


def test_a_circuit_asked_by_ten_threads() -> None:
    circuit = explain_ones(grid_tree(8, 40, 1)).compile()
    conditions = circuit.conditions[:20]
    expected = [circuit.count([a], [b]) for a, b in pairwise(conditions)]
    with ThreadPoolExecutor(10) as pool:
        ways = [pool.submit(circuit.count, [a], [b]) for a, b in pairwise(conditions)]
        assert [way.result() for way in ways] == expected


def test_threads_count_while_others_run() -> None:
    """The lock of the interpreter is free while the core works."""
    e = explain_ones(hard_tree())
    done: list[type[BaseException]] = []

    def count() -> None:
        try:
            e.count(timeout=1.0)
        except cattleya.TimeoutExpired as error:
            done.append(type(error))

    thread = threading.Thread(target=count)
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 20  # of several hundred; with the lock held, one before and one after
    thread.join()
    assert done == [cattleya.TimeoutExpired]


def test_eight_processes() -> None:
    expected = [answers(number) for number in range(8)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(8, mp_context=spawn) as pool:
        assert list(pool.map(answers, range(8))) == expected


def test_limits_beyond_all_use_are_the_largest_there_are() -> None:
    assert checked_memory(1 << 70) == (1 << 63) - 1
    assert 1e8 < Deadline(1e30).seconds() <= 1e9  # some may have passed
