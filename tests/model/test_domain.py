"""Numbers, categories and what users state of them, against the definitions."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cattleya
from cattleya.changes.raw_row import _unseen
from cattleya.model.domain.column_types import only_types, under_types
from cattleya.model.domain.domain import Category, Domain, Number, OneOf, is_missing
from cattleya.model.domain.edges import neighbours
from cattleya.model.domain.scaling import neighbour, shortest_between
from cattleya.model.domain.stated import stated
from cattleya.model.tree.tree import Tree
from cattleya.proof.beside import beside, beside_each
from cattleya.support.limits import Deadline
from tests.checks.explanation import naming

DTYPES = ["float32", "float64"]
factors = st.floats(1e-30, 1e30)
step = st.one_of(
    st.tuples(st.just("add"), st.floats(-1e30, 1e30)),
    st.tuples(st.just("multiply"), factors),
    st.tuples(st.just("divide"), factors),
    st.tuples(st.just("at least"), st.floats(-2, 0)),
    st.tuples(st.just("at most"), st.floats(0, 2)),
)
any_number = st.floats(allow_nan=False, allow_infinity=False)


def by_hand(number: Number, value: float, dtype: str) -> float:
    """The definition: numpy's own operations one after the other, then the cast."""
    seen = np.float64(value)
    with np.errstate(all="ignore"):
        for operation, by in number.steps:
            seen = {
                "add": np.add,
                "multiply": np.multiply,
                "divide": np.divide,
                "at least": np.maximum,
                "at most": np.minimum,
            }[operation](seen, by)
        return float(seen.astype(dtype))


@given(st.lists(step, max_size=3), any_number, any_number, st.sampled_from(DTYPES))
def test_what_goes_left(
    steps: list[tuple[str, float]], threshold: float, value: float, dtype: str
) -> None:
    number = Number("n", 0, steps=tuple(steps))
    assert number.to_tree(value, dtype) == by_hand(number, value, dtype)
    last = number.boundary(threshold, dtype)
    for v in (value, last, math.nextafter(last, math.inf), math.nextafter(last, -math.inf)):
        if math.isfinite(v) and math.isfinite(by_hand(number, v, dtype)):
            assert (by_hand(number, v, dtype) <= threshold) == (v <= last)


@example(
    [("divide", 0.5), ("divide", 2.5954102961855298e29)], 6.926431391230828e278, 0.0, "float64"
)
@given(st.lists(step, max_size=2), any_number, any_number, st.sampled_from(DTYPES))
def test_neighbours_on_the_grid(
    steps: list[tuple[str, float]], threshold: float, value: float, dtype: str
) -> None:
    """No value of the grid is between the largest that goes left and the smallest that does not."""
    for integer in (False, True):
        number = Number("n", 0, steps=tuple(steps), integer=integer)
        low, high = number.largest(threshold, dtype), number.smallest_above(threshold, dtype)
        assert np.array_equal(beside(number, threshold, dtype), (low, high))
        assert low <= threshold < high
        seen = number.to_tree(float(round(value)) if integer else value, dtype)
        if math.isfinite(seen):
            assert seen <= low or seen >= high
        for end in (low, high):
            if math.isfinite(end):
                back = number.to_user(end, dtype)
                assert number.to_tree(back, dtype) == end
                assert not integer or back == math.floor(back)


