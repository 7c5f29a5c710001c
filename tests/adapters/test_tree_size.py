"""How large a tree is trained: the choice against its definition, and what overrules it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.training.size import FOLDS, SizeSearch, _pruned, search_size
from cattleya.adapters.training.table import TrainingTable
from cattleya.adapters.training.train import Growth, train_table
from cattleya.support.limits import Deadline

SETS = {
    "cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "noise": lambda: make_classification(300, 8, flip_y=0.3, n_classes=2, random_state=1),
}


def noisy(rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """A table of which two columns tell the class, with noise; and a column of texts."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(18, 80, rows),
            "pay": random.normal(size=rows).round(3),
            "job": random.choice(["clerk", "cook", "nurse", "smith"], rows),
        }
    )
    rich = (table["age"] > 45) & (table["job"] != "cook")
    table["rich"] = np.where(rich ^ (random.random(rows) < 0.2), "yes", "no")
    return table


def grown(rows: Any, classes: Any) -> Any:
    return DecisionTreeClassifier(random_state=0).fit(rows, classes)


def searched(x: Any, y: Any, seed: int = 0) -> SizeSearch:
    return search_size(x.astype(np.float32), y, grown, seed, Deadline(None), lambda _: None)


@pytest.mark.parametrize("name", SETS)
def test_the_subtrees_are_those_of_scikit_learn(name: str) -> None:
    x, y = SETS[name]()
    full = grown(x, y)
    penalties = np.array([0.0, *np.geomspace(1e-4, 0.3, 12)])
    for penalty, leaves in zip(penalties, _pruned(full.tree_, penalties), strict=True):
        pruned = DecisionTreeClassifier(random_state=0, ccp_alpha=penalty).fit(x, y)
        assert leaves.sum() == pruned.get_n_leaves()
        values = full.tree_.value[leaves, 0, :]
        theirs = pruned.tree_.value[pruned.tree_.children_left < 0, 0, :]
        assert sorted(map(tuple, values)) == sorted(map(tuple, theirs))


