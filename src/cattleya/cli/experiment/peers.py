"""``cattleya experiment peers``: other tools on the same rows in the same run."""

from __future__ import annotations

from pathlib import Path

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors, note
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

__all__ = ["peers"]

EXAMPLES = """\b
Examples:
  cattleya experiment peers
  cattleya experiment peers --data-dir data --datasets adult,compas --rows 20 --only RC2,Ganak

Peers that are installed (pip install "cattleya[bench]") are asked, each in a process of its own.
Their answers are checked: reasons by "verify", numbers against ours. TreeSHAP is "right" if its top
features, as many as our minimal reason has, force the class; DiCE if its row gets another class.
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Compare with other tools.")
@data_options
@click.option(
    "--rows", type=click.IntRange(min=1), default=10, show_default=True, help="Rows per data set."
)
@timeout_option(20.0, "The time limit per question about a row, for the peers and for us.")
@click.option("--only", metavar="PEERS", help="Peers, separated by commas; all by default.")
@form_option
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the table to a Markdown page, with the machine and the versions.",
)
@options.as_json
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
    as_json: bool,
) -> None:
    """Ask other tools about the same rows; show if they are right, and how long they take."""
    from cattleya.experiments.peers import asking as peers
    from cattleya.experiments.peers import report as peer_report
    from cattleya.experiments.results_page import check_page
    from cattleya.experiments.tables import FORMATS

    chosen = [name.strip() for name in only.split(",")] if only else list(peers.PEERS)
    if unknown := [name for name in chosen if name not in peers.PEERS]:
        raise click.UsageError(
            f"there is no peer {unknown[0]!r}; there are {', '.join(peers.PEERS)}"
        )
    names = names_of(datasets, data_dir, target)
    absent = peers.missing(chosen)
    if len(absent) == len(chosen):
        raise click.UsageError(
            f"none of these peers is installed: {', '.join(chosen)}; "
            f"pip install {' '.join(peers.PEERS[name].distribution for name in chosen)}"
        )
    if absent:
        note(f"not installed, and left out: {', '.join(absent)}")
    with input_errors():
        check_page(report)
        cells = [
            cell
            for data in load_all(names, data_dir, target)
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
    if as_json:
        asked = {"rows": rows, "timeout": timeout, "seed": seed, "report": report}
        show_json(
            "experiment peers", record_form(asked | {"not_installed": absent, "answers": cells})
        )
    else:
        show(FORMATS[FORMS[form]](peer_report.table(cells)))
