"""``python -m fuzz``: random small trees, every question, every answer against brute force."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable
from itertools import count
from multiprocessing import Queue
from pathlib import Path
from typing import Any

import cattleya
from fuzz.answers import ANSWERS
from fuzz.drawing import draw
from fuzz.questions import LONG, SHORT, Asked, Question
from fuzz.short import short_reason, weighed_reason
from fuzz.targets import KINDS, targeted
from fuzz.vocabularies import Truth
from fuzz.what_if import WHAT_IF

#: The paper's conditions three times out of four.
VOCABULARIES = (*("conditions",) * 6, "features", "intervals")
#: Classes every other time.
TARGETS = (*("class",) * (len(KINDS) - 1), *KINDS[1:])
IN_TURN = (*LONG, *WHAT_IF, *ANSWERS, short_reason, weighed_reason)
BATCH = 500  # trees between two reports
SECONDS_BETWEEN_WORDS = 30


def check(
    seed: int,
    folder: Path,
    everything: bool = False,
    kind: str | None = None,
    over: str | None = None,
) -> Counter[str]:
    """Ask about the tree of a seed, in one vocabulary; return what was asked how often.

    All of the short questions, and of the long ones one, or all, in any order. What is explained
    (``kind``) is mostly the class, and else something about the numbers of the leaves.
    """
    drawn = draw(seed)
    truth, rng = Truth(drawn), random.Random(~seed)
    over = over or VOCABULARIES[seed % len(VOCABULARIES)]
    own = targeted(drawn, kind or random.Random(seed).choice(TARGETS), seed)
    explainer = cattleya.Explainer(own.tree, over=over, target=own.target)
    e = explainer.explain(drawn.row)
    asked = Asked(explainer, e, truth, truth.atoms(over), rng, folder, own.predictions)
    long = IN_TURN if everything else [rng.choice(IN_TURN)]
    questions: list[Question] = [*SHORT, *long]
    rng.shuffle(questions)
    if everything:  # once more, when all is known
        questions.append(rng.choice(SHORT))
    for question in questions:
        question(asked)
    return Counter(question.__name__ for question in questions)


def work(
    seeds: Iterable[int], until: float, everything: bool, report: Queue[tuple[str, Any]]
) -> None:
    """Check trees until there are no more, the time is over, or one is wrong."""
    asked: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            try:
                asked += check(seed, Path(folder), everything)
            except Exception:
                report.put(("wrong", (seed, traceback.format_exc())))
                return
            asked["trees"] += 1
            if asked["trees"] == BATCH:
                report.put(("right", asked))
                asked = Counter()
            if time.monotonic() > until:
                break
    report.put(("right", asked))
    report.put(("done", None))


def follow(report: Queue[tuple[str, Any]], running: int) -> int:
    """Print what the processes tell, until all are done or one found something wrong."""
    begun, told, asked = time.monotonic(), 0.0, Counter[str]()
    while running:
        word, more = report.get()
        if word == "wrong":
            print("WRONG: seed {}\n{}".format(*more), flush=True)
            return 1
        if word == "done":
            running -= 1
            continue
        asked += more
        seconds = time.monotonic() - begun
        if seconds - told > SECONDS_BETWEEN_WORDS:
            told = seconds
            print(f"{asked['trees']:,} trees, {seconds:,.0f} s", flush=True)
    print(f"done: {asked['trees']:,} trees, {time.monotonic() - begun:,.0f} s, none wrong; asked:")
    print("\n".join(f"  {name:14}{number:12,}" for name, number in asked.most_common()))
    return 0


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: 10)")
    parser.add_argument("--trees", type=int, help="stop after so many trees")
    parser.add_argument("--seed", type=int, help="of the first tree; the next ones follow")
    parser.add_argument("--only", type=int, metavar="SEED", help="this tree once more")
    parser.add_argument("--everything", action="store_true", help="every question on every tree")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    warnings.simplefilter("error")
    if options.only is not None:
        print(draw(options.only))
        with tempfile.TemporaryDirectory() as folder:
            check(options.only, Path(folder), options.everything)
            print("every question is answered right")
        return 0
    first = random.SystemRandom().getrandbits(40) if options.seed is None else options.seed
    print(f"first seed {first}; one tree again: python -m fuzz --only SEED", flush=True)
    until = time.monotonic() + 60 * options.minutes
    report: Queue[tuple[str, Any]] = multiprocessing.Queue()
    for i in range(options.processes):
        seeds: Iterable[int] = count(first + i, options.processes)
        if options.trees is not None:
            seeds = range(first + i, first + options.trees, options.processes)
        job = seeds, until, options.everything, report
        multiprocessing.Process(target=work, args=job, daemon=True).start()
    return follow(report, options.processes)


if __name__ == "__main__":
    sys.exit(main())
