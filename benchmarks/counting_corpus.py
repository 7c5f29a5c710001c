"""The rows that are hardest to count: `python -m benchmarks.counting_corpus --data DIR`.

Over conditions, 60 rows of the paper's table (seed 0, ten folds): those known to take longest, and
of four data sets some of those with the most clauses. Over intervals or
features, the first 100 rows of four data sets. For each row: clauses, CPU seconds of every
question, the count; at the end the sums. `--clauses FILE` writes the clauses as JSON, for those who
count them in another way.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import cattleya
from cattleya.experiments.data.protocol import Fold, folds
from cattleya.experiments.data.registry import load
from cattleya.experiments.peers.asking import clauses_of

#: Rows by data set and fold (from 0 on).
HARDEST: dict[str, dict[int, tuple[int, ...]]] = {
    "lending_loan": {
        0: (14232, 19734, 28920, 29323),
        1: (7520, 26253, 31080, 32634, 34257),
        2: (3678, 3935, 11599, 12633, 16850, 20705, 27308),
        3: (39215,),
        6: (18595, 20256, 36143, 36843),
        7: (1689, 10248, 32520, 33946, 34655, 38564),
        8: (7839, 23712, 24687, 25749, 28389, 32513, 32539, 35852),
        9: (7600,),
    },
    "bank": {
        1: (25492,),
        2: (1219, 24674),
        5: (24860,),
        6: (13492, 18123),
        8: (1148, 3303, 6300, 8845, 9655, 13101, 17198, 27421),
    },
    "adult": {
        2: (15897, 30513),
        3: (1283,),
        4: (36855,),
        7: (11573,),
        9: (3764, 32847),
    },
    "bank_marketing": {
        4: (15862,),
        8: (12741, 35254),
    },
}
SHOWN = ("adult", "bank_marketing", "spambase", "compas")
QUESTIONS: dict[str, Callable[[cattleya.Explanation, float], object]] = {
    "count": lambda e, limit: e.count(timeout=limit),
    "importance": lambda e, limit: e.importance(timeout=limit),
    "sizes": lambda e, limit: e.count_by_size(timeout=limit),
    "sample": lambda e, limit: e.sample(100, seed=0, timeout=limit),
}


def main() -> None:
    """Ask about every row, and print what it took."""
    arguments = _arguments()
    sums = dict.fromkeys(arguments.questions, 0.0)
    slowest = dict.fromkeys(arguments.questions, 0.0)
    unfinished = dict.fromkeys(arguments.questions, 0)
    clauses: dict[str, list[list[int]]] = {}
    for case, explainer, number in _cases(arguments.over, arguments.data):
        row = case.data.dense_row(number)
        told = f"{case.data.name} {case.number} {number}"
        contrasts = explainer.explain(row).contrastive()
        if arguments.clauses is not None:
            clauses[told], _ = clauses_of(explainer.explain(row))
        cells = [told, f"{len(contrasts)} clauses"]
        for question in arguments.questions:
            e = explainer.explain(row)  # a new one: it remembers nothing of other questions
            e.contrastive()
            begin = time.process_time()
            try:
                answer: Any = QUESTIONS[question](e, arguments.timeout)
                seconds, note = time.process_time() - begin, ""
            except (cattleya.TimeoutExpired, cattleya.MemoryLimitExceeded) as error:
                answer, seconds = None, time.process_time() - begin
                note = f" ({type(error).__name__})"
                unfinished[question] += 1
            sums[question] += seconds
            slowest[question] = max(slowest[question], seconds)
            cells += [f"{question} {seconds:.3f} s{note}"]
            cells += [str(answer)] if question == "count" else []
        print("; ".join(cells), flush=True)
    for question, seconds in sums.items():
        print(
            f"{question}: {seconds:.1f} s of CPU together, {slowest[question]:.1f} s at most, "
            f"{unfinished[question]} unfinished"
        )
    if arguments.clauses is not None:
        arguments.clauses.write_text(json.dumps(clauses), encoding="utf-8")


def _cases(over: str, folder: Path) -> Iterator[tuple[Fold, cattleya.Explainer, int]]:
    for name in HARDEST if over == "conditions" else SHOWN:
        cases = folds(load(name, folder), 10, 100, seed=0)
        of_fold = HARDEST[name] if over == "conditions" else None
        for case in islice(cases, 1 if of_fold is None else max(of_fold) + 1):
            numbers = case.drawn if of_fold is None else of_fold.get(case.number, ())
            if numbers:
                explainer = cattleya.Explainer(case.model, over=over)
                yield from ((case, explainer, number) for number in numbers)
                case.forget()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.counting_corpus", description=__doc__
    )
    named = os.environ.get("CATTLEYA_DATA")
    parser.add_argument("--data", type=Path, default=named, help="default: $CATTLEYA_DATA")
    parser.add_argument("--over", default="conditions", help="or intervals, or features")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a question")
    parser.add_argument(
        "--questions",
        type=lambda text: text.split(","),
        default=["count"],
        help=f"of {','.join(QUESTIONS)}",
    )
    parser.add_argument("--clauses", type=Path, help="write them to this file")
    arguments = parser.parse_args()
    if arguments.data is None or not arguments.data.is_dir():
        parser.error("give the folder of the data sets with --data, or in CATTLEYA_DATA")
    if unknown := set(arguments.questions) - set(QUESTIONS):
        parser.error(f"there is no question {min(unknown)!r}; there are {', '.join(QUESTIONS)}")
    return arguments


if __name__ == "__main__":
    main()