@pytest.mark.parametrize("name", SETS)
def test_the_accuracies_are_those_of_refitting(name: str) -> None:
    x, y = SETS[name]()
    found = searched(x, y, seed=3)
    for place in (0, len(found.penalties) // 2, found.chosen):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=3).split(x, y)
        scores = []
        for learned, tried in folds:
            penalty = found.penalties[place]
            tree = DecisionTreeClassifier(random_state=0, ccp_alpha=penalty)
            scores.append(tree.fit(x[learned], y[learned]).score(x[tried], y[tried]))
        assert found.accuracy[place] == pytest.approx(np.mean(scores))
        assert found.error[place] == pytest.approx(np.std(scores, ddof=1) / np.sqrt(FOLDS))


@pytest.mark.parametrize("name", SETS)
def test_the_choice_is_the_smallest_within_one_standard_error(name: str) -> None:
    found = searched(*SETS[name]())
    best = found.accuracy.max()
    error = found.error[found.best]
    assert found.accuracy[found.best] == best
    enough = [
        place
        for place in range(len(found.penalties))
        if found.leaves[place] > 1 and found.accuracy[place] >= best - error
    ]
    assert found.chosen == max(enough)
    assert (np.diff(found.leaves) <= 0).all()
    if found.smaller is not None:
        assert 1 < found.leaves[found.smaller] <= found.leaves[found.chosen] / 2


def test_a_tree_with_a_single_leaf_is_never_chosen() -> None:
    """The columns tell nothing: a single leaf would be the best tree, with nothing to explain."""
    random = np.random.default_rng(0)
    found = searched(random.normal(size=(200, 3)), np.arange(200) % 10 == 0)
    assert found.leaves[found.chosen] > 1
    assert found.accuracy[-1] == found.accuracy.max()
    assert found.leaves[-1] == 1


def test_the_chosen_tree_is_small_and_good() -> None:
    table, fresh = noisy(800), noisy(800, seed=1)
    chosen, full = (cattleya.train(table, "rich", size) for size in ("chosen", "full"))
    rows, classes = fresh.drop(columns="rich"), fresh["rich"]
    assert chosen[-1].get_n_leaves() * 5 < full[-1].get_n_leaves()
    assert chosen.score(rows, classes) > full.score(rows, classes)
    lengths = [
        np.median([len(e.minimal_reason()) for e in map(explainer.explain, _records(rows, 20))])
        for explainer in (cattleya.Explainer(model, over="intervals") for model in (chosen, full))
    ]
    assert lengths[0] < lengths[1]


def _records(rows: pd.DataFrame, count: int) -> list[Any]:
    return rows.head(count).to_dict("records")


def test_the_same_seed_gives_the_same_tree() -> None:
    table = noisy()
    first, again, other = (cattleya.train(table, "rich", seed=seed) for seed in (1, 1, 2))
    assert first[-1].tree_.threshold.tolist() == again[-1].tree_.threshold.tolist()
    assert first[-1].random_state == 1
    assert other[-1].random_state == 2


def test_what_overrules_the_choice() -> None:
    table = noisy()
    assert cattleya.train(table, "rich", max_depth=3)[-1].get_depth() == 3
    assert cattleya.train(table, "rich", max_leaves=5)[-1].get_n_leaves() == 5
    sizes = cattleya.train(table, "rich", min_leaf=30)[-1].tree_
    assert sizes.n_node_samples[sizes.children_left < 0].min() >= 30
    assert cattleya.train(table, "rich", "full")[-1].ccp_alpha == 0
    assert cattleya.train(table, "rich")[-1].ccp_alpha > 0


def test_python_learns_from_every_row_unless_some_are_held_out() -> None:
    table = noisy()
    assert cattleya.train(table, "rich")[-1].tree_.n_node_samples[0] == len(table)
    held = cattleya.train(table, "rich", held_out=0.25)
    assert held[-1].tree_.n_node_samples[0] == 300
    command = train_table(TrainingTable.of(table, "rich"))
    assert command.model[-1].tree_.threshold.tolist() == held[-1].tree_.threshold.tolist()


def test_few_rows_and_rare_classes() -> None:
    few = pd.DataFrame({"x": range(8), "y": ["a", "b"] * 4})
    assert train_table(TrainingTable.of(few, "y"), held_out=0).search is None
    rare = pd.DataFrame({"x": range(20), "y": ["a", "b"] * 9 + ["c", "d"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train_table(TrainingTable.of(rare, "y")).search is not None
        every = pd.DataFrame({"x": range(20), "y": [f"c{n // 2}" for n in range(20)]})
        assert train_table(TrainingTable.of(every, "y"), held_out=0).search is not None


def test_no_time_is_left() -> None:
    with pytest.raises(cattleya.TimeoutExpired, match="longer timeout"):
        cattleya.train(noisy(), "rich", timeout=1e-9)


@pytest.mark.parametrize("coding", ["ordinal", "onehot"])
@pytest.mark.parametrize("with_gaps", [False, True])
def test_a_category_that_training_has_not_seen(coding: str, with_gaps: bool) -> None:
    table = noisy()
    if with_gaps:
        table.loc[::7, "job"] = None
    model = cattleya.train(table, "rich", categories=coding)
    rows = [{"age": age, "pay": 0.0, "job": "astronaut"} for age in (20, 70)]
    for over in ("conditions", "features", "intervals"):
        explainer = cattleya.Explainer(model, over=over)
        for row in rows:
            e = explainer.explain(row)
            assert e.prediction == model.predict(pd.DataFrame([row]))[0]
            assert e.verify(e.sufficient_reason())
            assert [a for a in e.assumptions if "job is astronaut, which training has not" in a]
        assert explainer.explain(rows[0] | {"job": "cook"}).assumptions == ()
        gap = explainer.explain(rows[0] | {"job": None})
        assert bool(gap.assumptions) != with_gaps


def test_columns_that_look_like_dates_are_named() -> None:
    table = noisy(60)
    table["day"] = [f"2024-0{1 + n % 9}-1{n % 7}" for n in range(60)]
    table["us"] = [f"{1 + n % 9}/1{n % 7}/2024 10:00" for n in range(60)]
    table["code"] = [f"12-{n % 5}" for n in range(60)]
    assert TrainingTable.of(table, "rich").dates == ["day", "us"]


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_tables_of_other_libraries(kind: str) -> None:
    library = pytest.importorskip(kind)
    table = noisy()
    table.loc[3, "job"] = None
    given = library.from_pandas(table) if kind == "polars" else library.Table.from_pandas(table)
    ours = cattleya.train(given, "rich")
    assert (
        ours[-1].tree_.threshold.tolist()
        == cattleya.train(table, "rich")[-1].tree_.threshold.tolist()
    )


def test_growth_refuses_what_is_no_size() -> None:
    with pytest.raises(ValueError, match="max_leaves must be a whole number, 2 or more, not 1"):
        Growth(max_leaves=1)
    with pytest.raises(ValueError, match="max_depth must be a whole number, 1 or more, not True"):
        Growth(max_depth=True)
