"""Results in parts: each is there in full or not at all, so that work can be stopped and go on.

Beside ``result.parquet`` there is a folder ``result.parquet.parts`` while the work lasts. It holds
``manifest.json``, which says what the parts are made from, and one Parquet file per part. A part
that is not finished has a file ``part-00000000.open`` with the answers so far. At last they are put
together into one file, Parquet or CSV, which appears under its name at once; then the folder goes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from cattleya.batch.disk.csv_cells import write_heading, write_rows
from cattleya.batch.disk.result_file import PartsError, is_csv, made_from_file, provenance_path
from cattleya.support.arrays import Places
from cattleya.support.files.atomic import write_bytes, write_text, written_over
from cattleya.support.files.errors import one_line

if TYPE_CHECKING:
    import pyarrow as pa
    from filelock import BaseFileLock

__all__ = ["Parts"]

MANIFEST, WHOLE, LOCK = "manifest.json", "whole", "lock"
DONE = "done.json"  # the manifest's name once the result is there
KIND = "kind"  # the column that says which kind of row an answer of an unfinished part is about
OURS = re.compile(
    r"part-\d{8}\.(parquet|open)|whole|manifest\.json|done\.json|lock|\.cattleya-.*\.tmp"
)


class Parts:
    """The parts of a result."""

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.out = Path(out)
        # Beside what a link points to: the result is renamed, which works within a file system.
        target = Path(os.path.realpath(out)) if self.out.is_symlink() else self.out
        self.folder = target.with_name(f"{target.name}.parts")
        self._lock: BaseFileLock | None = None

    def check_apart(self, *inputs: str | os.PathLike[str]) -> None:
        """Refuse to put the result where no file can be, or where what it is made from lies."""
        if self.out.exists() and not self.out.is_file():
            raise PartsError(f"{str(self.out)!r} is no file; name one to write to")
        beside = provenance_path(self.out)
        for out in (self.out, beside) if is_csv(self.out) else (self.out,):
            if (path := written_over(out, inputs)) is not None:
                raise PartsError(
                    f"the result would be written over {path!r}, which it is made from; write to "
                    f"another file"
                )
        if is_csv(self.out) and beside.exists() and not _is_provenance(beside):
            raise PartsError(
                f"the metadata of the result go to {str(beside)!r}, which exists and "
                f"is something else; move it, or write to another file"
            )

    def begin(self, made_from: dict[str, Any], resume: bool) -> bool:
        """Make the folder, or go on with it; return False where the result is there already.

        Until :meth:`end`, no other process can do so.
        """
        if self.folder.exists() or self.folder.is_symlink():
            self._check_ours()
            self._take()
            if not (self.folder / DONE).exists():
                try:
                    self._check_unfinished(made_from, resume)
                except BaseException:
                    self._free()
                    raise
                return True
            self._tidy()  # stopped while it tidied up
        if resume and self.out.exists():
            _compare(str(self.out), made_from_file(self.out), made_from)
            return False
        self.folder.mkdir()
        self._take()
        write_text(self.folder / MANIFEST, _told(made_from))
        return True

    def _check_unfinished(self, made_from: dict[str, Any], resume: bool) -> None:
        """Refuse to go on with unfinished work, unless it is the same and was asked for."""
        if not resume:
            raise PartsError(
                f"{str(self.folder)!r} is unfinished; continue with --resume, or remove it"
            )
        self._check(made_from)

    def end(self) -> None:
        """Let others go on with what is there."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _free(self) -> None:
        """Unlock the folder, and leave nothing of the lock there."""
        with suppress(PermissionError):  # Windows removes no open file
            (self.folder / LOCK).unlink(missing_ok=True)
        self.end()
        (self.folder / LOCK).unlink(missing_ok=True)

    def _take(self) -> None:
        """Lock the folder; refuse where another process has. However that one ends, it is free."""
        from filelock import FileLock, Timeout

        self.end()
        lock = FileLock(self.folder / LOCK, blocking=False)
        try:
            lock.acquire()
        except Timeout:
            raise PartsError(
                f"another process is at work in {str(self.folder)!r}; wait for it, or write to "
                f"another file"
            ) from None
        except (NotImplementedError, OSError):  # a file system without locks
            return
        self._lock = lock

    def _check_ours(self) -> None:
        """Refuse a folder that has anything in it which was not put there by us.

        The folder is removed in the end, and what a user keeps there must not go with it.
        """
        if self.folder.is_symlink() or not self.folder.is_dir():
            raise PartsError(
                f"{str(self.folder)!r} is needed for the parts of the result, and is no folder of "
                f"ours; move it, or write to another file"
            )
        for file in self.folder.iterdir():
            if not OURS.fullmatch(file.name) or not file.is_file() or file.is_symlink():
                raise PartsError(
                    f"{str(self.folder)!r} is needed for the parts of the result, and holds "
                    f"{file.name!r}, which is not ours; move it, or write to another file"
                )

    def _tidy(self) -> None:
        """Remove the folder; what says that it is done with goes last."""
        for file in self.folder.iterdir():
            if file.name not in (DONE, LOCK) and OURS.fullmatch(file.name):
                file.unlink()
        (self.folder / DONE).unlink(missing_ok=True)
        self._free()
        self.folder.rmdir()

    def _check(self, made_from: dict[str, Any]) -> None:
        manifest = self.folder / MANIFEST
        if not manifest.exists():  # stopped before anything was done
            if self.count():
                raise PartsError(f"{str(self.folder)!r} has no {MANIFEST}; remove the folder")
            write_text(manifest, _told(made_from))
        try:
            known = json.loads(manifest.read_text())
        except (ValueError, RecursionError) as error:
            raise PartsError(f"{str(manifest)!r} is damaged: {error}; remove the folder") from None
        _compare(str(self.folder), known, made_from)
        for left in self.folder.glob(".cattleya-*.tmp"):  # of a process that was killed
            left.unlink()

    def forget(self) -> None:
        """Remove the folder of work that has come to nothing; parts that are there stay."""
        if not self.count() and not any(self.folder.glob("part-*.open")):
            with suppress(OSError):
                self._tidy()

    def path(self, number: int) -> Path:
        """Return where a part is."""
        return self.folder / f"part-{number:08d}.parquet"

    def has(self, number: int) -> bool:
        """Tell whether a part is there."""
        return self.path(number).exists()

    def count(self) -> int:
        """Return how many parts are there."""
        return sum(1 for _ in self.folder.glob("part-*.parquet"))

    def write(self, number: int, table: pa.Table) -> None:
        """Write a part."""
        from pyarrow import parquet

        buffer = BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        write_bytes(self.path(number), buffer.getvalue())
        self._open_path(number).unlink(missing_ok=True)

    def keep(self, number: int, kinds: Places, blocks: list[pa.RecordBatch]) -> None:
        """Write the answers of a part that is not finished: those about some kinds of rows."""
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.Table.from_batches(blocks).append_column(KIND, pa.array(kinds, pa.int64()))
        buffer = BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        write_bytes(self._open_path(number), buffer.getvalue())

    def kept(self, number: int) -> tuple[Places, list[pa.RecordBatch]]:
        """Return the kinds of rows of an unfinished part that are done, and the answers."""
        from pyarrow import parquet

        path = self._open_path(number)
        if not path.exists():
            return np.zeros(0, dtype=np.intp), []
        try:
            table = parquet.read_table(path)
            kinds = table.column(KIND).to_numpy().astype(np.intp)
        except Exception as error:  # pyarrow's own errors have no common base
            raise PartsError(
                f"{str(path)!r} is damaged: {one_line(error)}; remove it, and continue with "
                f"--resume"
            ) from None
        return kinds, table.drop_columns([KIND]).combine_chunks().to_batches()

    def _open_path(self, number: int) -> Path:
        return self.folder / f"part-{number:08d}.open"

    def finish(self, schema: pa.Schema, made_from: dict[str, Any], rows: int) -> None:
        """Put the parts together under the name of the result, and remove them."""
        whole, size = self.folder / WHOLE, made_from["part"]
        whole.unlink(missing_ok=True)
        try:
            with whole.open("xb") as file:
                if is_csv(self.out):
                    _write_csv(file, schema, self._tables(schema, rows, size))
                else:
                    _write_parquet(file, schema, self._tables(schema, rows, size))
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            whole.unlink(missing_ok=True)  # what it took may be what is lacking
            raise
        if self.out.exists():
            shutil.copymode(self.out, whole)
        os.replace(whole, os.path.realpath(self.out))
        if is_csv(self.out):
            write_text(provenance_path(self.out), _told(made_from))
        # Parts may only go once it is known that they are not needed any more.
        os.replace(self.folder / MANIFEST, self.folder / DONE)
        self._tidy()

    def _tables(self, schema: pa.Schema, rows: int, size: int) -> Iterator[pa.Table]:
        """Give the parts, each of ``size`` rows but the last; refuse one that is not as written."""
        from pyarrow import parquet

        for number, first in enumerate(range(0, rows, size)):
            path, part = self.path(number), [*range(first, min(first + size, rows))]
            try:
                table = parquet.read_table(path)
            except Exception as error:  # pyarrow's own errors have no common base
                why = one_line(error)
            else:
                same = table.schema.equals(schema, check_metadata=False)
                if same and table.column("row").to_pylist() == part:
                    yield table.replace_schema_metadata(schema.metadata)
                    continue
                why = f"it does not have the rows from {first} to {part[-1]} as they were asked for"
            raise PartsError(
                f"{str(path)!r} is damaged: {why}; remove it, and continue with --resume"
            )


def _write_parquet(file: IO[bytes], schema: pa.Schema, tables: Iterator[pa.Table]) -> None:
    from pyarrow import parquet

    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)


def _write_csv(file: IO[bytes], schema: pa.Schema, tables: Iterator[pa.Table]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    write_heading(text, schema)
    for table in tables:
        write_rows(text, table)
    text.flush()
    text.detach()


def _is_provenance(path: Path) -> bool:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "parameters" in told


def _told(made_from: dict[str, Any]) -> str:
    return json.dumps(made_from, indent=2, sort_keys=True)


def _compare(where: str, known: Any, wanted: dict[str, Any]) -> None:
    """Refuse to go on with what was made from something else."""
    flat, asked = _flat(known), _flat(wanted)
    for key in sorted(flat.keys() | asked.keys()):
        if flat.get(key) != asked.get(key):
            raise PartsError(
                f"{where!r} was made with another {key}: {flat.get(key)!r}, not "
                f"{asked.get(key)!r}; continue with the same, or write to another file"
            )


def _flat(made_from: Any) -> dict[str, Any]:
    values = dict(made_from) if isinstance(made_from, dict) else {}
    parameters = values.pop("parameters", {})
    return values | (parameters if isinstance(parameters, dict) else {})
