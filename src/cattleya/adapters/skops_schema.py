"""How much a skops file would be once every reference in it is followed.

A part may stand in several places, by reference. skops follows each of them again when it looks for
types that are not safe: parts of references to references take twice as long with every level.
"""

from __future__ import annotations

import json
from typing import IO, Any
from zipfile import ZipFile

__all__ = ["check_references"]

FEW = 100_000  # parts, that take a second
MOST_TIMES = 20  # as many as there are
Known = dict[int, int]


def check_references(file: IO[bytes]) -> None:
    """Refuse a file whose parts are far more than it has once references are followed."""
    with ZipFile(file) as archive:
        schema = json.loads(archive.read("schema.json"))
    own: Known = {}
    every = _size(schema, own)
    if every > FEW and every > MOST_TIMES * len(own):
        raise ValueError(
            f"its {len(own)} parts refer to each other so often that they amount to {every:.1e}"
        )


def _size(value: Any, own: Known) -> int:
    """Return the number of parts of a value, those of references with it."""
    if isinstance(value, list):
        return sum(_size(one, own) for one in value)
    if not isinstance(value, dict):
        return 0
    number = value.get("__id__")
    if value.get("__loader__") == "CachedNode":
        return own.get(number, 1) if isinstance(number, int) else 1
    size = 1 + sum(_size(one, own) for one in value.values())
    if isinstance(number, int):
        own[number] = size
    return size
