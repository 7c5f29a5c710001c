"""``cattleya batch``: explain every row of a table, in a file that can be verified."""

from __future__ import annotations

import os
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, Exit, file_errors, input_errors, note
from cattleya.cli.inputs import columns_of, load_model, need_pyarrow, typed
from cattleya.cli.screen import progress, show, show_json
from cattleya.explain.explainer import Explainer, context_of
from cattleya.explain.questions import QUESTIONS
from cattleya.support.files.csv_form import TableForm
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

Rows are read, explained and written a few thousand at a time, into the folder
result.parquet.parts, which becomes result.parquet at the end. What is done is saved at least every
ten seconds: if it is stopped, the same command with --resume continues. A row that cannot be
explained, or not in time, has a status and an error in the result, and the exit code says so.
"cattleya verify" proves the result again.
"""


def _columns() -> str:
    """Return the columns of a result and what is in them, as lines of the help."""
    known = {
        "row": "its number in DATA, the first being 0",
        "id": "with --id: what names it in DATA, as text",
        "prediction, status, error, seconds": "status: ok, timeout, memory, no such reason, error",
        "outcome": "if something else than the prediction is explained: what, in words",
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
Numbers of reasons are decimal text, exact at any size; a share is text such as "3/4".
The metadata "cattleya" of the schema contain the version of the library, the hashes of the model
and the data, the definition and the parameters.

\b
A CSV file has the same columns. Lists are written as JSON, and the metadata are in a file beside
it, result.csv.json. A text that a spreadsheet would read as a formula, because it starts with one
of = + - @ (also full-width), gets an apostrophe in front, and so does a text that is empty or
starts with an apostrophe. A text with line breaks or other control characters, or with ; or |
before such a sign, is written as an apostrophe and a JSON string: '"a\\u003b=1+1". Numbers are
not changed.
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
    help="The file to write, .parquet or .csv.",
)
@click.option(
    "--want",
    default=WANTED,
    show_default=True,
    metavar="LIST",
    help=f"What to ask about each row, separated by commas: {', '.join(QUESTIONS)}.",
)
@options.jobs
@click.option(
    "--id",
    "--id-column",
    "id_column",
    metavar="COLUMN",
    help="A column of DATA that identifies the rows; the result has it as the column id.",
)
@click.option("--resume", is_flag=True, help="Continue an earlier run that was stopped.")
@click.option("--timeout", type=float, metavar="SECONDS", help="The time limit per row.")
@click.option(
    "--contrasts",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many minimal changes (contrastive explanations) to write per row, smallest first.",
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
    types_from_data: bool,
    form: TableForm,
    memory_limit: int,
    as_json: bool,
    trust: bool,
    **target: Any,
) -> int:
    """Explain what MODEL decided about every row of DATA, and write a file."""
    asked = options.asked(target)
    need_pyarrow()
    from cattleya.batch.disk.result_file import RESULTS

    if not out.lower().endswith(RESULTS):
        raise click.UsageError(f"--out must end in .parquet or .csv, not {out!r}")
    from cattleya.batch.disk.checkpoint import Parts
    from cattleya.batch.disk.run import explain_file
    from cattleya.batch.disk.source import Source
    from cattleya.batch.task import checked_task

    loaded = load_model(model, trust)
    make = partial(Explainer, loaded, over=over, memory_limit=memory_limit * options.MIB, **asked)
    with input_errors(repr(model)):
        explainer = make()
        columns = columns_of(loaded, explainer)
    source = Source(data, columns, id_column, form)
    with input_errors():  # what is asked is looked at before the data are
        questions = [name.strip() for name in want.split(",") if name.strip()]
        checked_task(
            context_of(explainer), questions, timeout, exclude=exclude, immutable=immutable
        )
    with file_errors("read", data), input_errors():
        source.check_file()
        if types_from_data:
            with progress("looking at the types of the columns"):
                explainer = typed(make, source.types())
    context = context_of(explainer)
    with input_errors():
        task = checked_task(
            context, questions, timeout, exclude=exclude, immutable=immutable, contrasts=contrasts
        )
    parts = Parts(out)
    try:
        with input_errors():
            explain_file(context, source, out, task, model_file=model, n_jobs=jobs, resume=resume)
    except KeyboardInterrupt:
        if os.path.isdir(parts.folder):
            note(f"what is done is in {str(parts.folder)!r}; continue with --resume")
        raise
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
    failed = rows - statuses.get("ok", 0)
    if failed and not as_json:
        note(f"{_failed(failed, rows)}; the columns status and error of the result say why")
    if failed:
        return Exit.SOME_ROWS_FAILED if failed < rows else Exit.ALL_ROWS_FAILED
    return Exit.OK


def _failed(failed: int, rows: int) -> str:
    if failed == rows:
        return f"none of the {rows:,} rows could be explained"
    return f"{failed:,} of the {rows:,} rows could not be explained"


def _left(parts: Parts) -> str:
    """Say what an interrupted run has left."""
    if not os.path.isdir(parts.folder):  # which is False for a name that is too long
        return "nothing was written"
    return (
        f"the {parts.count()} parts written so far are in {str(parts.folder)!r}; make room, and "
        f"continue with --resume"
    )


def _statuses(out: str) -> dict[str, int]:
    """Count the rows of each status, the most frequent first."""
    from collections import Counter

    from cattleya.batch.disk.result_file import statuses

    return dict(Counter(statuses(out)).most_common())
