"""Work done in a process of its own: the programs beside this file, run as the experiments do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cattleya.experiments.peers.apart import TIME_LIMIT, write_result
from cattleya.experiments.peers.apart import run_apart as run_program_apart

__all__ = ["TIME_LIMIT", "run_apart", "write_result"]


def run_apart(worker: str, given: object, time_limit: float) -> tuple[Any, str | None]:
    """Run `python WORKER GIVEN RESULT`; return what it wrote as JSON, and what went wrong."""
    return run_program_apart(Path(__file__).with_name(worker), given, time_limit)
