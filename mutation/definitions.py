"""Which function or class a line of a module is in, by name: that outlives edits and moves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Definition", "definitions_in", "innermost", "module_name"]


@dataclass(frozen=True)
class Definition:
    """A function or a class: its lines, those of its body, and whether calling it runs them."""

    name: str  # with the names of what it is in: "Parts.write"
    first: int  # of its decorators
    body: int
    last: int
    is_function: bool


def module_name(file: Path) -> str:
    """Return what a module is called, given its place in the package."""
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def definitions_in(source: str) -> list[Definition]:
    """Return the functions and classes of a module; what is in another comes after it."""
    return list(_below(ast.parse(source), ""))


def innermost(definitions: list[Definition], line: int) -> Definition | None:
    """Return the innermost definition with this line; decorators and defaults are its own."""
    return max(
        (found for found in definitions if found.first <= line <= found.last),
        key=lambda found: found.first,
        default=None,
    )


def _below(node: ast.AST, prefix: str) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = prefix + child.name
            first = min(line.lineno for line in (child, *child.decorator_list))
            last = child.end_lineno or child.lineno
            is_function = not isinstance(child, ast.ClassDef)
            yield Definition(name, first, child.body[0].lineno, last, is_function)
            yield from _below(child, f"{name}.")
        else:
            yield from _below(child, prefix)
