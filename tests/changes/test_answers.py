"""The widest reason, the destinations of changes, and their proof, against all rows of domains."""

from __future__ import annotations

import math
from copy import deepcopy
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box, Range
from cattleya.changes.general.general_reason import General, Widest
from cattleya.changes.general.generalise import widen
from cattleya.explain.explanation import explained_row
from cattleya.model.conditions.reading import Reader
from cattleya.model.domain.domain import Category
from cattleya.support.limits import Deadline
from cattleya.support.text import printable
from cattleya.vocabularies.over import Over
from tests.oracles.rows import check_change

Rows = list[list[float]]
VALUES = 4  # of each feature: 0 to 3


@st.composite
def models(draw: st.DrawFn) -> cattleya.Explainer:
    """A random tree over three whole numbers, explained in any vocabulary."""
    n_inner = draw(st.integers(1, 6))
    left, right, feature, threshold, leaf = [-1], [-1], [-1], [0.0], [0]
    for _ in range(n_inner):
        open_leaves = [node for node in range(len(left)) if left[node] < 0]
        node = draw(st.sampled_from(open_leaves))
        feature[node] = draw(st.integers(0, 2))
        threshold[node] = draw(st.sampled_from([0.5, 1.5, 2.5]))
        left[node], right[node] = len(left), len(left) + 1
        for _ in range(2):
            for each in (left, right, feature):
                each.append(-1)
            threshold.append(0.0)
            leaf.append(0)
    leaf = [-1 if left[n] >= 0 else draw(st.integers(0, 2)) for n in range(len(left))]
    tree = cattleya.Tree(
        left, right, feature, threshold, leaf,
        n_features=3, feature_names=["a", "b and c", "d"], class_names=["no", "maybe", "yes"],
    )  # fmt: skip  # arrays of nodes, side by side
    over = draw(st.sampled_from(["conditions", "features", "intervals"]))
    return cattleya.Explainer(tree, over=over, integer=True)


EVERY_ROW = np.array(np.meshgrid(*[range(VALUES)] * 3)).reshape(3, -1).T.astype(float)


@settings(max_examples=60, deadline=None)
@given(
    explainer=models(),
    number=st.integers(0, len(EVERY_ROW) - 1),
    table=st.lists(st.integers(0, len(EVERY_ROW) - 1), max_size=30),
)
def test_answers_against_their_definitions(
    explainer: cattleya.Explainer, number: int, table: list[int]
) -> None:
    row = EVERY_ROW[number]
    e = explainer.explain(row)
    labels = explainer.tree.predict(EVERY_ROW)
    same = np.array([label == e.prediction for label in labels])
    check_reason(e, row, same, [])
    if table:
        check_reason(e, row, same, table)
    check_changes(e, row, labels)
    check_feature_importance(e)


def check_reason(
    e: cattleya.Explanation, row: np.ndarray, same: np.ndarray, table: list[int]
) -> None:
    reason = e.reason(among=EVERY_ROW[table] if table else None)
    covered = reason.covers(EVERY_ROW)
    assert covered[(row == EVERY_ROW).all(axis=1)].all()
    assert same[covered].all()
    # No fewer features force the class.
    fewest = next(
        size
        for size in range(4)
        if any(
            same[(EVERY_ROW[:, list(chosen)] == row[list(chosen)]).all(axis=1)].all()
            for chosen in combinations(range(3), size)
        )
    )
    assert len(reason) == fewest
    assert reason.widest is not None
    assert reason.widest.proved
    rows, width = widest_of(e, row, same, fewest, table)
    assert reason.width == width
    assert reason.widest.rows == (rows if table else None)
    if table:
        assert e.reach(reason, EVERY_ROW[table]).covered == rows
    # Proved, also from what it prints, and no part could be larger.
    texts = (str(reason), [str(part) for part in reason])  # over conditions they mean another set
    for said in (reason, *(() if e.over is Over.CONDITIONS else texts)):
        proved = e.verify(said)
        assert proved, said
        assert not proved.larger
    reach = e.reach(reason, EVERY_ROW)
    assert (reach.covered, reach.decisions) == (covered.sum(), same.sum())
    # What is narrower is proved, too, and said to be so.
    for part in reason:
        rest = [str(other) for other in reason if other != part]
        assert not e.verify(rest).sufficient


