"""The scripts in `examples` run as a user runs them, and write what they say."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests import ROOT
from tests.checks.page import Page

EXAMPLES = ROOT / "examples"

if not EXAMPLES.is_dir():
    reason = "the examples are not there: this is not the project's folder"
    pytest.skip(reason, allow_module_level=True)

PNG = b"\x89PNG\r\n\x1a\n"


def run(script: str, *arguments: object, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def adult_like(draw: random.Random) -> dict[str, Any]:
    """A made-up person with the columns of `adult`."""
    age, years, sex = draw.randint(17, 80), draw.randint(5, 16), draw.choice(["Female", "Male"])
    score = age / 10 + years + 2 * (sex == "Male") + draw.gauss(0, 2)
    return {
        "age": age,
        "workclass": draw.choice(["Private", "State-gov", "?"]),
        "fnlwgt": draw.randint(10_000, 900_000),
        "education": draw.choice(["HS-grad", "Bachelors"]),
        "education-num": years,
        "marital-status": draw.choice(["Divorced", "Married-civ-spouse"]),
        "occupation": draw.choice(["Sales", "Tech-support", "?"]),
        "relationship": draw.choice(["Husband", "Not-in-family"]),
        "race": draw.choice(["Black", "White"]),
        "sex": sex,
        "capital-gain": draw.choice([0, 0, 0, 5000]),
        "capital-loss": 0,
        "hours-per-week": draw.choice([20, 40, 60]),
        "native-country": draw.choice(["Mexico", "United-States"]),
        "income": ">50K" if score > 17 else "<=50K",
    }


def compas_like(draw: random.Random) -> dict[str, int]:
    """A made-up person with the columns of `compas`: one origin and one age, or none of those."""
    origins = ["African_American", "Asian", "Hispanic", "Native_American", "Other"]
    origin, age = draw.choice([*origins, "Caucasian"]), draw.randint(18, 70)
    priors = draw.randint(0, 12)
    again = priors - age / 10 + 4 * (origin == "African_American") + draw.gauss(0, 1) > 2
    return {
        "Number_of_Priors": priors,
        "score_factor": draw.randint(0, 1),
        "Age_Above_FourtyFive": int(age > 45),
        "Age_Below_TwentyFive": int(age < 25),
        **{f"Origin_{name}": int(name == origin) for name in origins},
        "Female": draw.randint(0, 1),
        "Misdemeanor": draw.randint(0, 1),
        "Two_yr_Recidivism": int(again),
    }


def test_images(tmp_path: Path) -> None:
    said = run("images.py", "--row", 1, "--picture", "digit.png", cwd=tmp_path)
    assert "All reasons: " in said
    assert "Why not 0?" in said
    assert (tmp_path / "digit.png").read_bytes().startswith(PNG)


def test_credit(tmp_path: Path) -> None:
    draw = random.Random(0)
    people = pd.DataFrame([adult_like(draw) for _ in range(400)])
    people.to_csv(tmp_path / "adult.csv", index=False)
    said = run("credit.py", "adult.csv", "--row", 1, "--page", "out.html", cwd=tmp_path)
    assert "Could another race or sex have changed it?" in said
    assert " -> " in said
    assert Page((tmp_path / "out.html").read_text(encoding="utf-8")).all("h1")


def test_justice(tmp_path: Path) -> None:
    draw = random.Random(0)
    people = pd.DataFrame([compas_like(draw) for _ in range(400)])
    people.to_csv(tmp_path / "compas.csv.gz", index=False)
    said = run("justice.py", "compas.csv.gz", "--page", "out.html", cwd=tmp_path)
    assert "of 100 rows are fair: no change of Origin, Female changes their class" in said
    assert "not fair: with" in said
    assert Page((tmp_path / "out.html").read_text(encoding="utf-8")).all("h1")


@pytest.mark.parametrize("script", ["credit.py", "justice.py"])
def test_without_a_file_or_a_network(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # where nobody listens
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1
    assert "OpenML cannot be reached" in done.stderr
    assert "name a CSV file" in done.stderr
    assert "Traceback" not in done.stderr


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
