"""Summaries in words: golden texts of small models, and that no word says more than is so."""

from __future__ import annotations

import contextlib
import io
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.explain.explanation import explained_row
from cattleya.model.conditions.condition import Comparison
from cattleya.present.findings import Wish, find_out
from cattleya.present.pages.page import _sign
from cattleya.present.words import describe, in_words, render, sentences, statements
from cattleya.present.words.numbers import listed, rounded, shortened
from cattleya.present.words.sentences import order_of_changes
from cattleya.present.words.statements import general_text, one_by_one
from cattleya.support.limits import Deadline
from cattleya.vocabularies.interface import ANY_OTHER_CLASS
from tests import DATA
from tests.samples.conditions import as_test

GOLDEN = DATA / "golden"


def orchid(**limits: Any) -> cattleya.Explanation:
    """The paper's running example."""
    x4 = ("sympodial", "other", "Cattleya")
    tree = cattleya.Tree.from_nested(
        (
            "fragrant",
            ("white", "other", ("large", "other", x4)),
            ("white", ("large", x4, x4), ("large", x4, x4)),
        )
    )
    return cattleya.Explainer(tree).explain([1, 1, 1, 1], **limits)


def bundled(load: Any, row: int, over: str = "conditions") -> cattleya.Explanation:
    data = load()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    names = list(data.feature_names), list(data.target_names)
    return cattleya.Explainer(model, *names, over=over).explain(data.data[row])


def applicant(over: str) -> cattleya.Explanation:
    """Somebody before a tree behind a scaler and an encoder."""
    table = pd.DataFrame(
        {
            "age": [25, 38, 52, 61, 33, 47, 29, 44, 58, 36, 49, 27],
            "job": ["nurse", "clerk", "cook"] * 4,
            "income": [1800, 2400, 3100, 1500, 2750, 2050, 3300, 1200, 2600, 1950, 2900, 2250],
        }
    )
    granted = (table["job"] == "nurse") | (table["income"] > 2000) & (table["age"] > 30)
    preparation = make_column_transformer(
        (StandardScaler(), ["age", "income"]), (OneHotEncoder(sparse_output=False), ["job"])
    )
    model = make_pipeline(preparation, DecisionTreeClassifier(random_state=0))
    model.fit(table, granted.map({True: "granted", False: "refused"}))
    return cattleya.Explainer(model, over=over, integer=["age", "income"]).explain(
        {"age": 38, "job": "clerk", "income": 2400}
    )


def of_ages(row: list[float], missing_left: list[bool] | None = None) -> cattleya.Explanation:
    """A tree that asks twice about age and once about income."""
    tree = cattleya.Tree(
        left=[1, 3, -1, -1, 5, -1, -1],
        right=[2, 4, -1, -1, 6, -1, -1],
        feature=[0, 0, -1, -1, 1, -1, -1],
        threshold=[41.5, 30.5, 0, 0, 1000.25, 0, 0],
        leaf_class=[-1, -1, 0, 0, -1, 0, 1],
        n_features=2,
        feature_names=["age", "income"],
        class_names=["refused", "granted"],
        missing_left=missing_left,
    )
    return cattleya.Explainer(tree).explain(row)


CASES: dict[str, Callable[[], cattleya.Explanation]] = {
    "orchid": orchid,
    "orchid without white": lambda: orchid(exclude=["white"]),
    "orchid that must stay fragrant": lambda: orchid(immutable=["fragrant", "sympodial"]),
    "orchid of which too much is excluded": lambda: orchid(exclude=["sympodial"]),
    "iris": lambda: bundled(load_iris, 0),
    "wine": lambda: bundled(load_wine, 62),
    "breast cancer": lambda: bundled(load_breast_cancer, 8),
    "ages": lambda: of_ages([38.0, 2000.0]),
    "ages with a missing value": lambda: of_ages(
        [math.nan, 2000.0], [True, False, False, False, True, False, False]
    ),
    "two ways to the same": lambda: cattleya.Explainer(
        cattleya.Tree.from_nested(("rich", ("old", "no", "yes"), "yes"))
    ).explain([1, 1]),
    "wine over intervals": lambda: bundled(load_wine, 62, "intervals"),
    "wine over features": lambda: bundled(load_wine, 62, "features"),
    "applicant": lambda: applicant("conditions"),
    "applicant over intervals": lambda: applicant("intervals"),
    "applicant over features": lambda: applicant("features"),
    "one class only": lambda: cattleya.Explainer(
        cattleya.Tree([-1], [-1], [-1], [0.0], [0], n_features=1, class_names=["yes"])
    ).explain([1.0]),
}


