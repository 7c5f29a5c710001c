"""The benchmark's output: Markdown tables, bars, the machine, and a file written in one step."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from peers import installed

PACKAGES = ("cattleya", "numpy", "scikit-learn", "pandas", "shap", "pyxai", "pyganak", "dice-ml")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a Markdown table whose first column is text and whose others are figures."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def at_least(value: float | None, bound: float) -> list[str]:
    """Give the bar and the verdict as two cells; None is what could not be measured."""
    return [f"at least {bound:,g} times", _verdict(value is not None and value >= bound, value)]


def at_most(value: float | None, bound: float, unit: str = "times") -> list[str]:
    """Give the bar and the verdict as two cells; None is what could not be measured."""
    return [f"at most {bound:,g} {unit}", _verdict(value is not None and value <= bound, value)]


def _verdict(met: bool, value: float | None) -> str:
    return "not measured" if value is None else "met" if met else "**not met**"


def microseconds(seconds: float) -> str:
    """Print seconds as microseconds."""
    return f"{seconds * 1e6:,.1f}" if seconds < 1e-4 else f"{seconds * 1e6:,.0f}"


def machine() -> str:
    """Describe the machine and every version that matters, in two lines."""
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {installed(name) or '(not found)'}" for name in PACKAGES]
    load = ", ".join(f"{one:.2f}" for one in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}; "
        f"load average at the start {load}.  \n{', '.join(versions)}."
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if sys.platform == "linux" and cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def write(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, and never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)  # a temporary file is its owner's only
    os.replace(file.name, path)
