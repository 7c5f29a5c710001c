"""``python -m fuzz.ensembles``: random small ensembles, the answers against brute force.

Ensembles that are drawn, and models of every library that is installed, trained on a few numbers;
of these the library itself is asked for the class of every row. ``--data-dir DIR`` takes real data
instead: every reason is checked by 10,000 random rows inside it, and every fact of it by the row
that shows that it is needed, all given to the library.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import ensemble as library

import cattleya
from cattleya.experiments.data.registry import available, load
from cattleya.support.limits import Deadline
from tests.oracles.ensembles import MOST_TESTS, OVERS, VALUES, Oracle, case, check, check_the_rest


def _boosters() -> dict[str, Callable[[int, int], Any]]:
    found: dict[str, Callable[[int, int], Any]] = {}
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        found["XGBoost"] = lambda n, s: XGBClassifier(n_estimators=n, max_depth=2, random_state=s)
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        found["LightGBM"] = lambda n, s: LGBMClassifier(
            n_estimators=n, num_leaves=4, min_child_samples=2, random_state=s, verbose=-1
        )
    if find_spec("catboost"):
        from catboost import CatBoostClassifier

        found["CatBoost"] = lambda n, s: CatBoostClassifier(
            n, depth=2, random_seed=s, verbose=False, allow_writing_files=False, thread_count=1
        )
    return found


MODELS: dict[str, Callable[[int, int], Any]] = {
    "forest": lambda n, s: library.RandomForestClassifier(n, max_depth=3, random_state=s),
    "extra trees": lambda n, s: library.ExtraTreesClassifier(n, max_depth=3, random_state=s),
    "bagging": lambda n, s: library.BaggingClassifier(n_estimators=n, random_state=s),
    "AdaBoost": lambda n, s: library.AdaBoostClassifier(n_estimators=n, random_state=s),
    "gradient boosting": lambda n, s: library.GradientBoostingClassifier(
        n_estimators=n, max_depth=2, random_state=s
    ),
    "histogram boosting": lambda n, s: library.HistGradientBoostingClassifier(
        max_iter=n, max_leaf_nodes=4, min_samples_leaf=2, early_stopping=False, random_state=s
    ),
    **_boosters(),
}


def trained(seed: int, over: str) -> tuple[str, Oracle | None]:
    """Return a model of some library with one of its rows; none where it is too large."""
    rng = np.random.default_rng([seed, OVERS.index(over), 1])
    name = list(MODELS)[int(rng.integers(len(MODELS)))]
    n_features = int(rng.integers(2, 4))
    x = rng.choice(VALUES, (30, n_features))
    y = np.arange(30) % int(rng.choice([2, 2, 3]))
    rng.shuffle(y)
    model = MODELS[name](int(rng.integers(2, 5)), seed % 1000).fit(x, y)
    ensemble = cattleya.read_ensemble(model)
    grid = np.array(list(product(VALUES, repeat=n_features)))
    assert (ensemble.predict(grid) == np.ravel(model.predict(grid))).all()
    tests = len(np.unique(ensemble.threshold)) * n_features
    if ensemble.n_trees == 0 or (over == "conditions" and tests > MOST_TESTS):
        return name, None
    return name, Oracle(ensemble, rng.choice(VALUES, n_features).tolist(), over)


REAL = ("adult", "compas", "spambase")
INSIDE = 10_000
ROWS = 3  # of each model
TRAINED = 5_000


def real(folder: Path, seed: int) -> int:
    """Check reasons of models of every library on real data; return how many."""
    checked = 0
    rng = np.random.default_rng(seed)
    for data in (load(name, folder) for name in REAL if name in available(folder)):
        x, y = np.asarray(data.x, dtype=np.float64), np.asarray(data.y)
        some = rng.permutation(len(x))
        for name, make in MODELS.items():
            model = make(20, 0).fit(x[some[:TRAINED]], y[some[:TRAINED]])
            explainer: Any = cattleya.Explainer(model, over="intervals", missing_values=False)
            for row in x[some[-ROWS:]]:
                reasons, rows = _checked(explainer.explain(row), model, x, rng)
                checked += reasons
                print(f"{data.name}, {name}: {reasons} reasons, {rows:,} rows", flush=True)
    return checked


def _checked(e: Any, model: Any, x: Any, rng: np.random.Generator) -> tuple[int, int]:
    """Check the reasons of a row; return how many, and by how many rows."""
    own, rows = np.ravel(model.predict(e.row[None, :]))[0], 0
    assert own == e.prediction
    exact = e.sufficient_reason(timeout=60)
    reasons = [e.direct_reason(), e.quick_reason(), exact]
    for reason in reasons:
        # Values of any row, and in the cells of the thresholds; what is outside is as in the row.
        inside = x[rng.integers(len(x), size=(INSIDE, x.shape[1])), range(x.shape[1])]
        for condition in reason:
            column = inside[:, condition.index]
            column[~condition.holds_in(inside)] = e.row[condition.index]
        assert reason.covers(inside).all()
        assert (np.ravel(model.predict(inside)) == own).all()
        rows += len(inside)
    search, undecided = e._search, set(exact.undecided)
    for condition in exact:
        if condition in undecided:
            continue
        rest = [search.atoms.number(other) for other in exact if other != condition]
        cells = search._witness(search.boxes.box(rest), Deadline(60))
        assert cells is not None
        witness = _row_of(e, cells)
        assert all(other.holds_in(witness[None, :])[0] for other in exact if other != condition)
        assert np.ravel(model.predict(witness[None, :]))[0] != own
        rows += 1
    return len(reasons), rows


def _row_of(e: Any, cells: Any) -> Any:
    """Return a row that is in some cells: the row's own value, or a threshold, or above all."""
    ready, row = e._row.ready, e.row.copy()
    tests, of = ready.tests, ready.cells
    for a in np.flatnonzero(cells != e._search.boxes.cells).tolist():
        mine = np.flatnonzero(of.test_attribute == a)
        column = int(tests.feature[mine[0]])
        levels, thresholds = of.test_level[mine], tests.threshold[mine]
        above = thresholds[levels >= cells[a]]  # the least of them is the largest value inside
        row[column] = above.min() if len(above) else thresholds.max() + abs(thresholds.max()) + 1
    return row


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.ensembles", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, help="of the first ensemble; the next ones follow")
    parser.add_argument("--data-dir", type=Path, help="real data sets")
    options = parser.parse_args()
    seed = random.SystemRandom().getrandbits(30) if options.seed is None else options.seed
    if options.data_dir is not None:
        print(f"done: {real(options.data_dir, seed):,} reasons on real data, none wrong")
        return 0
    until = time.monotonic() + 60 * options.minutes
    checked: Counter[str] = Counter()
    while time.monotonic() < until:
        for over in OVERS:
            try:
                for name, oracle in (("drawn", case(seed, over)), trained(seed, over)):
                    if oracle is not None:
                        check(oracle)
                        check_the_rest(oracle, seed)
                        checked[name] += 1
            except Exception:
                print(f"WRONG: python -m fuzz.ensembles --seed {seed} (over {over})", flush=True)
                raise
        seed += 1
    print("; ".join(f"{name}: {count:,}" for name, count in checked.items()))
    print(f"done: {checked.total():,} ensembles, none wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
