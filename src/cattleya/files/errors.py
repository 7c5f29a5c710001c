"""What is raised where a file cannot be used."""

from __future__ import annotations

__all__ = ["TableFileError"]


class TableFileError(ValueError):
    """A table that cannot be used, and why."""
