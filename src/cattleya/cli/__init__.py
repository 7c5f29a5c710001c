"""The command ``cattleya``: one file per command.

Commands import what they need when they run, so that ``cattleya --help`` is fast.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

import cattleya
from cattleya.cli.audit import audit
from cattleya.cli.batch import batch
from cattleya.cli.compare import compare
from cattleya.cli.demo import demo
from cattleya.cli.errors import EXIT_CODES, Exit, note
from cattleya.cli.errors import report as report_error
from cattleya.cli.experiment import experiment
from cattleya.cli.explain import explain
from cattleya.cli.explore import explore
from cattleya.cli.report import report
from cattleya.cli.train import train
from cattleya.cli.tree import tree
from cattleya.cli.verify import verify
from cattleya.cli.verify_reason import verify_reason

__all__ = ["commands", "run"]

EXAMPLES = """\b
Examples:
  cattleya demo
  cattleya train people.csv --target income --out model.skops
  cattleya explain model.skops people.csv --row 3
"""


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{EXAMPLES}\n{EXIT_CODES}",
)
@click.version_option(cattleya.__version__, prog_name="cattleya")
@click.pass_context
def commands(context: click.Context) -> None:
    """Explain exactly what a tree model decided."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    demo,
    train,
    explain,
    explore,
    tree,
    batch,
    report,
    audit,
    compare,
    verify,
    verify_reason,
    experiment,
):
    commands.add_command(command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code; an error is reported in one or two lines."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: output goes nowhere
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - to the end of the process
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # for what the terminal cannot show
    given = list(sys.argv[1:] if arguments is None else arguments)
    named = next((word for word in given if word in commands.commands), None)
    name = "cattleya" if named is None else f"cattleya {named}"
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # notes to the reader, whatever is filtered
        warnings.showwarning = _NotesOnce().show  # type: ignore[assignment]  # it takes what it needs
        try:
            code = commands.main(given, prog_name="cattleya", standalone_mode=False)
            sys.stdout.flush()
        except (BrokenPipeError, SystemExit):  # click turns the one into the other
            # The reader has closed the pipe. Nothing more can be written, not even at exit.
            sys.stdout = None
            return Exit.OK
        except (Exception, KeyboardInterrupt) as error:
            return report_error(error, name)
    return int(code or Exit.OK)


class _NotesOnce:
    """Shows warnings as notes, each of them once."""

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def show(self, message: Warning | str, *_: Any) -> None:
        """Show a warning, unless it was shown before."""
        text = str(message)
        if text not in self._shown:
            note(text)
        self._shown.add(text)
