"""What kind of number a value is: a truth value is none, whatever Python says."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeGuard

import numpy as np

__all__ = ["is_real", "is_whole"]


def is_whole(value: Any) -> TypeGuard[int]:
    """Tell whether a value is a whole number, Python's or numpy's.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: Any) -> TypeGuard[float]:
    """Tell whether a value is a real number, Python's or numpy's.

    >>> is_real(0.5), is_real(3), is_real(True)
    (True, True, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)
