"""The command line as users meet it: its arguments, its output, its exit code.

In a process of its own where that matters; a hundred starts of Python would take minutes, so the
others call what the process calls.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

import cattleya
from cattleya.cli import run

Done = subprocess.CompletedProcess[str]


def called(*arguments: object, cwd: Path) -> Done:
    """Run ``cattleya`` here."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = run([str(argument) for argument in arguments])
    return Done([*map(str, arguments)], code, out.getvalue(), err.getvalue())


def process(*arguments: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> Done:
    """Run ``cattleya`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "cattleya", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=os.environ | (env or {}),
        check=False,
        timeout=300,
    )


def succeeds(*arguments: object, by: Callable[..., Done] = called, **settings: Any) -> str:
    """Run a command that must go well, and say nothing on the side; return what it prints."""
    done = by(*arguments, **settings)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def answer(*arguments: object, **settings: Any) -> dict[str, Any]:
    """Run a command with ``--json``; return its answer."""
    found: dict[str, Any] = json.loads(succeeds(*arguments, "--json", **settings))
    assert found["cattleya"] == cattleya.__version__
    return found


def fails(code: int, *arguments: object, by: Callable[..., Done] = called, **settings: Any) -> str:
    """Run a command that must fail with a code, in a line or two; return them."""
    done = by(*arguments, **settings)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert 1 <= len(done.stderr.splitlines()) <= 2, done.stderr
    return done.stderr


def fails_for_rows(code: int, *arguments: object, **settings: Any) -> str:
    """Run a batch that explains some rows (7) or none (8), and says so; return what it prints."""
    done = called(*arguments, **settings)
    assert done.returncode == code, (done.stdout, done.stderr)
    said = {7: r"[\d,]+ of the [\d,]+ rows could not", 8: r"none of the [\d,]+ rows could"}
    assert re.match(f"note: {said[code]} be explained; ", done.stderr), done.stderr
    assert len(done.stderr.splitlines()) == 1
    return done.stdout


def wine_table() -> pd.DataFrame:
    """Wines with a text target, a column of categories, an identifier and missing cells."""
    bunch = load_wine(as_frame=True)
    table: pd.DataFrame = bunch.data.copy()
    table["colour"] = pd.cut(bunch.data["hue"], 3, labels=["pale", "red", "dark"]).astype(object)
    table["grower"] = bunch.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
    gaps = np.random.default_rng(0)
    table.loc[gaps.random(len(table)) < 0.1, "alcohol"] = np.nan
    table.loc[gaps.random(len(table)) < 0.1, "colour"] = np.nan
    table.insert(0, "bottle", [f"{number:03d}" for number in range(len(table))])
    return table


def small_tree() -> cattleya.Tree:
    """A tree over age and income that needs no learning library."""
    return cattleya.Tree(
        left=[1, -1, -1],
        right=[2, -1, -1],
        feature=[0, -1, -1],
        threshold=[30.5, 0, 0],
        leaf_class=[-1, 0, 1],
        n_features=2,
        feature_names=["age", "income"],
        class_names=["no", "yes"],
    )
