"""``cattleya experiment``: the paper's experiments, beside its figures and beside other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors, note
from cattleya.cli.screen import show

if TYPE_CHECKING:
    from cattleya.experiments.coding import Data

__all__ = ["experiment"]

SMALLEST_TREE = 3
FORMS = {"text": "txt", "markdown": "md", "csv": "csv", "latex": "tex"}

TABLE1 = """\b
Examples:
  cattleya experiment table1
  cattleya experiment table1 --data-dir data
  cattleya experiment table1 --datasets adult,compas --rows 10
  cattleya experiment table1 --datasets people.csv --target income

Without --data-dir and --datasets, the sets that come with scikit-learn are run; with --data-dir,
all the paper's sets that are there. A set is taken from the folder (NAME.csv, .csv.gz, .parquet or
.npz, the target last), else from OpenML where it has the paper's extract. Every finished row is in
OUT/rows.jsonl: the same command goes on where it stopped, and does again what ran out of time where
it is given more. OUT gets the tables in every form.
"""


@click.group()
def experiment() -> None:
    """Run the paper's experiments again."""


_form_option = click.option(
    "--format",
    "form",
    type=click.Choice(tuple(FORMS)),
    default="text",
    show_default=True,
    help="How tables are printed.",
)


def _data_options(command: click.decorators.FC) -> click.decorators.FC:
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(min=0, max=2**32 - 1),
            default=0,
            show_default=True,
            help="Another seed, other folds, trees and rows.",
        ),
        click.option(
            "--target", metavar="COLUMN", help="The column to predict, of your own table."
        ),
        click.option(
            "--datasets", metavar="NAMES", help="Data sets, with commas between; or tables."
        ),
        click.option(
            "--data-dir",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="DIR",
            help="The folder where data is looked for first.",
        ),
    ):
        command = option(command)
    return command


@experiment.command(epilog=f"{TABLE1}\n{EXIT_CODES}", short_help="The paper's table of results.")
@_data_options
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True, metavar="N")
@click.option(
    "--rows", type=click.IntRange(min=1), default=100, show_default=True, help="Rows a fold."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=100.0,
    show_default=True,
    metavar="SECONDS",
    help="For each question about a row.",
)
@click.option(
    "--jobs", type=int, default=1, show_default=True, help="Rows at once; -1: one a core."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="The folder for the rows and the tables.",
)
@_form_option
@click.option("--no-run", is_flag=True, help="Only make the tables of what is done.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the tables in Markdown with the command, the machine and the versions.",
)
def table1(
    data_dir: Path | None,
    datasets: str | None,
    target: str | None,
    seed: int,
    folds: int,
    rows: int,
    timeout: float,
    jobs: int,
    out: Path,
    form: str,
    no_run: bool,
    report: Path | None,
) -> None:
    """Ten folds, a tree of each, 100 rows of each, every question of the paper about each row."""
    from cattleya.experiments import results_page, table1
    from cattleya.experiments.report import tables, write_tables
    from cattleya.experiments.tables import FORMATS

    if jobs == 0:
        raise click.UsageError("--jobs must be 1 or more, or -1 for one a core, not 0")
    names = _names(datasets, data_dir, target)
    settings = table1.Settings(folds, rows, timeout, jobs, seed)
    with input_errors(), file_errors("write", str(out)):
        sets = _load(names, data_dir, target)
        summaries = table1.run(sets, settings, out, only_summarise=no_run)
        written = write_tables(summaries, out)
        if report is not None:
            results_page.write(report, summaries, sets, settings)
    show("\n".join(FORMATS[FORMS[form]](table) for table in tables(summaries)))
    if form == "text":
        show("Written: " + ", ".join(map(str, written)))


PEERS_HELP = """\b
Examples:
  cattleya experiment peers
  cattleya experiment peers --data-dir data --datasets adult,compas --rows 20 --only RC2,Ganak

Each peer is asked where it is installed (pip install "cattleya[bench]"), in a process of its own.
Everything a peer says is checked: reasons by "verify", numbers against ours. "right" for TreeSHAP:
as many of its top features as our minimal reason has do force the class; for DiCE: its row gets
another class.
"""


