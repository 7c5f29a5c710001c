"""Which tests are about which file, the quickest and the most telling first."""

from __future__ import annotations

__all__ = ["OTHERS", "QUERY_LAYERS", "tests_of"]

PAPER = ("paper", "regressions", "definitions", "propositions")
VOCABULARIES = ("vocabulary_rows", "vocabularies", "domain", "own_terms", "tracing")
PIPELINES = ("tracing_values", "raw_domains", "pipelines")
COUNTING = ("counting", "counting_families", "circuit", "sampling", "large_components")
SHORTEST = ("minimum_core", "preferred")
CHANGES = ("counterfactuals", "counterfactual_refusals", "counterfactual_rows")
GENERAL = ("generalise", "generalise_words")
#: Asked last: they are about all modules of Python.
EVERYWHERE = ("fuzz", "regressions_fuzz", "extreme_numbers", "docstrings", "bad_input")

#: The modules in which questions are answered, and the tests of each.
QUERY_LAYERS: dict[str, tuple[str, ...]] = {
    "attribute_atoms": ("extreme_numbers", "contrast_proofs", *VOCABULARIES),
    "cell_regions": (*GENERAL, *CHANGES),
    "cells": VOCABULARIES,
    "change_costs": CHANGES,
    "change_limits": CHANGES,
    "change_prices": CHANGES,
    "circuit": ("circuit", "counting"),
    "circuit_file": ("circuit", "counting", "extreme_numbers", "unsafe_files"),
    "complete_reason": ("values", *PAPER, "preferred", "counting"),
    "condition": ("values", "tree", *PAPER, "words", "vocabulary_rows"),
    "counterfactual": (*CHANGES, "words"),
    "counterfactual_drafts": CHANGES,
    "counterfactual_rows": (*CHANGES, "domain", "pipelines"),
    "counterfactuals": CHANGES,
    "counting": ("counting", "circuit", "sampling", "limits"),
    "diversity": ("preferred", "words"),
    "domain": ("domain", *VOCABULARIES, "raw_domains"),
    "domain_contrasts": ("contrast_proofs", *VOCABULARIES, "independent_proof"),
    "domain_verification": (
        *("contrast_proofs", *VOCABULARIES),
        *("independent_proof", "vocabulary_large"),
    ),
    "explained_row": ("values", *PAPER, "own_terms", "preferred", "limits", "wording", "words"),
    "explainer": ("values", "sklearn", "sklearn_errors", "batch", "own_terms"),
    "explanation": ("values", *PAPER, "preferred", "sampling", "enumeration", "own_terms"),
    "fact": ("vocabulary_rows", "vocabularies", "domain", "own_terms", "values"),
    "fairness": ("fairness",),
    "feature_lookup": ("own_terms", *CHANGES, "fairness", "preferred", "sklearn_errors"),
    "feature_names": ("sklearn_errors", "preferred", "own_terms", "counterfactuals", "fairness"),
    "features": (*VOCABULARIES, "vocabulary_large"),
    "general": GENERAL,
    "generalise": GENERAL,
    "grid": ("domain", "tracing", *CHANGES),
    "grid_edges": (*CHANGES, *GENERAL),
    "how_many": ("counting", "counting_families", *PAPER, "limits"),
    "intervals": (*VOCABULARIES, "vocabulary_large"),
    "leaf_regions": (*CHANGES, "fairness", *GENERAL),
    "limits": ("limits", "preferred"),
    "many_counterfactuals": CHANGES,
    "merged": ("vocabulary_rows", "vocabulary_large", "words"),
    "neighbours": ("domain", *VOCABULARIES),
    "nested": ("tree", *PAPER),
    "number": ("domain", "tracing", "tracing_values", *CHANGES),
    "prover": ("independent_proof", *PAPER, "sklearn_numbers", "values"),
    "reason": ("values", *PAPER, "words"),
    "reason_box": GENERAL,
    "row_atoms": ("values", *PAPER, "preferred", "own_terms"),
    "row_reasons": ("values", *PAPER, "limits", "large_trees", "enumeration"),
    "rows": ("sklearn", "sklearn_errors", "sklearn_numbers", "tree", "values"),
    "setting": ("own_terms", "vocabulary_rows", "sklearn", "values"),
    "stated_domain": ("domain", "own_terms", *PIPELINES),
    "sufficient_reasons": ("preferred", *PAPER, "enumeration", "counting"),
    "tree": ("tree", "tree_json", "values", *PAPER),
    "tree_checks": ("tree", "tree_json", "sklearn", "core_arguments", "cli_errors", "unsafe_files"),
    "tree_json": ("tree_json", "tree", "unsafe_files", "extreme_numbers"),
    "user_condition": ("wording", "own_terms", "values", "words"),
    "verification": ("values", *PAPER, "independent_proof", "sklearn_numbers"),
    "vocabulary": ("values", "tree", *PAPER, "large_trees"),
    "walker": ("values", *PAPER),
    "what_if": (*CHANGES, *GENERAL, "fairness"),
}

#: The modules that put questions and answers into files, words and types, and the package's own.
OTHERS = frozenset(
    [
        "__init__",
        "__main__",
        "demo",
        "errors",
        "findings",
        "json_nesting",
        "known_types",
        "orphans",
        "printable",
        "shown",
        "training",
        "wording",
    ]
)

_CORE: dict[str, tuple[str, ...]] = {
    "domain/amounts.hpp": (*VOCABULARIES, "vocabulary_large"),
    "reasons/antichain.cpp": ("core_arguments", "preferred", *PAPER),
    "support/budget.hpp": ("limits", "vocabulary_large", "preferred"),
    "reasons/complete_reason.cpp": (*PAPER, "bundled_data", "large_trees"),
    "domain/domain_tree.cpp": (*VOCABULARIES, "vocabulary_large"),
    "tree/engine.cpp": (*PAPER, "sklearn_numbers", "bundled_data", "large_trees"),
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
    "tree/shape.cpp": ("tree", "tree_json", "core_arguments", "large_trees", "cli_errors"),
}


def tests_of(file: str) -> list[str]:
    """Return the tests that are about a module of Python or a file of the core."""
    if file.startswith("minimum/"):
        names: tuple[str, ...] = (*SHORTEST, "core_arguments")
    elif file.startswith("counting/"):
        names = (*COUNTING, "core_arguments", "limits")
    else:
        names = _CORE.get(file) or (*QUERY_LAYERS[file.removesuffix(".py")], *EVERYWHERE)
    return [f"tests/test_{name}.py" for name in dict.fromkeys(names)]
