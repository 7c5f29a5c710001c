"""The examples run as notebooks, each in a folder of its own, without a warning, and draw."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT

EXAMPLES = ROOT / "examples"

if not EXAMPLES.is_dir():
    reason = "the examples are not there: this is not the project's folder"
    pytest.skip(reason, allow_module_level=True)

NO_PAGES = {"tables.py", "cluster.py"}
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name not in NO_PAGES)

#: Before the first cell of each: nothing is left of the notebook before it but what it imported.
FIRST = """%reset -f
import os, sys, warnings
import matplotlib.pyplot as plt
plt.close("all")
os.chdir({folder!r})
sys.path[:] = [{examples!r}, *(path for path in sys.path if path != {examples!r})]
warnings.simplefilter("error")
%matplotlib inline
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """Give one kernel for all notebooks: most of its time goes into starting and importing."""
    jupyter_client = pytest.importorskip("jupyter_client")
    manager, client = jupyter_client.manager.start_new_kernel(kernel_name="python3")
    client.stop_channels()
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("script", SCRIPTS)
def test_as_a_notebook(script: str, kernel: Any, tmp_path: Path) -> None:
    jupytext, nbformat = map(pytest.importorskip, ("jupytext", "nbformat"))
    nbclient = pytest.importorskip("nbclient")
    notebook = jupytext.read(EXAMPLES / script)
    first = FIRST.format(folder=str(tmp_path), examples=str(EXAMPLES))
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
    client = nbclient.NotebookClient(notebook, km=kernel, timeout=300)
    try:
        client.execute()
    finally:
        client.kc.stop_channels()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any(output.output_type == "stream" and output.name == "stdout" for output in shown)
    assert not any(output.get("name") == "stderr" for output in shown)
    assert any("image/png" in output.get("data", ()) for output in shown), "there is no picture"


def test_there_are_enough() -> None:
    """The worked examples that were promised are there, and twelve of them have pictures."""
    assert len(SCRIPTS) >= 12  # each of which shows one, above
    asked = {
        "audit", "boosted", "credit", "digits", "forest", "missing_values", "pipeline",
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
        command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300
    )  # its stderr is the cluster's
    assert done.returncode == 0, done.stderr
    assert "178 rows, 178 explained" in done.stdout