def test_importing_loads_no_presentation() -> None:
    program = (
        "import sys, cattleya\n"
        "late = {'rich', 'jinja2', 'cattleya.present.words', 'cattleya.present.pages'}\n"
        "print(late & set(sys.modules), 'cattleya.present.plots' in sys.modules,\n"
        "      callable(cattleya.plots.importance))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set() False True"


@pytest.mark.parametrize("case", CASES)
def test_the_text_is_the_golden_one(case: str) -> None:
    expected = (GOLDEN / f"{case.replace(' ', '_')}.txt").read_text(encoding="utf-8")
    assert str(CASES[case]()) + "\n" == expected


@pytest.mark.parametrize(
    ("case", "in_text", "on_page"),
    [("orchid", False, False), ("wine over intervals", False, True), ("breast cancer", True, True)],
)
def test_thresholds_are_said_to_be_rounded_where_one_is(
    case: str, in_text: bool, on_page: bool
) -> None:
    """The page also has the tests on the path."""
    e = CASES[case]()
    assert ("Thresholds are rounded" in " ".join(str(e).split())) == in_text
    assert ("Thresholds are rounded" in str(e.to_html())) == on_page


def test_conditions_of_a_feature_are_one_interval() -> None:
    e = of_ages([38.0, 2000.0])
    assert [str(s) for s in statements(e, e.minimal_reason())] == [
        "30.5 < age <= 41.5",
        "income > 1000.25",
    ]
    assert statements(e, e.minimal_reason())[0].value == "38"


def test_what_is_not_settled_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    e = orchid()

    def late(*_: Any, **__: Any) -> int:
        raise cattleya.TimeoutExpired("late")

    count = cattleya.Explanation.count

    def slow(self: Any, kind: str = "sufficient", *rest: Any, **named: Any) -> int:
        return late() if kind == "sufficient" else count(self, kind, *rest, **named)

    monkeypatch.setattr(cattleya.Explanation, "count", slow)
    assert "Too many to count within 5 seconds." in describe(e)
    assert "Too many to count within 0.5 seconds." in describe(e, timeout=0.5)
    monkeypatch.setattr(cattleya.Explanation, "minimal_reason", late)
    assert "whether a reason has fewer conditions was not settled within 5 seconds" in " ".join(
        describe(e).split()
    )
    monkeypatch.setattr(cattleya.Explanation, "count", late)
    text = " ".join(describe(e).split())
    assert "force it. Which of them are needed could not be settled within 5 seconds." in text


def test_the_memory_limit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: Any, **__: Any) -> dict[int, int]:
        raise cattleya.MemoryLimitExceeded("too much")

    monkeypatch.setattr(cattleya.Explanation, "feature_importance", greedy)
    assert "each feature was not settled within the memory limit" in describe(orchid())


def test_a_hard_row_gives_a_summary_in_time() -> None:
    # A complete tree of 2^11 variables: its reasons are far too many to be counted.
    depth = 11
    n_inner = 2**depth - 1
    inner = np.arange(n_inner)
    none = np.full(n_inner + 1, -1)
    tree = cattleya.Tree(
        left=np.concatenate((2 * inner + 1, none)),
        right=np.concatenate((2 * inner + 2, none)),
        feature=np.concatenate((inner, none)),
        threshold=np.full(2 * n_inner + 1, 0.5),
        leaf_class=np.concatenate(
            (none[:-1], np.random.default_rng(0).integers(0, 2, n_inner + 1))
        ),
        n_features=n_inner,
    )
    e = cattleya.Explainer(tree).explain(np.zeros(n_inner))
    assert "Decision:" in describe(e, timeout=0.2)


