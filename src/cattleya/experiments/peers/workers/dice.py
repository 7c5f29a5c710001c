"""DiCE (dice-ml): rows of another class; one by its random method, unless more is said.

The training data is given to it beforehand. Where it finds no row, it raises an error of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.workers.clocks import settled


def start(given: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Import DiCE; the tree is trained again, on a table with names, as DiCE wants it."""
    import dice_ml
    import pandas as pd
    from raiutils.exceptions import UserConfigValidationException
    from sklearn.base import clone

    x, y = given["train"]
    names = [f"f{i}" for i in range(x.shape[1])]
    table = pd.DataFrame(x, columns=names)
    model = clone(given["model"]).fit(table, y)
    data = dice_ml.Data(
        dataframe=table.assign(label=y), continuous_features=names, outcome_name="label"
    )
    method = given.get("method", "random")
    explainer = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn"), method=method)
    # Only the random method takes a seed.
    options = {"random_seed": 0} if method == "random" else {}
    options["total_CFs"] = given.get("number", 1)
    classes = sorted(set(y.tolist()))

    def answer(row: Any) -> dict[str, Any]:
        query = pd.DataFrame([row], columns=names)
        given_class = int(model.predict(query)[0])
        other = next(label for label in classes if label != given_class)
        wanted = "opposite" if len(classes) == 2 else other  # noqa: PLR2004 - as DiCE names it

        def ask() -> Any:
            try:
                found = explainer.generate_counterfactuals(
                    query, desired_class=wanted, verbose=False, **options
                )
            except UserConfigValidationException as error:
                if "No counterfactuals found" not in str(error):
                    raise
                return None
            return found.cf_examples_list[0].final_cfs_df

        seconds, found = settled(ask)
        rows = [] if found is None else found[names].astype(float).to_numpy().tolist()
        return {"seconds": {"counterfactual": seconds}, "rows": rows}

    return answer


if __name__ == "__main__":
    serve(start)
