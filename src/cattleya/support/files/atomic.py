"""Files that are there in full or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cattleya.support.text import shown

__all__ = ["checked_path", "write_bytes", "write_text", "written_over"]


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
    # A link stays a link: what it points to is written.
    target = Path(os.path.realpath(checked_path(path)))
    if target.exists() and not target.is_file():
        # A device or a pipe is written to, not replaced; a folder raises the right error.
        with target.open("wb") as file:
            file.write(content)
        return
    # Beside the target, so that the renaming is within one file system; open() honours the umask.
    temporary = target.with_name(f".cattleya-{secrets.token_hex(8)}.tmp")
    try:
        file = temporary.open("xb")  # which follows no link, and takes no file that is there
    except OSError as error:
        raise _about(path, error) from error
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)  # what was private stays private
        os.replace(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _about(path, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], content: str) -> None:
    """Write a text as UTF-8, as :func:`write_bytes` does."""
    write_bytes(path, content.encode())


def written_over(
    out: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]
) -> str | None:
    """Return which of the files that are read would be written over, by whatever name."""
    if os.path.exists(out):
        for path in inputs:
            if os.path.samefile(out, path):
                return os.fspath(path)
    return None


def _about(path: str | os.PathLike[str], error: OSError) -> OSError:
    """Return an error about the file that was meant: nobody asked for the temporary one."""
    return type(error)(error.errno, error.strerror, os.fspath(path))


def checked_path(path: Any) -> str:
    """Return a path as text; refuse what cannot be one."""
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise TypeError(f"a path must be text or a Path, not {shown(path)}")
    if not text:
        raise ValueError("the path is '': name a file")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        wrong = True
    else:
        wrong = "\0" in text
    if wrong:
        raise ValueError(f"{shown(text)} is no path: the system takes no such character in a name")
    return text