def widest_of(
    e: cattleya.Explanation, row: np.ndarray, same: np.ndarray, size: int, table: list[int]
) -> tuple[int, Fraction]:
    """Return how wide the widest of all boxes about so many features is, of all that there are.

    The rows of a table that it covers, and the share of the cells.
    """
    tree = e.tree
    inner = tree.left >= 0
    cuts = [np.unique(tree.threshold[inner & (tree.feature == column)]) for column in range(3)]
    cell = np.array([np.searchsorted(cuts[column], EVERY_ROW[:, column]) for column in range(3)])
    widths = []
    for chosen in combinations(range(3), size):
        own = {c: int(np.searchsorted(cuts[c], row[c])) for c in chosen}
        ends = [
            [(c, low, up) for low in range(own[c] + 1) for up in range(own[c], len(cuts[c]) + 1)]
            for c in chosen
        ]
        for box in product(*ends):
            inside = np.ones(len(EVERY_ROW), dtype=bool)
            for column, low, up in box:
                inside &= (low <= cell[column]) & (cell[column] <= up)
            if same[inside].all():
                shares = (Fraction(up - low + 1, len(cuts[c]) + 1) for c, low, up in box)
                widths.append((int(inside[table].sum()), prod(shares, start=Fraction(1))))
    return max(widths)


@pytest.mark.parametrize("seed", range(4))
def test_the_widest_with_categories_and_gaps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.choice([1.0, 2, 3, 4, np.nan], 60),
            "job": rng.choice(["cook", "nurse", "pilot", "vet"], 60),
            "pay": rng.choice([1.0, 2, 3, np.nan], 60),
        }
    )
    coded = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["job"]), remainder="passthrough"
    )
    model = make_pipeline(coded, DecisionTreeClassifier(max_depth=4, random_state=seed))
    explainer = cattleya.Explainer(model.fit(frame, rng.integers(0, 2, 60)), over="intervals")
    among = explainer.among(frame)
    for number in range(6):
        e = explainer.explain(frame.iloc[[number]])
        row = explained_row(e)
        cells = row.prepared.cell_regions(Deadline(None))
        names = [attribute.name for attribute in cells.regions.attributes]
        widths = []
        for facts in row.over_features.sufficient(Deadline(None)).every_minimal(
            math.inf, Deadline(None)
        ):
            places = [names.index(fact.feature) for fact in facts]
            for chosen in product(*(every_side(cells, place, row.row) for place in places)):
                box = Box(cells)
                box.narrowed = dict(zip(places, deepcopy(chosen), strict=True))
                if widen(box, row.row_class, (), Deadline(None)):
                    widths.append((covered_by(box, among.matrix), box.width))
        by_cells, by_rows = e.reason(), e.reason(among=among)
        rows, width = max(widths)
        sets = proof_of(by_cells).compared
        assert proof_of(by_cells) == Widest(sets, True, True)
        assert by_cells.width == max(width for _, width in widths)
        assert proof_of(by_rows) == Widest(sets, True, True, rows)
        assert by_rows.width == width
        assert rows == by_rows.covers(frame).sum()
        assert e.verify(by_cells)
        assert e.verify(by_rows)


def proof_of(reason: General) -> Widest:
    """Return what is proved of how wide a reason is."""
    assert reason.widest is not None
    return reason.widest


def covered_by(box: Box, matrix: np.ndarray) -> int:
    """Return how many rows a box covers, by the conditions that it is shown as."""
    covered = np.ones(len(matrix), dtype=bool)
    for place in box.narrowed:
        part = box.part(place)
        if part is not None:
            covered &= part.holds_in(matrix)
    return int(covered.sum())


