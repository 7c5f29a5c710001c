"""``python -m fuzz.ensembles``: random small ensembles, the answers against brute force."""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.oracles.ensembles import OVERS, case, check


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.ensembles", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, help="of the first ensemble; the next ones follow")
    options = parser.parse_args()
    seed = random.SystemRandom().getrandbits(30) if options.seed is None else options.seed
    until, checked = time.monotonic() + 60 * options.minutes, 0
    while time.monotonic() < until:
        for over in OVERS:
            oracle = case(seed, over)
            if oracle is None:
                continue
            try:
                check(oracle)
            except Exception:
                print(f"WRONG: python -m fuzz.ensembles --seed {seed} (over {over})", flush=True)
                raise
            checked += 1
        seed += 1
    print(f"done: {checked:,} ensembles, none wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
