"""``cattleya explain``: why the model decided as it did about one row of a table."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, Exit, input_errors, report
from cattleya.cli.inputs import WhichRow, check_apart, load_explained, open_row, readable
from cattleya.cli.page import write_page
from cattleya.cli.ranges import class_named, parse_ranges
from cattleya.cli.row_words import cells_of, introduction, table_of
from cattleya.cli.screen import progress, show, show_json
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.explanation import Explanation, count_on
from cattleya.present.findings import Wish, find_out
from cattleya.present.json_form import (
    ensemble_form,
    explanation_form,
    findings_form,
    label_form,
    model_classes_form,
)
from cattleya.present.words.show import render_findings
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.short.share import checked_share
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.files.csv_form import TableForm
from cattleya.support.limits import Deadline
from cattleya.support.text import printable

__all__ = ["explain"]

F = TypeVar("F", bound=Callable[..., Any])

SHORTEST = 1e-9  # seconds: a time limit must be positive
QUESTIONS_OF_ENSEMBLE = 12  # among which the time is shared: each may take long

EXAMPLES = """\b
Examples:
  cattleya explain model.skops people.csv --row 3
  cattleya explain model.skops people.csv --id 0815 --id-column customer
  cattleya explain tree.json people.parquet --row 0 --json
  cattleya explain model.skops people.csv --row 3 --exclude sex --html why.html
  cattleya explain model.skops people.csv --row 3 --protected sex
  cattleya explain model.skops people.csv --row 3 --short 0.9
  cattleya explain model.skops people.csv --row 3 --probability yes --at-least 0.3
  cattleya explain prices.skops flats.csv --row 3 --value --at-least 100000
  cattleya explain model.skops people.csv --row 3 --counterfactuals 3 --toward ">50K" \\
      --immutable sex --range age=up --range hours-per-week=..48 --metric l1

MODEL is a .skops file, a .json file written by Tree.to_json or, with --trust, a .joblib or .pkl
file. DATA is a CSV (also .csv.gz), Parquet or Excel file with the columns that the model takes;
other columns are ignored. An explanation takes all possible rows into account, not only those of
DATA; of these, those that the reason covers are counted. The types of the columns matter, unless
--no-types-from-data is given; the output says which features are assumed to be whole numbers.

