"""``python -m fuzz.load``: mixed questions from many threads and processes on hard trees.

With random time limits, interrupts and bounds on memory. No process may crash, no answer may
differ from that of a calm run, and resident memory must stay flat after the first third of the
time: in the last third its median may be above that of the second by a tenth and 32 MiB.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import cattleya
from fuzz.hard_trees import Hard, hard_trees
from fuzz.load_worker import QUESTIONS, SECONDS_TO_END, Key, answer

__all__ = ["run"]

ROOT = Path(__file__).resolve().parents[1]
OVER = ("conditions", "features", "intervals")
CALM_SECONDS = 2.0
SECONDS_BETWEEN_LOOKS = 0.5
MOST_GROWTH, MORE = 1.10, 32 << 20


def calm_answers(trees: list[Hard]) -> dict[Key, Any]:
    """Return every answer that takes little time, alone; None for the others."""
    known: dict[Key, Any] = {}
    for name, tree, rows in trees:
        for over in OVER:
            explainer = cattleya.Explainer(tree, over=over)
            for number, row in enumerate(rows):
                for question in QUESTIONS:
                    try:
                        found = answer(explainer.explain(row), question, CALM_SECONDS)
                    except cattleya.TimeoutExpired:
                        found = None
                    known[name, over, number, question] = found
    return known


class Load:
    """Some processes that are watched and interrupted."""

    def __init__(self, file: Path, seconds: float, processes: int, threads: int, seed: int) -> None:
        self.rng = random.Random(seed)
        command = [sys.executable, "-m", "fuzz.load_worker", str(file), str(seconds), str(threads)]
        # An interrupt can leave the lock of coverage's own held: they are not measured.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
        self.running = [
            subprocess.Popen(
                [*command, str(seed + i)],
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env=environment,
            )
            for i in range(processes)
        ]
        for process in self.running:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise RuntimeError(f"a process ended at once, with {process.wait()}")
        self.begun = time.monotonic()
        self.seconds = seconds
        self.resident: list[tuple[float, int]] = []

    def watch(self) -> None:
        """Interrupt now and then, and look at the memory, until the time is over."""
        while (at := time.monotonic() - self.begun) < self.seconds:
            time.sleep(min(SECONDS_BETWEEN_LOOKS, self.seconds / 30))
            alive = [process for process in self.running if process.poll() is None]
            if len(alive) < len(self.running):
                return
            self.resident.append((at / self.seconds, sum(resident(p.pid) for p in alive)))
            if self.rng.random() < 0.3:
                self.rng.choice(alive).send_signal(signal.SIGINT)

    def end(self) -> tuple[Counter[str], list[str]]:
        """Return how often what came out, and what went wrong."""
        outcomes: Counter[str] = Counter()
        wrong: list[str] = []
        for process in self.running:
            told, _ = process.communicate(timeout=SECONDS_TO_END + 20)  # it ends itself before
            if process.returncode != 0:
                wrong.append(f"a process ended with {process.returncode}")
                continue
            report = json.loads(told)
            outcomes.update(report["outcomes"])
            wrong += report["wrong"]
        return outcomes, wrong

    def growth(self) -> tuple[int, int]:
        """Return the median of resident memory in the second and in the last third."""
        thirds = [[size for at, size in self.resident if n <= 3 * at < n + 1] for n in (1, 2)]
        second, last = (int(statistics.median(sizes)) if sizes else 0 for sizes in thirds)
        return second, last

    def kill(self) -> None:
        """End what is still there."""
        for process in self.running:
            process.kill()
            process.communicate()


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def run(
    minutes: float,
    processes: int = 4,
    threads: int = 4,
    seed: int = 0,
    folder: Path | None = None,
    small: bool = False,
) -> tuple[Counter[str], list[str], tuple[int, int]]:
    """Load the library; return the outcomes, what was wrong, and memory before and after."""
    trees = list(hard_trees(folder, small))
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "problems"
        file.write_bytes(pickle.dumps((trees, calm_answers(trees))))
        load = Load(file, 60 * minutes, processes, threads, seed)
        try:
            load.watch()
            outcomes, wrong = load.end()
        finally:
            load.kill()
    second, last = load.growth()
    if last > MOST_GROWTH * second + MORE:
        wrong.append(f"resident memory grew from {second >> 20} to {last >> 20} MiB")
    return outcomes, wrong, (second, last)


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data-dir", type=Path, help="of adult.csv.gz and others")
    options = parser.parse_args()
    outcomes, wrong, (before, after) = run(
        options.minutes, options.processes, options.threads, options.seed, options.data_dir
    )
    asked = sum(outcomes.values())
    print(f"{asked:,} questions:", ", ".join(f"{n:,} {what}" for what, n in outcomes.most_common()))
    print(f"resident memory: {before >> 20} MiB in the second third, {after >> 20} in the last")
    for what in wrong:
        print("WRONG:", what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
