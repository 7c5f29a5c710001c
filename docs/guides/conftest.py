"""The guides share an example: what ``guides.md`` makes is there in each of them."""

from __future__ import annotations

import contextlib
import doctest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the names of the example, made in a folder of its own."""
    page = Path(__file__).parent.with_suffix(".md")
    names: dict[str, Any] = {}
    with contextlib.chdir(tmp_path_factory.mktemp("example")):
        for part in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")):
            exec(compile(part.source, str(page), "single"), names)
    return names


@pytest.fixture(autouse=True)
def _the_example(doctest_namespace: dict[str, Any], example: dict[str, Any]) -> Iterator[None]:
    before = dict(doctest_namespace)
    doctest_namespace.update(example)
    yield
    doctest_namespace.clear()
    doctest_namespace.update(before)
