"""``cattleya compare``: where two models decide differently, over all that rows can be."""

from __future__ import annotations

import click

from cattleya.cli.errors import EXIT_CODES, BadInput, Exit, input_errors
from cattleya.cli.whole import Whole, whole_options

__all__ = ["compare"]

EXAMPLES = """\b
Examples:
  cattleya compare old.skops new.skops
  cattleya compare old.skops new.skops people.csv --protected sex --html compare.html
  cattleya compare old.skops new.skops people.csv --row 3
  cattleya compare model.skops tree.json --timeout 10 --json
"""
JSON_KEYS = """\b
Keys of the JSON:
  old, new, data, html     the input, and the path of the page if one was written
  same, status             whether both decide the same about every row: proved, refuted or open
  complete                 whether all regions were found in time
  n_regions, regions       {conditions, old, new, share_of_cells, witness}: where they differ,
                           largest first; both models were asked about each witness
  share_of_cells           the share of the cells of all features that are in a region
  witness, outcomes        a row about which they differ, and what each model decides
  n_rows, changed_rows     the rows of DATA, and how many of them change; changed: their numbers
  directions               {old, new, rows}: how many change from one outcome to another
  groups                   by protected column: {group, rows, changed, directions}
  row                      {old, new}: why each decides about --row as it does
  assumptions              what was taken for granted, and what is not compared
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Where two models differ."
)
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@click.argument("data", type=click.Path(), required=False)
@click.option(
    "--protected",
    multiple=True,
    metavar="COLUMN",
    help="A column of DATA by whose values the changes are counted (may be given more than once).",
)
@click.option(
    "--row",
    type=click.IntRange(min=0),
    metavar="N",
    help="Also say why each model decides about this row of DATA as it does; the first is 0.",
)
@whole_options
def compare(
    old: str,
    new: str,
    data: str | None,
    protected: tuple[str, ...],
    row: int | None,
    how: Whole,
) -> int:
    """Tell whether OLD and NEW decide the same about every row, and where they do not.

    Both must take the same columns, however they scale and encode them. DATA adds how many of its
    rows change, and says which numbers are whole.
    """
    from cattleya.explain.compare import compare as compared

    explainers, table, chosen = how.read([old, new], data)
    if chosen is not None:
        table = chosen[-1]  # by their places
    if row is not None and (table is None or row >= len(table)):
        has = "no DATA was given" if table is None else f"DATA has {len(table):,} rows"
        raise BadInput(f"--row: there is no row {row}: {has}")
    with input_errors():
        found = compared(
            explainers[0], explainers[1], table, protected=protected, timeout=how.timeout
        )
        both = None if row is None else found.explain(table.iloc[[row]])
    told = None if both is None else {"old": both.old.to_dict(), "new": both.new.to_dict()}
    text = "" if both is None else f"\n\nRow {row}:\n{both}"
    page = {} if both is None else {"row": both}
    given = {"old": old, "new": new, "data": data}
    how.tell("compare", found, given, {"row": told}, text, **page)
    return Exit.FINDINGS if how.check and found.same is False else Exit.OK
