"""The examples in the docstrings of the installed package run, and give what they say."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import cattleya

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(cattleya.__path__, "cattleya.")
    if not info.name.endswith(("_core", "__main__"))
)
NAMES = {
    **{name: getattr(cattleya, name) for name in cattleya.__all__ if name != "__version__"},
    **{f"plots.{name}": getattr(cattleya.plots, name) for name in cattleya.plots.__all__},
}


@pytest.mark.parametrize("name", ["cattleya", *MODULES])
def test_examples(name: str) -> None:
    if name.endswith("shap_values"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # shap's own
            pytest.importorskip("shap")
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


def examples(text: str | None) -> str:
    """Return the code of the examples in a docstring."""
    return "".join(one.source for one in doctest.DocTestParser().get_examples(text or ""))


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Give the public methods and properties of a class, unless they are another public class's.

    As the reference has them: what says ``:meta private:`` is for other parts of the package.
    """
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        is_documented = isinstance(found, property | cached_property | classmethod | staticmethod)
        if name.startswith("_") or not (is_documented or inspect.isfunction(found)):
            continue
        owner = next(one for one in kind.__mro__ if name in vars(one))
        is_elsewhere = owner is not kind and owner in NAMES.values()
        if is_elsewhere or not owner.__module__.startswith("cattleya"):
            continue
        if ":meta private:" not in found.__doc__:
            yield name, found


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example(name: str) -> None:
    """Each has its own; each member of a class one on the page of the class, which calls it."""
    found = NAMES[name]
    assert examples(found.__doc__)
    if not isinstance(found, type):
        return
    own = dict(members(found))
    page = "".join([examples(found.__doc__), *(examples(one.__doc__) for one in own.values())])
    shown = set(re.findall(r"\.(\w+)", page))
    assert sorted(set(own) - shown) == []


@pytest.mark.parametrize("name", NAMES)
def test_examples_import_what_they_use(name: str, tmp_path: Path) -> None:
    """A reader can paste them as the reference shows them: each docstring stands alone."""
    found = NAMES[name]
    if name.endswith("to_shap"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # shap's own
            pytest.importorskip("shap")
    own = members(found) if isinstance(found, type) else ()
    with contextlib.chdir(tmp_path):
        for one in (found, *(one for _, one in own)):
            part = doctest.DocTestParser().get_doctest(one.__doc__, {}, name, None, None)
            assert doctest.DocTestRunner(verbose=False).run(part).failed == 0
