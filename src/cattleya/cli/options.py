"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from cattleya.cli.inputs import WhichRow
from cattleya.model.tree.target import Probability, Value
from cattleya.support.files.csv_form import TableForm
from cattleya.support.limits import MEMORY_LIMIT
from cattleya.vocabularies.over import Over

__all__ = [
    "MIB",
    "as_json",
    "asked",
    "check",
    "exclude",
    "immutable",
    "jobs",
    "memory_limit",
    "no_cache",
    "over",
    "protected",
    "regions",
    "row",
    "shape",
    "table_form",
    "target",
    "trust",
    "types_from_data",
]

MIB = 1 << 20
F = TypeVar("F", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
over = click.option(
    "--over",
    type=click.Choice([over.value for over in Over]),
    default="intervals",
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
protected = click.option(
    "--protected",
    multiple=True,
    metavar="FEATURE",
    help="A feature that no decision should depend on (may be given more than once).",
)
check = click.option(
    "--check",
    is_flag=True,
    help="End with exit code 9 if the model is not fair or not as expected, or the models differ.",
)
regions = click.option(
    "--regions",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="How many regions the JSON has, the largest first.",
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
            f"--jobs must be a number of threads or processes, or -1 for all cores, not {jobs}"
        )
    return jobs


jobs = click.option(
    "--jobs",
    type=int,
    callback=_some_jobs,
    default=1,
    show_default=True,
    metavar="N",
    help="How many rows are worked on at once, in threads or processes; -1 for one per core.",
)

_TARGET = (
    click.option(
        "--probability",
        metavar="CLASS",
        help="Explain whether the probability of CLASS reaches a threshold, instead of the "
        "predicted class; with --at-least or --below.",
    ),
    click.option(
        "--value",
        is_flag=True,
        help="Explain whether the predicted number is in a range; with --at-least, --below, "
        "--between or --within, which imply it.",
    ),
    click.option("--at-least", type=float, metavar="X", help="The range from X up, X included."),
    click.option("--below", type=float, metavar="X", help="The range below X, X excluded."),
    click.option(
        "--between",
        type=float,
        nargs=2,
        metavar="A B",
        help="The range from A to B, both included.",
    ),
    click.option(
        "--within",
        type=float,
        metavar="D",
        help="The range of at most D above or below the number predicted for the row itself.",
    ),
    click.option(
        "--output",
        type=click.IntRange(min=0),
        metavar="N",
        help="The output to explain, of a model that predicts several; the first is 0.",
    ),
)


def target(command: F) -> F:
    """Add the options that say what is explained; :func:`asked` reads them."""
    for option in reversed(_TARGET):
        command = option(command)
    return command


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of :func:`target` out of those given; return what ``Explainer`` takes."""
    names = ("probability", "value", "at_least", "below", "between", "within")
    own = {name: given.pop(name) for name in names}
    label, is_value = own.pop("probability"), own.pop("value")
    settings: dict[str, Any] = {"output": given.pop("output")}
    ranges = {name: value for name, value in own.items() if value is not None}
    if label is None and not is_value and not ranges:
        return settings
    if label is not None and is_value:
        raise click.UsageError("--probability and --value exclude each other; give one of them")
    if label is not None:
        if wrong := [f"--{name}" for name in ("between", "within") if name in ranges]:
            raise click.UsageError(f"{wrong[0]} is for numbers; give --at-least or --below")
        if len(ranges) != 1:
            raise click.UsageError("--probability takes one of --at-least and --below")
    elif len(ranges) != 1:
        raise click.UsageError("give one of --at-least, --below, --between and --within")
    try:
        target = Value(**ranges) if label is None else Probability(label, **ranges)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return settings | {"target": target}


trust = click.option("--trust", is_flag=True, help="Load MODEL even if it could run code.")
no_cache = click.option(
    "--no-cache",
    is_flag=True,
    help="Read MODEL anew, and keep nothing of it in the user's cache folder.",
)
types_from_data = click.option(
    "--types-from-data/--no-types-from-data",
    default=True,
    show_default=True,
    help="Whether columns of whole numbers in DATA are assumed to have no other values, and those "
    "of truth values only these. The output says which.",
)


_ROW = (
    click.option("--row", type=int, help="The number of the row; the first is 0."),
    click.option("--id", "id_", metavar="VALUE", help="The identifier of the row."),
    click.option("--id-column", metavar="NAME", help="The column that holds the identifiers."),
)


def row(command: F) -> F:
    """Add the options that name a row of DATA."""

    @wraps(command)
    def with_row(
        *given: Any, row: int | None, id_: str | None, id_column: str | None, **others: Any
    ) -> Any:
        if (row is None) == (id_ is None):
            raise click.UsageError("name the row: give either --row, or --id with --id-column")
        if (id_ is None) != (id_column is None):
            raise click.UsageError("--id and --id-column go together: give both, or neither")
        return command(*given, which=WhichRow(row, id_, id_column), **others)

    for option in reversed(_ROW):
        with_row = option(with_row)
    return with_row  # type: ignore[return-value]  # it takes more


def table_form(command: F) -> F:
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


def shape(text: str | None) -> tuple[int, ...] | None:
    """Return the height and the width that were given as ``28x28``."""
    if text is None:
        return None
    sides = text.lower().split("x")
    if len(sides) not in (2, 3) or not all(side.strip().isdecimal() for side in sides):
        raise click.BadParameter(f"must be a height and a width, such as 28x28, not {text!r}")
    return tuple(int(side) for side in sides)
