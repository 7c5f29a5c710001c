"""``cattleya report``: summarise the explanations of a whole table."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.inputs import check_apart, open_model, open_table
from cattleya.cli.row_words import table_of
from cattleya.cli.screen import show, show_json
from cattleya.present.json_form import label_form
from cattleya.support.text import printable

if TYPE_CHECKING:
    from cattleya.batch.summary import Summary

__all__ = ["report"]

EXAMPLES = """\b
Examples:
  cattleya report model.skops people.csv
  cattleya report model.skops people.csv --protected sex --protected race --html report.html
  cattleya report model.skops people.csv --over intervals --exclude sex --json

The report shows how long the reasons are and how many there are, which features the decisions
depend on, which rows are hardest to explain, and which have no reason without a protected feature.
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Summarise a whole table.")
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--html", type=click.Path(), metavar="FILE", help="Also write the report as a page.")
@click.option(
    "--protected",
    multiple=True,
    metavar="FEATURE",
    help="A feature that no reason should need (may be given more than once).",
)
@options.jobs
@click.option(
    "--timeout",
    type=float,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit per row; rows that reach it are counted.",
)
@options.exclude
@options.immutable
@options.over
@options.memory_limit
@options.as_json
@options.trust
def report(
    model: str,
    data: str,
    html: str | None,
    protected: tuple[str, ...],
    jobs: int,
    timeout: float,
    exclude: tuple[str, ...],
    immutable: tuple[str, ...],
    over: str,
    memory_limit: int,
    as_json: bool,
    trust: bool,
) -> None:
    """Summarise the explanations of all rows of DATA."""
    explainer, columns = open_model(
        model, trust, over=over, memory_limit=memory_limit * options.MIB
    )
    table = open_table(data, columns.text)
    check_apart(html, model, data)
    with input_errors(repr(data)):
        chosen, _ = columns.choose(table)
    with input_errors():
        summary = explainer.summarise(
            chosen, protected, n_jobs=jobs, timeout=timeout, exclude=exclude, immutable=immutable
        )
    if html is not None:
        with file_errors("write", html), input_errors():
            about = table_of(os.path.basename(data), os.path.basename(model))
            summary.to_html(html, about=about)
    if as_json:
        page = None if html is None else os.path.abspath(html)
        show_json("report", {"model": model, "data": data, "html": page} | _form(summary))
        return
    show(f"{table_of(data, model)}\n\n{summary}")
    if html is not None:
        show(f"\nThe report as a page: {printable(os.path.abspath(html))}")


def _form(summary: Summary) -> dict[str, Any]:
    """Return a summary as JSON values; rows are named by their numbers, the first is 0."""
    hardest = summary.hardest()
    return {
        "definition": summary.definition,
        "rows": len(summary.rows),
        "statuses": summary.statuses,
        "sizes": _table(summary.sizes, "what"),
        "features": _table(summary.features, "feature"),
        "hardest": _table(hardest.drop(columns="seconds"), "row"),
        "protected": list(summary.protected),
        "needs_protected": [int(number) for number in summary.needs_protected.index],
    }


def _table(table: Any, first: str) -> list[dict[str, Any]]:
    return [
        {first: label_form(label)} | {name: label_form(value) for name, value in row.items()}
        for label, row in zip(table.index, table.to_dict("records"), strict=True)
    ]