@given(st.lists(step, max_size=2), any_number, any_number, st.sampled_from(DTYPES))
def test_thresholds_to_be_read(
    steps: list[tuple[str, float]], threshold: float, value: float, dtype: str
) -> None:
    """A value goes left exactly where the tree sees it as at most the threshold that is shown."""
    number = Number("n", 0, steps=tuple(steps))
    shown = number.user_threshold(threshold, dtype)
    seen = number.to_tree(value, dtype)
    if not steps:
        assert shown == threshold
    elif math.isfinite(seen) and math.isfinite(number.to_tree(shown, dtype)):
        assert (seen <= threshold) == (seen <= number.to_tree(shown, dtype))
    whole = Number("n", 0, steps=tuple(steps), integer=True)
    seen = whole.to_tree(float(round(value)), dtype)
    if math.isfinite(seen):
        assert (seen <= threshold) == (round(value) <= whole.user_threshold(threshold, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_small_domains_by_brute_force(dtype: str) -> None:
    number = Number(
        "n", 0, integer=True, lower=-3, upper=4, steps=(("divide", 3.0),), extra=(0.25,)
    )
    grid = sorted({by_hand(number, v, dtype) for v in range(-3, 5)} | {0.25})
    thresholds = np.array([*grid, *(np.nextafter(grid, 9.0)), *np.linspace(-2, 2, 41)])
    low, high = number.largest(thresholds, dtype), number.smallest_above(thresholds, dtype)
    assert np.array_equal(beside(number, thresholds, dtype), (low, high))
    for threshold, below, above in zip(thresholds, low, high, strict=True):
        assert below == max((g for g in grid if g <= threshold), default=-math.inf)
        assert above == min((g for g in grid if g > threshold), default=math.inf)
        assert number.largest(float(threshold), dtype) == below
        assert number.smallest_above(float(threshold), dtype) == above
        shown = number.user_threshold(float(threshold), dtype)
        for v in range(-3, 5):
            assert (by_hand(number, v, dtype) <= threshold) == (v <= shown)


def test_float32_edges() -> None:
    number = Number("n", 0)
    half_up = 30.5 + 2.0**-20  # half-way to the next number of 32 bits: ties to even, down
    assert number.boundary(30.5, "float32") == half_up
    assert np.float32(half_up) == 30.5 < np.float32(np.nextafter(half_up, 99))
    assert number.user_threshold(30.5, "float32") == 30.5
    most = float(np.finfo(np.float32).max)
    assert number.largest(1e300, "float32") == number.largest(math.inf, "float32") == most
    assert number.smallest_above(most, "float32") == math.inf
    assert number.largest(-1e300, "float32") == -math.inf
    assert number.smallest_above(-1e300, "float32") == -most
    whole = Number("n", 0, integer=True)
    assert whole.largest(16777217.0, "float32") == 16777216.0  # the next whole number of 32 bits
    assert whole.smallest_above(16777217.0, "float32") == 16777218.0
    assert whole.to_user(16777218.0, "float32") in (16777217.0, 16777218.0, 16777219.0)
    assert Number("n", 0).largest(0.1, "float64") == 0.1


def test_short_thresholds() -> None:
    scaled = Number("age", 0, steps=(("add", -38.6), ("divide", 13.7)))
    threshold = float(np.float32((30.5 - 38.6) / 13.7))
    assert len(str(scaled.user_threshold(threshold, "float32"))) <= 10
    whole = Number("age", 0, steps=scaled.steps, integer=True)
    assert whole.user_threshold(threshold, "float32") == 30.5
    assert whole.user_threshold(np.array([threshold]), "float32").tolist() == [30.5]


def test_missing_numbers() -> None:
    filled = Number("pay", 0, integer=True, extra=(2.5,))
    assert filled.to_tree(math.nan, "float32") == 2.5
    assert math.isnan(filled.to_user(2.5, "float32"))
    assert math.isnan(Number("pay", 0).to_tree(math.nan, "float32"))
    assert filled.largest(2.7, "float32") == 2.5
    assert filled.smallest_above(2.2, "float32") == 2.5
    with pytest.raises(ValueError, match=naming("'pay'", "2.25")):
        filled.to_user(2.25, "float32")
    assert all(map(is_missing, (None, math.nan, np.float32("nan"), np.datetime64("NaT", "s"))))
    assert not any(map(is_missing, (0, "", "nan", (), np.str_("a"))))


def test_a_row_must_have_values_of_the_domain() -> None:
    tree = three_columns()
    domain = stated(Domain.plain(tree), tree, {"job": ["job_clerk", "job_nurse"]}, integer=["age"])
    domain.check_row(np.array([30.0, 0.0, 1.0]), "float64")
    domain.check_row(np.array([math.nan, 0.0, 1.0]), "float64")
    with pytest.raises(ValueError, match=naming("'age'", "whole", "30.5")):
        domain.check_row(np.array([30.5, 0.0, 1.0]), "float64")
    with pytest.raises(ValueError, match=naming("'job'", "1.0, 1.0", "clerk, nurse")):
        domain.check_row(np.array([30.0, 1.0, 1.0]), "float64")


def three_columns(**options: Any) -> Tree:
    names = ["age", "job_clerk", "job_nurse"]
    return Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1], 3, names, **options
    )


