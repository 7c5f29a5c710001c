"""``cattleya experiment growth``: how the cost of every question grows with the tree."""

from __future__ import annotations

from pathlib import Path

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors, note
from cattleya.cli.experiment.options import FORMS, form_option, timeout_option
from cattleya.cli.screen import show, show_json
from cattleya.present.json_form import record_form

__all__ = ["growth"]

SMALLEST_TREE = 3

EXAMPLES = """\b
Examples:
  cattleya experiment growth
  cattleya experiment growth --sizes 100,1000 --families comb --picture growth.svg

Families: "grown" (scikit-learn's tree of made-up data), "complete" and "comb" (the trees of the
paper's Propositions 1 and 2).
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Measure cost against size.")
@click.option(
    "--sizes",
    default="100,1000,10000,100000,1000000",
    show_default=True,
    metavar="NODES",
    help="Sizes of the trees, separated by commas.",
)
@click.option(
    "--families",
    default="grown,complete,comb",
    show_default=True,
    metavar="NAMES",
    help="Families of trees, separated by commas.",
)
@timeout_option(20.0, "The time limit per question.")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw time against size (.svg, .png or .pdf).",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the table to a Markdown page, with the machine and the versions.",
)
@form_option
@options.as_json
def growth(
    sizes: str,
    families: str,
    timeout: float,
    picture: Path | None,
    report: Path | None,
    form: str,
    as_json: bool,
) -> None:
    """Measure the time and memory of every question on trees of growing size."""
    from cattleya.experiments import growth
    from cattleya.experiments.data.families import FAMILIES
    from cattleya.experiments.drawing import check_ending
    from cattleya.experiments.results_page import check_page
    from cattleya.experiments.tables import FORMATS

    chosen = [name.strip() for name in families.split(",")]
    if unknown := [name for name in chosen if name not in FAMILIES]:
        raise click.UsageError(
            f"there is no family {unknown[0]!r}; there are {', '.join(FAMILIES)}"
        )
    numbers = [int(size) for size in sizes.split(",") if size.strip().isdigit()]
    if len(numbers) != len(sizes.split(",")) or min(numbers) < SMALLEST_TREE:
        raise click.UsageError(
            f"--sizes must be whole numbers from {SMALLEST_TREE}, separated by commas, not "
            f"{sizes!r}"
        )
    with input_errors():
        check_page(report)
        if picture is not None:
            check_ending(picture)
    points = list(growth.measure(chosen, numbers, timeout, note))
    with input_errors(), file_errors("write", str(picture or report)):
        if picture is not None:
            growth.picture(points, picture)
        if report is not None:
            command = (
                f"cattleya experiment growth --sizes {sizes} --families {families} "
                f"--timeout {timeout:g}{f' --picture {picture.name}' if picture else ''}"
            )
            growth.write(report, points, command, picture)
    if as_json:
        written = {"picture": picture, "report": report}
        show_json(
            "experiment growth", record_form({"points": points, "timeout": timeout} | written)
        )
    else:
        show(FORMATS[FORMS[form]](growth.table(points)))