def test_what_nobody_would_see_stands_in_quotes() -> None:
    tree = cattleya.Tree.from_nested(("", "", ("  ", "no", "")))
    lines = str(cattleya.Explainer(tree).explain(pd.Series({"": 1, "  ": 0}, name=""))).split("\n")
    assert lines[0] == "Decision about row '': no"
    assert {"  - ''", "  - not '  '"} <= set(lines)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (1_000_000_000, "x0 <= 1000000032 (it is 1000000000)"),
        (1_700_000_000, "x0 > 1000000032 (it is 1700000000)"),
        (2**53, "x0 > 1000000032 (it is 9007199254740992)"),
    ],
)
def test_large_values_are_said_in_full(given: int, said: str) -> None:
    model = DecisionTreeClassifier().fit([[1e9], [1e9 + 64]], [0, 1])
    assert f"  - {said}\n" in str(cattleya.Explainer(model).explain([given]))


def test_only_what_is_decisive_is_said_to_be_in_all_reasons() -> None:
    tree = cattleya.Tree.from_nested(
        ("a", ("b", "no", ("c", "no", "yes")), ("b", ("c", "no", "yes"), "yes"))
    )
    e = cattleya.Explainer(tree).explain([1, 1, 1])  # any two of the three
    assert {frozenset(map(str, reason)) for reason in e.sufficient_reasons()} == {
        frozenset("ab"),
        frozenset("ac"),
        frozenset("bc"),
    }
    assert "No condition is in every reason" in str(e)
    assert "in common" not in str(e)


@pytest.mark.parametrize("timeout", [0, -1, "soon", True])
def test_a_bad_time_limit_is_refused(timeout: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="timeout must be"):
        describe(orchid(), timeout=timeout)


def test_names_cannot_forge_lines_or_colours() -> None:
    tree = cattleya.Tree.from_nested(("a\nDecision: no\x1b[31m", "no", "y\u202ees[bold]"))
    e = cattleya.Explainer(tree).explain([1])
    stream = io.StringIO()
    console = pytest.importorskip("rich.console").Console(
        file=stream, force_terminal=True, color_system=None, width=80
    )
    render(e, console)
    for text in (str(e), stream.getvalue()):
        assert r"a\nDecision: no\x1b[31m" in text
        assert r"y\u202ees[bold]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert not any(line.startswith("Decision: no") for line in text.splitlines())


def test_colours_in_a_terminal_and_none_in_a_file() -> None:
    console = pytest.importorskip("rich.console").Console
    terminal, file = io.StringIO(), io.StringIO()
    console(file=terminal, force_terminal=True, width=100).print(orchid())
    render(orchid(), console(file=file))
    assert "\x1b[" in terminal.getvalue()
    assert file.getvalue() == str(orchid()) + "\n"


def test_long_lists_say_how_many_more() -> None:
    assert listed([f"f{i}" for i in range(14)], 12).endswith("f11 and 2 more")
    assert listed([f"f{i}" for i in range(13)], 12).endswith("f11 and f12")
    long = "x" * 5000
    tree = cattleya.Tree.from_nested((long, "no", "yes"))
    assert len(str(cattleya.Explainer(tree).explain([1]))) < 3000


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(threshold=numbers, value=numbers)
def test_rounding_never_moves_the_row_to_the_other_side(threshold: float, value: float) -> None:
    assert (value <= float(rounded(threshold, value))) == (value <= threshold)


@given(thresholds=st.lists(numbers, min_size=1, max_size=5), value=numbers)
def test_an_interval_says_what_its_conditions_say(thresholds: list[float], value: float) -> None:
    e = of_ages([value, 0.0])
    value = float(e.row[0])
    held = [Comparison("age", 0, t, sense=value <= t) for t in thresholds]
    (statement,) = statements(e, held)
    low, high = -math.inf, math.inf
    if statement.before:
        low = float(statement.before.removesuffix(" < "))
    if statement.after.startswith(" > "):
        low = float(statement.after[3:])
    else:
        high = float(statement.after[4:])
    assert low < value <= high
    assert math.isinf(low) == all(c.sense for c in held)
    assert math.isinf(high) == (not any(c.sense for c in held))


