"""``cattleya verify-reason``: prove or refute a reason that somebody states about a row."""

from __future__ import annotations

from typing import Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, Exit, input_errors
from cattleya.cli.inputs import WhichRow, open_row
from cattleya.cli.screen import show, show_json
from cattleya.present.json_form import label_form, verification_form
from cattleya.present.words.verdicts import proved_lines
from cattleya.support.files.csv_form import TableForm

__all__ = ["verify_reason"]

EXAMPLES = """\b
Examples:
  cattleya verify-reason model.skops people.csv --row 3 "hours-per-week > 44.5" "age is 35 to 39"
  cattleya verify-reason model.skops people.csv --row 3 "age >= 35 and job in {clerk, nurse}"
  cattleya verify-reason tree.json people.csv --id 0815 --id-column customer "age <= 30.5" --json

CONDITIONS are written as any text, page, table or JSON of cattleya has them, in any vocabulary,
each as an argument of its own or joined by "and". The proof walks the tree, independently of the
search for reasons. The answer is one of:

\b
  proved       they force the class, and none of them can be left out
  redundant    they force the class, and some of them can be left out
  refuted      they do not: a row that has them all, and gets another class, is shown
  not the row's  one of them does not hold in the row

A number that was rounded when it was printed is taken for the threshold of the tree that it stands
for, and the output says so: the two are not the same set of rows. By default conditions mean the
rows that have them (--over intervals). --over conditions takes each test of the tree as a Boolean
variable of its own, as the paper does; where this makes a difference, the output says so.
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, data, row, id, over     the input
  prediction, outcome            what the model predicts, and what is explained, in words
  conditions                     as they were read: lists of {feature, operator, value, text}
  verdict                        "proved", "redundant", "refuted" or "foreign"
  text                           the same in a sentence
  foreign, redundant, larger     those that do not hold in the row, can go, or could be made larger
  in_rows                        null, or of --over conditions: whether no row refutes it
  witness                        null, or {differs, outcome}: what a row that refutes it has
                                 instead of what the row has, and what it gets
  notes                          texts that were rounded, and how they were read
"""


@click.command(
    "verify-reason",
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}",
    short_help="Prove or refute a reason for one row.",
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.argument("conditions", nargs=-1, required=True)
@options.row
@options.target
@options.over
@options.types_from_data
@options.table_form
@options.as_json
@options.trust
def verify_reason(
    model: str,
    data: str,
    conditions: tuple[str, ...],
    which: WhichRow,
    over: str,
    types_from_data: bool,
    form: TableForm,
    as_json: bool,
    trust: bool,
    **target: Any,
) -> int:
    """Prove or refute that CONDITIONS are a sufficient reason for one row of DATA."""
    settings = options.asked(target) | {"over": over}
    opened = open_row(
        *(model, data, which, form), trust=trust, types_from_data=types_from_data, **settings
    )
    number = opened.number
    with input_errors(f"{data!r}, row {number}"):
        e = opened.explainer.explain(opened.row)
    with input_errors():
        proved = e.verify(conditions[0] if len(conditions) == 1 else conditions)
    if as_json:
        where = {"model": model, "data": data, "row": number, "id": which.id, "over": over}
        decided = {"prediction": label_form(e.prediction), "outcome": e.outcome}
        show_json("verify-reason", where | decided | verification_form(e, proved))
    else:
        show(proved_lines(e, proved, which.told(number)))
    return Exit.OK if proved else Exit.REFUTED
