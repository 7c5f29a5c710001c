"""DiCE in a process of its own: `python dice_worker.py CASE RESULT`.

CASE is a pickle of a fitted scikit-learn tree, the table that it was grown on with its labels, a
list of rows, how many counterfactuals to give, and DiCE's method. RESULT gets a JSON list, one
entry a row, written anew after each row: the seconds, and the counterfactuals as rows of numbers,
or the error.
"""

from __future__ import annotations

import copy
import pickle
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from apart import write_result


def main(case: Path, result: Path) -> None:
    """Ask DiCE for counterfactuals of each row."""
    import dice_ml

    warnings.simplefilter("ignore")
    model, table, labels, rows, count, method = pickle.loads(case.read_bytes())
    columns = [f"x{i}" for i in range(table.shape[1])]
    named = copy.copy(model)  # DiCE hands it frames: the same tree, which then knows the names
    named.feature_names_in_ = np.array(columns, dtype=object)
    frame = pd.DataFrame(table, columns=columns)
    data = dice_ml.Data(
        dataframe=frame.assign(y=labels), continuous_features=columns, outcome_name="y"
    )
    explainer = dice_ml.Dice(data, dice_ml.Model(model=named, backend="sklearn"), method=method)
    seed: dict[str, Any] = {"random_seed": 0} if method == "random" else {}
    entries: list[dict[str, Any]] = []
    for row in rows:
        query = pd.DataFrame([row], columns=columns)
        entry: dict[str, Any] = {"rows": []}
        start = time.perf_counter_ns()
        try:
            found = explainer.generate_counterfactuals(
                query, total_CFs=count, desired_class="opposite", verbose=False, **seed
            )
        except Exception as error:  # where it finds none, it raises its own
            entry["error"] = f"{type(error).__name__}: {error}"
        else:
            given = found.cf_examples_list[0].final_cfs_df
            if given is not None:
                entry["rows"] = given[columns].astype(float).to_numpy().tolist()
        entry["seconds"] = (time.perf_counter_ns() - start) / 1e9
        entries.append(entry)
        write_result(result, entries)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
