"""Which modules of Python are changed, and which tests are about which file of the core.

Which tests run which function of Python is measured (``reach``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["PRESENTATION", "core_tests", "modules_of"]

#: Folders of what puts answers into words, pictures, pages and reports: they compute none.
PRESENTATION = frozenset(["cli", "experiments", "present"])

ROOT = Path(__file__).resolve().parents[1]

PAPER = ("paper", "regressions", "definitions", "propositions")
VOCABULARIES = ("vocabulary_rows", "vocabularies", "domain", "own_terms", "tracing")
COUNTING = (
    "counting",
    "counting_clauses",
    "counting_families",
    "circuit",
    "sampling",
    "large_components",
)
SHORTEST = ("minimum", "preferred")

_CORE: dict[str, tuple[str, ...]] = {
    "batch/row.cpp": ("native", "batch"),
    "batch/attributes.cpp": ("native", "batch"),
    "domain/widen.cpp": ("native", "alike"),
    "batch/table.cpp": ("native",),
    "domain/amounts.hpp": (*VOCABULARIES, "vocabulary_large"),
    "reasons/antichain.cpp": ("arguments", "preferred", *PAPER),
    "support/account.hpp": ("limits",),
    "support/budget.hpp": ("limits", "vocabulary_large", "preferred"),
    "reasons/complete_reason.cpp": (*PAPER, "bundled_data", "large_trees", "native"),
    "domain/box.hpp": (*VOCABULARIES, "vocabulary_large"),
    "domain/domain_tree.cpp": (*VOCABULARIES, "vocabulary_large"),
    "domain/free_regions.cpp": ("audit",),
    "domain/region_merging.cpp": ("audit", "compare"),
    "domain/simplify.cpp": ("simplified",),
    "domain/survey.cpp": ("simplified",),
    "tree/engine.cpp": (*PAPER, "sklearn_numbers", "bundled_data", "large_trees", "native"),
    "reasons/enumerate.cpp": ("enumeration", *PAPER, "counting"),
    "domain/feature_reason.cpp": (*VOCABULARIES, "vocabulary_large"),
    "reasons/greedy.cpp": PAPER,
    "domain/interval_reason.cpp": ("regressions_fuzz", *VOCABULARIES, "vocabulary_large"),
    "proof/refute.cpp": (*PAPER, "independent_proof", "sklearn_numbers", "values", "large_trees"),
    "proof/refute_domain.cpp": (
        *("contrast_proofs", *VOCABULARIES),
        *("independent_proof", "vocabulary_large"),
    ),
    "support/natural.cpp": (*COUNTING, *SHORTEST),
    "tree/shape.cpp": ("tree", "tree_json", "arguments", "large_trees", "errors"),
}


def modules_of(package: Path, under: Sequence[str] = ()) -> list[str]:
    """Return the modules in some folders of the package; in all of it, but presentation."""
    paths = (path.relative_to(package) for path in sorted(package.rglob("*.py")))
    return [
        str(path)
        for path in paths
        if (any(map(path.is_relative_to, under)) if under else PRESENTATION.isdisjoint(path.parts))
    ]


def core_tests(file: str) -> list[str]:
    """Return the tests that are about a file of the core, the most telling first."""
    names: tuple[str, ...]
    if file.startswith("minimum/"):
        names = (*SHORTEST, "arguments")
    elif file.startswith("counting/"):
        names = (*COUNTING, "arguments", "limits")
    else:
        names = _CORE[file]
    return [_file(name) for name in dict.fromkeys(names)]


def _file(name: str) -> str:
    """Return the one file of tests of a name, wherever it is."""
    (found,) = (ROOT / "tests").rglob(f"test_{name}.py")
    return str(found.relative_to(ROOT))
