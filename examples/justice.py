"""Justice: whether a tree that predicts re-offending looks at who somebody is.

    python examples/justice.py compas.csv --page justice.html

The data are the COMPAS table, all numbers: a CSV file (also .gz) whose last column is 1 for those
who re-offended within two years. Without one it is fetched from OpenML.
"""

from __future__ import annotations

import argparse
import sys

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya

# Categories that are written in columns of 0 and 1, with what it means where all of them are 0.
CATEGORIES = {"Origin": "Caucasian", "Age": "From25To45", "race": "Other"}
WHO_SOMEBODY_IS = ("Origin", "Female", "race", "sex")


def load(path: str | None) -> pd.DataFrame:
    """Return the table, its label last."""
    if path is not None:
        return pd.read_csv(path)
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml("compas-two-years", as_frame=True)
    except OSError as error:
        sys.exit(f"OpenML cannot be reached ({error}); name a CSV file of COMPAS instead")
    table: pd.DataFrame = found.data.assign(again=found.target)
    return table


def joined(columns: pd.DataFrame) -> pd.DataFrame:
    """Return each category as one column: nobody has two origins, and explanations know that."""
    for name, otherwise in CATEGORIES.items():
        group = columns.filter(regex=f"^{name}[_=]")
        if len(group.columns):
            value = group.idxmax(axis=1).str[len(name) + 1 :]
            columns = columns.drop(columns=group).assign(
                **{name: value.where(group.any(axis=1), otherwise)}
            )
    return columns


def main() -> None:
    """Train, ask how many decisions depend on protected columns, and explain one that does."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("csv", nargs="?", help="the table; by default from OpenML")
    parser.add_argument("--page", default="justice.html", help="where to write the page")
    options = parser.parse_args()

    table = load(options.csv).astype(float)
    columns, label = joined(table.iloc[:, :-1]), table.iloc[:, -1].astype(int)
    kept, tried, kept_label, tried_label = train_test_split(columns, label, random_state=0)
    texts = columns.select_dtypes(exclude="number").columns
    known = [sorted(columns[name].unique()) for name in texts]
    one_hot = OneHotEncoder(categories=known, sparse_output=False)
    model = make_pipeline(
        ColumnTransformer([("text", one_hot, texts)], remainder="passthrough"),
        DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
    ).fit(kept, kept_label)
    print(f"A tree that is right on {model.score(tried, tried_label):.1%} of {len(tried)} people.")

    explainer = cattleya.Explainer(
        model, class_names=["will not", "will re-offend"], over="intervals", integer=True
    )
    protected = [name for name in WHO_SOMEBODY_IS if name in columns]
    fairness = explainer.is_fair(tried, protected)
    print(f"{fairness}.")

    if len(fairness.rows):
        print("\nSomebody whose class depends on them:")
        person = tried.iloc[[fairness.rows[0]]]
    else:
        print("\nOne of them:")
        person = tried.iloc[[0]]
    e = explainer.explain(person)
    print(person.iloc[0].to_string(), f"\n\n{e}\n\n{e.is_fair(protected)}")
    if not e.is_free_of(protected):
        print(f"Every sufficient reason mentions {' or '.join(protected)}.")
    e.to_html(options.page)
    print(f"All of this as a page: {options.page}")


if __name__ == "__main__":
    main()
