"""The examples in the docstrings of the installed package run, and give what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import cattleya

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(cattleya.__path__, "cattleya.")
    if not info.name.endswith(("_core", "__main__"))
)


@pytest.mark.parametrize("name", ["cattleya", *MODULES])
def test_examples(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


def test_there_are_examples() -> None:
    found = [doctest.DocTestFinder().find(importlib.import_module(name)) for name in MODULES]
    assert sum(bool(test.examples) for tests in found for test in tests) >= 5
