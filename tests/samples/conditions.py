"""Conditions as the tests of a tree that they are."""

from __future__ import annotations

from cattleya import Condition
from cattleya.model.conditions.condition import Comparison

__all__ = ["as_test"]


def as_test(condition: Condition) -> Comparison:
    """A condition that must be one side of a test."""
    assert isinstance(condition, Comparison)
    return condition
