"""The peers of ``benchmarks/ensembles.py``: what each is asked, under which Python, and about what.

OCEAN, XReason and RFxpl run under a Python of their own. XReason and RFxpl are research code that
is on no index of packages: they are asked where an option names the folder that they are in.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.build import ROOT

__all__ = ["BESIDE", "FOREST", "QUESTIONS", "WORKER", "Peer", "add_options", "peers_of", "trees_of"]

WORKER = ROOT / "benchmarks" / "ensemble_workers.py"
FOREST = "forest"
ALL = (FOREST, "XGBoost", "LightGBM", "HistGradientBoosting")
INSTALLED = {"PyXAI": "pyxai", "DiCE": "dice_ml"}
LONGEST_IMPORT = 120.0  # seconds
#: By peer and kind of model: what it can be asked of it.
QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "PyXAI": {
        FOREST: ("majoritary", "sufficient", "contrast"),
        "XGBoost": ("tree-specific", "contrast"),
    },
    "XReason": {"XGBoost": ("abductive",)},
    "RFxpl": {FOREST: ("abductive",)},
    "DiCE": dict.fromkeys(ALL, ("counterfactual",)),
    "OCEAN": {FOREST: ("nearest",), "XGBoost": ("nearest",)},
}
#: By question of a peer: which of ours is beside it, and how many times as long it may take until
#: it is stopped; that decides the bar, where there is one.
BESIDE: dict[str, tuple[str, float]] = {
    "PyXAI majoritary": ("quick", 300),
    "PyXAI tree-specific": ("quick", 300),
    "PyXAI sufficient": ("exact", 10),
    "PyXAI contrast": ("nearest", 20),
    "XReason abductive": ("exact", 300),
    "RFxpl abductive": ("exact", 10),
    "DiCE counterfactual": ("nearest", 20),
    "OCEAN nearest": ("nearest", 20),
}


@dataclass(frozen=True)
class Peer:
    """Where a peer runs: its Python, the folder of its code, and what it said of its versions."""

    python: str = sys.executable
    folder: Path | None = None
    versions: str = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where peers are."""
    parser.add_argument("--ocean-python", help="a Python, 3.12 or newer, with oceanpy and joblib")
    for name in ("xreason", "rfxpl"):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help="a folder that has it")
        parser.add_argument(f"--{name}-python", default=sys.executable, help="a Python for it")


def peers_of(options: argparse.Namespace) -> tuple[dict[str, Peer], dict[str, str]]:
    """Return the peers that can be asked here; and why the others are not, by name."""
    here = [name for name, module in INSTALLED.items() if importlib.util.find_spec(module)]
    peers = {name: Peer() for name in here}
    absent = {name: "it is not installed" for name in INSTALLED if name not in here}
    given = {
        "OCEAN": options.ocean_python and _peer(options.ocean_python),
        "XReason": options.xreason and _peer(options.xreason_python, options.xreason),
        "RFxpl": options.rfxpl and _peer(options.rfxpl_python, options.rfxpl),
    }
    for name, peer in given.items():
        if peer is None:
            absent[name] = (
                "it needs Python 3.12 or newer; `--ocean-python` names one that has it "
                "(`make .venv/ocean/.peers`)"
                if name == "OCEAN"
                else f"it is research code that is not on PyPI; `--{name.lower()}` names its folder"
            )
        elif isinstance(found := _tried(name, peer), Peer):
            peers[name] = found
        else:
            absent[name] = f"`{Path(peer.python).name}` cannot import it: {found}"
    return {name: peers[name] for name in QUESTIONS if name in peers}, absent


def _peer(python: str, folder: Path | None = None) -> Peer:
    """Return a peer by absolute paths: a worker has a folder of its own."""
    found = os.path.abspath(shutil.which(python) or python)  # a link into an environment stays one
    return Peer(found, folder and folder.absolute())


def _tried(name: str, peer: Peer) -> Peer | str:
    """Import a peer under its Python; return it with its versions, or what went wrong."""
    command = [peer.python, str(WORKER), "--import", name, str(peer.folder)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST_IMPORT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return Peer(peer.python, peer.folder, done.stdout.strip().splitlines()[-1])


def trees_of(fitted: Any) -> list[str]:
    """Return the trees of an XGBoost model as XReason reads them.

    XReason takes every base score for 0.5: the first tree has it in its leaves. Numbers are written
    as the single precision that the model computes with.
    """
    booster = fitted.get_booster()
    about = json.loads(booster.save_config())["learner"]["learner_model_param"]
    base = float(about["base_score"].strip("[]"))
    trees = [json.loads(tree) for tree in booster.get_dump(with_stats=True, dump_format="json")]
    for number, tree in enumerate(trees):
        _in_full(tree, 0.0 if number else float(np.log(base / (1 - base))))
    return [json.dumps(tree) for tree in trees]


def _in_full(node: dict[str, Any], more: float) -> None:
    if "children" not in node:
        node["leaf"] = float(np.float32(node["leaf"])) + more
        return
    node["split_condition"] = float(np.float32(node["split_condition"]))
    for child in node["children"]:
        _in_full(child, more)