def test_a_plain_domain() -> None:
    domain = Domain.plain(three_columns(boolean=[1]))
    assert [a.name for a in domain.attributes] == ["age", "job_clerk", "job_nurse"]
    assert [a.raw for a in domain.attributes] == [(0,), (1,), (2,)]
    clerk = domain.attributes[1]
    assert isinstance(clerk, Number)
    assert (clerk.integer, clerk.lower, clerk.upper, clerk.boolean) == (True, 0, 1, True)
    row = np.array([30.0, 1.0, math.nan])
    assert [domain.user_value(i, row, None, "float64") for i in range(3)] == [30.0, 1.0, None]
    assert pickle.loads(pickle.dumps(domain)) == domain


@pytest.mark.parametrize("dtype", DTYPES)
def test_thresholds_on_the_grid(dtype: str) -> None:
    rng = np.random.default_rng(0)
    nodes = 401  # a chain: every other node is a leaf
    inner = np.arange(nodes) % 2 == 0
    inner[-1] = False
    left = np.where(inner, np.arange(nodes) + 1, -1)
    right = np.where(inner, np.arange(nodes) + 2, -1)
    feature = np.where(inner, rng.integers(0, 4, size=nodes), -1)
    tree = Tree(left, right, feature, rng.normal(size=nodes) * 9, np.zeros(nodes, int), 4,
                row_dtype=dtype)  # fmt: skip  # a list in few lines
    numbers = (
        Number("a", 2),
        Number("b", 0, integer=True),
        Number("c", 3, steps=(("divide", 3.0),), integer=True, extra=(0.7,)),
    )
    domain = Domain((*numbers, Category("d", (1,), ("x", "y"), ((0.0,), (1.0,)))), 4)
    tests = np.flatnonzero(tree.feature >= 0)
    columns, thresholds = tree.feature[tests], tree.threshold[tests]
    below, above = neighbours(domain, columns, thresholds, dtype)
    for number in numbers:
        for i in np.flatnonzero(columns == number.column):
            assert below[i] == number.largest(float(thresholds[i]), dtype)
            assert above[i] == number.smallest_above(float(thresholds[i]), dtype)
    assert np.isnan(below[columns == 1]).all()
    below[columns == 1] = above[columns == 1] = np.inf
    thresholds[0] = below[0] = above[0] = np.inf
    assert np.array_equal(beside_each(domain, columns, thresholds, dtype), (below, above))


some_value = st.one_of(any_number, st.sampled_from([-math.inf, math.inf, 0.0, 0.5, 3.0, math.nan]))


@given(
    steps=st.lists(step, max_size=2),
    bounds=st.sampled_from([(-math.inf, math.inf), (-3.0, 4.0), (0.5, 2.5), (-math.inf, 2.0)]),
    integer=st.booleans(),
    threshold=any_number,
    said=some_value,
    dtype=st.sampled_from(DTYPES),
)
def test_a_proof_takes_no_wrong_word_for_where_values_part(
    steps: list[tuple[str, float]],
    bounds: tuple[float, float],
    integer: bool,
    threshold: float,
    said: float,
    dtype: str,
) -> None:
    """Whatever it is told, it refuses that or comes to the values of the definition."""
    lower, upper = bounds
    number = Number("n", 0, integer=integer, lower=lower, upper=upper, steps=tuple(steps))
    right = number.largest(threshold, dtype), number.smallest_above(threshold, dtype)
    assert np.array_equal(beside(number, threshold, dtype), right)
    true = number.last(np.asarray(threshold), dtype)
    above, below = (neighbour(true, toward) for toward in (np.inf, -np.inf))
    near = (true + 1, true - 1, above, below, said)
    for told in near:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Number, "last", lambda *_, told=told: np.asarray(told))
            try:
                assert np.array_equal(beside(number, threshold, dtype), right)
            except RuntimeError as error:
                assert "internal error" in str(error)  # noqa: PT017 - either will do


