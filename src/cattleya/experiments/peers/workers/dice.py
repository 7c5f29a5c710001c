"""DiCE (dice-ml), its random method: one row of another class. The training data is given to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.workers.clocks import settled


def start(given: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Import DiCE; the tree is trained again, on a table with names, as DiCE wants it."""
    import dice_ml
    import pandas as pd
    from sklearn.base import clone

    x, y = given["train"]
    names = [f"f{i}" for i in range(x.shape[1])]
    table = pd.DataFrame(x, columns=names)
    model = clone(given["model"]).fit(table, y)
    data = dice_ml.Data(
        dataframe=table.assign(label=y), continuous_features=names, outcome_name="label"
    )
    explainer = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn"), method="random")
    classes = sorted(set(y.tolist()))

    def answer(row: Any) -> dict[str, Any]:
        query = pd.DataFrame([row], columns=names)
        given_class = int(model.predict(query)[0])
        other = next(label for label in classes if label != given_class)
        wanted = "opposite" if len(classes) == 2 else other  # noqa: PLR2004 - as DiCE names it
        seconds, found = settled(
            lambda: explainer.generate_counterfactuals(
                query, total_CFs=1, desired_class=wanted, verbose=False, random_seed=0
            )
        )
        rows = found.cf_examples_list[0].final_cfs_df[names]
        return {
            "seconds": {"counterfactual": seconds},
            "row": None if rows.empty else rows.iloc[0].astype(float).tolist(),
        }

    return answer


if __name__ == "__main__":
    serve(start)
