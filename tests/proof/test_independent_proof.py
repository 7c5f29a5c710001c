"""The proof of a reason has nothing in common with the search for it but what is listed here.

Proof and search share what the question is made of: the tree, its conditions, what values a feature
can have, and the words for them (``cattleya.proof`` says why that hides no fault). These tests
hold the rest apart, file by file, and plant faults in the search that the proof must find.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.explain.explainer import context_of
from cattleya.model.conditions.tests import Conditions
from cattleya.proof.conditions import ConditionProver
from tests import ROOT

#: What a proof reaches besides its own folder, and why it may.
SHARED = {
    "model.conditions.condition": "a value: what a condition says is what a proof is about",
    "model.conditions.fact": "a value: what a fact says is what a proof is about",
    "model.conditions.known_facts": "which value of a category a fact has, or an error",
    "model.conditions.parts": "a value: what a condition allows of a feature",
    "model.conditions.tests": "the numbers and texts of the conditions, checked by the proof",
    "model.conditions.user_condition": "the words of a condition; its column and threshold decide",
    "model.conditions.wording": "the words of conditions; their columns and thresholds decide",
    "model.domain.domain": "a value: which attributes there are, which values a category has",
    "model.domain.edges": "which values are beside a threshold, of which the proof tries some",
    "model.domain.number": "a value, and what the tree sees of it; where values part is checked",
    "model.domain.scaling": "what the tree sees of a value: the definition",
    "model.domain.shortest": "the words of a number; its threshold decides",
    "model.ensemble.checks": "what is refused of an ensemble, before any question",
    "model.ensemble.ensemble": "the arrays of trees, and what they answer: the definition",
    "model.ensemble.fingerprint": "the name of an ensemble, for results",
    "model.ensemble.json_form": "reads and writes an ensemble, before any question",
    "model.ensemble.links": "what makes probabilities of sums: the definition",
    "model.ensemble.parts": "the names of the parts of an ensemble",
    "model.ensemble.rounding": "how far sums in another order may be apart",
    "model.ensemble.rows": "reads rows, before any question",
    "model.ensemble.sums": "what the model answers: the definition",
    "model.tree.checks": "what is refused of a tree, before any question",
    "model.tree.classes": "the names of the classes, of which a target names one",
    "model.tree.json_form": "reads and writes a tree, before any question",
    "model.tree.nested": "makes a tree, before any question",
    "model.tree.rows": "reads rows, before any question",
    "model.tree.simplify": "makes a smaller tree, before any question",
    "model.tree.target": "a value: the thresholds of a target; what is in them the proof decides",
    "model.tree.threshold": "likewise, and the words for it",
    "model.tree.tree": "the arrays that a proof walks",
    "support.arrays": "the names of the types of arrays",
    "support.distinct": "which rows are equal, before any question",
    "support.errors": "what is raised where a proof is stopped",
    "support.frames": "reads tables of other libraries, before any question",
    "support.guards": "what is a whole number, in checks of a tree",
    "support.json_nesting": "reads a tree from a file, before any question",
    "support.limits": "when to stop: a proof that stops says so",
    "support.suggestions": "what messages about unknown names look like",
    "support.text": "what messages look like",
}
#: Of the core: what is raised where a proof is stopped, what an ensemble answers for a row, values.
ERRORS = {"Cancelled", "TimeoutExpired", "MemoryLimitExceeded"}
ANSWERS = {"Sums", "link32", "link64"}
#: What a condition holds, and its hash.
VALUES = {"ConditionBase"}
SHARED_CORE = {
    "support/budget.hpp": "when to stop: a walk that stops says so",
    "support/cancellation.hpp": "likewise, where another thread cancels it",
    "tree/shape.cpp": "that the nodes are those of a tree, or an error",
    "tree/shape.hpp": "its declaration",
}
CORE = ROOT / "src" / "core"


def _used(module: str) -> tuple[set[str], set[str]]:
    """Name the modules of ours that a module imports, and what it imports of the native core."""
    ours, native = set(), set()
    path = files(cattleya).joinpath(f"{module.replace('.', '/')}.py")
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("cattleya") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module != "cattleya"
            if node.module == "cattleya._core":
                native |= {alias.name for alias in node.names}
            elif (node.module or "").startswith("cattleya."):
                ours.add(str(node.module).removeprefix("cattleya."))
    return ours, native


def test_the_python_of_the_proof_imports_only_what_the_question_is_made_of() -> None:
    names = (file.name for file in files(cattleya).joinpath("proof").iterdir())
    proofs = {f"proof.{name.removesuffix('.py')}" for name in names if name.endswith(".py")}
    reached: set[str] = set()
    waiting, native = set(proofs), set()
    while waiting:
        module = waiting.pop()
        reached.add(module)
        ours, used = _used(module)
        waiting |= ours - reached
        native |= used
    assert reached - proofs == set(SHARED)
    proving, stopping = {"Verifier", "DomainVerifier"}, {"check_cancelled", *ERRORS}
    # The last two: `Tree.simplified`, and the rounding of a row to the model's precision.
    making = {"check_shape", "check_trees", "DomainTree", "on_grid"}
    assert native == proving | stopping | making | ANSWERS | VALUES


@pytest.mark.skipif(not CORE.is_dir(), reason="the source of the core is not here")
@pytest.mark.parametrize("proof", ["proof/refute", "proof/refute_domain"])
def test_the_core_of_the_proof_includes_nothing_of_the_search(proof: str) -> None:
    reached, waiting = set(), {f"{proof}.cpp"}
    while waiting:
        file = waiting.pop()
        reached.add(file)
        text = (CORE / file).read_text("utf-8")
        included = re.findall(r'^\s*#\s*include\s*"(.+)"', text, re.MULTILINE)
        written = {header.replace(".hpp", ".cpp") for header in included}
        waiting |= {*included, *(name for name in written if (CORE / name).exists())} - reached
    assert reached - {f"{proof}.cpp", f"{proof}.hpp"} == set(SHARED_CORE)


# Faults of the search.

OVER = ("conditions", "features", "intervals")
ROW = (40.0, 30.0, 3.0)


def _tree() -> cattleya.Tree:
    """Older than 30.5, and an income above 20.5 or a debt of 5.5 at most."""
    return cattleya.Tree(
        left=[1, -1, 3, 5, -1, -1, -1],
        right=[2, -1, 4, 6, -1, -1, -1],
        feature=[0, -1, 1, 2, -1, -1, -1],
        threshold=[30.5, 0, 20.5, 5.5, 0, 0, 0],
        leaf_class=[-1, 0, -1, -1, 1, 1, 0],
        n_features=3,
        feature_names=["age", "income", "debt"],
    )


class _Faulty:
    """A search that is as it was but for what is given here."""

    def __init__(self, core: Any, **faults: Any) -> None:
        self._core, self._faults = core, faults

    def __getattr__(self, name: str) -> Any:
        return self._faults.get(name) or getattr(self._core, name)


class _Broken:
    """A search that cannot be asked anything."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the proof asked the search for {name}")


