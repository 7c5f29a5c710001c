"""The scripts that try an installation work here too, so that they are not found broken elsewhere.

``make versions`` runs them where they matter: see ``noxfile.py``.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import ROOT
from tests.project.across import people, read, write

HERE = Path(__file__).resolve().parent


def test_a_fresh_installation_works(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(HERE / "smoke.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ok: ") == 3


def test_models_are_explained_as_where_they_were_saved(tmp_path: Path) -> None:
    write(tmp_path)
    lines = read(tmp_path)
    assert len(lines) == 13
    assert all(line.startswith("the same ") for line in lines), lines


def test_the_table_of_the_models_is_the_same_everywhere() -> None:
    table, classes = people()
    assert table.iloc[0].tolist() == [62.0, 45.2, "clerk"]
    assert classes[:4].tolist() == ["maybe", "yes", "yes", "maybe"]


def test_every_dependency_has_a_lowest_release_that_can_be_tried() -> None:
    path = ROOT / "pyproject.toml"
    if not path.exists():
        pytest.skip("this is not the project's folder")
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for line in [*project["dependencies"], *extras["parquet"], *extras["plots"]]:
        assert line.count(">=") == 1, line
