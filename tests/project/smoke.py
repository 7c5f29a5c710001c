"""What a fresh installation must do, with nothing of the project at hand but this script.

    python smoke.py

Only what the package itself depends on may be needed: no extra, no compiler, no source.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import cattleya
from cattleya import _core


def from_the_installation() -> None:
    """The package is the one that was installed, not a folder that happens to lie here."""
    installed = Path(sysconfig.get_path("platlib"))
    for module in (cattleya, _core):
        assert installed in Path(str(module.__file__)).parents, module.__file__


def in_python() -> None:
    """A row is explained in all three vocabularies, and every answer is proved."""
    from sklearn.datasets import load_wine
    from sklearn.tree import DecisionTreeClassifier

    wine = load_wine()
    model = DecisionTreeClassifier(random_state=0).fit(wine.data, wine.target)
    for over in ("conditions", "features", "intervals"):
        e = cattleya.Explainer(model, wine.feature_names, over=over).explain(wine.data[62])
        assert e.prediction == model.predict(wine.data[62:63])[0]
        reasons = list(e.sufficient_reasons())
        assert len(reasons) == len(set(reasons)) == e.count()
        assert all(e.verify(reason) for reason in reasons)
        assert all(e.is_contrastive(contrast) for contrast in e.contrastive())
        assert len(e.minimal_reason()) == min(map(len, reasons))


def on_the_command_line() -> None:
    """The command that was installed trains, explains and writes a page."""
    import pandas as pd
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True)
    table: pd.DataFrame = iris.data.assign(species=iris.target_names[iris.target])
    table.to_csv("flowers.csv", index=False)
    _cattleya("train", "flowers.csv", "--target", "species", "--out", "flowers.skops")
    told = json.loads(
        _cattleya(
            "explain", "flowers.skops", "flowers.csv", "--row", "77", "--html", "why.html", "--json"
        )
    )
    assert told["verified"] is True
    assert told["prediction_name"] in set(iris.target_names)
    assert Path("why.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def _cattleya(*arguments: str) -> str:
    """Run the script that pip put beside the interpreter."""
    script = shutil.which("cattleya", path=str(Path(sys.executable).parent))
    assert script, "pip installed no command"
    done = subprocess.run([script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in (from_the_installation, in_python, on_the_command_line):
            check()
            print(f"ok: {check.__doc__}")
        os.chdir(Path(folder).parent)