def _searcher(explainer: cattleya.Explainer) -> tuple[Any, str]:
    """Name what holds the search of an explainer."""
    prepared = context_of(explainer).prepared_for(np.array(ROW))
    over_conditions = explainer.over == "conditions"
    return (prepared.vocabulary, "engine") if over_conditions else (prepared.cells, "core")


def _explained(over: str, faults: Callable[[Any], dict[str, Any]]) -> cattleya.Explanation:
    explainer = cattleya.Explainer(_tree(), over=over)
    owner, name = _searcher(explainer)
    core = getattr(owner, name)
    setattr(owner, name, _Faulty(core, **faults(core)))
    return explainer.explain(list(ROW))


@pytest.mark.parametrize("over", OVER)
def test_the_proof_works_where_the_search_is_broken(
    over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    explainer = cattleya.Explainer(_tree(), over=over)
    e = explainer.explain(list(ROW))
    reason, contrasts = e.sufficient_reason(), e.contrastive()
    monkeypatch.setattr(*_searcher(explainer), _Broken())

    assert e.verify(reason)
    assert len(contrasts) == 2
    assert all(e.is_contrastive(contrast) for contrast in contrasts)
    refuted = e.verify(list(reason)[:1])
    assert not refuted
    assert refuted.row is not None
    assert e.tree.leaf_class[e.tree.apply(np.array([refuted.row]))[0]] == 0
    with pytest.raises(AssertionError, match="asked the search"):
        explainer.explain(list(ROW)).sufficient_reason()


@pytest.mark.parametrize("over", OVER)
def test_the_class_of_the_row_is_the_trees(over: str) -> None:
    """Nothing is a reason for a class that the row does not have."""
    sound = cattleya.Explainer(_tree(), over=over).explain(list(ROW))
    e = _explained(over, lambda core: {"path": lambda cells: (0, core.path(cells)[1])})
    assert (e.prediction, sound.prediction) == (0, 1)
    for found in (*e.contrastive(), *sound.contrastive()):
        with pytest.raises(RuntimeError, match="another class than its explanation says"):
            e.is_contrastive(found)
    for found in (e.direct_reason(), *sound.sufficient_reasons()):
        with pytest.raises(RuntimeError, match="another class than its explanation says"):
            e.verify(found)


@pytest.mark.parametrize("over", ["conditions", "intervals"])
def test_the_conditions_of_the_row_are_the_trees(over: str) -> None:
    """The search has the row on the other side of a test that is not on its path."""
    wrong = np.array([0, 0, 1], np.uint8)

    def planted(core: Any) -> dict[str, Any]:
        if over == "conditions":
            return {"evaluate": lambda row: core.evaluate(row) ^ wrong}
        return {"cells": lambda row: (core.cells(row)[0] ^ wrong, False)}

    e = _explained(over, planted)
    assert "debt > 5.5" in map(str, e.conditions)
    assert e.verify(["age > 30.5", "debt > 5.5"]).foreign
    assert {str(contrast) for contrast in e.contrastive()} == {"age > 30.5", "income > 20.5"}
    assert e.is_contrastive(["age > 30.5"])
    assert not e.is_contrastive(["income > 20.5"])
    assert not e.is_contrastive(["income > 20.5", "debt > 5.5"])
    assert e.is_contrastive(["income > 20.5", "debt <= 5.5"])


Clauses = list[list[int]]


def _dropped(clauses: Clauses, which: int) -> Clauses:
    return [clause for place, clause in enumerate(clauses) if place != which]


def _grown(clauses: Clauses, which: int) -> Clauses:
    more = next(atom for atom in clauses[1 - which] if atom not in clauses[which])
    return [sorted([*c, more]) if place == which else c for place, c in enumerate(clauses)]


def _shrunk(clauses: Clauses, which: int) -> Clauses:
    return [c[1:] if place == which and len(c) > 1 else c for place, c in enumerate(clauses)]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("change", [_dropped, _grown, _shrunk])
def test_a_fault_in_the_clauses_is_refuted(
    over: str, which: int, change: Callable[[Clauses, int], Clauses]
) -> None:
    sound = cattleya.Explainer(_tree(), over=over).explain(list(ROW))
    asked = {"conditions": "complete", "features": "feature", "intervals": "interval"}[over]

    def planted(core: Any) -> dict[str, Any]:
        def search(*arguments: Any) -> Any:
            start, atom = getattr(core, f"{asked}_reason")(*arguments)
            clauses = change([atom[i:j].tolist() for i, j in pairwise(start)], which)
            ends = np.cumsum([0, *map(len, clauses)], dtype=np.int64)
            return ends, np.array([atom for clause in clauses for atom in clause], dtype=np.int32)

        return {f"{asked}_reason": search}

    e = _explained(over, planted)
    true_reasons = set(map(frozenset, sound.sufficient_reasons()))
    true_contrasts = set(map(frozenset, sound.contrastive()))
    reasons, contrasts = set(map(frozenset, e.sufficient_reasons())), e.contrastive()
    for reason in reasons:
        assert bool(e.verify(reason)) == (reason in true_reasons)
    for contrast in contrasts:
        assert e.is_contrastive(contrast) == (frozenset(contrast) in true_contrasts)
    is_changed = change is not _shrunk or which == 1  # the other clause has one atom only
    wrong = reasons - true_reasons, set(map(frozenset, contrasts)) - true_contrasts
    assert any(wrong) == is_changed


def _moved(conditions: Conditions) -> None:
    conditions.of_node[2] = conditions.of_node[0]


def _swapped(conditions: Conditions) -> None:
    conditions.of_node[[0, 2]] = conditions.of_node[[2, 0]]


def _lost(conditions: Conditions) -> None:
    conditions.of_node[3] = -1


def _shifted(conditions: Conditions) -> None:
    conditions.threshold = conditions.threshold + 1


def _other_column(conditions: Conditions) -> None:
    conditions.feature = conditions.feature[::-1].copy()


def _other_route(conditions: Conditions) -> None:
    conditions.missing_left = 1 - conditions.missing_left


def _twice(conditions: Conditions) -> None:
    for name in ("feature", "threshold", "missing_left"):
        values = getattr(conditions, name)
        setattr(conditions, name, np.append(values, values[-1]))


@pytest.mark.parametrize(
    "fault", [_moved, _swapped, _lost, _shifted, _other_column, _other_route, _twice]
)
def test_numbered_conditions_that_are_not_the_tests_of_the_tree(
    fault: Callable[[Conditions], None],
) -> None:
    conditions = Conditions(_tree())
    ConditionProver(_tree(), conditions)
    fault(conditions)
    with pytest.raises(RuntimeError, match="not the tests of the tree"):
        ConditionProver(_tree(), conditions)


def test_a_condition_with_the_words_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    e = cattleya.Explainer(_tree()).explain(list(ROW))
    right = Conditions._as_tested
    monkeypatch.setattr(Conditions, "_as_tested", lambda own, code: right(own, (code + 2) % 6))
    for ask in (e.verify, e.is_contrastive):
        with pytest.raises(RuntimeError, match="the number of another"):
            ask(["age > 30.5"])


@pytest.mark.parametrize("over", ["conditions", "intervals"])
def test_what_is_shown_can_be_proved(over: str) -> None:
    """A whole threshold is shown without its point."""
    model = DecisionTreeClassifier().fit([[20], [32]], [0, 1])
    e = cattleya.Explainer(model, ["age"], over=over).explain([20])
    assert "age <= 26 " in str(e)
    assert e.verify(["age <= 26"])
    assert e.verify(["age <= 26.0"])
    assert "age" in str(e.verify(["age <= 27"]).conditions)
    assert not e.verify(["age <= 27"]).sufficient  # what the tree does not test is proved, too
