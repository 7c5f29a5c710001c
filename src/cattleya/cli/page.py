"""Write the page of an explanation."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cattleya.cli.errors import BadInput, file_errors, input_errors
from cattleya.cli.screen import progress
from cattleya.explain.explanation import Explanation

__all__ = ["write_page"]


def write_page(
    e: Explanation,
    path: str,
    about: str,
    timeout: float | None = None,
    shape: Sequence[int] | None = None,
) -> str:
    """Write a page, and return its path; ``shape`` is that of a row that is an image."""
    try:
        with progress("writing the page"), file_errors("write", path), input_errors():
            e.to_html(path, timeout=timeout, shape=shape, about=about)
    except ImportError as error:  # an optional library is not installed
        raise BadInput(f"cannot write {path!r}: {error}") from error
    return os.path.abspath(path)