def test_columns_belong_to_one_attribute() -> None:
    with pytest.raises(ValueError, match="two attributes"):
        _ = Domain((Number("a", 0), Number("b", 0)), 1).of_column
    with pytest.raises(ValueError, match="no attribute"):
        _ = Domain((Number("a", 0),), 2).of_column


def test_values_alike() -> None:
    assert str(OneOf(("a", "b"))) == "a or b"
    assert str(OneOf(("a", "b", "c"))) == "a, b or c"
    assert str(OneOf(tuple("abcdef"))) == "a, b, c or 3 more"
    assert str(OneOf((), others=True)) == "any unseen value"


def group(statement: Any, tree: Tree | None = None) -> tuple[Domain, Category]:
    tree = three_columns() if tree is None else tree
    domain = stated(Domain.plain(tree), tree, categories={"job": statement})
    assert len(domain.of_column) == 3
    category = next(a for a in domain.attributes if a.name == "job")
    assert isinstance(category, Category)
    return domain, category


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (["job_clerk", "job_nurse"], ("clerk", "nurse")),
        (("job_nurse", "job_clerk"), ("nurse", "clerk")),
        ({"job_clerk": "office", "job_nurse": 7}, ("office", 7)),
        (["age", "job_nurse"], ("age", "job_nurse")),
    ],
)
def test_one_hot_groups(statement: Any, values: Any) -> None:
    domain, job = group(statement)
    assert job.values == values
    assert job.points == ((1.0, 0.0), (0.0, 1.0))
    row = np.zeros(3)
    row[job.columns[1]] = 1.0
    assert job.value_of(row) == 1
    assert [domain.raw_names[raw] for raw in job.raw] == list(statement)
    assert job.written == ((1, 0), (0, 1))
    number = [a.name for a in domain.attributes].index("job")
    assert domain.user_value(number, row, None, "float64") == values[1]


def test_codes_in_a_column() -> None:
    tree = Tree([-1], [-1], [-1], [0.0], [0], 2, ["job", "pay"])
    for statement, codes in (
        (["clerk", "nurse"], (0.0, 1.0)),
        ({3: "clerk", -1.5: "nurse"}, (3.0, -1.5)),
    ):
        domain = stated(Domain.plain(tree), tree, {"job": statement}, integer=True)
        job, pay = domain.attributes
        assert isinstance(job, Category)
        assert isinstance(pay, Number)
        assert pay.integer
        assert job.values == ("clerk", "nurse")
        assert job.points == tuple((code,) for code in codes)
        assert job.written == tuple((code,) for code in codes)
        row = np.array([codes[1], 3.0])
        assert [domain.user_value(i, row, None, "float64") for i in (0, 1)] == ["nurse", 3.0]


def test_codes_that_may_be_missing() -> None:
    tree = Tree([-1], [-1], [-1], [0.0], [0], 1, ["job"], missing_left=[False])
    job = stated(Domain.plain(tree), tree, {"job": ["clerk", "nurse"]}).attributes[0]
    assert isinstance(job, Category)
    assert job.missing == 2 == job.value_of([math.nan])
    assert is_missing(job.values[2])
    scaled = Domain((Number("job", 0, steps=(("add", -1.0),), extra=(-1.0,), raw=(0,)),), 1)
    filled = stated(scaled, tree, {"job": ["clerk", "nurse"]}).attributes[0]
    assert isinstance(filled, Category)
    assert (filled.values, filled.points) == (("clerk", "nurse"), ((-1.0,), (0.0,)))
    assert filled.missing == 0


