"""Write the page of an explanation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from cattleya.cli.errors import BadInput, file_errors, input_errors
from cattleya.cli.screen import progress
from cattleya.present.findings import Findings

__all__ = ["write_page", "write_whole"]


def write_page(found: Findings, path: str, about: str, shape: Sequence[int] | None = None) -> str:
    """Write a page, and return its path; ``shape`` is that of a row that is an image."""
    from cattleya.present.pages.page import page_of
    from cattleya.support.files.atomic import write_text

    try:
        with progress("writing the page"), file_errors("write", path), input_errors():
            write_text(path, page_of(found, shape, about))
    except ImportError as error:  # an optional library is not installed
        raise BadInput(f"cannot write {path!r}: {error}") from error
    return os.path.abspath(path)


def write_whole(found: Any, path: str | None, about: str, **more: Any) -> str | None:
    """Write the page about a whole model, or about two; return its path."""
    if path is None:
        return None
    try:
        with file_errors("write", path), input_errors():
            found.to_html(path, about=about, **more)
    except ImportError as error:  # an optional library is not installed
        raise BadInput(f"cannot write {path!r}: {error}") from error
    return os.path.abspath(path)
