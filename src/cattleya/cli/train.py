"""``cattleya train``: train a tree on a table."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.inputs import open_table
from cattleya.cli.screen import progress, show, show_json
from cattleya.cli.tree import tree_form
from cattleya.present.json_form import label_form, share_form
from cattleya.support.text import printable

if TYPE_CHECKING:
    from cattleya.adapters.training import Trained

__all__ = ["train"]

NAMES_SHOWN = 8

EXAMPLES = """\b
Examples:
  cattleya train people.csv --target income
  cattleya train people.csv --target income --drop name --max-depth 8 --out small.skops
  cattleya train people.csv.gz --target income --categories onehot --json

The tree is scikit-learn's, with its defaults. Columns of text are categories. They are coded as
numbers in alphabetical order, as in the paper, or one-hot. Missing cells stay missing, and the tree
learns to which side they go; with one-hot coding, missing is a category of its own. Rows without a
target are left out.
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, data, target      the input; model is the file that was written
  numbers, categories      the columns, by kind
  missing                  the number of missing cells of each column that has any
  rows_without_target, trained_on, held_out
                           numbers of rows
  class_sizes              {label, rows}
  accuracy, baseline       {share: "a/b", share_float} on the rows held out; baseline is the
                           accuracy of always predicting the most frequent class
  tree                     the output of "cattleya tree"
  explain_row              the number of a row that the tree has not seen
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Train a tree on a table."
)
@click.argument("data", type=click.Path())
@click.option("--target", required=True, metavar="COLUMN", help="The column to predict.")
@click.option(
    "--out",
    type=click.Path(),
    default="model.skops",
    show_default=True,
    metavar="FILE",
    help="The model file to write, .skops.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="COLUMN",
    help="A column to leave out, such as an identifier (may be given more than once).",
)
@click.option(
    "--categories",
    "coding",
    type=click.Choice(("ordinal", "onehot")),
    default="ordinal",
    show_default=True,
    help="How categories are coded as numbers.",
)
@click.option(
    "--max-depth", type=click.IntRange(min=1), metavar="N", help="The greatest depth of the tree."
)
@click.option(
    "--max-leaf-nodes",
    type=click.IntRange(min=2),
    metavar="N",
    help="The greatest number of leaves.",
)
@click.option(
    "--min-samples-leaf",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="The least number of training rows per leaf.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    default=0.25,
    show_default=True,
    metavar="SHARE",
    help="The share of the rows that is held out to measure the accuracy.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**32 - 1),
    default=0,
    show_default=True,
    help="The seed of the random choices.",
)
@options.as_json
def train(
    data: str,
    target: str,
    out: str,
    drop: tuple[str, ...],
    coding: str,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: int,
    held_out: float,
    seed: int,
    as_json: bool,
) -> None:
    """Train a decision tree that predicts a column of DATA from the others."""
    if not out.lower().endswith(".skops"):
        raise click.UsageError(f"--out must end in .skops, not {out!r}")
    table = open_table(data)
    from cattleya.adapters.model_files import write_model
    from cattleya.adapters.training import train as train_on
    from cattleya.explain.explainer import Explainer

    with progress("training the tree"), input_errors(repr(data)):
        trained = train_on(
            table,
            target,
            drop=drop,
            coding=coding,
            held_out=held_out,
            seed=seed,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
        )
    with progress("writing the model"), file_errors("write", out):
        write_model(out, trained.model)
    form = tree_form(Explainer(trained.model))
    if as_json:
        show_json("train", {"model": out, "data": data, "target": target} | _form(trained, form))
    else:
        show(_in_words(data, target, out, coding, trained, form))


def _form(trained: Trained, tree: dict[str, Any]) -> dict[str, Any]:
    baseline = Fraction(trained.always_right, len(trained.held_out))
    return {
        "numbers": trained.numbers,
        "categories": trained.categories,
        "missing": trained.missing,
        "identifiers": trained.identifiers,
        "rows_without_target": trained.rows_without_target,
        "trained_on": trained.trained_on,
        "held_out": len(trained.held_out),
        "class_sizes": [
            {"label": label_form(label), "rows": rows}
            for label, rows in trained.class_sizes.items()
        ],
        "accuracy": share_form(trained.accuracy),
        "baseline": share_form(baseline),
        "tree": tree,
        "explain_row": trained.held_out[0],
    }


def _in_words(
    data: str, target: str, out: str, coding: str, trained: Trained, tree: dict[str, Any]
) -> str:
    tried, left_out = len(trained.held_out), trained.rows_without_target
    ordinal = coding == "ordinal"
    how = "as numbers, in alphabetical order" if ordinal else "one-hot (one column per category)"
    fate = (
        "left missing; the tree learned to which side they go"
        if ordinal or not set(trained.missing) & set(trained.categories)
        else "missing numbers left missing, and the tree learned to which side they go; a missing "
        "category is a category of its own"
    )
    lines = [
        f"Data: {printable(data)}, {trained.trained_on + tried:,} rows"
        + (f"; {left_out:,} more without a target were left out" if left_out else ""),
        f"Target: {printable(target)}, with the classes {_counts(trained.class_sizes)}",
        f"Numbers: {_names(trained.numbers)}",
        f"Categories: {_names(trained.categories)}"
        + (f"; coded {how}" if trained.categories else ""),
        f"Missing cells: {_counts(trained.missing)}; {fate}"
        if trained.missing
        else "Missing cells: none",
        *_look_like_identifiers(trained.identifiers),
        f"Tree: {tree['nodes']:,} nodes, depth {tree['depth']}, {tree['conditions']:,} binary "
        f"conditions; trained on {trained.trained_on:,} rows",
        f"Accuracy: {trained.right / tried:.1%} of {tried:,} rows that it had not seen "
        f"(baseline, the most frequent class: {trained.always_right / tried:.1%})",
        f"Written: {printable(out)}",
        "",
        "Next:",
        f"  cattleya tree {_shell(out)}",
        f"  cattleya explain {_shell(out)} {_shell(data)} --row {trained.held_out[0]}",
    ]
    return "\n".join(lines)


def _look_like_identifiers(names: list[str]) -> list[str]:
    if not names:
        return []
    drop = " ".join(f"--drop {_shell(name)}" for name in names)
    return [
        f"Note: {_names(names)} has a different value in every row, like an identifier; if it is "
        f"one, train again with {printable(drop)}"
    ]


def _names(names: list[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:NAMES_SHOWN])
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return shown + more or "none"


def _counts(counts: dict[Any, int]) -> str:
    shown = [f"{printable(str(name))} ({count:,})" for name, count in counts.items()]
    more = f" and {len(shown) - NAMES_SHOWN} more" if len(shown) > NAMES_SHOWN else ""
    return ", ".join(shown[:NAMES_SHOWN]) + more


def _shell(path: str) -> str:
    return shlex.quote(path)
