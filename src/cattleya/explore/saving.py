"""What can be taken along: the page, the JSON, and the Python lines that give the same answer."""

from __future__ import annotations

import json
from typing import Any

from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.explanation import Explanation
from cattleya.explore.explorer import Explorer
from cattleya.explore.state import BadAddress, State
from cattleya.present.findings import Wish, find_out
from cattleya.present.json_form import (
    ensemble_form,
    explanation_form,
    findings_form,
    verification_form,
)
from cattleya.present.pages.page import page_of
from cattleya.support.version import VERSION

__all__ = ["python_lines", "saved"]

KINDS = ("page", "json", "python")


def saved(explorer: Explorer, state: State, kind: str) -> tuple[str, str, str]:
    """Return what is saved, its type, and the name of its file."""
    if kind not in KINDS:
        raise BadAddress(f"nothing is saved as {kind!r}; there are {', '.join(KINDS)}")
    name = f"row-{state.row}"
    if kind == "python":
        return python_lines(explorer, state), "text/x-python", f"{name}.py"
    e = explorer.explanation(state)
    found = find_out(e, explorer.timeout, Wish(short=None))
    if kind == "page":
        about = f"row {state.row} of {explorer.about}"
        return page_of(found, explorer.shape, about), "text/html", f"{name}.html"
    head: dict[str, Any] = {"cattleya": VERSION, "row": state.row, "set": dict(state.sets)}
    own = _form(e, explorer.timeout, counted=found.count is not None, refusal=found.refusal)
    form = head | own | findings_form(found)
    if state.facts:
        form["asked"] = verification_form(e, e.verify(list(state.facts)))
    return json.dumps(form, indent=2, allow_nan=False), "application/json", f"{name}.json"


def _form(e: Explanation, timeout: float, *, counted: bool, refusal: Any) -> dict[str, Any]:
    if isinstance(e, EnsembleExplanation):
        return ensemble_form(e, timeout)
    return explanation_form(e, counted=counted, refusal=refusal)


def python_lines(explorer: Explorer, state: State) -> str:
    """Return the lines that give the same answers."""
    lines = [
        *explorer.opening.splitlines(),
        f"row = rows.iloc[[{state.row}]].copy()",
        *(f"row[{column!r}] = {value!r}" for column, value in _set_cells(explorer, state)),
    ]
    if explorer.by_place:
        lines.append("row = row.to_numpy()")
    given = "row"
    given += f", exclude={list(state.exclude)!r}" if state.exclude else ""
    given += f", immutable={list(state.fix)!r}" if state.fix else ""
    lines += [f"e = explainer.explain({given})", "print(e)"]
    if state.facts:
        lines.append(f"print(e.verify({list(state.facts)!r}))")
    return "\n".join(lines) + "\n"


def _set_cells(explorer: Explorer, state: State) -> list[tuple[str, Any]]:
    """Return the cells that differ from the table's, as Python writes them."""
    from cattleya.explain.edits import with_values

    if not state.sets:
        return []
    before = explorer.row(state.row)
    after = with_values(explorer.context, before, state.sets)
    cells = []
    for column in before.columns:
        old, new = before[column].iloc[0], after[column].iloc[0]
        if old is not new and old != new:
            plain = new.item() if hasattr(new, "item") else new
            cells.append((str(column), None if plain != plain else plain))  # noqa: PLR0124 - NaN
    return cells
