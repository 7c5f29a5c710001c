"""``cattleya experiment figure``: the paper's picture of a digit and its reasons."""

from __future__ import annotations

from pathlib import Path

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.experiment.options import load_all
from cattleya.cli.json_form import record_form
from cattleya.cli.screen import progress, show, show_json
from cattleya.printable import printable

__all__ = ["figure"]

EXAMPLES = """\b
Examples:
  cattleya experiment figure --data-dir data --out figure2.svg
  cattleya experiment figure --data digits
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="The paper's figure.")
@click.option(
    "--data-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder where data is looked for first.",
)
@click.option(
    "--data", default="mnist49", show_default=True, help="A data set whose rows are square images."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("figure2.svg"),
    show_default=True,
    metavar="FILE",
    help="Where to draw it (.svg, .png or .pdf).",
)
@options.as_json
def figure(data_dir: Path | None, data: str, out: Path, as_json: bool) -> None:
    """Two reasons for one digit that differ, its heat map, its explanatory features."""
    from cattleya.experiments.figure import draw

    with input_errors(), file_errors("write", str(out)):
        (loaded,) = load_all([data], data_dir, None)
        with progress("counting the reasons of a hundred rows, and drawing one"):
            caption = draw(loaded, out)
    if as_json:
        show_json("experiment figure", {"out": str(out.absolute())} | record_form(caption))
    else:
        show(f"{caption}\nWritten: {printable(str(out))}")
