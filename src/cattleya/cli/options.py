"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from cattleya.support.files.csv_form import TableForm
from cattleya.support.limits import MEMORY_LIMIT
from cattleya.vocabularies.over import Over

__all__ = [
    "MIB",
    "as_json",
    "exclude",
    "immutable",
    "jobs",
    "memory_limit",
    "over",
    "table_form",
    "trust",
    "types_from_data",
]

MIB = 1 << 20
Command = TypeVar("Command", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
over = click.option(
    "--over",
    type=click.Choice([over.value for over in Over]),
    default="conditions",
    show_default=True,
    help="What explanations are made of: the tree's conditions, whole features, or intervals.",
)
exclude = click.option(
    "--exclude",
    multiple=True,
    metavar="FEATURE",
    help="A feature that no reason may mention (may be given more than once).",
)
immutable = click.option(
    "--immutable",
    multiple=True,
    metavar="FEATURE",
    help="A feature that no minimal change (contrastive explanation) may change (may be given more "
    "than once).",
)
memory_limit = click.option(
    "--memory-limit",
    type=click.IntRange(min=1),
    default=MEMORY_LIMIT // MIB,
    show_default=True,
    metavar="MIB",
    help="The memory limit per question, in MiB.",
)


def _some_jobs(context: click.Context, option: click.Parameter, jobs: int) -> int:
    if jobs == 0 or jobs < -1:
        raise click.UsageError(
            f"--jobs must be a number of processes, or -1 for all cores, not {jobs}"
        )
    return jobs


jobs = click.option(
    "--jobs",
    type=int,
    callback=_some_jobs,
    default=1,
    show_default=True,
    metavar="N",
    help="The number of processes; -1 for one per core.",
)
trust = click.option("--trust", is_flag=True, help="Load MODEL even if it could run code.")
types_from_data = click.option(
    "--types-from-data/--no-types-from-data",
    default=True,
    show_default=True,
    help="Whether columns of whole numbers in DATA are assumed to have no other values, and those "
    "of truth values only these. The output says which.",
)


def table_form(command: Command) -> Command:
    """Add the options about the file DATA, which the command gets as one ``form``."""

    @wraps(command)
    def with_form(
        *given: Any, delimiter: str | None, encoding: str | None, sheet: str | None, **others: Any
    ) -> Any:
        mark = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
        try:
            form = TableForm(mark, encoding, sheet)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        return command(*given, form=form, **others)

    for option in (
        click.option(
            "--sheet", metavar="NAME", help="The sheet of an Excel file; by default the first."
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="The encoding of a CSV file, such as cp1252 or utf-16; by default as the file "
            "tells.",
        ),
        click.option(
            "--delimiter",
            metavar="MARK",
            help="What separates the cells of a CSV file, such as ; or tab; by default as its "
            "header tells.",
        ),
    ):
        with_form = option(with_form)
    return with_form  # type: ignore[return-value]  # it takes more
