"""``python benchmarks/short_peers.py FILE``: alibi's anchors, or z3's smallest sets, timed.

Runs by itself, so that it may have a Python of its own (``pip install alibi z3-solver joblib``):
the file (joblib) says which, and has the model or the tree, the rows and the wanted precisions. One
line of JSON is printed for each answer; whoever reads them may stop it at any time.
"""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any

import joblib
import numpy as np

QUARTILES = (25, 50, 75)


def anchors(given: dict[str, Any]) -> None:
    """Ask alibi's AnchorTabular about every row, with one seed after the other."""
    from alibi.explainers import AnchorTabular  # type: ignore[import-not-found]  # a peer's own

    table, model = given["table"], given["model"]
    names = [f"f{i}" for i in range(table.shape[1])]
    cuts = [np.percentile(table[:, i], QUARTILES) for i in range(table.shape[1])]
    for seed, rows in given["rows_of_seed"]:
        explainer = AnchorTabular(model.predict, names, seed=seed)
        explainer.fit(table, disc_perc=QUARTILES)
        for number in rows:
            for precision in given["precisions"]:
                begin = time.process_time()
                found = explainer.explain(given["rows"][number], threshold=precision)
                told = {
                    "seed": seed,
                    "precision": precision,
                    "row": number,
                    "cpu": time.process_time() - begin,
                    "claimed": float(found.precision),
                    "facts": [bounds(text, cuts) for text in found.anchor],
                }
                print("answer " + json.dumps(told), flush=True)


def bounds(text: str, cuts: list[Any]) -> tuple[int, float | None, float | None]:
    """Return a fact as its feature and its bounds: above, and up to; it is printed rounded."""
    feature = int(re.search(r"f(\d+)", text).group(1))  # type: ignore[union-attr]  # has one

    def nearest(number: str) -> float:
        return float(min(cuts[feature], key=lambda cut: abs(cut - float(number))))

    number = r"(-?\d+\.?\d*)"
    above = re.search(rf"{number} < f", text) or re.search(rf"f\d+ > {number}", text)
    up_to = re.search(rf"f\d+ <= {number}", text)
    return feature, above and nearest(above.group(1)), up_to and nearest(up_to.group(1))


def smallest(given: dict[str, Any]) -> None:
    """Ask z3 for the fewest features that keep the row's class likely, all values as likely."""
    import z3  # type: ignore[import-not-found]  # a peer's own

    for number, tree in enumerate(given["trees"]):
        begin = time.process_time()
        fixed = [z3.Bool(f"z{i}") for i in range(given["n_features"])]
        below: dict[int, Any] = {}
        for node in reversed(range(len(tree["left"]))):  # children have larger numbers
            left, right = tree["left"][node], tree["right"][node]
            if left < 0:
                below[node] = z3.RealVal(tree["wrong"][node])
                continue
            up, of = tree["chance"][node]
            own = below[left] if tree["row_left"][node] else below[right]
            mean = (below[left] * up + below[right] * (of - up)) / of
            value = z3.Real(f"e{node}")
            below[node] = value
            solver_line = value == z3.If(fixed[tree["feature"][node]], own, mean)
            tree.setdefault("lines", []).append(solver_line)
        solver = z3.Optimize()
        solver.set("timeout", int(1000 * given["limit"]))
        solver.add(*tree.get("lines", []), below[0] <= z3.RealVal(given["error"]))
        size = z3.Sum([z3.If(one, 1, 0) for one in fixed])
        solver.minimize(size)
        done = solver.check() == z3.sat
        found = solver.model().eval(size).as_long() if done else None
        told = {"row": number, "cpu": time.process_time() - begin, "size": found}
        print("answer " + json.dumps(told), flush=True)


def main() -> None:
    """Answer."""
    given = joblib.load(sys.argv[1])
    {"anchors": anchors, "smallest": smallest}[given["ask"]](given)


if __name__ == "__main__":
    main()
