"""Numbers in a text, as the core reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cattleya._core import numbers_in


@given(st.lists(st.floats() | st.integers(-(10**25), 10**25)))
def test_numbers_are_read_as_python_reads_them(numbers: list[float]) -> None:
    found = numbers_in("  ".join(map(repr, numbers)))
    np.testing.assert_array_equal(found, np.array(list(map(float, numbers)), dtype=np.float64))


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400", "4.9406564584124654e-324"])
def test_what_no_double_holds(text: str) -> None:
    assert numbers_in(f"1 {text} 2").tolist() == [1, float(text), 2]


@pytest.mark.parametrize("text", ["x", "1 x", "1,2", "1\t2", "0x10", "1e", "--1", "1..2"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="no number"):
        numbers_in(text)