@pytest.mark.parametrize(
    ("categories", "parts"),
    [
        ({"job": ["job_clerk", "job_nrse"]}, ("'job'", "'job_nrse'", "'age', 'job_clerk'")),
        ({"job": ["clerk", "nurse"]}, ("'job'", "'clerk'", "'age'")),
        ({"job": []}, ("'job'", "empty")),
        ({"job": {}}, ("'job'", "empty")),
        ({"job": ["job_clerk"]}, ("'job_clerk'", "two")),
        ({"job": ["job_clerk", "job_clerk"]}, ("'job_clerk'", "twice")),
        (
            {"job": ["job_clerk", "job_nurse"], "b": ["age", "job_nurse"]},
            ("'b'", "'job_nurse'", "'job'"),
        ),
        ({"job": ["job_clerk", "job_nurse"], "job_clerk": ["a", "b"]}, ("'job_clerk'", "'job'")),
        ({"age": ["job_clerk", "job_nurse"]}, ("'age'", "another name")),
        ({"age": {"x": "old", 1: "young"}}, ("'age'", "'x'")),
        ({"age": {math.inf: "old"}}, ("'age'", "inf")),
        ({"age": ["old", "old"]}, ("'old'", "twice")),
        ({"age": {1: "old", 1 + 1e-12: "young"}}, ("'age'", "apart")),
    ],
)
def test_wrong_categories(categories: Any, parts: tuple[str, ...]) -> None:
    tree = three_columns(row_dtype="float32")
    with pytest.raises(ValueError, match=naming(*parts)):
        stated(Domain.plain(tree), tree, categories)


@pytest.mark.parametrize(
    ("categories", "parts"),
    [
        (["job"], ("categories", "dict", "'job'")),
        ({3: ["job_clerk", "job_nurse"]}, ("name", "3")),
        ({"job": "job_clerk"}, ("'job'", "'job_clerk'", "list")),
        ({"job": {"job_clerk", "job_nurse"}}, ("'job'", "list")),
        ({"age": [["old"], "young"]}, ("'age'", "label")),
        ({"age": [math.nan, "young"]}, ("'age'", "label", "nan")),
    ],
)
def test_categories_of_a_wrong_type(categories: Any, parts: tuple[str, ...]) -> None:
    tree = three_columns()
    with pytest.raises(TypeError, match=naming(*parts)):
        stated(Domain.plain(tree), tree, categories)


def test_wrong_integers() -> None:
    tree = three_columns()
    plain = Domain.plain(tree)
    with pytest.raises(ValueError, match=naming("'pay'", "'age'")):
        stated(plain, tree, integer=["pay"])
    with pytest.raises(TypeError, match=naming("'age'", "list")):
        stated(plain, tree, integer="age")
    jobs = {"job": ["job_clerk", "job_nurse"]}
    for name in ("job", "job_clerk"):
        with pytest.raises(ValueError, match=naming(f"'{name}'", "leave it out")):
            stated(plain, tree, jobs, integer=[name])
    assert stated(plain, tree) == plain
    assert stated(plain, tree, {}, integer=False) == plain


def test_large_and_small_scales() -> None:
    for scale in (1e-300, 1e-40, 1e-7, 1.0, 1e7, 1e40, 1e300):
        number = Number("n", 0, steps=(("divide", scale),))
        values = np.array([-3.0, -1.0, 0.0, 1e-3, 1.0, 2.5]) * scale
        seen = [number.to_tree(float(v), "float32") for v in values]
        assert seen == sorted(seen)
        for (low, high), v in zip(pairwise(seen), values, strict=False):
            middle = low / 2 + high / 2
            last = number.boundary(middle, "float32")
            assert v <= last < number.boundary(high, "float32")


def table_of_types() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": np.array([30, 41], dtype=np.int16),
            "count": pd.array([3, None], dtype="Int64"),
            "flag": [True, False],
            "grade": pd.Categorical([2, 1], categories=[1, 2, 4]),
            "pay": [3.0, 4.0],
            "job": ["clerk", "nurse"],
        }
    )


