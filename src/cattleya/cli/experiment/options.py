"""Options of the experiments: their data, and the form of their tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cattleya.experiments.data.coding import Data

__all__ = ["FORMS", "data_options", "form_option", "load_all", "names_of", "timeout_option"]

FORMS = {"text": "txt", "markdown": "md", "csv": "csv", "latex": "tex"}

form_option = click.option(
    "--format",
    "form",
    type=click.Choice(tuple(FORMS)),
    default="text",
    show_default=True,
    help="The form of the printed tables.",
)


def _seconds(context: click.Context, option: click.Parameter, timeout: float) -> float:
    if not 0 < timeout < math.inf:  # nor is NaN between them
        raise click.UsageError(
            f"--timeout must be a number of seconds above 0, such as 1e6 for days, not {timeout:g}"
        )
    return timeout


def timeout_option(
    default: float, about: str
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return the option for the time of one question; it is kept with what was measured."""
    return click.option(
        "--timeout",
        type=float,
        callback=_seconds,
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=about,
    )


def data_options(command: click.decorators.FC) -> click.decorators.FC:
    """Add the options that say what data is used."""
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(min=0, max=2**32 - 1),
            default=0,
            show_default=True,
            help="The seed of the folds, trees and rows.",
        ),
        click.option(
            "--target", metavar="COLUMN", help="The column to predict, for a table of your own."
        ),
        click.option(
            "--datasets",
            metavar="NAMES",
            help="Names of data sets or paths of tables, separated by commas.",
        ),
        click.option(
            "--data-dir",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="DIR",
            help="A folder with data sets, which is searched first.",
        ),
    ):
        command = option(command)
    return command


def names_of(datasets: str | None, data_dir: Path | None, target: str | None) -> list[str]:
    """Return the names of the data sets that are asked for."""
    from cattleya.experiments.data.registry import BUNDLED, available

    if datasets is None and target is not None:
        raise click.UsageError("--target needs a table: name it with --datasets people.csv")
    if datasets is not None:
        names = [name.strip() for name in datasets.split(",") if name.strip()]
        if not names:
            raise click.UsageError("--datasets is empty; name a data set, such as --datasets iris")
        return list(dict.fromkeys(names))
    if data_dir is None:
        return list(BUNDLED)
    if not (names := available(data_dir)):
        raise click.UsageError(
            f"{str(data_dir)!r} has none of the paper's data sets (adult.csv, compas.csv.gz, ...); "
            f"name what it has with --datasets"
        )
    return names


def load_all(names: list[str], data_dir: Path | None, target: str | None) -> list[Data]:
    """Load all of them, before anything is run."""
    from cattleya.cli.screen import progress
    from cattleya.experiments.data.registry import load

    with progress("reading the data"):
        return [load(name, data_dir, target) for name in names]
