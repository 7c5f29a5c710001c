"""``cattleya experiment table1``: the paper's table of results, ours beside it."""

from __future__ import annotations

from pathlib import Path

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.experiment.options import (
    FORMS,
    data_options,
    form_option,
    load_all,
    names_of,
    timeout_option,
)
from cattleya.cli.screen import show, show_json
from cattleya.present.json_form import record_form
from cattleya.support.text import printable

__all__ = ["table1"]

EXAMPLES = """\b
Examples:
  cattleya experiment table1
  cattleya experiment table1 --data-dir data
  cattleya experiment table1 --datasets adult,compas --rows 10
  cattleya experiment table1 --datasets people.csv --target income

Without --data-dir and --datasets, the data sets that come with scikit-learn are used; with
--data-dir, all of the paper's data sets in that folder. A data set is read from the folder
(NAME.csv, .csv.gz, .parquet or .npz, the target in the last column), or fetched from OpenML if it
has the paper's extract. Finished rows are kept in OUT/rows.jsonl: the same command continues where
it stopped, and with a longer --timeout repeats the rows that ran out of time. The tables are
written to OUT in every form.
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Repeat the paper's table of results."
)
@data_options
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    metavar="N",
    help="Folds per data set.",
)
@click.option(
    "--rows", type=click.IntRange(min=1), default=100, show_default=True, help="Rows per fold."
)
@timeout_option(100.0, "The time limit per question about a row.")
@options.jobs
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="The folder for the finished rows and the tables.",
)
@form_option
@click.option(
    "--no-run", is_flag=True, help="Only make the tables from the rows that are finished."
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the tables to a Markdown page, with the command, machine and versions.",
)
@options.as_json
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
    as_json: bool,
) -> None:
    """Train a tree per fold, and ask every question of the paper about some rows of each fold."""
    from cattleya.experiments import results_page
    from cattleya.experiments.table import table1
    from cattleya.experiments.table.report import tables, write_tables
    from cattleya.experiments.tables import FORMATS

    names = names_of(datasets, data_dir, target)
    settings = table1.Settings(folds, rows, timeout, jobs, seed)
    with input_errors(), file_errors("write", str(out)):
        results_page.check_page(report)
        sets = load_all(names, data_dir, target)
        summaries = table1.run(sets, settings, out, only_summarise=no_run)
        written = write_tables(summaries, out)
        if report is not None:
            results_page.write(report, summaries, sets, settings)
    if as_json:
        found = {"settings": settings, "data_sets": summaries, "written": written, "report": report}
        show_json("experiment table1", record_form(found))
        return
    show("\n".join(FORMATS[FORMS[form]](table) for table in tables(summaries)))
    if form == "text":
        show("Written: " + ", ".join(printable(str(path)) for path in written))