def test_types_of_a_table() -> None:
    names = list(table_of_types().columns)
    tree = Tree([-1], [-1], [-1], [0.0], [0], 6, names)
    for table in (table_of_types(), table_of_types()[names[::-1]]):
        domain = under_types(Domain.plain(tree), tree, only_types(table))
        age, count, flag, grade, pay, job = domain.attributes
        assert isinstance(grade, Category)
        assert grade.values == (1, 2, 4)
        for number, whole in ((age, True), (count, True), (pay, False), (job, False)):
            assert isinstance(number, Number)
            assert number.integer == whole
        assert isinstance(flag, Category)
        assert flag.values == (False, True)
    gaps = table_of_types().assign(flag=pd.Series([True, None], dtype=object))
    assert under_types(Domain.plain(tree), tree, only_types(gaps)).attributes[2] == flag
    with pytest.raises(ValueError, match=naming("'age'")):
        under_types(Domain.plain(tree), tree, table_of_types()[["pay"]])
    with pytest.raises(TypeError, match=naming("DataFrame", "list")):
        only_types([[1, 2]])


def test_an_explainer_of_a_table_says_what_it_assumes() -> None:
    tree = Tree(
        [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
        [30.2, 0, 30.7, 0, 0], [-1, 0, -1, 1, 0], 2, ["age", "grade"],
    )  # fmt: skip  # arrays of nodes, side by side
    table = table_of_types()[["age", "grade"]]
    explainer = cattleya.Explainer(tree, over="intervals", data=table)
    assert [part in " ".join(explainer.assumptions) for part in ("age", "grade")] == [True, True]
    assert not explainer.explain([25, 2]).contrastive()
    for row, name in (([30.5, 2], "age"), ([30, 3], "grade")):
        with pytest.raises(ValueError, match=naming(f"'{name}'")):
            explainer.explain(row)
    stated_first = cattleya.Explainer(tree, data=table, categories={"grade": {1: "a", 9: "b"}})
    assert stated_first.explain([30, 9]).value_of(stated_first.explain([30, 9]).test_at(0)) == 30.0
    assert stated_first.explain([30, 9]).values[1].value == "b"


def test_rows_with_a_value_that_is_none_are_named() -> None:
    job = Category("job", (0, 1), ("clerk", "nurse"), ((1.0, 0.0), (0.0, 1.0)), raw=(0,))
    domain = Domain((job,), 2)
    good = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    domain.check_rows(good, "float64", Deadline(None).check)
    with pytest.raises(ValueError, match=r"row 3: .*'job'"):
        domain.check_rows(np.vstack([good[:3], [[1.0, 1.0]]]), "float64", Deadline(None).check)
    with pytest.raises(cattleya.TimeoutExpired):
        domain.check_rows(good, "float64", Deadline(1e-9).check)
    assert domain.user_value(0, good[0], ["nurse"], "float64") == "nurse"
    assert domain.user_value(0, good[0], [math.nan], "float64") is None
    assert domain.user_value(0, good[1], None, "float64") == "nurse"


@pytest.mark.parametrize(
    ("known", "other"),
    [
        (("a", "b"), "another value"),
        (("a", "another value"), "another value'"),
        ((1, 7, math.nan), 8),
        ((2.5, None), 3.5),
        ((), "another value"),
    ],
)
def test_a_value_that_was_never_seen(known: tuple[Any, ...], other: Any) -> None:
    points = tuple((float(place),) for place in range(len(known)))
    assert _unseen(Category("c", (0,), known, points)) == other


@pytest.mark.parametrize(
    ("first", "last", "short"),
    [
        *((0.14, 0.26, 0.2), (-0.26, -0.14, -0.2), (14.0, 26.0, 20.0), (-3.0, 4.0, 0.0)),
        *((5.5, np.inf, 6.0), (-np.inf, -5.5, -6.0), (1.23456, 1.23464, 1.2346)),
    ],
)
def test_a_short_number_of_an_interval(first: float, last: float, short: float) -> None:
    assert shortest_between(first, last) == short
