"""One process of the load: several threads that ask mixed questions, under limits and interrupts.

``python -m fuzz.load_worker FILE SECONDS THREADS SEED`` reads trees, rows and the answers of a
calm run, asks until the time is over, and prints what came of it as JSON. The main thread asks too:
it is the one that interrupts go to.
"""

from __future__ import annotations

import faulthandler
import json
import pickle
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cattleya
from cattleya.support.limits import MEMORY_LIMIT

__all__ = ["QUESTIONS", "SECONDS_TO_END", "Key", "answer"]

Key = tuple[str, str, int, str]  # a tree, a vocabulary, a row, a question

#: What is asked, as something that can be compared.
QUESTIONS: dict[str, Callable[[cattleya.Explanation, float | None], Any]] = {
    "count": lambda e, t: e.count(timeout=t),
    "count, two threads": lambda e, t: e.count(timeout=t, threads=2),
    "minimal count": lambda e, t: e.count("minimal", timeout=t),
    "importance": lambda e, t: _texts(e.importance(timeout=t)),
    "importance, two threads": lambda e, t: _texts(e.importance(timeout=t, threads=2)),
    "sizes": lambda e, t: e.count_by_size(timeout=t),
    "sample": lambda e, t: _each(e.sample(3, seed=5, timeout=t)),
    "circuit": lambda e, t: e.compile(timeout=t).count(timeout=t),
    "reasons": lambda e, t: _each(e.sufficient_reasons(limit=40, timeout=t)),
    "minimal reasons": lambda e, t: _each(e.minimal_reasons(limit=10, timeout=t)),
    "minimal reason": lambda e, t: str(e.minimal_reason(timeout=t)),
    "sufficient reason": lambda e, t: str(e.sufficient_reason(timeout=t)),
    "contrasts": lambda e, t: _each(e.contrastive(limit=20, timeout=t)),
    "differing": lambda e, t: _each(e.diverse_reasons(2, timeout=t)),
    "counterfactuals": lambda e, t: _each(e.counterfactuals(3, timeout=t)),
    "verify": lambda e, t: bool(e.verify(e.sufficient_reason(timeout=t))),
}
TIMEOUTS = (None, 0.001, 0.01, 0.05, 0.2, 1.0)
LONGEST = 3.0  # seconds, where no other limit is drawn: some rows would take hours
SECONDS_TO_END = 100.0  # past the time, for questions that nobody interrupts
LITTLE_MEMORY = (1 << 12, 1 << 16, 1 << 20, 1 << 24)


def _each(found: Any) -> list[str]:
    return [str(one) for one in found]


def _texts(shares: dict[Any, Any]) -> list[tuple[str, str]]:
    return sorted((str(condition), str(share)) for condition, share in shares.items())


def answer(e: cattleya.Explanation, question: str, timeout: float | None) -> Any:
    """Ask a question."""
    return QUESTIONS[question](e, timeout)


class Asking:
    """What the threads of a process share."""

    def __init__(self, file: Path, seconds: float, seed: int) -> None:
        trees, self.known = pickle.loads(file.read_bytes())
        self.rows = {name: rows for name, _, rows in trees}
        self.explainers = {
            (name, over, little): cattleya.Explainer(
                tree, over=over, memory_limit=little or MEMORY_LIMIT
            )
            for name, tree, _ in trees
            for over in ("conditions", "features", "intervals")
            for little in (None, *LITTLE_MEMORY)
        }
        self.until = time.monotonic() + seconds
        self.outcomes: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.seed = seed
        # Some explanations are asked by several threads at once.
        self.shared: dict[tuple[str, str, int], cattleya.Explanation] = {}
        self.lock = threading.Lock()

    def run(self, number: int) -> None:
        """Ask until the time is over."""
        rng = random.Random(f"{self.seed} {number}")
        while time.monotonic() < self.until and not self.wrong:
            try:
                self.ask(rng)
            except KeyboardInterrupt:
                self.note("interrupted")
            except Exception:
                self.wrong.append(traceback.format_exc())

    def ask(self, rng: random.Random) -> None:
        """Ask one question with limits drawn at random."""
        key: Key = rng.choice(list(self.known))
        name, over, row, question = key
        timeout = rng.choice(TIMEOUTS)
        little = rng.choice(LITTLE_MEMORY) if rng.random() < 0.2 else None
        e = self.explanation(rng, name, over, row, little)
        try:
            found = answer(e, question, LONGEST if timeout is None else timeout)
        except cattleya.TimeoutExpired:
            self.note("out of time")
        except cattleya.MemoryLimitExceeded:
            assert little, "out of memory with the usual limit"
            self.note("out of memory")
        else:
            expected = self.known[key]
            assert expected is None or found == expected, f"{key}: {found!r} is not {expected!r}"
            self.note("answered")

    def explanation(
        self, rng: random.Random, name: str, over: str, row: int, little: int | None
    ) -> cattleya.Explanation:
        """Return an explanation: a new one, or one that other threads have too."""
        explainer = self.explainers[name, over, little]
        if little or rng.random() < 0.6:
            return explainer.explain(self.rows[name][row])
        key = name, over, row
        with self.lock:
            if key not in self.shared or rng.random() < 0.2:
                self.shared[key] = explainer.explain(self.rows[name][row])
            return self.shared[key]

    def note(self, outcome: str) -> None:
        """Count an outcome."""
        with self.lock:
            self.outcomes[outcome] += 1


def main() -> None:
    """Run as the command line says."""
    file, seconds, threads, seed = sys.argv[1:]
    asking = Asking(Path(file), float(seconds), int(seed))
    # Where a thread never ends, all of them say where they are.
    faulthandler.dump_traceback_later(float(seconds) + SECONDS_TO_END, exit=True)
    others = [threading.Thread(target=asking.run, args=(i,)) for i in range(1, int(threads))]
    for thread in others:
        thread.start()
    print("ready", flush=True)
    while time.monotonic() < asking.until and not asking.wrong:
        try:
            asking.run(0)
        except KeyboardInterrupt:  # between two questions
            continue
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for thread in others:
        thread.join()
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps({"outcomes": asking.outcomes, "wrong": asking.wrong}), flush=True)


if __name__ == "__main__":
    main()
