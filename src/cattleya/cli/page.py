"""The page of an explanation, written where the user wants it."""

from __future__ import annotations

import os

from cattleya.cli.errors import BadInput, file_errors
from cattleya.cli.screen import progress
from cattleya.explanation import Explanation

__all__ = ["write_page"]


def write_page(e: Explanation, path: str, timeout: float | None = None) -> str:
    """Write a page, and return where it is."""
    try:
        with progress("writing the page"), file_errors("write", path):
            e.to_html(path, timeout=timeout)
    except ImportError as error:  # something that is not installed with the rest
        raise BadInput(f"cannot write {path!r}: {error}") from error
    return os.path.abspath(path)
