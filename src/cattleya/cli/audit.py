"""``cattleya audit``: questions about a whole model, over all that rows can be."""

from __future__ import annotations

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, Exit, input_errors
from cattleya.cli.whole import Whole, whole_options

__all__ = ["audit"]

EXAMPLES = """\b
Examples:
  cattleya audit model.skops people.csv --protected sex --protected race
  cattleya audit model.skops people.csv --protected sex --html audit.html
  cattleya audit model.skops --monotone income=up --monotone debts=down
  cattleya audit model.skops people.csv --rules 0.95
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, data, html        the input, and the path of the page if one was written
  protected, fair          the features asked about; whether no decision anywhere depends on them
  status                   proved, refuted or open within N seconds; null if nothing was asked
  witness                  {first, second, outcomes}: two rows that differ in these only, or null;
                           the model itself was asked about both
  n_regions, regions       {conditions, share_of_cells, outcomes}: where it does, largest first
  share_of_cells           the share of the cells of the other features that are in a region
  rows, share_of_rows      the rows of DATA whose decision depends on them, if DATA is given
  open_rows                how many of the rows were not settled in time
  monotone                 by number: {goes, expected, holds, status, seen, order,
                           witness}; goes is never, up, down, both or open; seen has the
                           directions that rows show, order the values of a category
  unused, untested         features that no decision depends on; that the model does not test
  facts, impossible        by outcome what every row that gets it has; outcomes that no row gets
  unreachable              {node, leaves, conditions}: branches that no row reaches
  leaves, removable_leaves how many there are, and how many can go; smallest: whether that is all
  rules                    {outcome, conditions, text, covers, precision, forces}, if asked for
  outcomes                 the outcomes, in the order that up and down go by
  assumptions              what was taken for granted about the columns
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Questions about a whole model."
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path(), required=False)
@options.protected
@click.option(
    "--monotone",
    "stated",
    multiple=True,
    metavar="NAME=up|down",
    help="How the decision should go with a number (may be given more than once).",
)
@click.option(
    "--rules",
    type=float,
    metavar="PRECISION",
    help="Also find few rules that cover the rows of DATA; 1 for rules without exceptions.",
)
@whole_options
def audit(
    model: str,
    data: str | None,
    protected: tuple[str, ...],
    stated: tuple[str, ...],
    rules: float | None,
    how: Whole,
) -> int:
    """Answer questions about the whole of MODEL: over all that rows can be, not only those of DATA.

    Is it fair everywhere? How does the decision go with each number? What does it not depend on,
    what must hold for a class, which leaves can go? DATA adds how many of its rows are concerned,
    and says which numbers are whole.
    """
    monotone = dict(map(_direction, stated))
    (explainer,), _, chosen = how.read([model], data)
    with input_errors():
        rows = None if chosen is None else chosen[0]
        found = explainer.audit(protected, rows, monotone, how.timeout, rules=rules)
    how.tell("audit", found, {"model": model, "data": data})
    against = any(one.holds is False for one in found.monotone.values())
    return Exit.FINDINGS if how.check and (found.fair is False or against) else Exit.OK


def _direction(text: str) -> tuple[str, str]:
    name, equals, direction = text.rpartition("=")
    if not equals or not name:
        raise BadInput(f"--monotone: {text!r} is not NAME=up or NAME=down, such as income=up")
    return name, direction
