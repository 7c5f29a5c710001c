"""The three vocabularies beside each other: `python benchmarks/vocabularies.py`.

One sufficient reason and all contrastive explanations of a row, through the public API, over the
tree's conditions, over features and over intervals: the same tree, the same rows, in one run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cases import data_directory, load_case
from report import at_most, machine, microseconds, table, write
from timing import ROUNDS, Row, time_rows

import cattleya

VOCABULARIES = ("conditions", "features", "intervals")


def main() -> None:
    """Time each vocabulary on the same rows; print the report and write it to a file."""
    parser = argparse.ArgumentParser(description="Time the three vocabularies.")
    out = Path(__file__).resolve().parent / "results" / "vocabularies.md"
    parser.add_argument("--data", type=Path, help="folder of data (else $CATTLEYA_DATA)")
    parser.add_argument("--rows", type=int, default=200, help="rows (default: 200)")
    parser.add_argument("--out", type=Path, default=out, help="file for the report")
    arguments = parser.parse_args()
    case = load_case("adult", data_directory(arguments.data), arguments.rows)
    explainers = {over: cattleya.Explainer(case.model, over=over) for over in VOCABULARIES}

    def ask(explainer: cattleya.Explainer, row: Row) -> None:
        e = explainer.explain(row)
        e.sufficient_reason()
        e.contrastive()

    calls = {over: lambda row, x=explainer: ask(x, row) for over, explainer in explainers.items()}
    timings = time_rows(calls, case.rows)
    paper = timings["conditions"].median
    rows = []
    for over, timing in timings.items():
        cost = timing.median / paper
        bar = at_most(cost, 1) if over == "features" else ["-", "-"]
        rows.append([f'over="{over}"', microseconds(timing.median), f"{cost:.2f} times", *bar])
    text = "\n\n".join(
        [
            "# A reason and all contrasts, over each vocabulary",
            machine(),
            f"{case.origin}; a tree of {case.model.tree_.node_count:,} nodes; {len(case.rows)} "
            f"held-out rows, {ROUNDS} rounds.",
            table(["one row", "median µs", "against conditions", "bar", ""], rows),
        ]
    )
    write(arguments.out, text + "\n")
    print(text)


if __name__ == "__main__":
    main()
