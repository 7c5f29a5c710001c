"""Commands that explain a probability or a number: what they print is compared with the model.

An outcome is compared with ``predict`` and ``predict_proba``, and a reason with what the model says
of one row in each cell of its thresholds.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.checks.command import answer, fails, succeeds
from tests.checks.page import Page

ROWS = 12


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame, dict[str, Any]]:
    """Flats, their prices, and whether they were sold; and a model of two numbers at once."""
    folder = tmp_path_factory.mktemp("flats")
    random = np.random.default_rng(0)
    flats = pd.DataFrame(
        {"rooms": random.integers(1, 7, 120), "size": random.integers(20, 150, 120)}
    )
    price = flats["size"] * 2000.0 + flats["rooms"] * 5000.0
    sold = np.where(price + random.normal(0, 60_000, 120) > 180_000, "yes", "no")
    both = np.column_stack((price, flats["rooms"] * 1.5))
    regressor = DecisionTreeRegressor(max_depth=4, random_state=0)
    made: dict[str, Any] = {
        "price": regressor.fit(flats, price),
        "both": DecisionTreeRegressor(max_depth=4, random_state=0).fit(flats, both),
        "sold": DecisionTreeClassifier(max_depth=4, random_state=0).fit(flats, sold),
    }
    for name, model in made.items():
        skops.io.dump(model, folder / f"{name}.skops")
    flats.head(ROWS).to_csv(folder / "flats.csv", index=False)
    return folder, flats.head(ROWS), made


def _numbers(model: Any, name: str, rows: pd.DataFrame) -> Any:
    if name == "sold":
        return model.predict_proba(rows)[:, 1]
    predicted = model.predict(rows)
    return predicted[:, 1] if name == "both" else predicted


CASES: dict[str, tuple[str, tuple[Any, ...], Any, str, str]] = {
    # model, options, test of the number (and of the row's own), outcome inside, outcome outside
    "at least": (
        "price", ("--value", "--at-least", 150_000), lambda n, own: n >= 150_000,
        "at least 150,000", "below 150,000",
    ),
    "below": (
        "price", ("--below", 150_000), lambda n, own: n < 150_000,
        "below 150,000", "at least 150,000",
    ),
    "between": (
        "price", ("--between", 100_000, 200_000), lambda n, own: (n >= 100_000) & (n <= 200_000),
        "at least 100,000 and at most 200,000", "below 100,000 or above 200,000",
    ),
    "within": (
        "price", ("--value", "--within", 20_000), lambda n, own: np.abs(n - own) <= 20_000,
        "within 20,000 of", "more than 20,000 from",
    ),
    "an output": (
        "both", ("--at-least", 5, "--output", 1), lambda n, own: n >= 5, "at least 5", "below 5",
    ),
    "probability at least": (
        "sold", ("--probability", "yes", "--at-least", 0.25), lambda n, own: n >= 0.25,
        "probability of yes at least 0.25", "probability of yes below 0.25",
    ),
    "probability below": (
        "sold", ("--probability", "yes", "--below", 0.25), lambda n, own: n < 0.25,
        "probability of yes below 0.25", "probability of yes at least 0.25",
    ),
}  # fmt: skip  # a table


def _rows_with(model: Any, row: pd.DataFrame, kept: set[str]) -> pd.DataFrame:
    """A row as it is in some features, and in every cell of the thresholds in all others."""
    tree, values = model.tree_, []
    for feature, name in enumerate(row):
        cuts = np.floor(np.unique(tree.threshold[tree.feature == feature]))
        every = [*cuts, 1000.0]
        values.append(row[name].tolist() if name in kept else every)
    return pd.DataFrame(product(*values), columns=list(row))


@pytest.mark.parametrize("case", CASES)
def test_what_is_explained_is_what_the_model_says(case: str, models: Any) -> None:
    folder, flats, made = models
    name, options, inside, yes, no = CASES[case]
    own = _numbers(made[name], name, flats)
    outcomes = set()
    for row in range(0, ROWS, 3):
        given = (f"{name}.skops", "flats.csv", "--row", row, *options, "--over", "features")
        told = answer("explain", *given, cwd=folder)
        is_inside = bool(inside(own[row], own[row]))
        outcomes.add(is_inside)
        assert told["outcome"].startswith(yes if is_inside else no)
        predicted = made[name].predict(flats)[row]
        assert told["prediction"] == (predicted[1] if name == "both" else predicted)
        assert told["verified"]

        def forced(kept: set[str], row: int = row, is_inside: bool = is_inside) -> bool:
            rows = _rows_with(made[name], flats.iloc[[row]], kept)
            numbers = _numbers(made[name], name, rows)
            return bool((inside(numbers, own[row]) == is_inside).all())

        for kind in ("direct_reason", "sufficient_reason", "minimal_reason"):
            assert forced({one["feature"] for one in told[kind]})
        reason = {one["feature"] for one in told["sufficient_reason"]}
        assert not any(forced(reason - {one}) for one in reason)
        (nearest,) = told["counterfactuals"]
        changed = flats.iloc[[row]].assign(
            **{one["feature"]: one["after"] for one in nearest["changes"]}
        )
        assert bool(inside(_numbers(made[name], name, changed)[0], own[row])) != is_inside
    assert case == "within" or len(outcomes) == 2


@pytest.mark.parametrize("case", CASES)
def test_words_and_a_page(case: str, models: Any, tmp_path: Path) -> None:
    folder, flats, made = models
    name, options, inside, yes, no = CASES[case]
    own = _numbers(made[name], name, flats)[0]
    words = yes if inside(own, own) else no
    page = tmp_path / "page.html"
    given = (f"{name}.skops", "flats.csv", "--row", 0, *options, "--html", page)
    shown = " ".join(succeeds("explain", *given, cwd=folder).split())
    assert f"Decision about row 0: {words}" in shown
    assert f"Why {words}" in shown
    written = " ".join(element.text for element in Page(page.read_text(encoding="utf-8")).elements)
    assert words in " ".join(written.split())


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("case", CASES)
def test_many_rows_and_their_proof(case: str, form: str, models: Any, tmp_path: Path) -> None:
    folder, flats, made = models
    name, options, inside, yes, no = CASES[case]
    out, model = tmp_path / f"result.{form}", f"{name}.skops"
    want = ("--want", "sufficient,minimal,contrastive,count,importance")
    succeeds("batch", model, "flats.csv", *options, *want, "--out", out, cwd=folder)
    result = pd.read_csv(out) if form == "csv" else pd.read_parquet(out)
    own = _numbers(made[name], name, flats)
    for told, number in zip(result["outcome"], own, strict=True):
        assert told.startswith(yes if inside(number, number) else no)
    assert (result["status"] == "ok").all()
    named = ("--model", model, "--data", "flats.csv")
    proved = succeeds("verify", out, *named, cwd=folder)  # the file says what it is about
    assert f"Proved: all {ROWS} rows" in proved
    assert "What was explained: " in proved
    assert answer("verify", out, *named, *options, cwd=folder)["proved"] == ROWS
    # The result is no proof of anything else.
    other = ("--probability", "yes", "--below", 0.9) if name == "sold" else ("--below", 12.5)
    refuted = fails(6, "verify", out, *named, *other, cwd=folder)
    assert "REFUTED: the result explains " in refuted


def test_an_answer_that_is_changed_is_refuted(models: Any, tmp_path: Path) -> None:
    folder, _, _ = models
    out = tmp_path / "result.csv"
    given = ("price.skops", "flats.csv", "--at-least", 150_000)
    succeeds("batch", *given, "--want", "sufficient", "--out", out, cwd=folder)
    text = out.read_text()
    wrong = text.replace("at least 150,000", "below 150,000", 1)
    assert wrong != text
    out.write_text(wrong)
    named = ("--model", "price.skops", "--data", "flats.csv")
    assert "REFUTED" in fails(6, "verify", out, *named, cwd=folder)


@pytest.mark.parametrize("case", CASES)
def test_a_report(case: str, models: Any, tmp_path: Path) -> None:
    folder, flats, made = models
    name, options, inside, yes, no = CASES[case]
    page = tmp_path / "report.html"
    given = (f"{name}.skops", "flats.csv", *options, "--html", page)
    shown = " ".join(succeeds("report", *given, cwd=folder).split())
    assert "What is explained: " in shown
    own = _numbers(made[name], name, flats)
    if case != "within":
        count = int(inside(own, own).sum())
        assert f"{yes} {count} (" in shown
        assert f"{no} {ROWS - count} (" in shown
    assert yes in " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("case", CASES)
def test_the_leaves_of_each_outcome(case: str, models: Any) -> None:
    folder, _, made = models
    name, options, inside, yes, no = CASES[case]
    told = answer("tree", f"{name}.skops", *options, cwd=folder)
    if case == "within":
        assert told["outcomes"] is None  # another range for each row
        return
    tree = made[name].tree_
    leaf = tree.children_left < 0
    numbers = tree.value[leaf, 1 if name == "both" else 0, 1 if name == "sold" else 0]
    count = int(inside(numbers, numbers).sum())
    assert {one["outcome"]: one["leaves"] for one in told["outcomes"]} == {
        yes: count,
        no: int(leaf.sum()) - count,
    }


def test_json_of_a_target_can_be_read_again(models: Any) -> None:
    folder, _, _ = models
    given = ("price.skops", "flats.csv", "--row", 0, "--between", 1, 2)
    told = answer("explain", *given, cwd=folder)
    assert json.loads(json.dumps(told["target"])) == {"value": True, "between": [1.0, 2.0]}


def test_an_outcome_that_every_row_has(models: Any) -> None:
    folder, _, _ = models
    shown = succeeds("explain", "price.skops", "flats.csv", "--row", 0, "--at-least", 1, cwd=folder)
    assert "at least 1" in shown
    told = answer("explain", "price.skops", "flats.csv", "--row", 0, "--at-least", 1, cwd=folder)
    assert told["sufficient_reason"] == []
    assert told["counterfactuals"] == []
