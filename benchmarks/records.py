"""What was measured, one JSON line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from report import write


@dataclass(frozen=True)
class Record:
    """One contender on one row; `seconds` is None where it did not finish, and `trouble` says why.

    `value` is what else there is to say: the size of a circuit, or bytes. `build` names the build
    of the library that the run was made with.
    """

    tree: str
    row: int
    who: str
    clauses: int
    limit: float
    build: str
    seconds: float | None = None
    count: str | None = None
    value: int | None = None
    trouble: str | None = None


class Journal:
    """The records of a file, to which new ones are added as they come."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self._path = path
        self._records: dict[tuple[str, int, str], Record] = {}
        lines = [] if fresh or not path.is_file() else path.read_text().splitlines()
        for line in lines:
            try:
                self._keep(Record(**json.loads(line)))
            except (ValueError, TypeError):
                continue  # cut off by an interruption, or of another version
        write(path, "".join(_line(record) for record in self._records.values()))

    def find(self, tree: str, row: int, who: str, limit: float, build: str | None) -> Record | None:
        """Give a record that still holds: of the build if one is named, and not stopped earlier."""
        record = self._records.get((tree, row, who))
        if record is None or (build is not None and record.build != build):
            return None
        return None if record.seconds is None and record.limit < limit else record

    def add(self, record: Record) -> Record:
        """Keep a record, in the file too."""
        self._keep(record)
        with self._path.open("a") as file:
            file.write(_line(record))
        return record

    def _keep(self, record: Record) -> None:
        self._records[record.tree, record.row, record.who] = record


def build_of_library() -> str:
    """Name the installed build of the library by its files."""
    spec = importlib.util.find_spec("cattleya")
    if spec is None or spec.origin is None:
        raise SystemExit("cattleya is not installed")
    digest = hashlib.sha256()
    for path in sorted(Path(spec.origin).parent.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _line(record: Record) -> str:
    return json.dumps({k: v for k, v in asdict(record).items() if v is not None}) + "\n"
