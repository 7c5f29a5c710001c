"""``cattleya report``: a whole table at a glance."""

from __future__ import annotations

import os

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.inputs import open_model, open_table
from cattleya.cli.screen import show
from cattleya.printable import printable

__all__ = ["report"]

EXAMPLES = """\b
Examples:
  cattleya report model.skops people.csv
  cattleya report model.skops people.csv --protected sex --protected race --html report.html

How long reasons are and how many there are, what the decisions rest on, which rows are hardest to
explain, and which have no reason without a protected feature.
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Summarise a whole table.")
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--html", type=click.Path(), metavar="FILE", help="Also write it as a page.")
@click.option(
    "--protected",
    multiple=True,
    metavar="FEATURE",
    help="A feature that a reason should not need (may be given more than once).",
)
@options.jobs
@click.option(
    "--timeout",
    type=float,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a row may take; one that needs longer is counted as such.",
)
@options.trust
def report(
    model: str,
    data: str,
    html: str | None,
    protected: tuple[str, ...],
    jobs: int,
    timeout: float,
    trust: bool,
) -> None:
    """Tell what the explanations of all rows of DATA have in common."""
    if jobs == 0:
        raise click.UsageError("--jobs must be a number of processes, or -1 for all cores, not 0")
    explainer, columns = open_model(model, trust)
    table = open_table(data, columns.text)
    with input_errors(repr(data)):
        chosen, _ = columns.choose(table)
    with input_errors():
        summary = explainer.summarise(chosen, protected, n_jobs=jobs, timeout=timeout)
    if html is not None:
        with file_errors("write", html):
            summary.to_html(html)
    show(str(summary))
    if html is not None:
        show(f"\nThe report as a page: {printable(os.path.abspath(html))}")
