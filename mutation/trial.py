"""Tests run in a child of a process that has all libraries loaded but ours.

Loading them takes longer than most tests; a fork has them at once. Time is the processor's, so that
a busy machine kills no mutant.
"""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["Limits", "run_tests", "warm_up"]

LIBRARIES = ("hypothesis", "numpy", "pandas", "scipy.sparse", "sklearn.tree", "sklearn.pipeline")
MOST_BYTES = 8 << 30


@dataclass(frozen=True)
class Limits:
    """When tests are ended: seconds of the processor, and seconds in all."""

    processor: int = 600
    waiting: float = 1800


LIMITS = Limits()


def warm_up() -> None:
    """Load what all tests load."""
    for library in LIBRARIES:
        importlib.import_module(library)
    assert "cattleya" not in sys.modules


def run_tests(
    package: Path,
    tests: Sequence[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
    *,
    limits: Limits = LIMITS,
    lines: Path | None = None,
) -> str:
    """Run tests on the package in a folder until one fails; return "survived" or what killed it.

    ``lines`` is a folder for what coverage.py notes about the lines that are run.
    """
    child = os.fork()
    if child == 0:
        _run_here(package, tests, log, environment or {}, limits, lines)
    began = time.monotonic()
    while time.monotonic() - began < limits.waiting:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            os.killpg(child, signal.SIGKILL) if _group_lives(child) else None
            return _told(os.waitstatus_to_exitcode(status))
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "killed: it waited forever"


def _run_here(
    package: Path,
    tests: Sequence[str],
    log: Path,
    environment: Mapping[str, str],
    limits: Limits,
    lines: Path | None,
) -> None:
    try:
        os.setsid()  # so that what the tests start can be ended with them
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(out, 1)
        os.dup2(out, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (limits.processor, limits.processor))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        os.environ.update(environment, PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1")
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(package))
        options = ["--exitfirst", "--quiet", "-p", "no:cacheprovider", "-p", "no:xdist"]
        options += [
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
        ]  # hypothesis is there already
        with nullcontext() if lines is None else _noting(lines):
            code = int(pytest.main([*options, *tests]))
        sys.stdout.flush()
        os._exit(code)
    except BaseException:  # a child must never return into the parent's work
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(99)


@contextmanager
def _noting(lines: Path) -> Iterator[None]:
    """Note the lines that are run, with the settings of ``make coverage``; one file per process."""
    import coverage  # what the tests of this folder do without

    watch = coverage.Coverage(data_file=str(lines / "of"))
    watch.start()
    yield
    watch.stop()
    watch.save()


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _told(code: int) -> str:
    if code == pytest.ExitCode.OK:
        return "survived"
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "killed: it did not end"
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        return "no tests"
    if code < 0:
        return f"killed: {signal.Signals(-code).name}"
    if code in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        return "killed: a test failed"
    if code == pytest.ExitCode.USAGE_ERROR:
        return "killed: nothing could be imported"
    raise RuntimeError(f"pytest ended with {code}: the selection is wrong")
