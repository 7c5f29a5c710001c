"""``cattleya verify``: prove a result file again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, Exit, file_errors, input_errors
from cattleya.cli.inputs import need_pyarrow, open_model
from cattleya.cli.screen import show, show_json
from cattleya.explain.explainer import context_of
from cattleya.model.tree.target import target_of_form
from cattleya.support.files.csv_form import TableForm
from cattleya.support.text import printable

if TYPE_CHECKING:
    from cattleya.batch.verify.file import Refutation

__all__ = ["verify"]

FAULTS_SHOWN = 20

EXAMPLES = """\b
Examples:
  cattleya verify result.parquet --model model.skops --data people.csv
  cattleya verify result.csv --model model.skops --data people.csv --jobs 2 --timeout 60

Every class, sufficient reason and minimal change (contrastive explanation) in the file is proved on
the tree, independently of the search that found it. Counts, importance, and that reasons are
shortest are computed again, by the same search that batch uses. MODEL and DATA must be those that
the result was made from. A row that cannot be proved in time (--timeout) counts as not proved; it
is called open, not refuted.
What is explained (a class, a probability, a number) is read from the file, and shown; if it is
given here too (--probability, --value), a file about something else is refused.

Verify detects statements that are not true. It does not detect who wrote the file, or a change
that leaves every statement true: a sufficient reason replaced by another, a minimal change replaced
by another of the same size, other "seconds", or a row whose answers were removed and whose status
says that it reached a limit (such rows are counted). To detect any change, sign the file, or keep
its hash, when it is made.
"""

CLOSING = (
    "This says that every answer is true, not that nobody changed the file: a reason that was "
    "replaced by another true one is proved as well. Sign the file to detect that."
)


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Prove a result of batch again.")
@click.argument("result", type=click.Path())
@click.option(
    "--model", required=True, type=click.Path(), help="The model that RESULT was made from."
)
@click.option(
    "--data", required=True, type=click.Path(), help="The table that RESULT was made from."
)
@options.target
@options.jobs
@click.option("--timeout", type=float, metavar="SECONDS", help="The time limit per row.")
@options.table_form
@options.as_json
@options.trust
def verify(
    result: str,
    model: str,
    data: str,
    jobs: int,
    timeout: float | None,
    form: TableForm,
    as_json: bool,
    trust: bool,
    **target: Any,
) -> int:
    """Prove every answer in RESULT again, and fail if one is wrong."""
    asked = options.asked(target)
    need_pyarrow()
    from cattleya.batch.disk.source import Source
    from cattleya.batch.provenance import types_from
    from cattleya.batch.verify.file import prove_file, settings_of
    from cattleya.support.limits import Deadline
    from cattleya.support.progress import progress_bar

    with input_errors():
        Deadline(timeout)
    with file_errors("read", result), input_errors():
        made_from = settings_of(result)
    with input_errors(repr(result)):
        over, memory = made_from["over"], made_from["parameters"]["memory_limit"]
        said = {
            "target": target_of_form(made_from.get("target")),
            "output": made_from.get("output"),
        }
        expected = {name: value for name, value in asked.items() if value is not None}
    settings = said | expected  # what is expected is what must be proved
    settings["data"] = types_from(made_from.get("types"))
    explainer, columns = open_model(model, trust, over=over, memory_limit=memory, **settings)
    source = Source(data, columns, made_from.get("id_column"), form)
    with file_errors("read", data), input_errors():
        source.check_file()
    rows, unsettled, faults, n_open = 0, 0, 0, 0
    wrong: set[int | None] = set()
    shown: list[Refutation] = []
    with file_errors("read", data), input_errors():
        proofs = prove_file(context_of(explainer), result, source, n_jobs=jobs, timeout=timeout)
        with progress_bar("proving", source.count, True) as advance:
            for proof in proofs:
                rows += proof.n_rows
                unsettled += proof.n_unsettled
                faults += len(proof.faults)
                n_open += sum(fault.is_open for fault in proof.faults)
                wrong |= {fault.row for fault in proof.faults}
                shown += proof.faults[: FAULTS_SHOWN - len(shown)]
                advance(proof.n_rows)
    proved = rows - len(wrong - {None}) - unsettled
    if as_json:
        show_json(
            "verify",
            {"result": result, "model": model, "data": data, "proved": proved}
            | {"unsettled": unsettled, "refuted": faults - n_open, "not_proved": n_open}
            | {"faults": [{"row": fault.row, "why": fault.why} for fault in shown]},
        )
    elif faults:
        _tell_faults(result, proved, faults, n_open, shown)
    elif unsettled and not proved:
        told = f"{result!r} has nothing to prove: all {unsettled:,} rows say they reached a limit"
        click.echo(printable(told), err=True)
    else:
        about = context_of(explainer).target_words
        told = f"\nWhat was explained: {printable(about)}." if about else ""
        show(
            f"Proved: all {proved:,} rows of {printable(result)}{_but(unsettled)}{told}\n{CLOSING}"
        )
    return Exit.REFUTED if faults or (unsettled and not proved) else Exit.OK


def _but(unsettled: int) -> str:
    """Say that some rows have no answers."""
    if not unsettled:
        return ""
    return f" that have answers; {unsettled:,} more say that they reached a limit"


def _tell_faults(
    result: str, proved: int, faults: int, n_open: int, shown: list[Refutation]
) -> None:
    for fault in shown:
        click.echo(printable(f"{'OPEN' if fault.is_open else 'REFUTED'}: {fault}"), err=True)
    if faults > len(shown):
        click.echo(f"and {faults - len(shown):,} more", err=True)
    told = f"{result!r} is not proved: {faults - n_open:,} answers wrong, "
    if n_open:
        told += f"{n_open:,} rows neither proved nor refuted, "
    click.echo(printable(f"{told}{proved:,} rows proved"), err=True)
