"""Explanations in words that a reader without a Python prompt can follow."""

from cattleya.present.words.numbers import class_name, percent
from cattleya.present.words.show import describe, render
from cattleya.present.words.statements import Statement, in_words, statements
from cattleya.support.text import grouped

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
