"""Explanations in words that a reader without a Python prompt can follow."""

from cattleya.words.numbers import class_name, grouped, percent
from cattleya.words.show import describe, render
from cattleya.words.statements import Statement, in_words, statements

__all__ = [
    "Statement",
    "class_name",
    "describe",
    "grouped",
    "in_words",
    "percent",
    "render",
    "statements",
]