def test_close_thresholds_are_told_apart() -> None:
    e = of_ages([38.0, 2000.0])
    close = [Comparison("age", 0, t, sense=True) for t in (41.50001, 41.50002, 50.1234567)]
    assert len({str(s) for s in one_by_one(e, close)}) == len(close)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_a_change_leads_where_it_says(load: Any) -> None:
    """The oracle is the model: the row, with the values that the text names, gets that class."""
    data = load()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    names = list(data.feature_names)
    explainer = cattleya.Explainer(model, names, list(data.target_names), over="intervals")
    for row in data.data[::23]:
        e = explainer.explain(row)
        for change in e.changes():
            for destination in change.destinations:
                changed = row.copy()
                for moved in destination.moved:
                    said = str(moved).removeprefix(f"{moved.feature}: ").partition(" -> ")[2]
                    value = said.removesuffix(" or more").removesuffix(" or less")
                    for end in value.split(" to "):
                        changed[names.index(moved.feature)] = float(end)
                predicted = model.predict([changed])[0]
                assert data.target_names[predicted] == destination.outcome_name
                assert destination.outcome_name != e.prediction_name


def test_findings_agree_with_the_explanation() -> None:
    e = bundled(load_wine, 62)
    found = find_out(e)
    assert found.count == e.count() == 6
    assert found.reason == e.minimal_reason()
    assert found.shortest == e.count("minimal")
    assert set(found.necessary) == e.necessary()
    mentioned = {c.feature for c in e.relevant()}
    assert set(found.idle) == {c.feature for c in e.conditions} - mentioned


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_changes_stand_in_the_order_that_is_said(over: str) -> None:
    values = np.random.default_rng(0).random((3000, 10))
    model = DecisionTreeClassifier(random_state=0).fit(values, values.sum(axis=1) * 7 % 2 > 1)
    e = cattleya.Explainer(model, over=over).explain(values[1])
    found = find_out(e, timeout=2)
    assert found.n_changes == len(e.contrastive())
    contrasts = [change.contrast for change in found.changes]
    lengths = [len(contrast) for contrast in contrasts]
    if over == "intervals":
        features = [len({c.feature for c in contrast}) for contrast in contrasts]
        sizes = list(zip(features, lengths, strict=True))
        assert sizes == sorted(sizes)
        assert order_of_changes(found) == "those with the fewest features first"
    else:
        assert lengths == sorted(lengths)
        assert order_of_changes(found) == "the smallest first"


def test_changes_of_an_ensemble_stand_in_the_order_that_is_said() -> None:
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    found = find_out(cattleya.Explainer(model, over="intervals").explain(X[60]))
    features = [len({c.feature for c in change.contrast}) for change in found.changes]
    assert features == sorted(features)
    assert order_of_changes(found) == "those with the fewest features first"


def test_over_intervals_the_widest_reason_is_shown() -> None:
    e = bundled(load_wine, 62, "intervals")
    found = find_out(e, wish=Wish(data=lambda: load_wine().data))
    assert found.reason == e.reason()
    assert found.verification
    for part in e.reason():
        assert in_words(e, part, with_value=False) in str(e)
    assert found.reach == e.reach(e.reason(), load_wine().data)
    text = " ".join(sentences.reach(found).split())
    assert text.startswith(f"It covers {found.reach.covered} of 178 rows of the table, ")
    assert "It covers" not in str(e)  # without a table, nothing is said


def test_the_name_of_the_target_is_in_the_title() -> None:
    data = load_iris()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    model.target_name_ = "species"
    explainer = cattleya.Explainer(model, class_names=list(data.target_names))
    assert explainer.target_name == "species"
    assert str(explainer.explain(data.data[0])).startswith("Decision: species: setosa\n")


def test_fairness_is_said_where_it_is_asked_for() -> None:
    tree = cattleya.Tree.from_nested(("sex", ("job", "no", "yes"), "yes"))
    e = cattleya.Explainer(tree).explain([0, 0])
    found = find_out(e, wish=Wish(protected=("sex",)))
    assert sentences.depends(found) == (
        "Yes: with sex: 0 -> 1, and all else as it is, the class is yes."
    )
    fair = cattleya.Explainer(tree).explain([1, 1])
    found = find_out(fair, wish=Wish(protected=("job",)))
    assert sentences.depends(found) == "No: no change of job alone changes the class."