@experiment.command(epilog=f"{PEERS_HELP}\n{EXIT_CODES}", short_help="Beside other tools.")
@_data_options
@click.option(
    "--rows", type=click.IntRange(min=1), default=10, show_default=True, help="Rows a data set."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="For each question about a row, for the peers and for us.",
)
@click.option("--only", metavar="PEERS", help="Peers, with commas between; by default all.")
@_form_option
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the table into a page, with the machine and the versions.",
)
def peers(
    data_dir: Path | None,
    datasets: str | None,
    target: str | None,
    seed: int,
    rows: int,
    timeout: float,
    only: str | None,
    form: str,
    report: Path | None,
) -> None:
    """Other tools on the same rows in the same run: what is right, and how long it takes."""
    from cattleya.experiments import peer_report, peers
    from cattleya.experiments.tables import FORMATS

    chosen = [name.strip() for name in only.split(",")] if only else list(peers.PEERS)
    if unknown := [name for name in chosen if name not in peers.PEERS]:
        raise click.UsageError(
            f"there is no peer {unknown[0]!r}; there are {', '.join(peers.PEERS)}"
        )
    names = _names(datasets, data_dir, target)
    absent = peers.missing()
    if all(peers.PEERS[name].distribution in absent for name in chosen):
        raise click.UsageError(
            f"none of these peers is installed: {', '.join(chosen)}; "
            f"pip install {' '.join(peers.PEERS[name].distribution for name in chosen)}"
        )
    if absent:
        note(f"not installed, and left out: {', '.join(absent)}")
    with input_errors():
        cells = [
            cell
            for data in _load(names, data_dir, target)
            for cell in peers.compare(data, rows, timeout, seed, chosen, note)
        ]
    if report is not None:
        where = " --data-dir DIR" if data_dir else ""
        command = (
            f"cattleya experiment peers{where} --datasets {','.join(names)} --rows {rows} "
            f"--timeout {timeout:g} --seed {seed} --only {','.join(chosen)}"
        )
        with input_errors(), file_errors("write", str(report)):
            peer_report.write(report, cells, command)
    show(FORMATS[FORMS[form]](peer_report.table(cells)))


GROWTH_HELP = """\b
Examples:
  cattleya experiment growth
  cattleya experiment growth --sizes 100,1000 --families comb --picture growth.svg

Families: "grown" (scikit-learn's tree of made-up data), "complete" and "comb" (the trees of the
paper's Propositions 1 and 2).
"""


@experiment.command(epilog=f"{GROWTH_HELP}\n{EXIT_CODES}", short_help="Cost against size.")
@click.option(
    "--sizes",
    default="100,1000,10000,100000,1000000",
    show_default=True,
    metavar="NODES",
    help="Sizes of trees, with commas between.",
)
@click.option(
    "--families",
    default="grown,complete,comb",
    show_default=True,
    metavar="NAMES",
    help="Families of trees, with commas between.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="For each question.",
)
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
    help="Also write the table into a page, with the machine and the versions.",
)
@_form_option
def growth(
    sizes: str, families: str, timeout: float, picture: Path | None, report: Path | None, form: str
) -> None:
    """Time and memory of every question, on trees of growing size."""
    from cattleya.experiments import growth
    from cattleya.experiments.families import FAMILIES
    from cattleya.experiments.tables import FORMATS

    chosen = [name.strip() for name in families.split(",")]
    if unknown := [name for name in chosen if name not in FAMILIES]:
        raise click.UsageError(
            f"there is no family {unknown[0]!r}; there are {', '.join(FAMILIES)}"
        )
    numbers = [int(size) for size in sizes.split(",") if size.strip().isdigit()]
    if len(numbers) != len(sizes.split(",")) or min(numbers) < SMALLEST_TREE:
        raise click.UsageError(
            f"--sizes must be whole numbers from {SMALLEST_TREE}, with commas, not {sizes!r}"
        )
    points = list(growth.measure(chosen, numbers, timeout, note))
    with input_errors(), file_errors("write", str(picture or report)):
        if picture is not None:
            growth.picture(points, picture)
        if report is not None:
            command = (
                f"cattleya experiment growth --sizes {sizes} --families {families} "
                f"--timeout {timeout:g}"
            )
            growth.write(report, points, command, picture)
    show(FORMATS[FORMS[form]](growth.table(points)))


FIGURE_HELP = """\b
Examples:
  cattleya experiment figure --data-dir data --out figure2.svg
  cattleya experiment figure --data digits
"""


@experiment.command(epilog=f"{FIGURE_HELP}\n{EXIT_CODES}", short_help="The paper's figure.")
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
def figure(data_dir: Path | None, data: str, out: Path) -> None:
    """Two reasons for one digit that differ, its heat map, its explanatory features."""
    from cattleya.experiments.figure import draw

    with input_errors(), file_errors("write", str(out)):
        show(str(draw(_load([data], data_dir, None)[0], out)))
        show(f"Written: {out}")


def _names(datasets: str | None, data_dir: Path | None, target: str | None) -> list[str]:
    from cattleya.experiments.data_sets import BUNDLED, available

    if datasets is None and target is not None:
        raise click.UsageError("--target needs a table: name it with --datasets people.csv")
    if datasets is not None:
        names = [name.strip() for name in datasets.split(",") if name.strip()]
        if not names:
            raise click.UsageError("--datasets names no data set")
        return list(dict.fromkeys(names))
    if data_dir is None:
        return list(BUNDLED)
    if not (names := available(data_dir)):
        raise click.UsageError(
            f"{str(data_dir)!r} has none of the paper's data sets (adult.csv, compas.csv.gz, ...); "
            f"name what it has with --datasets"
        )
    return names


def _load(names: list[str], data_dir: Path | None, target: str | None) -> list[Data]:
    from cattleya.cli.screen import progress
    from cattleya.experiments.data_sets import load

    with progress("reading the data"):
        return [load(name, data_dir, target) for name in names]
