"""A folder that one process at a time works in. However that process ends, the folder is free."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from cattleya.batch.disk.result_file import PartsError

__all__ = ["FolderLock"]


class FolderLock:
    """The system's own lock on a folder; where there is none (Windows, some networks), no lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: int | None = None

    def take(self) -> None:
        """Lock the folder; refuse where another process has."""
        self.release()
        try:
            import fcntl
        except ImportError:
            return
        self._held = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise PartsError(
                f"another process is at work in {str(self._folder)!r}; wait for it, or write to "
                f"another file"
            ) from None
        except OSError:  # a file system without locks
            self.release()

    def release(self) -> None:
        """Free the folder."""
        if self._held is not None:
            with suppress(OSError):
                os.close(self._held)
            self._held = None
