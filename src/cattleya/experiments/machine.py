"""Where something was measured, in one line that says nothing about whose machine it is; memory."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["installed", "machine", "resident"]


def installed(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def machine(distributions: Sequence[str] = ("cattleya", "scikit-learn", "numpy")) -> str:
    """Describe the processor, Python and some distributions."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = [f"{name} {installed(name) or '(not installed)'}" for name in distributions]
    return (
        f"{_processor()}, {cores} cores, {platform.system()}; Python {platform.python_version()}, "
        + ", ".join(versions)
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.split(":", 1)[1].split())
    return platform.processor() or platform.machine()


def resident(what: str = "VmHWM") -> int:
    """Return the bytes of this process's resident set: at its peak, or now (``"VmRSS"``).

    Where Linux does not tell it, it is the peak that was ever. ``ru_maxrss`` is handed down from
    the process that started this one, ``VmHWM`` is not.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    import resource
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