def test_rows_with_gaps_that_the_reason_says_nothing_about() -> None:
    """A complete row is explained; rows of the table lack what its reason does not mention."""
    rng = np.random.default_rng(0)
    learned = rng.integers(0, 4, (40, 3)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(learned, rng.integers(0, 2, 40))
    table = learned.copy()
    table[rng.random(table.shape) < 0.3] = np.nan
    explainer = cattleya.Explainer(model, over="intervals")
    among = explainer.among(table)
    for row in learned[:10]:
        e = explainer.explain(row)
        reason = e.reason(among=among)
        gets = model.predict(table) == e.prediction
        reach = e.reach(reason, among)
        assert proof_of(reason).rows == reach.covered == (reason.covers(table) & gets).sum()
        assert reach.decisions == gets.sum()


@pytest.mark.parametrize("seed", range(6))
def test_reasons_of_ensembles_are_compared(seed: int) -> None:
    """All smallest sets of features, by brute force; each widened, and the widest shown."""
    rng = np.random.default_rng(seed)
    learned = EVERY_ROW[rng.integers(0, len(EVERY_ROW), 40)]
    forest = RandomForestClassifier(3, max_depth=3, random_state=seed)
    forest.fit(learned, rng.integers(0, 2, 40))
    explainer = cattleya.Explainer(forest, over="intervals", integer=True)
    of_features = cattleya.Explainer(forest, over="features", integer=True)
    table = EVERY_ROW[rng.integers(0, len(EVERY_ROW), 25)]
    predicted = forest.predict(EVERY_ROW)
    for row in EVERY_ROW[rng.integers(0, len(EVERY_ROW), 5)]:
        e = explainer.explain(row)
        same = predicted == e.prediction
        size, sets = smallest_sets(row, same)
        listed = list(of_features.explain(row).minimal_reasons())
        assert sorted(tuple(fact.index for fact in one) for one in listed) == sets
        wide = [of_features.explain(row).generalise(one) for one in listed]
        for among in (None, table):
            reason, proof = e.reason(among=among), proof_of(e.reason(among=among))
            assert len(reason) == size
            assert same[reason.covers(EVERY_ROW)].all()
            rows = [0 if among is None else int(one.covers(table).sum()) for one in wide]
            widths = [(count, one.width) for count, one in zip(rows, wide, strict=True)]
            own = max(widths)[0] if among is not None else None
            assert proof == Widest(len(sets), all_compared=True, rows=own, bounded=True)
            assert (proof.rows or 0, reason.width) == max(widths)
            assert e.verify(reason)


def smallest_sets(row: np.ndarray, same: np.ndarray) -> tuple[int, list[tuple[int, ...]]]:
    """Return the fewest features whose values force the class: how many, and all such sets."""
    for size in range(4):
        sets = [
            chosen
            for chosen in combinations(range(3), size)
            if same[(EVERY_ROW[:, list(chosen)] == row[list(chosen)]).all(axis=1)].all()
        ]
        if sets:
            return size, sets
    raise AssertionError("the whole row forces its class")


def test_what_is_said_of_the_reason_of_an_ensemble() -> None:
    forest = RandomForestClassifier(3, random_state=0).fit(EVERY_ROW, EVERY_ROW[:, 0] > 1)
    frame = pd.DataFrame(EVERY_ROW)
    e = cattleya.Explainer(forest, data=frame, over="intervals").explain([1, 1, 1])
    reason = e.reason()
    assert proof_of(reason) == Widest(1, all_compared=True, rows=32, bounded=True)
    assert "the rows of the table that it covers" in reason.measure
    said = " ".join(str(e).split())
    assert "only one set of as few is enough, widened one feature after the other" in said
    for one in (reason, e.generalise(e.sufficient_reason())):  # what nobody has proved
        assert "can be made larger" not in one.definition
        assert "widened one feature after the other" in one.definition
    assert "of the table" in said  # how many rows it covers is told
    early = e.reason(among=EVERY_ROW, timeout=60)
    assert str(early) == str(reason)


def every_side(cells: CellRegions, place: int, row: np.ndarray) -> list[Any]:
    """Return all that can be allowed of an attribute while the row has it."""
    described = cells.regions.attributes[place]
    if isinstance(described, Category):
        own = described.value_of(row)
        marks = product([False, True], repeat=len(described.values))
        return [np.array(one) for one in marks if one[own]]
    value, top = float(row[described.column]), int(cells.top[place])
    spans = [(low, up) for low in range(top + 1) for up in range(low, top + 1)]
    if np.isnan(value):
        return [Range(low, up, True) for low, up in [*spans, (top + 1, -1)]]
    own = cells.cell(place, value)
    gaps = {False, cells.takes_missing}
    return [Range(low, up, gap) for low, up in spans if low <= own <= up for gap in gaps]


def check_changes(e: cattleya.Explanation, row: np.ndarray, labels: np.ndarray) -> None:
    for toward in (None, *sorted(set(labels) - {e.prediction})):
        for change in e.changes(toward=toward):
            does = check_change(change, EVERY_ROW, row, e.tree.predict, toward)
            assert e.over is Over.CONDITIONS or change.destinations
            for one in change.destinations:
                check_nearest(e, one, row, does & (labels == one.outcome))
            assert str(change)


def check_nearest(e: cattleya.Explanation, one: Any, row: np.ndarray, does: np.ndarray) -> None:
    """The values shown are of the nearest row that does it; those around them are all that do."""
    columns = [part.index for part in one.parts]
    target = row.copy()
    for moved in one.moved:
        target[e.tree.feature_names.index(moved.feature)] = moved.nearest
    assert e.tree.predict([target])[0] == one.outcome
    reached = EVERY_ROW[does][:, columns]
    if len(columns) == 1:  # all that is as near on its side is there
        (column,) = columns
        reached = reached[(reached[:, 0] > row[column]) == (target[column] > row[column])]
    assert np.abs(target - row).sum() == np.abs(reached - row[columns]).sum(axis=1).min()
    inside = np.logical_and.reduce([part.holds_in(EVERY_ROW) for part in one.parts])
    stays = [c for c in range(3) if c not in columns]
    inside &= (EVERY_ROW[:, stays] == row[stays]).all(axis=1)
    check_large(inside, one, does)


def check_large(inside: np.ndarray, one: Any, does: np.ndarray) -> None:
    """No value next to those of one feature would do it, too, with all those of the others."""
    columns = [part.index for part in one.parts]
    taken = {column: np.unique(EVERY_ROW[inside][:, column]) for column in columns}
    for column in columns:
        values = taken[column]
        for further in (values[0] - 1, values[-1] + 1):
            others = [np.isin(EVERY_ROW[:, c], taken[c]) for c in columns if c != column]
            stays = [c for c in range(3) if c not in columns]
            added = (EVERY_ROW[:, stays] == EVERY_ROW[inside][0, stays]).all(axis=1)
            added &= np.logical_and.reduce([EVERY_ROW[:, column] == further, *others])
            assert not added.any() or not does[added].all()


def check_feature_importance(e: cattleya.Explanation) -> None:
    reasons = list(e.sufficient_reasons())
    expected = {
        name: Fraction(sum(name in {c.feature for c in r} for r in reasons), len(reasons))
        for name in e.tree.feature_names
    }
    found = e.feature_importance()
    assert found == expected
    assert list(found.values()) == sorted(found.values(), reverse=True)


@settings(max_examples=60, deadline=None)
@given(explainer=models(), number=st.integers(0, len(EVERY_ROW) - 1))
def test_what_is_printed_can_be_read(explainer: cattleya.Explainer, number: int) -> None:
    e = explainer.explain(EVERY_ROW[number])
    reader = Reader(e.tree, e._row.context.domain)
    said = [
        *e.conditions,
        *e.reason(),
        *(p for c in e.changes() for d in c.destinations for p in d.parts),
    ]
    for condition in said:
        read, note = reader.read(str(condition))
        assert note is None
        assert (read.holds_in(EVERY_ROW) == condition.holds_in(EVERY_ROW)).all()
    for reason in (e.minimal_reason(), e.sufficient_reason()):
        assert e.verify(str(reason)) or not reason
    pasted = e.verify(str(e.reason()))  # over conditions, assignments that no row has may refute it
    assert pasted or (e.over is Over.CONDITIONS and pasted.in_rows)
    for condition in e.conditions:
        assert e.condition(str(condition)) == condition


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a is 1 to 2", [1, 2]),
        ("(a is 1 to 2)", [1, 2]),
        ("a >= 2 (it is 3)", [2, 3]),
        ("0.5 < a <= 2.5", [1, 2]),
        ("1 <= a < 3", [1, 2]),
        ("a > 1", [2, 3]),
        ("a < 1", [0]),
        ("a is 2", [2]),
        ("a = 2", [2]),
        ("a is present", [0, 1, 2, 3]),
    ],
)
def test_texts(text: str, rows: list[int]) -> None:
    tree = cattleya.Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [1.5, 0, 0],
        [-1, 0, 1],
        n_features=1,
        feature_names=["a"],
    )
    e = cattleya.Explainer(tree, integer=True).explain([0])
    reader = Reader(tree, e._row.context.domain)
    values = np.arange(4.0)[:, None]
    assert np.flatnonzero(reader.read(text).condition.holds_in(values)).tolist() == rows
    assert printable(text) == text


