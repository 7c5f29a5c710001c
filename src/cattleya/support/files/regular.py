"""What is a file, and what only has a name like one: a device has no end, a pipe is read once."""

from __future__ import annotations

import os
import stat

__all__ = ["check_regular"]

KINDS = (
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def check_regular(path: str | os.PathLike[str], *, may_be_pipe: bool = False) -> None:
    """Refuse a device, and a pipe unless it is read from beginning to end and only once.

    What is not there, and a directory, get the usual errors of the system.
    """
    name = os.fspath(path)
    mode = os.stat(name).st_mode
    if stat.S_ISFIFO(mode):
        if not may_be_pipe:
            raise ValueError(
                f"{name!r} is a pipe, and can be read only once; write what it gives to a file "
                f"first"
            )
        return
    for is_kind, what in KINDS:
        if is_kind(mode):
            raise ValueError(f"{name!r} is {what}, not a file; name a file")
    open(name, "rb").close()
