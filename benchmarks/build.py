"""Of which build the figures are: the commit, what differs from it, and what is imported."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import cattleya

__all__ = ["ROOT", "Build", "build_of", "source_of", "stale"]

ROOT = Path(__file__).resolve().parents[1]
# They are written by a run and have no part in the next one.
WRITTEN = ("README.md", "benchmarks/results")


@dataclass(frozen=True)
class Build:
    """A commit, its date, and the files that differ from it."""

    commit: str
    date: str
    changed: tuple[str, ...]


def build_of(root: Path = ROOT) -> Build | None:
    """Give the build of a folder, or None where it is no git repository of its own."""
    try:
        top = Path(_git(root, "rev-parse", "--show-toplevel").strip())
        if top.resolve() != root.resolve():
            return None
        commit, date = _git(root, "log", "-1", "--format=%h %cs", "--abbrev=12").split()
        excluded = (f":(exclude){path}" for path in WRITTEN)
        status = _git(root, "status", "--porcelain", "-z", "--", ".", *excluded)
    except (OSError, subprocess.CalledProcessError):
        return None
    return Build(commit, date, tuple(line[3:] for line in status.split("\0") if line))


def source_of(root: Path = ROOT) -> str:
    """Give the name of the library's source, which a commit that changes only the rest keeps."""
    return _git(root, "rev-parse", "HEAD:src").strip()


def stale(root: Path = ROOT, package: Path | None = None) -> str | None:
    """Tell what of the imported library is not of this folder, or None where all of it is."""
    source, found = root / "src" / "cattleya", package or Path(cattleya.__file__).parent
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source)
        there = found / name
        if not there.is_file() or there.read_bytes() != path.read_bytes():
            return f"the installed {name} is not that of src/cattleya"
    (core,) = [*found.glob("_core*.so"), *found.glob("_core*.pyd")]
    native = [root / "CMakeLists.txt", *(root / "src" / "core").rglob("*.?pp")]
    newest = max(native, key=lambda path: path.stat().st_mtime)
    if newest.stat().st_mtime > core.stat().st_mtime:
        return f"the installed core is older than {newest.relative_to(root)}"
    return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout
