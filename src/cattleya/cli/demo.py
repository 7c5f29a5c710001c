"""``cattleya demo``: an explanation of data that comes with scikit-learn."""

from __future__ import annotations

from fractions import Fraction

import click

from cattleya.cli import options
from cattleya.cli.demonstration import DATA, SHAPES, demonstrate
from cattleya.cli.errors import EXIT_CODES
from cattleya.cli.page import write_page
from cattleya.cli.screen import progress, show, show_json
from cattleya.present.findings import Wish, find_out
from cattleya.present.json_form import explanation_form, findings_form, share_form
from cattleya.present.words.show import render_findings
from cattleya.support.text import printable

__all__ = ["demo"]

EXAMPLES = """\b
Examples:
  cattleya demo
  cattleya demo --data wine
  cattleya demo --data digits --json
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Explain a row of scikit-learn's data."
)
@click.option(
    "--data",
    type=click.Choice(tuple(DATA)),
    default="breast_cancer",
    show_default=True,
    help="The data set.",
)
@click.option(
    "--html",
    type=click.Path(),
    default="cattleya-demo.html",
    show_default=True,
    metavar="FILE",
    help="The page to write.",
)
@options.as_json
def demo(data: str, html: str, as_json: bool) -> None:
    """Train a tree on data that comes with scikit-learn, and explain one of its decisions."""
    with progress("training a tree"):
        shown = demonstrate(data)
    e = shown.explanation
    with progress("counting the reasons"):
        found = find_out(e, None, Wish(data=lambda: shown.held_out_rows))
    page = write_page(found, html, shown.about, SHAPES.get(data))
    if as_json:
        answer = {
            "data": data,
            "trained_on": shown.trained_on,
            "held_out": shown.held_out,
            "accuracy": share_form(Fraction(shown.right, shown.held_out)),
            "truth": shown.truth,
            "page": page,
        }
        show_json("demo", answer | explanation_form(e, counted=True) | findings_form(found))
    else:
        show(shown.introduction + "\n")
        render_findings(found)
        show(f"\nThe explanation as a page: {printable(page)}")
