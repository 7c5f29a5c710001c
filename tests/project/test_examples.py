"""The examples run as notebooks, each in a kernel and a folder of its own, and draw."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

EXAMPLES = ROOT / "examples"

if not EXAMPLES.is_dir():
    reason = "the examples are not there: this is not the project's folder"
    pytest.skip(reason, allow_module_level=True)

DATA = "tables.py"  # of the others
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name != DATA)


@pytest.mark.parametrize("script", SCRIPTS)
def test_as_a_notebook(script: str, tmp_path: Path) -> None:
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    notebook = jupytext.read(EXAMPLES / script)
    first = "import warnings; warnings.simplefilter('error')\n%matplotlib inline"
    (code, *_) = (cell for cell in notebook.cells if cell.cell_type == "code")
    code.source = f"{first}\n{code.source}"
    shutil.copy(EXAMPLES / DATA, tmp_path)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any(output.output_type == "stream" and output.name == "stdout" for output in shown)
    assert not any(output.get("name") == "stderr" for output in shown)
    assert any("image/png" in output.get("data", ()) for output in shown), "there is no picture"


def test_there_are_enough() -> None:
    """The worked examples that were promised are there, and twelve of them have pictures."""
    assert len(SCRIPTS) >= 12  # each of which shows one, above
    asked = {
        "audit", "boosted", "cluster", "credit", "digits", "forest", "missing_values", "pipeline",
        "recidivism", "short_reasons", "spam", "tree_size", "tumours", "two_versions",
    }  # fmt: skip  # a list in few lines
    assert {Path(script).stem for script in SCRIPTS} >= asked


@pytest.mark.parametrize("name", ["none", "dask", "ray"])
def test_cluster(name: str, tmp_path: Path) -> None:
    if name != "none":
        module = {"dask": "distributed", "ray": "ray"}[name]
        pytest.importorskip(module, reason=f"needs {name}: pip install {module}")
    command = [sys.executable, str(EXAMPLES / "cluster.py"), name]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        check=False,
        timeout=300,
    )  # its stderr is the cluster's
    assert done.returncode == 0, done.stderr
    assert "178 rows, 178 explained" in done.stdout