--range NAME=VALUES says what a feature may change to in the nearest rows of another class: a number
up, down, missing or LOW..HIGH (either end may be left out); a category one of some values, with
commas between them, or up or down in the order of its codes.
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, data, row, id     the input
  target_column            the column that the model predicts, if it is known
  page                     the path of the page, if one was written
  columns                  the row as it is in DATA; null where a value is missing
  ignored_columns          columns of DATA that the model does not take
  over, definition         what the explanations are made of
  assumptions              what is assumed about the columns, one sentence each
  prediction, prediction_name, classes
                           classes is null if the model predicts numbers
  target, outcome          what is explained, where it is not the predicted class, and the outcome
                           in words, such as "at least 100,000"
  reason                   the one to show: {text, conditions, rows, width, measure, widest ...}
  short_reason             few facts that are usually right among the rows of DATA: {text, sentence,
                           precision, coverage, right, covered, rows, at_least, proved_smallest ...}
  no_short_reason          if there is none: {text, best}, the best of every size
  reach                    {covered, rows, decisions}: rows of DATA that it covers, all rows, and
                           those that get the class
  changes                  minimal changes: {text, features, destinations ...}
  counterfactuals          {changes: [{feature, before, after}], prediction, distance}
  fairness                 of --protected: {protected, fair, change, becomes}
  feature_importance       {feature, share ...}: the share of the reasons that mention the feature
  direct_reason, sufficient_reason, minimal_reason, necessary, contrastive (the smallest)
                           lists of {feature, operator, value, text}
  needed                   usually null. If every reason needs something that is excluded: sets of
                           excluded conditions, such that every reason contains at least one
                           condition of each set; the keys about reasons are then null
  verified                 whether the reason was proved again, independently
  contrastive_count, irrelevant_count, condition_count, count
                           exact integers; count is the number of sufficient reasons
  importance               {condition, share: "a/b", share_float}, highest first, without zeros
  counted                  false if count, importance and minimal_reason are null; the exit code
                           says why
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Explain one row.")
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@options.row
@options.target
@options.over
@options.types_from_data
@options.table_form
@options.exclude
@options.immutable
@options.protected
@click.option(
    "--counterfactuals",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="How many of the nearest rows of another class to show.",
)
@click.option("--toward", metavar="CLASS", help="Only changes that lead to this class.")
@click.option(
    "--range",
    "ranges",
    multiple=True,
    metavar="NAME=VALUES",
    help="What a feature may change to (may be given more than once).",
)
@click.option(
    "--metric",
    type=click.Choice(("l0", "l1", "l2")),
    default="l0",
    show_default=True,
    help="What is nearest: the fewest features changed, or the smallest sum or distance of the "
    "changes, each in units of its range in DATA.",
)
@click.option(
    "--short",
    type=float,
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="How often few facts have to be right among the rows of DATA; 0 for no short reason.",
)
@click.option(
    "--timeout",
    type=float,
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for counting the reasons and computing their importance; of an ensemble, "
    "for all questions together.",
)
@options.memory_limit
@click.option(
    "--html",
    type=click.Path(),
    metavar="FILE",
    help="Also write the explanation as a page.",
)
@click.option(
    "--image",
    metavar="HEIGHTxWIDTH",
    callback=lambda _, __, text: options.shape(text),
    help="Show the row as an image on the page, such as 28x28; its pixels are in line order.",
)
@options.as_json
@options.trust
@options.no_cache
def explain(
    model: str,
    data: str,
    which: WhichRow,
    over: str,
    types_from_data: bool,
    form: TableForm,
    timeout: float,
    memory_limit: int,
    as_json: bool,
    trust: bool,
    no_cache: bool,
    html: str | None,
    image: tuple[int, ...] | None,
    protected: tuple[str, ...],
    counterfactuals: int,
    toward: str | None,
    ranges: tuple[str, ...],
    metric: str,
    short: float,
    **restrictions: Any,
) -> int:
    """Explain what MODEL decided about one row of DATA."""
    asked = options.asked(restrictions)
    if image is not None and html is None:
        raise click.UsageError("--image needs a page: name one with --html")
    with input_errors():
        Deadline(timeout)
    memory = memory_limit * options.MIB
    opened = open_row(
        *(model, data, which, form),
        trust=trust,
        types_from_data=types_from_data,
        load=partial(load_explained, no_cache=no_cache),
        over=over,
        memory_limit=memory,
        **asked,
    )
    explainer, columns, table, number, ignored = opened
    one_row = opened.row
    check_apart(html, model, data)
    with input_errors(f"{data!r}, row {number}"):
        e = explainer.explain(one_row, **restrictions)
    with input_errors():
        wish = Wish(
            None if len(table) == 1 else partial(readable, explainer, columns, table),
            protected,
            counterfactuals,
            None if toward is None else class_named(explainer, toward),
            parse_ranges(ranges, explainer),
            metric,
            checked_share("--short", short, lambda share: 0 <= share <= 1) or None,
        )
    of_ensemble = isinstance(e, EnsembleExplanation)
    each = timeout / QUESTIONS_OF_ENSEMBLE if of_ensemble else timeout
    stopped = None if of_ensemble else _count(e, timeout)
    refusal = stopped if isinstance(stopped, NoSuchReason) else None
    with input_errors(), progress("proving the reason again, and counting reasons by size"):
        found = find_out(e, each, wish)
    count_on(e, lambda: found.table)  # all that is asked of it goes by the same rows
    told = which.told(number)
    page = None
    if html is not None:  # a page may be passed on: without folders
        about = table_of(os.path.basename(data), os.path.basename(model), told)
        page = write_page(found, html, about, image)
    if as_json:
        show_json(
            "explain",
            {
                "model": model,
                "data": data,
                "row": number,
                "id": which.id,
                "target_column": explainer.target_name,
                "page": page,
                "columns": {name: label_form(cell) for name, cell in cells_of(one_row).items()},
                "ignored_columns": ignored,
                "over": over,
                "classes": model_classes_form(e),
            }
            | (
                ensemble_form(e, each)
                if isinstance(e, EnsembleExplanation)
                else explanation_form(e, counted=stopped is None, refusal=refusal)
            )
            | findings_form(found),
        )
    else:
        show(introduction(table_of(data, model, told), one_row) + "\n")
        render_findings(found)
        if page is not None:
            show(f"\nThe explanation as a page: {printable(page)}")
    return Exit.OK if stopped is None else report(stopped, "cattleya explain")


def _count(e: Explanation, timeout: float) -> Exception | None:
    """Compute what may take long in advance; the explanation keeps it.

    If that takes too long or too much memory, or too much is excluded, the rest can still be
    shown.
    """
    deadline = Deadline(timeout)
    try:
        with progress("counting the reasons"):
            e.importance(timeout=timeout)
            e.minimal_reason(timeout=max(deadline.seconds(), SHORTEST))
    except (TimeoutExpired, MemoryLimitExceeded, NoSuchReason) as error:
        return error
    return None
