"""The ranges of a table are those of its rows as they are read, whatever the table is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.model.tree.rows import Columns

ODD = [-0.0, 0.0, 1e-50, 1 / 3, -5e-324, 16_777_217.0, 3e38]


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 63, 64, 65, 200]), st.integers(1, 5),
    st.sampled_from(["float32", "float64"]), st.sampled_from([None, math.nan, math.inf, -1e300]),
)  # fmt: skip  # fewer lines
def test_ranges_are_those_of_the_rows(
    seed: int, n_rows: int, count: int, dtype: str, beyond: float | None
) -> None:
    random = np.random.default_rng(seed)
    names = tuple(f"f{i}" for i in range(count))
    columns = Columns(names, count, dtype, takes_missing=True, takes_infinite=True)
    table = random.choice([*ODD, *random.normal(size=9)], size=(n_rows, count))
    if beyond is not None:
        table[random.integers(n_rows), random.integers(count)] = beyond
    wide = np.zeros((2 * n_rows, 2 * count))
    wide[::2, ::2] = table
    frame = pd.DataFrame(table, columns=list(names))[[*reversed(names)]]
    for same in (table, np.asfortranarray(table), wide[::2, ::2], frame):
        rows, found = columns.matrix(same), columns.ranges(same)
        if found is None:
            assert not np.isfinite(rows).all()
        else:
            assert found[0].tobytes() == rows.min(axis=0).tobytes()
            assert found[1].tobytes() == rows.max(axis=0).tobytes()


@pytest.mark.parametrize(
    "table", [[[1.0, 2.0]], np.ones((2, 2), dtype=int), np.ones((0, 2)), np.ones((2, 3)), "text"]
)
def test_no_ranges_of_what_has_to_be_read(table: Any) -> None:
    assert Columns(None, 2).ranges(table) is None
    assert Columns(None, 2, boolean=(0,)).ranges(np.ones((2, 2))) is None


def test_units_are_the_same_whatever_the_table_is_and_never_old() -> None:
    random = np.random.default_rng(0)
    table = random.normal(size=(150, 3)) * [1, 1000, 1e-3]
    model = DecisionTreeClassifier(random_state=0).fit(
        table, (table.sum(axis=1) > 0) ^ (table[:, 2] > 0)
    )
    explainer = cattleya.Explainer(model)
    row = table[7].copy()
    given = table.astype(np.float32)  # which is read, and not only looked over

    def asked(data: Any, **more: Any) -> list[Any]:
        found = explainer.explain(row).counterfactuals(5, metric="l1", data=data, **more)
        return [(str(one), one.distance) for one in found]

    before = asked(given)
    assert asked(table) == asked(np.asfortranarray(table)) == before
    assert asked(table, weights="mad") == asked(given, weights="mad")
    every = explainer.counterfactuals(table, 2, metric="l1", data=table, weights="mad")
    again = explainer.counterfactuals(table.copy(), 2, metric="l1", data=given, weights="mad")
    table[:, 1:] *= [7, 3]  # after the question, and before its answers are read
    assert [list(map(str, one)) for one in every] == [list(map(str, one)) for one in again]
    given[:] = table
    assert asked(table) == asked(given) != before
