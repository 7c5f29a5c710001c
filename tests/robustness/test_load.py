"""Many threads and processes at once, in short: the half hour is `make load`."""

from __future__ import annotations

import sys

import pytest

from fuzz.load import run


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_under_load_nothing_crashes_or_differs() -> None:
    outcomes, wrong, _ = run(minutes=0.1, processes=2, threads=3, small=True)
    assert wrong == []
    assert outcomes["answered"] > 0
    assert sum(outcomes.values()) > outcomes["answered"]  # limits were reached
