"""The paper's table: every data set, fold and drawn row, on disk as soon as it is known."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import cattleya
from cattleya.experiments.data.coding import Data
from cattleya.experiments.data.protocol import Fold, folds
from cattleya.experiments.progress import Progress
from cattleya.experiments.table import journal
from cattleya.experiments.table.row_record import RowRecord, record
from cattleya.experiments.table.statistics import FoldRecord, Summary, summarise
from cattleya.support.parent_watch import end_with_parent, that_end_with_parent
from cattleya.support.text import shown

__all__ = ["Settings", "run", "summary_of"]

ROWS_FILE = "rows.jsonl"
WHOLE = (
    *("fold", "row", "nodes", "sufficient", "necessary", "relevant", "minimal", "count"),
    *("weighed", "count_minimal", "binary_features"),
)


@dataclass(frozen=True)
class Settings:
    """How much is done: the defaults are the paper's."""

    folds: int = 10
    rows: int = 100
    timeout: float = 100.0
    jobs: int = 1
    seed: int = 0

    def setting(self, data: Data) -> str:
        """Name all that the trees and rows depend on: records of another one are not used."""
        import sklearn

        return f"{data.checksum} folds={self.folds} seed={self.seed} sklearn={sklearn.__version__}"


class Known:
    """The records of a file that are of one setting; of two for a row the later one counts."""

    def __init__(self, path: Path, data: str, setting: str) -> None:
        self.path = path
        self.trees: dict[int, FoldRecord] = {}
        self.rows: dict[tuple[int, int], RowRecord] = {}
        for entry in journal.entries(path):
            if entry.get("data") == data and entry.get("setting") == setting:
                self._keep(entry)

    def _keep(self, entry: dict[str, Any]) -> None:
        kind = FoldRecord if "accuracy" in entry else RowRecord
        known = {field.name for field in fields(kind)}
        try:
            made: Any = kind(**{key: value for key, value in entry.items() if key in known})
        except TypeError:  # of another version
            return
        if not _plausible(entry):
            raise ValueError(
                f"{str(self.path)!r} has a line that is no result of this command, about fold "
                f"{shown(entry.get('fold'))}, row {shown(entry.get('row'))}: remove the line, or "
                f"name another folder with --out"
            )
        if isinstance(made, FoldRecord):
            self.trees[made.fold] = made
        else:
            sizes = made.contrastive
            made.contrastive = sizes and {int(size): number for size, number in sizes.items()}
            self.rows[made.fold, made.row] = made

    def lacks(self, fold: int, row: int, timeout: float) -> bool:
        """Tell whether a row is to be done: not yet there, or stopped with less time."""
        found = self.rows.get((fold, row))
        return found is None or ("time" in found.unfinished.values() and found.limit < timeout)


def _plausible(entry: dict[str, Any]) -> bool:
    """Tell whether the values of an entry are of the types that are written."""
    numbers = (entry.get(name) for name in WHOLE)
    sizes, seconds = entry.get("contrastive") or {}, entry.get("seconds", {})
    tables = [sizes, seconds, entry.get("unfinished", {})]
    return (
        all(number is None or type(number) is int for number in numbers)
        and all(type(entry.get(name, 0.0)) in (int, float) for name in ("accuracy", "limit"))
        and all(isinstance(table, dict) for table in tables)
        and all(str(size).isdigit() and type(number) is int for size, number in sizes.items())
        and all(type(taken) in (int, float) for taken in seconds.values())
    )


def run(
    sets: Sequence[Data],
    settings: Settings,
    out: Path,
    quiet: bool = False,
    only_summarise: bool = False,
) -> list[Summary]:
    """Do what is not yet in the folder ``out``; return a summary of each data set.

    With ``only_summarise`` nothing is done, and data sets with no row done are left out.
    """
    if not only_summarise:
        _run(sets, settings, out, quiet)
    found = [summary_of(data, settings, out) for data in sets]
    if not any(found):
        raise ValueError(f"no row is done yet in {str(out)!r}; run it without --no-run first")
    return [summary for summary in found if summary is not None]


def _run(sets: Sequence[Data], settings: Settings, out: Path, quiet: bool) -> None:
    path = out / ROWS_FILE
    plan = [(fold, todo) for data in sets for fold, todo in _plan(data, settings, path)]
    every = sum(len(fold.drawn) for fold, _ in plan)
    progress = Progress(every, every - sum(len(todo) for _, todo in plan), quiet)
    for fold, todo in plan:
        if not todo:
            continue
        for found in _rows_of(fold, todo, settings, path):
            journal.append(path, asdict(found))
            progress.advance(f"{fold.data.name}, fold {fold.number + 1} of {settings.folds}")
        fold.forget()  # one tree per fold is enough in memory
    progress.close()


def summary_of(data: Data, settings: Settings, out: Path) -> Summary | None:
    """Summarise what is in the folder ``out``, whether or not it is all there; None if nothing."""
    known = Known(out / ROWS_FILE, data.name, settings.setting(data))
    wanted = [
        (fold.number, row)
        for fold in folds(data, settings.folds, settings.rows, settings.seed)
        for row in fold.drawn
    ]
    rows = [known.rows[key] for key in wanted if key in known.rows]
    return summarise(data.name, list(known.trees.values()), rows) if rows else None


def _plan(data: Data, settings: Settings, path: Path) -> Iterator[tuple[Fold, list[int]]]:
    known = Known(path, data.name, settings.setting(data))
    for fold in folds(data, settings.folds, settings.rows, settings.seed):
        todo = [row for row in fold.drawn if known.lacks(fold.number, row, settings.timeout)]
        if fold.number not in known.trees:
            todo = list(fold.drawn)
        yield fold, todo


def _rows_of(fold: Fold, todo: list[int], settings: Settings, path: Path) -> Iterator[RowRecord]:
    """Train the tree of a fold and write down what it is; give its rows as they are done."""
    explainer = cattleya.Explainer(fold.model, fold.data.features)
    data, name = fold.data, fold.data.name
    setting = settings.setting(data)
    features = len(explainer.explain(data.row(todo[0])).conditions)
    tree = FoldRecord(name, setting, fold.number, fold.accuracy, explainer.tree.n_nodes, features)
    journal.append(path, asdict(tree) | {"cattleya": cattleya.__version__, "of": data.origin})
    rest = (name, setting, fold.number)
    if settings.jobs == 1:
        for row in todo:
            yield record(explainer, data.row(row), *rest, row, settings.timeout)
        return
    import joblib

    with tempfile.TemporaryDirectory() as folder:
        kept = str(Path(folder, "explainer"))
        joblib.dump(explainer, kept)
        parallel = joblib.Parallel(
            settings.jobs, return_as="generator_unordered", **that_end_with_parent()
        )
        yield from parallel(
            joblib.delayed(_apart)(kept, data.row(row), *rest, row, settings.timeout)
            for row in todo
        )


def _apart(kept: str, row: Any, *rest: Any) -> RowRecord:
    end_with_parent()
    return record(_explainer(kept), row, *rest)


@lru_cache(maxsize=1)
def _explainer(path: str) -> cattleya.Explainer:
    """Read the explainer once in each process."""
    import joblib

    explainer: cattleya.Explainer = joblib.load(path)
    return explainer
