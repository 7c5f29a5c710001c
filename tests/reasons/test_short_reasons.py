"""Short reasons: counted, smallest, the same each time; against every set of facts there is."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya import _core
from tests.oracles import short_reasons as oracle

OVER = ("conditions", "features", "intervals")
TABLE = [[0, 0]] + 5 * [[0, 1]] + 14 * [[1, 0]]


def drawn(seed: int, *, gaps: bool = False) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return a fitted tree, and rows of small whole numbers; with gaps, some are missing."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, size=(60, 4)).astype(float)
    if gaps:
        rows[rng.random(rows.shape) < 0.15] = np.nan
    known = np.nan_to_num(rows, nan=2.0)
    label = (known[:, 0] * known[:, 1] + rng.integers(0, 4, 60) > 4).astype(int)
    depth = int(rng.integers(2, 4))
    tree = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(rows, label)
    return tree, rows, rng.integers(0, 4, size=(8, 4)).astype(float)


def facts_of(e: cattleya.Explanation) -> list[cattleya.Condition]:
    tested = set(e.tree.feature[e.tree.left >= 0].tolist())
    return sorted((c for c in e.conditions if tested & set(c.columns)), key=str)


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gaps", [False, True])
def test_the_smallest_of_all_sets(over: str, seed: int, gaps: bool) -> None:
    tree, table, rows = drawn(seed, gaps=gaps)
    explainer = cattleya.Explainer(tree, over=over)
    among, predicted = explainer.among(table), tree.predict(table)
    for row, wanted in zip(np.vstack((rows[:3], table[:2])), (0.8, 0.9, 0.95, 1, 0.7), strict=True):
        e = explainer.explain(row)
        gets, least = predicted == e.prediction, max(1, ceil(Fraction(5, 100) * len(table)))
        share = Fraction(str(wanted))
        every = oracle.reaching(facts_of(e), table, gets, share, least, 3)
        if not every:
            with pytest.raises(cattleya.NoSuchReason) as caught:
                e.short_reason(wanted, among, max_size=3, min_coverage=0.05, prove=True)
            assert caught.value.at_least == 4  # type: ignore[attr-defined]  # of short reasons
            for size, precision, _, reason in caught.value.best:
                right, covered = oracle.counts(tuple(reason), table, gets)
                assert (size, precision) == (len(reason), Fraction(right, covered))
                assert precision < share
            continue
        short = e.short_reason(wanted, among, max_size=3, min_coverage=0.05, prove=True)
        assert short.proved_smallest
        assert len(short) == len(every[0]) == short.at_least
        right, covered = oracle.counts(tuple(short), table, gets)
        assert short.precision == Fraction(right, covered) >= share
        assert (short.share.right, short.share.covered, short.share.rows) == (right, covered, 60)
        assert short.coverage == Fraction(covered, 60)
        assert all(fact.holds_in(e.row[None, :])[0] for fact in short)
        assert e.verify(short, among=among)
        assert len(short.exceptions(table)) == short.share.wrong
        if len(short) < 2:  # all of them were compared: none is safer
            bounds = [
                _core.wilson_steps(r, n - r)
                for r, n in (oracle.counts(one, table, gets) for one in every)
            ]
            assert max(bounds) == _core.wilson_steps(right, covered - right)


@pytest.mark.parametrize("over", OVER)
def test_what_is_found_without_proof_is_counted_and_nearly_always_smallest(over: str) -> None:
    missed = 0
    for seed in range(20, 30):
        tree, table, rows = drawn(seed)
        explainer = cattleya.Explainer(tree, over=over)
        among = explainer.among(table)
        for row in rows[:4]:
            e = explainer.explain(row)
            try:
                proved = e.short_reason(0.9, among, prove=True)
            except cattleya.NoSuchReason:
                with pytest.raises(cattleya.NoSuchReason):
                    e.short_reason(0.9, among)
                continue
            found = e.short_reason(0.9, among)
            assert found.at_least <= len(proved) <= len(found)
            missed += len(found) > len(proved)
    assert missed <= 1


def test_the_lower_bound_is_wilsons() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        covered = int(rng.integers(1, 10 ** int(rng.integers(1, 8))))
        right = int(rng.integers(0, covered + 1))
        steps = _core.wilson_steps(right, covered - right)
        assert abs(steps / 2**28 - max(oracle.wilson(right, covered), 0)) < 1e-8
    assert _core.wilson_steps(0, 0) == 0


def test_the_same_answer_each_time_and_in_any_thread() -> None:
    tree, table, rows = drawn(3)
    explainer = cattleya.Explainer(tree)
    among = explainer.among(table)

    def ask(row: np.ndarray) -> str:
        try:
            return explainer.explain(row).short_reason(0.9, among).sentence
        except cattleya.NoSuchReason as refused:
            return str(refused)

    alone = [ask(row) for row in rows]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, np.vstack([rows] * 5))) == alone * 5
    among = explainer.among(table[::-1])  # nor does the order of the table matter
    assert [ask(row) for row in rows] == alone


def test_a_table_a_frame_and_a_pipeline() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 80, 300), "job": rng.choice(["nurse", "cook", "pilot"], 300)}
    )
    frame["paid"] = np.where((frame["age"] > 40) & (frame["job"] != "cook"), "yes", "no")
    model = cattleya.train(frame, "paid", size="full")
    table = frame.drop(columns="paid")
    for over in OVER:
        e = cattleya.Explainer(model, over=over).explain(table.iloc[0])
        try:
            short = e.short_reason(0.8, among=table)
        except cattleya.NoSuchReason:
            assert over == "features"
            continue
        assert {fact.feature for fact in short} <= {"age", "job"}
        same = model.predict(table) == e.prediction
        covered = short.covers(table)
        assert short.share.covered == covered.sum()
        assert short.share.right == (covered & same).sum()
        wrong = short.exceptions(table)
        assert wrong.index.tolist() == table.index[covered & ~same].tolist()
        halves = short.check(table[:150]), short.check(table[150:])
        assert sum(half.right for half in halves) == short.share.right
        assert e.verify(short, among=table)


@pytest.mark.parametrize("target", [cattleya.Value(at_least=3), cattleya.Value(within=1.0), None])
def test_numbers_and_their_targets(target: Any) -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 5, size=(80, 3)).astype(float)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(table, table[:, 0] + table[:, 1])
    e = cattleya.Explainer(model, target=target).explain(table[0])
    own, others = model.predict(table[:1])[0], model.predict(table)
    gets = {
        cattleya.Value(at_least=3): (others >= 3) == (own >= 3),
        cattleya.Value(within=1.0): np.abs(others - own) <= 1.0,
        None: others == own,
    }[target]
    short = e.short_reason(0.6, among=table)
    covered = short.covers(table)
    assert (short.share.right, short.share.covered) == ((covered & gets).sum(), covered.sum())
    assert short.outcome == e.outcome
    assert e.verify(short, among=table)


def test_the_trade_off_and_its_ladder() -> None:
    tree, table, rows = drawn(4)
    e = cattleya.Explainer(tree).explain(rows[0])
    gets = tree.predict(table) == e.prediction
    steps = e.trade_off(among=table)
    assert [step.size for step in steps] == list(range(len(steps)))
    for size, precision, coverage, reason in (*steps, *steps.ladder):
        right, covered = oracle.counts(tuple(reason), table, gets)
        assert (len(reason), precision, coverage) == (
            size,
            Fraction(right, covered),
            Fraction(covered, len(table)),
        )
        assert e.precision(reason, table) == reason.share
    for lower, upper in zip(steps.ladder, steps.ladder[1:], strict=False):
        assert lower.reason < upper.reason
    bounds = [step.reason.lower_bound for step in steps.ladder]
    assert all(best.reason.lower_bound >= low for best, low in zip(steps, bounds, strict=False))


def test_what_is_excluded_is_not_said() -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
    rows = 10 * [[0, 0]] + 5 * [[0, 1]] + 5 * [[1, 0]]
    explainer = cattleya.Explainer(tree)
    assert str(explainer.explain([1, 1]).short_reason(among=rows)) in ("a", "b")
    assert str(explainer.explain([1, 1], exclude=["a"]).short_reason(among=rows)) == "b"


def test_a_reason_is_kept_and_says_what_it_is_about() -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
    e = cattleya.Explainer(tree).explain([1, 0])
    short = e.short_reason(0.96, among=TABLE)
    assert (
        short.sentence == "of the 14 rows of the table with a, 100% (14) get yes, without exception"
    )
    assert "equal rows each time" in short.about
    assert "forces" not in short.about
    kept = pickle.loads(pickle.dumps(short))
    assert (kept, kept.share, kept.at_least) == (short, short.share, 1)
    assert kept.check(TABLE) == short.share
    assert short.kind == "short reason"
    assert not short.irredundant
    wrong = e.verify(short, among=[*TABLE[1:], [1, 1]])
    assert not wrong
    assert "miscounted" in str(wrong)
    with pytest.raises(cattleya.NoSuchReason) as refused:
        cattleya.Explainer(tree).explain([0, 0]).short_reason(0.9, TABLE, 1)
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value)
    assert again.best == refused.value.best


def test_time_runs_out_in_the_proof_and_the_gap_is_said() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(3000, 12))
    label = table[:, 0] + table[:, 1] * table[:, 2] + rng.normal(size=3000) > 0.5
    tree = DecisionTreeClassifier(random_state=0).fit(table, label)
    e = cattleya.Explainer(tree).explain(table[0])
    short = e.short_reason(0.9, table, prove=True, timeout=0.4)
    assert short.gap == len(short) - short.at_least >= 0
    assert short.proved_smallest == (short.gap == 0)


def test_rows_of_another_explainer_are_refused() -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
    among = cattleya.Explainer(tree).among(TABLE)
    with pytest.raises(ValueError, match="another explainer"):
        cattleya.Explainer(tree).explain([1, 0]).short_reason(among=among)
    with pytest.raises(TypeError, match="short reason"):
        cattleya.Explainer(tree).explain([1, 0]).verify(["a"], among=TABLE)  # type: ignore[call-overload]  # on purpose


def test_a_table_that_the_explainer_was_given_is_shown_first() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 200), "hours": rng.integers(10, 60, 200)})
    label = np.where((frame["age"] > 40) | (rng.random(200) < 0.05), "yes", "no")
    tree = DecisionTreeClassifier(random_state=0).fit(frame, label)
    explainer = cattleya.Explainer(tree, data=frame)
    e = explainer.explain(frame.iloc[0])
    short = e.short_reason()
    assert short == e.short_reason(among=frame)
    text, page = str(e), e.to_html(data=frame)
    assert text.index("Usually:") < text.index("Why ")
    assert f"{short.share.covered:,} rows of the table" in " ".join(text.split())
    assert page.index('id="usually"') < page.index('id="why"')
    assert "Usually:" in e._repr_html_()
    assert "Usually:" not in str(cattleya.Explainer(tree).explain(frame.iloc[0]))
    kept = pickle.loads(pickle.dumps(explainer))
    assert kept.explain(frame.iloc[0]).table is None


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("target", [None, cattleya.Probability(1, at_least=0.3), "within"])
def test_ensembles_need_only_the_outcomes_of_rows(over: str, target: Any) -> None:
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier

    _, table, rows = drawn(0)
    label = (table[:, 0] * table[:, 1] > 3).astype(int)
    model: Any = RandomForestClassifier(5, random_state=0).fit(table, label)
    if target == "within":
        model = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(table, label)
        target = cattleya.Value(within=0.1)
    explainer = cattleya.Explainer(model, over=over, target=target)
    predicted = model.predict(table)
    for row in rows[:2]:
        e = explainer.explain(row)
        gets = predicted == e.prediction
        if isinstance(target, cattleya.Value):
            gets = np.abs(predicted - e.prediction) <= 0.1
        elif target is not None:
            sides = model.predict_proba(np.vstack((table, row)))[:, 1] >= 0.3
            gets = sides[:-1] == sides[-1]
        every = oracle.reaching(facts_of(e), table, gets, Fraction(7, 10), 1, 2)
        if not every:
            with pytest.raises(cattleya.NoSuchReason):
                e.short_reason(0.7, table, 2, 0, prove=True)
            continue
        short = e.short_reason(0.7, table, 2, 0, prove=True)
        right, covered = oracle.counts(tuple(short), table, gets)
        assert (len(short), short.share.right, short.share.covered) == (
            len(every[0]),
            right,
            covered,
        )
        assert e.verify(short, among=table)
        assert len(short.exceptions(table)) == covered - right


def test_rows_that_an_overgrown_tree_was_trained_on_are_told() -> None:
    _, table, rows = drawn(0)
    rng = np.random.default_rng(0)
    grown = DecisionTreeClassifier(random_state=0).fit(table, rng.integers(0, 2, len(table)))
    e = cattleya.Explainer(grown).explain(rows[0])
    assert "trained on" in e.short_reason(0.5, table).caution
    assert "trained on" not in e.short_reason(0.5, table[1:]).caution
    stump = DecisionTreeClassifier(max_depth=1).fit(table, table[:, 0] > 1)
    assert (
        "trained on"
        not in cattleya.Explainer(stump).explain(rows[0]).short_reason(0.5, table).caution
    )
