"""``cattleya compare``: where two models decide differently, over all that rows can be."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, Exit, input_errors
from cattleya.cli.inputs import check_apart, columns_of, load_model, open_table, typed
from cattleya.cli.page import write_whole
from cattleya.cli.screen import show, show_json
from cattleya.explain.explainer import Explainer
from cattleya.model.domain.column_types import types_of
from cattleya.support.files.csv_form import TableForm
from cattleya.support.text import printable

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
@options.regions
@options.check
@click.option("--html", type=click.Path(), metavar="FILE", help="Also write it as a page.")
@click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="The time limit; what is known by then is told.",
)
@options.target
@options.types_from_data
@options.table_form
@options.memory_limit
@options.as_json
@options.trust
def compare(
    old: str,
    new: str,
    data: str | None,
    protected: tuple[str, ...],
    row: int | None,
    regions: int,
    check: bool,
    html: str | None,
    timeout: float | None,
    types_from_data: bool,
    form: TableForm,
    memory_limit: int,
    as_json: bool,
    trust: bool,
    **target: Any,
) -> int:
    """Tell whether OLD and NEW decide the same about every row, and where they do not.

    Both must take the same columns, however they scale and encode them. DATA adds how many of its
    rows change, and says which numbers are whole.
    """
    from cattleya.explain.compare import compare as compared

    loaded = [load_model(path, trust) for path in (old, new)]
    asked: dict[str, Any] = {"over": "intervals", "memory_limit": memory_limit * options.MIB}
    asked |= options.asked(target)
    makers = [partial(Explainer, model, **asked) for model in loaded]
    explainers, columns = [], []
    for path, make, model in zip((old, new), makers, loaded, strict=True):
        with input_errors(repr(path)):
            explainers.append(make())
            columns.append(columns_of(model, explainers[-1]))
    check_apart(html, old, new, *([] if data is None else [data]))
    table = None
    if data is not None:
        text = tuple(dict.fromkeys((*columns[0].text, *columns[1].text)))
        table = open_table(data, text, None, form)
        with input_errors(repr(data)):
            for which, own in enumerate(columns):
                rows, _ = own.choose(table)
                if types_from_data:
                    explainers[which] = typed(makers[which], types_of([rows]))
            if any(own.names is None for own in columns):
                table = rows  # by their places
    if row is not None and (table is None or row >= len(table)):
        has = "no DATA was given" if table is None else f"DATA has {len(table):,} rows"
        raise BadInput(f"--row: there is no row {row}: {has}")
    with input_errors():
        found = compared(explainers[0], explainers[1], table, protected=protected, timeout=timeout)
        both = None
        if row is not None and table is not None:
            both = found.explain(table.iloc[[row]])
    about = f"{os.path.basename(old)} and {os.path.basename(new)}"
    page = write_whole(found, html, about, **({} if both is None else {"row": both}))
    if as_json:
        told = None
        if both is not None:
            told = {"old": both.old.to_dict(), "new": both.new.to_dict()}
        head = {"old": old, "new": new, "data": data, "html": page}
        show_json("compare", head | found.to_dict(regions) | {"row": told})
    else:
        show(str(found))
        if both is not None:
            show(f"\nRow {row}:\n{both}")
        if page is not None:
            show(f"\nThe comparison as a page: {printable(page)}")
    return Exit.FINDINGS if check and found.same is False else Exit.OK
