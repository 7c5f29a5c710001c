"""``cattleya report``: summarise the explanations of a whole table."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, Exit, file_errors, input_errors
from cattleya.cli.inputs import check_apart, columns_of, load_model, open_table, typed
from cattleya.cli.row_words import table_of
from cattleya.cli.screen import show, show_json
from cattleya.explain.explainer import Explainer, context_of
from cattleya.model.domain.column_types import types_of
from cattleya.present.json_form import summary_form
from cattleya.support.files.csv_form import TableForm
from cattleya.support.suggestions import known_names
from cattleya.support.text import printable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["report"]

EXAMPLES = """\b
Examples:
  cattleya report model.skops people.csv
  cattleya report model.skops people.csv --protected sex --protected race --html report.html
  cattleya report model.skops people.csv --target income --id-column customer --json

The report shows how many rows get each class, how many of these decisions are right, what they rest
on, few reasons that together cover most rows, which decisions depend on a protected feature (each
with a row that shows it), and which rows are hardest to explain.
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, data, html        the input, and the path of the page if one was written
  target_column            the column with the true classes, if there is one
  target                   what is explained, if it is not the predicted class
  rows, statuses           the number of rows, and how many ended how
  accuracy                 {share: "a/b", share_float}, or null if the truth is not known
  decisions                {class, rows, share, right}
  groups                   by protected feature: {group, rows, "share, CLASS" ..., accuracy}
  features                 {feature, importance, necessary}: the share of the reasons that mention
                           the feature, and of the rows in which every reason does
  reasons                  {class, conditions, text, rows, share}; covered: the share of the rows
                           that at least one of them covers
  protected, fair          the features asked about; whether no decision depends on them
  unfair                   {row, prediction, change, becomes}: every row that does, with its witness
  needs_protected          the rows all of whose reasons mention a protected feature
  sizes, hardest           how long and how many reasons are; the rows that are hardest to explain
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Summarise a whole table."
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--html", type=click.Path(), metavar="FILE", help="Also write the report as a page.")
@options.protected
@click.option(
    "--target",
    metavar="COLUMN",
    help="The column of DATA with the true classes, to measure the accuracy; by default the one "
    "that the model was trained to predict, if DATA has it.",
)
@click.option("--id-column", metavar="NAME", help="The column that names the rows.")
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
@options.target
@options.over
@options.types_from_data
@options.table_form
@options.memory_limit
@options.as_json
@options.trust
def report(
    model: str,
    data: str,
    html: str | None,
    protected: tuple[str, ...],
    target: str | None,
    id_column: str | None,
    jobs: int,
    timeout: float,
    exclude: tuple[str, ...],
    immutable: tuple[str, ...],
    over: str,
    types_from_data: bool,
    form: TableForm,
    memory_limit: int,
    as_json: bool,
    trust: bool,
    **explained: Any,
) -> int:
    """Summarise the explanations of all rows of DATA."""
    asked = options.asked(explained)
    loaded = load_model(model, trust)
    make = partial(Explainer, loaded, over=over, memory_limit=memory_limit * options.MIB, **asked)
    with input_errors(repr(model)):
        explainer = make()
        columns = columns_of(loaded, explainer)
    table = open_table(data, columns.text, id_column, form)
    check_apart(html, model, data)
    with input_errors(repr(data)):
        chosen, _ = columns.choose(table)
        if types_from_data:
            explainer = typed(make, types_of([chosen]))
        if id_column is not None:
            chosen = chosen.set_axis(_column(table, id_column, "--id-column"), axis=0)
    known = explainer.target_name
    if target is None and known in table and not context_of(explainer).predicts_numbers:
        target = known
    truth = None if target is None else _column(table, target, "--target")
    with input_errors():
        summary = explainer.summarise(
            chosen,
            protected,
            truth=truth,
            n_jobs=jobs,
            timeout=timeout,
            exclude=exclude,
            immutable=immutable,
        )
    if html is not None:
        with file_errors("write", html), input_errors():
            about = table_of(os.path.basename(data), os.path.basename(model))
            summary.to_html(html, about=about)
    if as_json:
        page = None if html is None else os.path.abspath(html)
        head = {"model": model, "data": data, "html": page, "target_column": target}
        show_json("report", head | summary_form(summary))
    else:
        show(f"{table_of(data, model)}\n\n{summary}")
        if html is not None:
            show(f"\nThe report as a page: {printable(os.path.abspath(html))}")
    return Exit.FINDINGS if len(summary.unfair) else Exit.OK


def _column(table: pd.DataFrame, name: str, option: str) -> pd.Series[Any]:
    if name not in table:
        known = known_names([name], list(table.columns))
        raise BadInput(f"{option}: there is no column {name!r}; the table has {known}")
    return table[name]
