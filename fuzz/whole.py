"""Random trees, asked about as wholes: `python -m fuzz.whole --minutes 2`.

Each seed draws trees over small domains; what is said of fairness, monotonicity, use, classes,
leaves that can go and differences between two models is compared with brute force over all rows, by
the same checks that the tests use. `--only SEED` repeats one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from tests.changes.test_simplified import (
    test_none_that_is_left_and_decides_the_same_is_smaller as check_smallest,
)
from tests.changes.test_simplified import test_numbers_with_gaps as check_gaps
from tests.ensembles.test_whole import test_fair_and_monotone as check_ensemble
from tests.ensembles.test_whole import test_two_models as check_ensembles
from tests.explain.test_audit import test_fair_everywhere_and_where_not as check_fair
from tests.explain.test_audit import test_numbers_and_features_without_use as check_use
from tests.explain.test_compare import (
    test_pipelines_that_scale_and_encode_differently as check_pipelines,
)
from tests.explain.test_compare import test_where_two_trees_differ as check_two

CHECKS: dict[str, Callable[[int], None]] = {
    "fair": check_fair,
    "use": check_use,
    "smallest": check_smallest,
    "gaps": check_gaps,
    "two trees": check_two,
    "pipelines": check_pipelines,
    "ensemble": check_ensemble,
    "two ensembles": check_ensembles,
}


def main() -> None:
    """Check seed after seed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.whole", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", type=int, metavar="SEED")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    seed = int(time.time()) % 10**8 if options.only is None else options.only
    cases = 0
    while True:
        for name, check in CHECKS.items():
            try:
                check(seed)
            except BaseException:
                print(f"{name}: python -m fuzz.whole --only {seed}", flush=True)
                raise
            cases += 1
        seed += 1
        if options.only is not None or time.monotonic() > end:
            break
    print(f"{cases} cases about whole models, none wrong")


if __name__ == "__main__":
    main()
