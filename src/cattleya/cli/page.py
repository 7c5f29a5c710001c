"""Write the page of an explanation."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cattleya.cli.errors import BadInput, file_errors, input_errors
from cattleya.cli.screen import progress
from cattleya.present.findings import Findings

__all__ = ["write_page"]


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
