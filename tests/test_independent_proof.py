"""The proof of a reason shares no code with the search for it.

Proof and search have in common what the question is made of: the tree, its conditions, what values
a feature can have, and the words for them. These tests hold the rest apart, file by file.
"""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya

PROOFS = {"prover", "verification", "domain_verification"}
# The tree and its rows, conditions and facts, and what values a feature can have.
THE_QUESTION = {
    *("condition", "domain", "fact", "grid", "neighbours", "nested", "number", "rows", "tree"),
    *("tree_json", "user_condition", "vocabulary", "wording"),
    # What messages name, and what is refused of a tree.
    *("json_nesting", "printable", "tree_checks"),
}
CORE = Path(__file__).resolve().parents[1] / "src" / "core"


def _used(module: str) -> tuple[set[str], set[str]]:
    """Name the modules of ours that a module imports, and what it uses of the native core."""
    ours, native = set(), set()
    for node in ast.walk(ast.parse((files(cattleya) / f"{module}.py").read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cattleya."):
            ours.add(str(node.module).removeprefix("cattleya."))
        elif isinstance(node, ast.ImportFrom) and node.module == "cattleya":
            ours |= {alias.name for alias in node.names} - {"_core"}
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "_core":
            native.add(node.attr)
    return ours, native


def test_the_python_of_the_proof_imports_only_what_the_question_is_made_of() -> None:
    reached, waiting, native = set(), set(PROOFS), set()
    while waiting:
        module = waiting.pop()
        reached.add(module)
        ours, used = _used(module)
        waiting |= ours - reached
        native |= used
    assert reached == PROOFS | THE_QUESTION
    assert native == {"Verifier", "DomainVerifier", "check_shape"}


@pytest.mark.skipif(not CORE.is_dir(), reason="the source of the core is not here")
@pytest.mark.parametrize("proof", ["refute", "refute_domain"])
def test_the_core_of_the_proof_includes_nothing_of_the_search(proof: str) -> None:
    reached, waiting = set(), {f"proof/{proof}.cpp"}
    while waiting:
        file = waiting.pop()
        reached.add(file)
        included = re.findall(r'^#include "(.+)"', (CORE / file).read_text("utf-8"), re.MULTILINE)
        waiting |= set(included) - reached
    # Besides the proof: when to stop, and that the nodes are those of a tree.
    own = {f"proof/{proof}.cpp", f"proof/{proof}.hpp"}
    assert reached == own | {"support/budget.hpp", "tree/shape.hpp"}


class _Broken:
    """A search that cannot be asked anything."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the proof asked the search for {name}")


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_the_proof_works_where_the_search_is_broken(
    over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = cattleya.Tree(
        left=[1, -1, 3, -1, -1],
        right=[2, -1, 4, -1, -1],
        feature=[0, -1, 1, -1, -1],
        threshold=[30.5, 0, 20.5, 0, 0],
        leaf_class=[-1, 0, -1, 0, 1],
        n_features=2,
        feature_names=["age", "income"],
    )
    explainer = cattleya.Explainer(tree, over=over)
    e = explainer.explain([40, 30])
    reason, contrasts = e.sufficient_reason(), e.contrastive()
    vocabulary = explainer._vocabulary
    owner, name = (vocabulary, "engine") if over == "conditions" else (vocabulary.cells, "core")  # type: ignore[union-attr]
    monkeypatch.setattr(owner, name, _Broken())

    assert e.verify(reason)
    assert all(e.is_contrastive(contrast) for contrast in contrasts)
    refuted = e.verify(list(reason)[:1])
    assert not refuted
    assert refuted.row is not None
    assert tree.leaf_class[tree.apply(np.array([refuted.row]))[0]] == 0
    with pytest.raises(AssertionError, match="asked the search"):
        explainer.explain([40, 30]).sufficient_reason()


@pytest.mark.parametrize("over", ["conditions", "intervals"])
def test_what_is_shown_can_be_proved(over: str) -> None:
    """A whole threshold is shown without its point."""
    model = DecisionTreeClassifier().fit([[20], [32]], [0, 1])
    e = cattleya.Explainer(model, ["age"], over=over).explain([20])
    assert "age <= 26 " in str(e)
    assert e.verify(["age <= 26"])
    assert e.verify(["age <= 26.0"])
    with pytest.raises(ValueError, match="'age <= 27'"):
        e.verify(["age <= 27"])