TRUTHS = pd.DataFrame({"b": [0, 0, 1, 1] * 8, "c": [0, 1] * 16, "age": range(20, 52)})
TRUTHS = TRUTHS.astype({"b": bool, "c": bool})
RICH = (TRUTHS["b"] & (TRUTHS["age"] > 30)) | (~TRUTHS["c"] & (TRUTHS["age"] <= 25))


@pytest.mark.parametrize(
    "steps",
    [(), (StandardScaler(),), (SimpleImputer(),), (OneHotEncoder(drop="if_binary"),)],
    ids=["plain", "scaled", "imputed", "encoded"],
)
def test_truth_values_are_read_by_every_explainer(steps: tuple[Any, ...]) -> None:
    """Whatever one prints of a truth value, all others take, and mean the same by it."""
    table = TRUTHS.astype(float) if isinstance((*steps, None)[0], SimpleImputer) else TRUTHS
    if isinstance((*steps, None)[0], OneHotEncoder):
        steps = (make_column_transformer((steps[0], ["b", "c"]), remainder="passthrough"),)
    model = make_pipeline(*steps, DecisionTreeClassifier(random_state=0)).fit(table, RICH)
    explainers = [
        cattleya.Explainer(model, over=over, data=data)
        for over in ("conditions", "features", "intervals")
        for data in (None, TRUTHS)
    ]
    printed = set()
    for number in (0, 7, 18, 31):
        rows = [explainer.explain(table.iloc[[number]]) for explainer in explainers]
        for e in rows:
            for text in (str(e.reason()), [str(c) for c in e.minimal_reason()]):
                printed.update([text] if isinstance(text, str) else text)
                for other in rows:
                    proved = other.verify(text)
                    assert proved.sufficient or proved.in_rows
    assert any("b = True" in text for text in printed)
    assert len(steps) > 0 or any("b > 0.5" in text for text in printed)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("b = True", [1]),
        ("b is True", [1]),
        ("b = False", [0]),
        ("b is not True", [0, 2]),
        ("b in {False, True}", [0, 1]),
        ("b in {True, missing}", [1, 2]),
        ("b is missing", [2]),
        ("b = 1", [1]),
        ("b", [1]),
        ("not b", [0]),
        ("b <= 0.5", [0]),
        ("b <= 0.5 or missing", [0, 2]),
        ("0.5 < b <= 1", [1]),
        ("b is 0 to 1", [0, 1]),
    ],
)
@pytest.mark.parametrize("stated", [True, False])
def test_texts_of_truth_values(text: str, rows: list[int], stated: bool) -> None:
    """As a truth value and as a number that the tree compares with 0.5, where it may be missing."""
    tree = cattleya.Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [0.5, 0, 0],
        [-1, 0, 1],
        n_features=1,
        feature_names=["b"],
        missing_left=[True, False, False],
    )
    types = pd.DataFrame({"b": [True]})
    e = cattleya.Explainer(tree, data=types if stated else None, missing_values=True).explain([0])
    values = np.array([[0.0], [1.0], [np.nan]])
    read = Reader(tree, e._row.context.domain).read(text).condition
    assert np.flatnonzero(read.holds_in(values)).tolist() == rows


