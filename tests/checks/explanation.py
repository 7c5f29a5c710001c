"""One explanation against the definitions: what every test of the definitions compares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import product

import cattleya
from tests.oracles import definitions as oracle
from tests.oracles.definitions import Case, Family, Literal, Term
from tests.oracles.hitting_sets import minimal_hitting_sets
from tests.samples.trees import Nodes

ToLiteral = Callable[[cattleya.Condition], Literal]


def term(conditions: Collection[cattleya.Condition], literal: ToLiteral) -> Term:
    """Conditions as the oracle's literals; no two of them may be the same literal."""
    result = frozenset(literal(condition) for condition in conditions)
    assert len(result) == len(conditions)
    return result


def family(reasons: Sequence[cattleya.Reason], literal: ToLiteral) -> Family:
    """Reasons as the oracle's terms; no two of them may be the same term."""
    result = frozenset(term(reason, literal) for reason in reasons)
    assert len(result) == len(reasons)
    return result


def check_explanation(e: cattleya.Explanation, case: Case, literal: ToLiteral) -> None:
    """Every answer but `direct_reason` and `verify`, for both kinds of explanation."""
    assert term(e.conditions, literal) == case.row
    assert term(e.sufficient_reason(), literal) in case.sufficient
    check_contrastive(e.contrastive(), case.contrastive, literal)
    check_features(e, "sufficient", case.sufficient, case.row, literal)
    check_features(e, "contrastive", case.contrastive, case.row, literal)
    assert e.count("contrastive") == len(case.contrastive)
    if case.contrastive:
        check_importance(e, case, literal)


def check_contrastive(
    reasons: tuple[cattleya.Reason, ...], expected: Family, literal: ToLiteral
) -> None:
    """Exactly the expected ones, smallest first."""
    assert family(reasons, literal) == expected
    assert [len(reason) for reason in reasons] == sorted(len(reason) for reason in reasons)


def check_features(
    e: cattleya.Explanation, kind: str, expected: Family, row: Term, literal: ToLiteral
) -> None:
    """Necessary, relevant and irrelevant for one kind of explanation."""
    assert term(e.necessary(kind), literal) == oracle.necessary(expected)
    assert term(e.relevant(kind), literal) == oracle.relevant(expected)
    assert term(e.irrelevant(kind), literal) == row - oracle.relevant(expected)


def check_importance(e: cattleya.Explanation, case: Case, literal: ToLiteral) -> None:
    """Importance for contrastive explanations: exact, of all of the row's conditions, sorted."""
    shares = e.importance("contrastive")
    found = {literal(condition): share for condition, share in shares.items()}
    assert found == oracle.importance(case.contrastive, case.row)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


def check_toward(
    e: cattleya.Explanation, case: Case, literal: ToLiteral, class_names: Sequence[Hashable]
) -> None:
    """Contrastive explanations toward each single other class."""
    for number, name in enumerate(class_names):
        if number != case.predicted:
            check_contrastive(e.contrastive(toward=name), case.toward(number), literal)


def check_verify(
    e: cattleya.Explanation, case: Case, kept: Collection[cattleya.Condition], literal: ToLiteral
) -> cattleya.Verification:
    """`verify` on a set of the row's conditions: the verdict, and the proof that goes with it."""
    verdict = e.verify(kept)
    expected = term(kept, literal)
    assert verdict.sufficient == case.is_implicant(expected)
    assert bool(verdict) == (expected in case.sufficient)
    if not verdict.sufficient:
        assert verdict.witness is not None
        check_witness(verdict.witness, expected, case, literal)
        return verdict
    assert verdict.row is None
    assert verdict.irredundant == (expected in case.sufficient)
    assert term(verdict.redundant, literal) <= expected
    assert expected - term(verdict.redundant, literal) in case.sufficient
    return verdict


def check_witness(
    witness: Collection[cattleya.Condition], kept: Term, case: Case, literal: ToLiteral
) -> None:
    """The witness shares the conditions, and every assignment that it leaves has another class."""
    given = dict(term(witness, literal))
    assert len(given) == len(witness), "a condition and its negation"
    assert given.keys() <= set(case.variables)
    assert kept <= set(given.items())
    left_open = [variable for variable in case.variables if variable not in given]
    assert len(left_open) <= len(case.variables) - len(kept)
    for values in product([False, True], repeat=len(left_open)):
        assignment = given | dict(zip(left_open, values, strict=True))
        assert class_of(case, assignment) != case.predicted


def class_of(case: Case, assignment: dict[Hashable, bool]) -> int:
    """The class of one assignment, from the table of all."""
    as_in_row = (
        assignment[v] == value for v, value in zip(case.variables, case.values, strict=True)
    )
    return int(case.classes[sum(bit << i for i, bit in enumerate(as_in_row))])


def check_refuting_row(
    verdict: cattleya.Verification, nodes: Nodes, case: Case, kept: Term, tree: cattleya.Tree
) -> None:
    """There is a row exactly where a real one shares the conditions and gets another class."""
    if verdict.row is None:
        assert verdict.sufficient or not refuting_row_exists(nodes, case, kept)
        return
    row = verdict.row
    assert row.shape == (nodes.n_features,)
    assert all(row[feature] in (0, 1) for feature in nodes.boolean)
    asked = nodes.case(row)
    assert kept <= asked.row
    assert asked.predicted != case.predicted
    assert tree.predict(row.reshape(1, -1))[0] == asked.predicted


def refuting_row_exists(nodes: Nodes, case: Case, kept: Term) -> bool:
    """By trying every real combination of truths that each feature's conditions can have."""
    reachable = {0}
    for feature in range(nodes.n_features):
        own = {bits_of(nodes, case, feature, value) for value in nodes.candidates(feature)}
        reachable = {bits | more for bits, more in product(reachable, own)}
    wanted = case.number(kept)
    return any(
        bits & wanted == wanted and case.classes[bits] != case.predicted for bits in reachable
    )


def bits_of(nodes: Nodes, case: Case, feature: int, value: float) -> int:
    """Which conditions of one feature a value gives the truth that they have in the row."""
    agree = (
        variable[0] == feature and nodes.holds(variable, value) == case.values[i]
        for i, variable in enumerate(nodes.variables)
    )
    return sum(bit << i for i, bit in enumerate(agree))


def path_literals(nodes: Nodes, row: Sequence[float]) -> Term:
    """The direct reason: the conditions on the row's own way from the root to its leaf."""
    truth: dict[Hashable, bool] = dict(nodes.case(row).row)
    tested = map(nodes.variable, nodes.walk(row)[:-1])
    return frozenset((variable, truth[variable]) for variable in tested)


def strings(conditions: Iterable[cattleya.Condition]) -> set[str]:
    """Conditions as they print."""
    return {str(condition) for condition in conditions}


def naming(*parts: str) -> str:
    """A pattern for messages that name all of these, in any order."""
    return "(?is)" + "".join(f"(?=.*(?:{part}))" for part in parts)


def clauses_of(e: cattleya.Explanation) -> list[list[cattleya.Condition]]:
    return [list(reason) for reason in e.contrastive()]


def listed(e: cattleya.Explanation) -> frozenset[frozenset[cattleya.Condition]]:
    """All sufficient reasons, from the contrastive explanations."""
    conditions = sorted(e.relevant(), key=str)
    number = {condition: i for i, condition in enumerate(conditions)}
    found = minimal_hitting_sets([[number[c] for c in clause] for clause in clauses_of(e)])
    return frozenset(frozenset(conditions[i] for i in reason) for reason in found)
