"""A folder of what can be made again: entries by name, the least used go first.

An entry is whole or not there at all, and starts with the SHA-256 of the rest. It is written only
to a folder that nobody else can write to, and read only from such a file there. Whatever is wrong
with the folder or an entry, it is as if there were none: what is in a cache can be made again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cattleya.support.files.atomic import write_bytes

__all__ = ["FOLDER", "Cache"]

FOLDER = "CATTLEYA_CACHE"  # the variable that names the folder; empty for no cache
ENDING = ".cattleya"
LARGEST = 1 << 26  # bytes of an entry
MOST, MOST_BYTES = 64, 1 << 28  # of all entries together
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Cache:
    """The entries in a folder, which is made when the first is written."""

    folder: Path

    @classmethod
    def of_user(cls) -> Cache | None:
        """Return the user's own cache; None where it is turned off, or there is no place for it."""
        named = os.environ.get(FOLDER)
        if named is not None:
            return cls(Path(named)) if named else None
        from platformdirs import user_cache_path

        try:
            return cls(user_cache_path("cattleya", appauthor=False))
        except RuntimeError:  # there is no home folder
            return None

    def read(self, name: str) -> bytes | None:
        """Return an entry; None where there is none that is in order."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                if not (_is_ours(os.fstat(file.fileno())) and _is_ours(self.folder.stat())):
                    return None
                content = file.read(LARGEST + 1)
        except OSError:
            return None
        digest, rest = content[:DIGEST], content[DIGEST:]
        if len(content) > LARGEST or hashlib.sha256(rest).digest() != digest:
            return None
        with suppress(OSError):
            os.utime(path)  # used last
        return rest

    def write(self, name: str, content: bytes) -> None:
        """Keep an entry if it is not too large and the folder can be written."""
        if len(content) + DIGEST > LARGEST:
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(self.folder.stat()):  # what is there could lead elsewhere
                return
            write_bytes(self._path(name), hashlib.sha256(content).digest() + content)
            self._make_room()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{ENDING}"

    def _make_room(self) -> None:
        """Remove the entries that were not used for longest."""
        found = [(path, path.stat()) for path in self.folder.glob(f"*{ENDING}")]
        found.sort(key=lambda entry: entry[1].st_mtime_ns, reverse=True)
        taken = 0
        for place, (path, status) in enumerate(found):
            taken += status.st_size
            if place >= MOST or taken > MOST_BYTES:
                path.unlink(missing_ok=True)


DIGEST = hashlib.sha256().digest_size


def _is_ours(status: os.stat_result) -> bool:
    """Tell whether nobody else could have written a file, where the system knows owners."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