@pytest.mark.parametrize("text", ["age = True", "age", "not age"])
def test_a_truth_value_that_is_not_clear(text: str) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1], 1, feature_names=["age"]
    )
    with pytest.raises(ValueError, match=r"compares with 30\.5: what True and False are is not"):
        cattleya.Explainer(tree).explain([31]).verify(text)


@pytest.mark.parametrize("over", ["conditions", "intervals"])
def test_a_rounded_text_is_said_to_be_one(over: Any) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [13.174999713897705, 0, 0], [-1, 0, 1],
        n_features=1, feature_names=["alcohol"], row_dtype="float32",
    )  # fmt: skip  # arrays of nodes, side by side
    e = cattleya.Explainer(tree, over=over).explain([12.0])
    assert str(e.sufficient_reason()) == "alcohol <= 13.174999"
    assert e.verify("alcohol <= 13.174999")
    assert e.verify("alcohol <= 13.174999713897705")
    rounded = e.verify("alcohol <= 13.17")
    assert rounded
    assert rounded.notes == (
        "alcohol <= 13.17: 13.17 was read as 13.174999, a threshold of the tree that is rounded so",
    )
    refuted = e.verify("alcohol <= 14")
    assert not refuted
    assert refuted.row is not None
    larger = e.verify("alcohol <= 13")
    assert larger.larger
    assert "could be made larger" in str(larger)