def test_the_order_of_changes_holds_however_many_there_are() -> None:
    """Arrays as the engine gives them, of more changes than any tree here has."""
    values = np.random.default_rng(0).random((3000, 10))
    model = DecisionTreeClassifier(random_state=0).fit(values, values.sum(axis=1) * 7 % 2 > 1)
    e = cattleya.Explainer(model, over="intervals").explain(values[1])
    row = explained_row(e)
    own = row.contrasts(ANY_OTHER_CLASS, Deadline(None))
    times = 30_000 // (len(own.start) - 1) + 1
    start = np.concatenate([[0], np.cumsum(np.tile(np.diff(own.start), times))])
    many = replace(own, start=start, atom=np.tile(own.atom, times))
    reasons, features = many.all(), row.attribute_of_atom
    sizes = [
        (len({c.feature for c in reasons[i]}), len(reasons[i])) for i in many.by_features(features)
    ]
    assert len(sizes) > 30_000
    assert sizes == sorted(sizes)


def test_facts_and_thresholds_in_other_units() -> None:
    fact = pytest.importorskip("cattleya.model.conditions.fact")
    e = of_ages([38.0, 2000.0])
    job = fact.Fact("job", 1, "nurse\n", (1,), (2.0,))
    age = fact.Fact("age", 0, 38.0, (0,), (38.0,))
    gone = fact.Fact("age", 0, None, (0,), (math.nan,))
    assert [str(s) for s in statements(e, [job, age, gone])] == [
        r"job = nurse\n",
        "age = 38",
        "age is missing",
    ]
    assert [str(s) for s in statements(e, [job, age, gone], changed=True)] == [
        r"job other than nurse\n",
        "age other than 38",
        "age is present",
    ]


def test_what_was_scaled_is_said_in_the_units_of_the_table() -> None:
    """Thresholds and the row's value, as the table has them: on the same side of each other."""
    data = load_wine(as_frame=True)
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    model.fit(data.data, data.target)
    explainer = cattleya.Explainer(model, over="intervals")
    for row in range(0, 178, 13):
        e = explainer.explain(data.data.iloc[[row]])
        for condition in e.conditions:
            (statement,) = statements(e, [condition])
            value = float(statement.value)
            assert value == pytest.approx(data.data[condition.feature].iloc[row], rel=1e-6)
            side, threshold = statement.after.split()
            assert (value <= float(threshold)) == (side == "<=") == as_test(condition).sense


close = st.floats(min_value=-1e7, max_value=1e7, width=32)


@given(
    thresholds=st.lists(close, min_size=2, max_size=6, unique=True).map(
        lambda drawn: [*drawn, *(math.nextafter(t, math.inf) for t in drawn)]
    ),
    value=close,
)
def test_a_threshold_looks_the_same_everywhere_and_like_no_other(
    thresholds: list[float], value: float
) -> None:
    e = cattleya.Explainer(chain_of_thresholds(thresholds)).explain([value])
    conditions = sorted(map(as_test, e.conditions), key=lambda c: c.threshold)
    said = [str(s) for s in one_by_one(e, conditions)]
    assert len(set(said)) == len(conditions)
    shown = {text.split()[-1] for text in said}
    for condition, text in zip(conditions, said, strict=True):
        threshold = float(text.split()[-1])
        assert (value <= threshold) == condition.sense
        assert abs(threshold - condition.threshold) < 1
    (merged,) = statements(e, conditions)
    assert {merged.before.removesuffix(" < "), merged.after.split()[-1]} <= shown | {""}


