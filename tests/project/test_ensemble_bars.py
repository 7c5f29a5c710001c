"""The bars of the benchmark of ensembles: what was not answered is never counted as answered."""

from __future__ import annotations

from typing import Any

from benchmarks.ensemble_bars import Results, report


def _figures(peer: dict[str, Any]) -> dict[str, Any]:
    own = {"seconds": [0.001] * 4, "sizes": [3] * 4, "open": [], "memory": 0}
    answers: dict[str, Any] = dict.fromkeys(("direct", "quick", "exact", "minimal", "nearest"), own)
    answers["PyXAI majoritary"] = {"cap": 5.0, "trouble": "", "sizes": [], **peer}
    about = {"library": "forest", "data": "adult", "leaves": 9, "bytes": 100, "rows": 4}
    return about | {"answers": answers}


def _line(peer: dict[str, Any]) -> str:
    models = {"adult, forest 25 x 6": _figures(peer)}
    page = report("head", Results(models), 60, ["PyXAI"])
    return next(
        line for line in page.splitlines() if "300 times faster than PyXAI's, adult" in line
    )


def test_verdicts() -> None:
    assert _line({"seconds": [0.4] * 4}).endswith(
        "| 400 times, adult, forest 25 x 6; 1 compared | met |"
    )
    assert "**missed**" in _line({"seconds": [0.1] * 4})


def test_a_peer_that_was_stopped_is_a_lower_bound() -> None:
    assert ">5e+03 times" in _line({"seconds": []})
    assert "not decided" in _line({"seconds": [], "cap": 0.1})


def test_a_peer_that_failed_is_not_compared() -> None:
    assert _line({"seconds": [], "trouble": "AttributeError"}).endswith("| - | not measured |")
