"""Work done in a process of its own, which can be killed and whose memory is its own.

The peers run this way: one that hangs or crashes on a row is a cell in a table, and no more.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from cattleya.support.parent_watch import end_with_parent

__all__ = ["TIME_LIMIT", "rows_apart", "run_apart", "serve", "write_result"]

TIME_LIMIT = "time limit"
STARTING = 120.0  # seconds that a process may need beside its time limits: imports take long
MOST_CHARACTERS = 160


def run_apart(worker: str | Path, given: object, time_limit: float) -> tuple[Any, str | None]:
    """Run a module or a script; return what it wrote as JSON, and what went wrong.

    It is given the paths of a pickle and of the file to write. With every process that it started
    it is killed after ``time_limit`` seconds; it may as well set itself an alarm, which is taken
    for the same. What it leaves in its working directory is removed.
    """
    program = [str(worker)] if isinstance(worker, Path) else ["-m", worker]
    with tempfile.TemporaryDirectory() as folder:
        pickled, result = Path(folder, "given.pickle"), Path(folder, "result.json")
        pickled.write_bytes(pickle.dumps(given))
        process = subprocess.Popen(
            [sys.executable, *program, str(pickled), str(result)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": _path()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        trouble = None
        try:
            _, said = process.communicate(timeout=time_limit)
            if process.returncode == -getattr(signal, "SIGALRM", 0):
                trouble = TIME_LIMIT
            elif process.returncode != 0:
                last = (said.strip().splitlines() or ["no message"])[-1]
                last = last.replace(sys.executable, "python")[:MOST_CHARACTERS]
                trouble = f"stopped with exit code {process.returncode}: {last}"
        except subprocess.TimeoutExpired:
            trouble = TIME_LIMIT
        finally:
            _end(process)
        return (json.loads(result.read_text()) if result.is_file() else None), trouble


def _path() -> str:
    """Return where modules are found here, which must hold in another working directory too."""
    return os.pathsep.join(os.path.abspath(folder) for folder in sys.path if folder)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started, which may have outlived it."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def rows_apart(
    worker: str, given: dict[str, Any], rows: Sequence[Any], limit: float
) -> list[dict[str, Any]]:
    """Let a worker answer row after row; where one stops it, it is started again after that row.

    Yields one entry per row: its answer, or ``{"trouble": why}``. A worker that stops twice
    before its first answer is not tried again.
    """
    entries: list[dict[str, Any]] = []
    idle = 0
    while len(entries) < len(rows):
        left = list(rows[len(entries) :])
        told, trouble = run_apart(
            worker,
            given | {"rows": left, "limit": limit, "parent": os.getpid()},
            STARTING + limit * len(left),
        )
        done = told or []
        entries += done
        if len(entries) < len(rows):
            entries.append({"trouble": trouble or "no answer"})
            idle = 0 if done or trouble == TIME_LIMIT else idle + 1
            if idle > 1:
                entries += [entries[-1]] * (len(rows) - len(entries))
    return entries


def serve(ask: Callable[[dict[str, Any]], Callable[[Any], dict[str, Any]]]) -> None:
    """Be a worker: ``ask`` gets what was given, and returns what answers about one row."""
    given = pickle.loads(Path(sys.argv[1]).read_bytes())
    end_with_parent(given["parent"])
    result = Path(sys.argv[2])
    answer = ask(given)
    entries = []
    for row in given["rows"]:
        if hasattr(signal, "setitimer"):
            # The alarm's default action ends the process, also within native code.
            signal.setitimer(signal.ITIMER_REAL, given["limit"])
        entries.append(answer(row))
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        write_result(result, entries)


def write_result(path: Path, result: object) -> None:
    """Write a worker's result so that being killed meanwhile leaves the one before."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(result))
    os.replace(written, path)
