"""What can be taken along: the page, the JSON, and the Python lines that give the same answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.explanation import Explanation
from cattleya.explore.compare import CompareView
from cattleya.explore.explaining import SECONDS_A_ROW, Job
from cattleya.explore.explorer import Explorer
from cattleya.explore.report import ReportView, Wanted
from cattleya.explore.rows_view import RowsView
from cattleya.explore.state import BadAddress, Chosen, State
from cattleya.present.findings import find_out
from cattleya.present.json_form import (
    ensemble_form,
    explanation_form,
    findings_form,
    summary_form,
    verification_form,
)
from cattleya.present.pages.page import page_of
from cattleya.present.pages.summary import summary_page
from cattleya.support.limits import Deadline
from cattleya.support.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["python_lines", "saved"]

Given = list[tuple[str, str]]
Saved = tuple[str, str, str]  # the text, its type, and the name of its file
MEDIA = {"page": "text/html", "json": "application/json", "python": "text/x-python"}
ENDS = {"page": "html", "json": "json", "python": "py"}
PLACES_A_LINE = 12


def saved(explorer: Explorer, templates: Environment, given: Given, kind: str) -> Saved:
    """Return what is saved of a view, its type, and the name of its file."""
    if kind not in MEDIA:
        raise BadAddress(f"nothing is saved as {kind!r}; there are {', '.join(MEDIA)}")
    view = dict(given).get("view", "row")
    if view not in VIEWS:
        raise BadAddress(f"there is no view {view!r}; there are {', '.join(VIEWS)}")
    text, name = VIEWS[view](explorer, templates, given, kind)
    return text, MEDIA[kind], f"{name}.{ENDS[kind]}"


def _row(explorer: Explorer, _: Environment, given: Given, kind: str) -> tuple[str, str]:
    state = State.read(given, explorer.over)
    name = f"row-{state.row}"
    if kind == "python":
        return python_lines(explorer, state), name
    if kind == "json":
        return _json(_row_form(explorer, state)), name
    found = find_out(explorer.explanation(state), explorer.timeout, explorer.wish(state))
    return page_of(found, explorer.shape, f"row {state.row} of {explorer.about}"), name


def _row_form(explorer: Explorer, state: State) -> dict[str, Any]:
    e = explorer.explanation(state)
    found = find_out(e, explorer.timeout, explorer.wish(state))
    form: dict[str, Any] = {"row": state.row, "set": dict(state.sets)}
    form |= _form(e, explorer.timeout, counted=found.count is not None, refusal=found.refusal)
    form |= findings_form(found)
    if state.facts:
        form["asked"] = verification_form(e, e.verify(list(state.facts)))
    return form


def _form(e: Explanation, timeout: float, *, counted: bool, refusal: Any) -> dict[str, Any]:
    if isinstance(e, EnsembleExplanation):
        return ensemble_form(e, timeout)
    return explanation_form(e, counted=counted, refusal=refusal)


def _compare(
    explorer: Explorer, templates: Environment, given: Given, kind: str
) -> tuple[str, str]:
    view = CompareView(explorer, State.read(given, explorer.over))
    name = f"rows-{view.state.row}-and-{view.state.other}"
    if kind == "python":
        lines = _asked(explorer, view.state)
        for which, state in zip(("one", "other"), view.states, strict=True):
            lines += _explained(explorer, state, which)
        lines += [
            f"reason = one.{'reason' if view.state.over.merges else 'minimal_reason'}()",
            "shared = [str(fact) for fact in reason if fact.holds_in(other.row[None, :])[0]]",
            'print("Of the reason of the first this holds in the other, too:", shared)',
        ]
        return "\n".join(lines) + "\n", name
    if kind == "json":
        rows = [_row_form(explorer, state) for state in view.states]
        return _json({"rows": rows, "shared": view.shared_texts}), name
    return templates.get_template("pair_page.html").render(it=view), name


def _report(explorer: Explorer, _: Environment, given: Given, kind: str) -> tuple[str, str]:
    wanted = Wanted.read(given, explorer)
    job = explorer.job(wanted.chosen)
    while not job.wait(0.2):
        Deadline(None).check()  # whoever waits may have left
    if job.error is not None:
        raise job.error
    if job.summary is None:
        raise ValueError("the report ended before it was saved; open it, and save it again")
    groups = ReportView(explorer, wanted).tables
    if kind == "python":
        return _report_lines(explorer, wanted, job), "report"
    if kind == "json":
        form = summary_form(job.summary)
        form["groups"] |= {
            by: [{"group": one} | dict(row) for one, row in rows.iterrows()]
            for by, rows in groups.items()
        }
        return _json({"about": job.which} | form), "report"
    own = job.summary
    shown = replace(own, groups={**own.groups, **groups})
    about = f"{explorer.about} ({job.which})"
    return summary_page(shown, about), "report"


def _report_lines(explorer: Explorer, wanted: Wanted, job: Job) -> str:
    assert job.summary is not None
    lines = explorer.opening.splitlines()
    if job.explained != len(explorer.table):
        places = list(map(str, job.summary.rows.index.tolist()))
        lines.append("places = [")
        for first in range(0, len(places), PLACES_A_LINE):
            lines.append(f"    {', '.join(places[first : first + PLACES_A_LINE])},")
        lines += ["]", "rows = rows.iloc[places]"]
    given = "rows.to_numpy()" if explorer.by_place else "rows"
    protected = f", {list(job.protected)!r}" if job.protected else ""
    lines += [
        f"summary = explainer.summarise({given}{protected}, timeout={SECONDS_A_ROW:g})",
        "print(summary)",
    ]
    return "\n".join(lines) + "\n"


def _rows(explorer: Explorer, templates: Environment, given: Given, kind: str) -> tuple[str, str]:
    view = RowsView(explorer, Chosen.read(given, explorer.protected))
    name = f"rows-page-{view.page}"
    if kind == "python":
        places = view.shown.places
        rows = "shown.to_numpy()" if explorer.by_place else "shown"
        lines = [
            *explorer.opening.splitlines(),
            f"shown = rows.iloc[{places!r}]",
            f"given = {rows}",
            "decided = [explainer.explain(given[i : i + 1]).outcome for i in range(len(shown))]",
            "print(shown.assign(decided=decided))",
        ]
        return "\n".join(lines) + "\n", name
    if kind == "json":
        rows_ = [
            {"row": line.place, "decision": line.decided.text, "error": line.decided.error or None}
            | {"cells": dict(zip(view.columns_shown, line.cells, strict=True))}
            for line in view.lines
        ]
        form = {"chosen": view.chosen.query(), "page": view.page, "rows": rows_}
        return _json(form | {"chosen_rows": view.shown.total, "of": view.n_rows}), name
    return templates.get_template("rows_page.html").render(it=view), name


VIEWS: dict[str, Callable[[Explorer, Environment, Given, str], tuple[str, str]]] = {
    "row": _row,
    "rows": _rows,
    "compare": _compare,
    "report": _report,
}


def _json(form: dict[str, Any]) -> str:
    return json.dumps({"cattleya": VERSION} | form, indent=2, allow_nan=False)


def python_lines(explorer: Explorer, state: State) -> str:
    """Return the lines that give the same answers about a row."""
    lines = [*_asked(explorer, state), *_explained(explorer, state, "e")]
    if state.facts:
        lines.append(f"print(e.verify({list(state.facts)!r}))")
    return "\n".join(lines) + "\n"


def _explained(explorer: Explorer, state: State, name: str) -> list[str]:
    """Return the lines that explain a row under a name, and print its reason."""
    lines = [
        f"row = rows.iloc[[{state.row}]].copy()",
        *(f"row[{column!r}] = {value!r}" for column, value in _set_cells(explorer, state)),
    ]
    if explorer.by_place:
        lines.append("row = row.to_numpy()")
    given = "row"
    given += f", exclude={list(state.exclude)!r}" if state.exclude else ""
    given += f", immutable={list(state.fix)!r}" if state.fix else ""
    lines += [f"{name} = explainer.explain({given})", f"print({name})"]
    return lines


def _asked(explorer: Explorer, state: State) -> list[str]:
    """Return the lines that make the explainer: in this vocabulary, counting on these rows."""
    counted = f"rows.iloc[:{explorer.n_counted}]" if explorer.all_counted else "None"
    if explorer.by_place and explorer.all_counted:
        counted += ".to_numpy()"
    return [
        *explorer.opening.splitlines(),
        "from cattleya.explain.explainer import as_asked",
        f"explainer = as_asked(explainer, {state.over.value!r}, {counted})",
    ]


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
