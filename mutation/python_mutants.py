"""Changes of the Python, made by the operators of cosmic-ray, a sample of them.

A position in the code is drawn, then one of the changes that can be made there: otherwise a plus,
for which there are eleven others, would count eleven times. Annotations are left alone, and so are
``is`` for ``==``, which are the same for small numbers.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from mutation.definitions import Definition, definitions_in, innermost, module_name

__all__ = ["Mutant", "mutants_of"]

Position = tuple[tuple[int, int], tuple[int, int]]
UNUSED = ("_Is", "_IsNot", "RemoveDecorator", "VariableReplacer", "VariableInserter")


@dataclass(frozen=True)
class Mutant:
    """A change of a file."""

    file: str
    line: int
    operator: str
    number: int  # among the places in its definition where the operator can be used, from 1
    definition: Definition | None
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """What tells it from all others, as long as the line is the same."""
        return f"{self.file}:{self.line}: {self.before}  =>  {self.after}"

    @property
    def place(self) -> str:
        """What it is called where it is judged: no text of the source, nor its folder."""
        inside = "" if self.definition is None else f".{self.definition.name}"
        return f"{module_name(Path(self.file))}{inside} {self.operator} {self.number}"


def mutants_of(file: Path, name: str, draw: random.Random) -> Iterator[Mutant]:
    """Give the mutants of a file, in a random order, one for each position."""
    source = file.read_text(encoding="utf-8")
    skipped = _annotations(source)
    module = get_ast(source)
    definitions = definitions_in(source)
    places: dict[Position, list[tuple[str, int, int]]] = {}
    for operator in _operators():
        made = cosmic_ray.plugins.get_operator(operator)()
        found = (p for node in ast_nodes(module) for p in made.mutation_positions(node))
        numbers: Counter[Definition | None] = Counter()
        for occurrence, (start, end) in enumerate(found):
            if not any(first <= start <= last for first, last in skipped):
                inside = innermost(definitions, start[0])
                numbers[inside] += 1
                places.setdefault((start, end), []).append((operator, occurrence, numbers[inside]))
    chosen = sorted(places)
    draw.shuffle(chosen)
    for place in chosen:
        operator, occurrence, number = draw.choice(places[place])
        made = cosmic_ray.plugins.get_operator(operator)()
        changed = mutate_code(source, made, occurrence)
        if changed is None or _same(source, changed):
            continue
        yield Mutant(
            name,
            place[0][0],
            operator.removeprefix("core/"),
            number,
            innermost(definitions, place[0][0]),
            *_differ(source, changed),
            changed,
        )


def _operators() -> list[str]:
    return [o for o in cosmic_ray.plugins.operator_names() if not o.endswith(UNUSED)]


def _annotations(source: str) -> list[Position]:
    """Return where annotations and what only type checkers read begin and end."""
    found: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg):
            found.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.returns)
        elif isinstance(node, ast.AnnAssign):
            found.append(node.annotation)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found.append(node)
    spans = ((n.lineno, n.col_offset, n.end_lineno, n.end_col_offset) for n in found if n)  # type: ignore[attr-defined]  # they all have lines
    return [((a, b), (c, d)) for a, b, c, d in spans]


def _same(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:  # no mutant, then
        return True


def _differ(before: str, after: str) -> tuple[str, str]:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((a.strip(), b.strip()) for a, b in pairs if a != b)
