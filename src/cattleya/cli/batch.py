"""``cattleya batch``: every row of a table, in a file that an audit can repeat."""

from __future__ import annotations

import os
import textwrap
from typing import TYPE_CHECKING

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, file_errors, input_errors
from cattleya.cli.inputs import need_pyarrow, open_model
from cattleya.cli.screen import show, show_json
from cattleya.explain.explainer import context_of
from cattleya.explain.questions import QUESTIONS
from cattleya.support.text import printable

if TYPE_CHECKING:
    from cattleya.batch.disk.checkpoint import Parts

__all__ = ["batch"]

WANTED = "sufficient,contrastive"

EXAMPLES = """\b
Examples:
  cattleya batch model.skops people.csv --out result.parquet
  cattleya batch model.skops people.parquet --out result.parquet --jobs 2 --resume
  cattleya batch model.skops people.csv --out result.csv --id customer \\
      --want sufficient,minimal,count --timeout 10

The rows are read, explained and written some thousands at a time, in the folder
result.parquet.parts, which becomes result.parquet in the end. Stopped at any moment, the same
command with --resume goes on. A row that cannot be explained, or not in time, is a row with its
status and error. "cattleya verify" proves the result again.
"""


def _columns() -> str:
    """Return the columns of a result and what is in them, as lines of the help."""
    known = {
        "row": "its number in DATA, the first being 0",
        "id": "with --id: what names it in DATA, as text",
        "prediction, status, error, seconds": "status: ok, timeout, memory, no such reason, error",
    }
    for question in QUESTIONS.values():
        known[", ".join(column.name for column in question.columns)] = question.help
    space = " " * 27
    lines = []
    for names, about in known.items():
        lines += textwrap.wrap(names, 90, initial_indent="  ", subsequent_indent="  ")
        lines += textwrap.wrap(about, 98, initial_indent=space, subsequent_indent=space)
    return "\n".join(lines)


COLUMNS = f"""\b
Columns of the result:
{_columns()}
Numbers of reasons are decimal text, exact at any size; a share is text such as "3/4". The metadata
"cattleya" of the schema hold the library's version, the hashes of the model and the data, the
definition and the parameters.

\b
A CSV file has the same columns. Lists are JSON; what the result was made from stands beside it, in
result.csv.json. No text in it is a formula to a spreadsheet: one that could be has an apostrophe in
front, or is written as JSON; numbers are left as they are.
"""


@click.command(
    epilog=f"{EXAMPLES}\n{COLUMNS}\n{EXIT_CODES}", short_help="Explain every row of a table."
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option(
    "--out",
    type=click.Path(),
    required=True,
    metavar="FILE",
    help="The file to write: .parquet, or .csv.",
)
@click.option(
    "--want",
    default=WANTED,
    show_default=True,
    metavar="LIST",
    help=f"What to ask of each row: some of {', '.join(QUESTIONS)}.",
)
@options.jobs
@click.option(
    "--id",
    "--id-column",
    "id_column",
    metavar="COLUMN",
    help="A column of DATA that names the rows; it becomes the column id.",
)
@click.option("--resume", is_flag=True, help="Go on with what an earlier run has left.")
@click.option("--timeout", type=float, metavar="SECONDS", help="How long a row may take.")
@click.option(
    "--contrasts",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many contrastive explanations of a row to write, the smallest first.",
)
@options.exclude
@options.immutable
@options.over
@options.memory_limit
@options.as_json
@options.trust
def batch(
    model: str,
    data: str,
    out: str,
    want: str,
    jobs: int,
    id_column: str | None,
    resume: bool,
    timeout: float | None,
    contrasts: int,
    exclude: tuple[str, ...],
    immutable: tuple[str, ...],
    over: str,
    memory_limit: int,
    as_json: bool,
    trust: bool,
) -> None:
    """Explain what MODEL decided about every row of DATA, in a file."""
    need_pyarrow()
    from cattleya.batch.disk.result_file import RESULTS

    if not out.lower().endswith(RESULTS):
        raise click.UsageError(f"--out must end in .parquet or .csv, not {out!r}")
    from cattleya.batch.disk.checkpoint import Parts
    from cattleya.batch.disk.run import explain_file
    from cattleya.batch.disk.source import Source
    from cattleya.batch.task import checked_task

    explainer, columns = open_model(
        model, trust, over=over, memory_limit=memory_limit * options.MIB
    )
    context = context_of(explainer)
    with input_errors():
        asked = [name.strip() for name in want.split(",") if name.strip()]
        task = checked_task(
            context, asked, timeout, exclude=exclude, immutable=immutable, contrasts=contrasts
        )
    parts = Parts(out)
    try:
        source = Source(data, columns, id_column)
        with file_errors("read", data), input_errors():
            source.check_file()
        with input_errors():
            explain_file(context, source, out, task, model_file=model, n_jobs=jobs, resume=resume)
    except OSError as error:
        raise BadInput(
            f"cannot write {out!r}: {error.strerror or error}; {_left(parts)}"
        ) from error
    with input_errors():
        statuses = _statuses(out)
    rows = sum(statuses.values())
    if as_json:
        show_json(
            "batch",
            {"model": model, "data": data, "out": os.path.abspath(out), "rows": rows}
            | {"statuses": statuses},
        )
    else:
        told = ", ".join(f"{number:,} {status}" for status, number in statuses.items())
        show(f"Rows: {rows:,}{f' ({told})' if told else ''}\nWritten: {printable(out)}")


def _left(parts: Parts) -> str:
    """Say what is there of work that was stopped."""
    if not os.path.isdir(parts.folder):  # which is False for a name that is too long
        return "nothing was written"
    return (
        f"the {parts.count()} parts written so far are in {str(parts.folder)!r}; make room and go "
        f"on with --resume"
    )


def _statuses(out: str) -> dict[str, int]:
    """Count the rows of each status, the most frequent first."""
    from collections import Counter

    from cattleya.batch.disk.result_file import statuses

    return dict(Counter(statuses(out)).most_common())
