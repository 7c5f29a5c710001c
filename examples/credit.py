"""Credit: why a tree takes somebody for a low earner, and what would change that.

    python examples/credit.py adult.csv --row 3 --page credit.html

The data are the census table `adult`: a CSV file (also .gz) whose last column is the income.
Without one it is fetched from OpenML.
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

PROTECTED = ["race", "sex"]
UNCHANGEABLE = ["age", "native-country", *PROTECTED]


def load(path: str | None) -> pd.DataFrame:
    """Return the table, its label last."""
    if path is not None:
        return pd.read_csv(path, skipinitialspace=True)
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml("adult", version=2, as_frame=True)
    except OSError as error:
        sys.exit(f"OpenML cannot be reached ({error}); name a CSV file of `adult` instead")
    table: pd.DataFrame = found.data.assign(income=found.target)
    return table


def main() -> None:
    """Train, explain one row that the tree has not seen, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("csv", nargs="?", help="the table; by default from OpenML")
    parser.add_argument("--row", type=int, default=0, help="which of the rows kept for the trial")
    parser.add_argument("--page", default="credit.html", help="where to write the page")
    options = parser.parse_args()

    table = load(options.csv)
    # A weight of the survey, and the education once more in words: nothing about a person.
    columns = table.iloc[:, :-1].drop(columns=["fnlwgt", "education"])
    texts = columns.select_dtypes(exclude="number").columns
    columns[texts] = columns[texts].astype(object).fillna("?")  # as the file has it
    kept, tried, kept_label, tried_label = train_test_split(
        columns, table.iloc[:, -1].astype(str), random_state=0
    )
    # The values of all rows: some countries are in the rows kept for the trial only.
    known = [sorted(columns[name].unique()) for name in texts]
    one_hot = OneHotEncoder(categories=known, sparse_output=False)
    model = make_pipeline(
        ColumnTransformer([("text", one_hot, texts)], remainder="passthrough"),
        DecisionTreeClassifier(min_samples_leaf=20, random_state=0),
    ).fit(kept, kept_label)
    print(f"A tree that is right on {model.score(tried, tried_label):.1%} of {len(tried)} people.")

    if not 0 <= options.row < len(tried):
        parser.error(f"--row must be 0 to {len(tried) - 1}, not {options.row}")
    person = tried.iloc[[options.row]]
    print(person.iloc[0].to_string(), "\n")
    explainer = cattleya.Explainer(model, over="intervals", integer=True)
    e = explainer.explain(person)
    print(e)
    print("\nThe smallest changes, of what a person can change, that give the other class:")
    try:
        for other in e.counterfactuals(3, immutable=UNCHANGEABLE, data=kept):
            print(f"  {other}")
    except cattleya.NoSuchCounterfactual as error:
        print(f"  {error}")
    print(f"\nCould another race or sex have changed it? {e.is_fair(PROTECTED)}.")
    e.to_html(options.page)
    print(f"All of this as a page: {options.page}")


if __name__ == "__main__":
    main()
