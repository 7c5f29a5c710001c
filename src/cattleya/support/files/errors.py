"""What is raised where a file cannot be used."""

from __future__ import annotations

__all__ = ["TableFileError", "one_line"]


class TableFileError(ValueError):
    """A table that cannot be used, and why."""


def one_line(error: BaseException) -> str:
    """Return what another library says, without its line breaks."""
    return " ".join(str(error).split())