def chain_of_thresholds(thresholds: list[float]) -> cattleya.Tree:
    """A tree that compares one number with one threshold after the other."""
    n = len(thresholds)
    inner, leaves = list(range(n)), [-1] * (n + 1)
    return cattleya.Tree(
        left=[*(n + i for i in inner), *leaves],
        right=[*(i + 1 if i + 1 < n else 2 * n for i in inner), *leaves],
        feature=[*(0 for _ in inner), *leaves],
        threshold=[*thresholds, *(0.0 for _ in leaves)],
        leaf_class=[*(-1 for _ in inner), *(i % 2 for i in range(n + 1))],
        n_features=1,
        feature_names=["x"],
    )


@pytest.mark.parametrize(
    ("missing_left", "value", "expected"),
    [
        (True, 20.0, "age <= 30.5 or missing"),
        (True, 40.0, "age > 30.5"),
        (False, 20.0, "age <= 30.5"),
        (False, math.nan, "age > 30.5 or missing"),
    ],
)
def test_missing_values_are_part_of_the_words(
    missing_left: bool, value: float, expected: str
) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
        n_features=1, feature_names=["age"], missing_left=[missing_left, False, False],
    )  # fmt: skip  # arrays of nodes, side by side
    e = cattleya.Explainer(tree).explain([value])
    shown = "missing" if math.isnan(value) else f"{value:g}"
    assert in_words(e, next(iter(e.conditions))) == f"{expected} (it is {shown})"


def test_a_long_list_of_categories_is_cut() -> None:
    table = pd.DataFrame({"country": [f"c{i:02}" for i in range(40)], "x": range(40)})
    model = make_pipeline(
        make_column_transformer((OrdinalEncoder(), ["country"]), remainder="passthrough"),
        DecisionTreeClassifier(random_state=0, max_depth=1),
    ).fit(table.assign(x=0), [i < 15 for i in range(40)])
    e = cattleya.Explainer(model).explain({"country": "c03", "x": 0})
    (condition,) = e.conditions
    expected = "country in {c00, c01, c02, c03, c04, c05, c06, c07 and 7 more}"
    assert in_words(e, condition, with_value=False) == expected
    assert "c14" in str(condition)


@pytest.mark.parametrize("over", ["features", "intervals"])
@pytest.mark.parametrize(("own", "said"), [("a", ""), ("new", " (it is new)")])
def test_a_value_that_is_taken_for_another_is_said(over: str, own: str, said: str) -> None:
    table = pd.DataFrame({"city": ["a", "b"] * 5})
    encoder = OneHotEncoder(drop="first", handle_unknown="ignore")
    model = make_pipeline(encoder, DecisionTreeClassifier(random_state=0))
    model.fit(table, table["city"])
    with pytest.warns(UserWarning, match="unknown") if said else contextlib.nullcontext():
        e = cattleya.Explainer(model, over=over).explain(pd.DataFrame({"city": [own]}))
    (condition,) = e.minimal_reason()
    assert in_words(e, condition) == f"city = a{said}"
    instead = said.replace("it is", "instead of")
    assert in_words(e, condition, changed=True) == f"city other than a{instead}"


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@pytest.mark.parametrize(
    ("load", "kind"),
    [(load_wine, "tree"), (load_breast_cancer, "tree"), (load_breast_cancer, "forest")],
)
def test_what_any_surface_prints_can_be_pasted_back(load: Any, kind: str, over: Any) -> None:
    """Texts, bullets, pages and reports, rounded as they are; halves may go either way."""
    data = load(as_frame=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    model = forest if kind == "forest" else DecisionTreeClassifier(random_state=0)
    explainer = cattleya.Explainer(model.fit(data.data, data.target), over=over)
    for number in (0,) if kind == "forest" else (0, 62, len(data.data) * 2 // 3 - 3):
        e = explainer.explain(data.data.iloc[[number]])
        for reason in (e.reason(), e.sufficient_reason()):
            made = statements(e, reason)
            texts = [
                str(reason),
                shortened(str(reason)),
                [str(one) for one in made],
                [f"{one} (it is {one.value})" if one.value else str(one) for one in made],
                [f"{one.before}{one.feature}{_sign(one.after)}" for one in made],
            ]
            if isinstance(reason, cattleya.General):
                texts.append(general_text(reason))
            for text in texts:
                verdict = e.verify(text)
                assert verdict.sufficient or verdict.in_rows, (number, text)
