"""``cattleya verify``: a result file, proved again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, Exit, file_errors, input_errors
from cattleya.cli.inputs import open_model
from cattleya.cli.screen import show, show_json
from cattleya.printable import printable

if TYPE_CHECKING:
    from cattleya.batch.proving import Refutation

__all__ = ["verify"]

FAULTS_SHOWN = 20

EXAMPLES = """\b
Examples:
  cattleya verify result.parquet --model model.skops --data people.csv

Every sufficient reason and every contrast in the file is proved by walking the tree, however it was
found; counts and importance are computed again. MODEL and DATA must be those that the result was
made from.
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Prove a result of batch again.")
@click.argument("result", type=click.Path())
@click.option("--model", required=True, type=click.Path(), help="The model it was made from.")
@click.option("--data", required=True, type=click.Path(), help="The table it was made from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@options.trust
def verify(result: str, model: str, data: str, as_json: bool, trust: bool) -> int:
    """Prove every reason in RESULT again, and fail where one does not hold."""
    from cattleya.batch.arrow import arrow

    try:
        arrow()
    except ImportError as error:
        raise BadInput(str(error)) from error
    from cattleya.batch.proving import prove_file, settings_of

    with file_errors("read", result), input_errors():
        made_from = settings_of(result)
    with input_errors(repr(result)):
        over, memory = made_from["over"], made_from["parameters"]["memory_limit"]
    explainer, columns = open_model(model, trust, over=over, memory_limit=memory)
    proved, faults = 0, 0
    shown: list[Refutation] = []
    with file_errors("read", data), input_errors():
        outcomes = prove_file(
            explainer,
            result,
            data,
            choose=lambda table: columns.choose(table)[0],
            text=columns.text,
        )
        for outcome in outcomes:
            if outcome is None:
                proved += 1
                continue
            faults += 1
            if faults <= FAULTS_SHOWN:
                shown.append(outcome)
    if as_json:
        show_json(
            "verify",
            {"result": result, "model": model, "data": data, "proved": proved, "refuted": faults}
            | {"faults": [{"row": fault.row, "why": fault.why} for fault in shown]},
        )
    else:
        _tell(result, proved, faults, shown)
    return Exit.REFUTED if faults else Exit.OK


def _tell(result: str, proved: int, faults: int, shown: list[Refutation]) -> None:
    if not faults:
        show(f"Proved: all {proved:,} rows of {printable(result)}")
        return
    for fault in shown:
        click.echo(printable(f"REFUTED: {fault}"), err=True)
    if faults > len(shown):
        click.echo(f"and {faults - len(shown):,} more", err=True)
    click.echo(
        printable(f"{result!r} is not proved: {faults:,} wrong, {proved:,} rows proved"), err=True
    )
