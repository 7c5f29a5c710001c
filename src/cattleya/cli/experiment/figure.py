"""``cattleya experiment figure``: the paper's picture of a digit and its reasons."""

from __future__ import annotations

from pathlib import Path

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.experiment.options import load_all
from cattleya.cli.screen import progress, show, show_json
from cattleya.present.json_form import record_form
from cattleya.support.text import printable

__all__ = ["figure"]

EXAMPLES = """\b
Examples:
  cattleya experiment figure
  cattleya experiment figure --data-dir data --out figure2.svg
  cattleya experiment figure --data mnist49

Without --data-dir and --data, a digit that comes with scikit-learn is drawn; with --data-dir, one
of the paper's mnist49 in that folder. A data set of the paper that --data names and that is not in
the folder is fetched from OpenML; nothing else is fetched from the network.
"""

DEFAULT, PAPERS = "digits", "mnist49"


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Draw the paper's figure.")
@click.option(
    "--data-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder with data sets, which is searched first.",
)
@click.option(
    "--data",
    metavar="NAME",
    help=f"A data set whose rows are square images.  [default: {DEFAULT}; {PAPERS} of --data-dir]",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("figure2.svg"),
    show_default=True,
    metavar="FILE",
    help="The picture to write (.svg, .png or .pdf).",
)
@options.as_json
def figure(data_dir: Path | None, data: str | None, out: Path, as_json: bool) -> None:
    """Draw a digit, two reasons that differ, the heat map and the explanatory features."""
    from cattleya.experiments.figure import draw

    with input_errors(), file_errors("write", str(out)):
        (loaded,) = load_all([data or _default(data_dir)], data_dir, None)
        with progress("counting the reasons of a hundred rows, and drawing one"):
            caption = draw(loaded, out)
    if as_json:
        show_json("experiment figure", {"out": str(out.absolute())} | record_form(caption))
    else:
        show(f"{caption}\nWritten: {printable(str(out))}")


def _default(data_dir: Path | None) -> str:
    """Return the data set to draw where none is named: never one that has to be fetched."""
    from cattleya.experiments.data.registry import available

    if data_dir is None:
        return DEFAULT
    if PAPERS not in available(data_dir):
        raise click.UsageError(
            f"{str(data_dir)!r} has no {PAPERS}.csv, {PAPERS}.csv.gz or {PAPERS}.npz; put one "
            f"there, or name a data set: --data {DEFAULT}, or --data {PAPERS} to fetch it from "
            f"OpenML"
        )
    return PAPERS
