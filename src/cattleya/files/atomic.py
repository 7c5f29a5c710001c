"""Files that are there in full or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

__all__ = ["write_bytes", "write_text"]


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write to a temporary file beside ``path``, then rename it.

    Whatever goes wrong, what was at ``path`` before is still there, and no temporary file is left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder, "greeting"), b"hello")
    ...     [(file.name, file.read_bytes()) for file in Path(folder).iterdir()]
    [('greeting', b'hello')]
    """
    target = Path(os.path.realpath(path))  # a link stays a link: what it points to is written
    if target.exists() and not target.is_file():
        # A device or a pipe is written to, not replaced; a folder raises the right error.
        with target.open("wb") as file:
            file.write(content)
        return
    # Beside the target, so that the renaming is within one file system; open() honours the umask.
    temporary = target.with_name(f".cattleya-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)  # what was private stays private
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], content: str) -> None:
    """Write a text as UTF-8, as :func:`write_bytes` does."""
    write_bytes(path, content.encode())
