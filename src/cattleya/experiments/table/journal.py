"""What was measured, one JSON line each: an interrupted run goes on where it stopped.

A line is written by one call to a file opened for appending, so that lines of two runs never mix.
The last line may have been cut; it is then left as it is, and its row is done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["append", "entries"]


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """Give the entries of a file, or none where there is no file; lines cut short are skipped."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:  # also where a letter is cut in the middle
                continue
            if isinstance(entry, dict):
                yield entry


def append(path: Path, entry: dict[str, Any]) -> None:
    """Add an entry, on a line of its own even where the line before was cut."""
    line = json.dumps(entry, allow_nan=False).encode() + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+", buffering=0) as file:  # whatever is read, writing is at the end
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = b"\n" + line
        file.write(line)
