"""All tables of one build in one run: `python -m benchmarks`, or `make bench`.

It takes up to an hour on two cores, on which nothing else should run. The settings stand in
`benchmarks/settings.py`; they are those of the published tables. An interrupted run is ended by
running the tables that are not there yet, with the same commit: `--only counting,batch`. One that
has no peers can be made again alone: `--only answers --out benchmarks/results`, four minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    answers,
    batch,
    counterfactuals,
    counting,
    engine,
    models,
    preferred,
    vocabularies,
)
from benchmarks.build import ROOT, build_of
from benchmarks.publishing import RESULTS, head, publish, reasons_against, write
from benchmarks.report import Report
from benchmarks.settings import FULL, QUICK, Settings

#: In the order in which they are measured, and in which the README repeats them.
TABLES: dict[str, Callable[[Settings, Path | None], Report]] = {
    "engine": engine.measure,
    "preferred": preferred.measure,
    "counting": counting.measure,
    "counterfactuals": counterfactuals.measure,
    "batch": batch.measure,
    "vocabularies": vocabularies.measure,
    "models": models.measure,
    "answers": answers.measure,
}
MADE = ROOT / "build" / "benchmarks"


def main(given: Sequence[str] | None = None) -> None:
    """Measure, write, publish."""
    arguments = _arguments(given)
    names, folder, build = arguments.only, arguments.data, build_of()
    reasons = reasons_against(build, folder, arguments.quick, peers=set(names) != {"answers"})
    if reasons and arguments.out is None:
        raise SystemExit(
            "these figures could not be published:\n"
            + "".join(f"  - {reason}\n" for reason in reasons)
            + "Mend that, or measure for yourself with --out DIR."
        )
    out: Path = arguments.out or MADE
    settings = QUICK if arguments.quick else FULL
    wrong = []
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        begin, heading = time.perf_counter(), head(build, reasons)
        report = TABLES[name](settings, folder)
        write(out / f"{name}.md", heading, report)
        minutes = (time.perf_counter() - begin) / 60
        print(f"{name}: {minutes:.1f} minutes", file=sys.stderr, flush=True)
        wrong += [name] if report.wrong else []
    if wrong:
        raise SystemExit(f"answers differ; see {', '.join(f'{out / name}.md' for name in wrong)}")
    if arguments.out is not None:
        print(f"written to {out}", file=sys.stderr)
    elif why := publish(out, list(TABLES), RESULTS, ROOT / "README.md"):
        print(f"written to {out}; not published, as {why}", file=sys.stderr)
    else:
        print(f"published in {RESULTS} and in README.md", file=sys.stderr)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    named = os.environ.get("CATTLEYA_DATA")
    parser.add_argument(
        "--only", type=_tables, default=list(TABLES), help=f"tables, of {','.join(TABLES)}"
    )
    parser.add_argument(
        "--quick", action="store_true", help="see that it works; the figures mean nothing"
    )
    parser.add_argument(
        "--data", type=_folder, default=named, help="folder of data (default: $CATTLEYA_DATA)"
    )
    parser.add_argument("--out", type=Path, help="folder for the tables, which are not published")
    return parser.parse_args(given)


def _tables(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in TABLES]:
        raise argparse.ArgumentTypeError(
            f"there is no table {unknown[0]!r}; there are {', '.join(TABLES)}"
        )
    return names


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return Path(text)


if __name__ == "__main__":
    main()
