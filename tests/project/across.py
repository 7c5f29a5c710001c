"""Models saved in one environment and explained in another.

    python across.py write FOLDER    trains models here; saves them with what is said of them
    python across.py read FOLDER     loads them here, where scikit-learn may be another

A model must either load and be explained exactly as where it was trained, or be refused with an
error that says so; a wrong answer is never an option. Our own JSON must always load.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from cattleya.adapters.model_files import ModelFileError, read_model, write_model

ROWS = 12
FORMATS = (".skops", ".joblib", ".json")


def people() -> tuple[pd.DataFrame, np.ndarray]:
    """A table with numbers, gaps and categories, the same everywhere."""
    draw = np.random.RandomState(0)  # whose stream no release may change
    n = 300
    age, income = draw.randint(18, 90, n).astype(float), draw.gamma(2.0, 15.0, n).round(1)
    job = np.array(["clerk", "nurse", "smith"], dtype=object)[draw.randint(0, 3, n)]
    score = age / 30 + income / 25 + (job == "nurse") + draw.normal(0, 0.4, n)
    classes = np.array(["no", "maybe", "yes"])[np.digitize(score, [2.5, 3.5])]
    income[draw.rand(n) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "income": income, "job": job}), classes


def models() -> Iterator[tuple[str, Any, pd.DataFrame]]:
    """Name every kind of model, trained, with rows as it takes them."""
    table, classes = people()
    whole, gaps = table[["age", "income"]].fillna(0.0), table[["age", "income"]]
    tree = DecisionTreeClassifier(max_depth=6, random_state=0)
    yield "tree", tree.fit(whole, classes), whole
    extra = ExtraTreeClassifier(max_depth=6, random_state=0)
    yield "extra tree", extra.fit(whole, classes), whole
    tree = DecisionTreeClassifier(max_depth=6, random_state=0)
    yield "missing values", tree.fit(gaps, classes), gaps
    for name, encoder in (("one-hot", OneHotEncoder()), ("ordinal", OrdinalEncoder())):
        numbers = make_pipeline(SimpleImputer(), StandardScaler())
        columns = make_column_transformer((numbers, ["age", "income"]), (encoder, ["job"]))
        tree = DecisionTreeClassifier(max_depth=6, random_state=0)
        yield name, make_pipeline(columns, tree).fit(table, classes), table


def told(model: Any, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Everything that must not depend on where a model is explained."""
    found = []
    for over in ("conditions", "features", "intervals"):
        explainer = cattleya.Explainer(model, over=over)
        for place in range(ROWS):
            e = explainer.explain(rows.iloc[[place]])
            assert e.verify(e.sufficient_reason())
            found.append(
                {
                    "over": over,
                    "prediction": str(e.prediction),
                    "direct": str(e.direct_reason()),
                    "sufficient": sorted(map(str, e.sufficient_reasons())),
                    "contrastive": sorted(map(str, e.contrastive())),
                    "count": str(e.count()),
                }
            )
    return found


def write(folder: Path) -> None:
    """Save every model in every format that holds it, and what is said of it here."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, rows in models():
        path = folder / name.replace(" ", "-")
        write_model(path.with_suffix(".skops"), model)
        joblib.dump(model, path.with_suffix(".joblib"))
        answers = {"sklearn": sklearn.__version__, "told": told(model, rows)}
        if not hasattr(model, "steps"):
            tree = cattleya.Explainer(model).tree
            path.with_suffix(".json").write_text(tree.to_json())
            answers["told of the tree"] = told(tree, rows)
        path.with_suffix(".answers").write_text(json.dumps(answers))


def read(folder: Path) -> list[str]:
    """Explain every model again; return a line for each file."""
    lines = []
    for name, _, rows in models():
        path = folder / name.replace(" ", "-")
        answers = json.loads(path.with_suffix(".answers").read_text())
        for ending in FORMATS:
            file = path.with_suffix(ending)
            if not file.exists():
                continue
            journey = f"{name}{ending}, scikit-learn {answers['sklearn']} -> {sklearn.__version__}"
            try:
                with warnings.catch_warnings(record=True) as heard:
                    warnings.simplefilter("always")
                    model = read_model(file, trust=ending == ".joblib")
                    now = told(model, rows)
            except ModelFileError as refusal:
                if ending == ".json":
                    raise
                lines.append(f"refused    {journey}: {refusal}")
                continue
            except ValueError as error:  # loaded, but scikit-learn itself cannot use it
                try:
                    model.predict(rows)
                except AttributeError:
                    lines.append(f"refused    {journey}: {error}")
                    continue
                raise
            assert now == answers["told of the tree" if ending == ".json" else "told"], journey
            words = f" ({', '.join(sorted({w.category.__name__ for w in heard}))})" if heard else ""
            lines.append(f"the same   {journey}{words}")
    return lines


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]))
    else:
        print(*read(Path(sys.argv[2])), sep="\n")
