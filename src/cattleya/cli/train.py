"""``cattleya train``: train a tree, a forest or boosted trees on a table."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, file_errors, input_errors
from cattleya.cli.inputs import check_apart, open_table
from cattleya.cli.screen import progress, show, show_json
from cattleya.cli.train_sizes import (
    Sized,
    check_picture,
    draw_sizes,
    measured_sizes,
    sizes_form,
    sizes_table,
)
from cattleya.cli.tree import ensemble_form, tree_form
from cattleya.present.json_form import label_form, share_form
from cattleya.support.files.csv_form import TableForm
from cattleya.support.limits import Deadline
from cattleya.support.text import printable

if TYPE_CHECKING:
    from cattleya.adapters.training.train import Trained

__all__ = ["train"]

NAMES_SHOWN = 8

EXAMPLES = """\b
Examples:
  cattleya train people.csv --target income
  cattleya train people.csv --target income --drop name --size-report sizes.svg
  cattleya train people.csv --target income --max-leaves 20 --out small.skops
  cattleya train people.csv.gz --target income --full --categories onehot --json
  cattleya train people.csv --target income --model forest --out forest.skops

\b
The tree is scikit-learn's. Grown in full, a tree learns the noise in the data: it predicts worse
than a small one, and its reasons are long. So it is pruned (cost-complexity pruning) to the
smallest size whose accuracy is within one standard error of the best, in a cross-validation with 5
folds of the training rows. Accuracies are measured on rows that no tree has seen.

\b
Columns of text are categories. They are coded as numbers in alphabetical order, as in the paper, or
one-hot. A category that the training rows do not have is accepted by the model, as one that is
unseen. Missing cells stay missing, and the tree learns to which side they go; with one-hot coding,
missing is a category of its own. Rows without a target are left out.
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, data, target      the input; model is the file that was written
  numbers, categories      the columns, by kind
  missing                  the number of missing cells of each column that has any
  identifiers, dates       columns that look like such
  rows_without_target, trained_on, held_out
                           numbers of rows
  class_sizes              {label, rows}
  size                     how the size was found: "chosen", "full" or "given"
  sizes                    {size, accuracy, nodes, leaves, depth, reason_length, rows_measured} of
                           the tree and, if its size was chosen, of a smaller one and the full one;
                           reason_length is the median over some rows held out, of the number of
                           facts in the shortest reason over intervals
  cross_validation         null, or {leaves, accuracy, standard_error} of each size, largest first
  accuracy, baseline       {share: "a/b", share_float} on the rows held out; baseline is the
                           accuracy of always predicting the most frequent class
  kind                     "tree", "forest" or "boosted"
  tree                     the output of "cattleya tree"
  explain_row              the number of a row that the tree has not seen
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Train a model on a table."
)
@click.argument("data", type=click.Path())
@click.option("--target", required=True, metavar="COLUMN", help="The column to predict.")
@click.option(
    "--model",
    "kind",
    type=click.Choice(("tree", "forest", "boosted")),
    default="tree",
    show_default=True,
    help="What to train: a tree; a random forest of 100 trees, or boosted trees, which are more "
    "accurate, and whose reasons are longer and take longer to find.",
)
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
@click.option("--full", is_flag=True, help="Grow the whole tree; its size is not chosen.")
@click.option(
    "--max-depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="The greatest depth of the tree, whose size is then not chosen.",
)
@click.option(
    "--max-leaves",
    "--max-leaf-nodes",
    "max_leaves",
    type=click.IntRange(min=2),
    metavar="N",
    help="The greatest number of leaves; likewise.",
)
@click.option(
    "--min-leaf",
    "--min-samples-leaf",
    "min_leaf",
    type=click.IntRange(min=1),
    metavar="N",
    help="The least number of training rows per leaf; likewise.",
)
@click.option(
    "--size-report",
    type=click.Path(),
    metavar="FILE",
    help="Draw accuracy against the length of reasons, for trees of many sizes (.svg, .png or "
    '.pdf; needs matplotlib: pip install "cattleya[plots]").',
)
@click.option(
    "--timeout",
    type=float,
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for choosing the size and measuring the reasons; looked at between two "
    "trees.",
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
@options.table_form
@options.as_json
def train(
    data: str,
    target: str,
    kind: str,
    out: str,
    drop: tuple[str, ...],
    coding: str,
    full: bool,
    max_depth: int | None,
    max_leaves: int | None,
    min_leaf: int | None,
    size_report: str | None,
    timeout: float,
    held_out: float,
    seed: int,
    form: TableForm,
    as_json: bool,
) -> None:
    """Train a tree, a forest or boosted trees to predict a column of DATA from the others."""
    if not out.lower().endswith(".skops"):
        raise click.UsageError(f"--out must end in .skops, not {out!r}")
    given = {"--max-depth": max_depth, "--max-leaves": max_leaves, "--min-leaf": min_leaf}
    limits = [option for option, value in given.items() if value is not None]
    if full and limits:
        raise click.UsageError(f"--full grows the whole tree: leave out it, or {limits[0]}")
    if kind != "tree" and (full or size_report is not None):
        raise click.UsageError(
            f"{'--full' if full else '--size-report'} is about the size of one tree: leave it out, "
            f"or --model {kind}"
        )
    if size_report is not None and (full or limits):
        raise click.UsageError(
            f"--size-report is about the choice of a size: leave out it, or "
            f"{'--full' if full else limits[0]}"
        )
    with input_errors():
        deadline = Deadline(timeout)
        if size_report is not None:
            check_picture(size_report)
    table = open_table(data, form=form)
    check_apart(out, data)
    check_apart(size_report, data)
    from cattleya.adapters.model_files import write_model
    from cattleya.adapters.training.table import TrainingTable
    from cattleya.adapters.training.train import Growth, train_table

    with progress("training the model"), input_errors(repr(data)):
        trained = train_table(
            TrainingTable.of(table, target, drop),
            Growth(max_depth, max_leaves, min_leaf, kind),
            choose=not full,
            coding=coding,
            held_out=held_out,
            seed=seed,
            deadline=deadline,
            progress=True,
        )
    with progress("writing the model"), file_errors("write", out):
        write_model(out, trained.model)
    how = "chosen" if trained.search is not None else "given" if limits else "full"
    sizes = measured_sizes(trained, how, deadline) if kind == "tree" else []
    if size_report is not None and trained.search is not None:
        with file_errors("write", size_report), input_errors():
            draw_sizes(size_report, sizes, trained, deadline)
    described = _model_form(trained.model)
    if as_json:
        files = {"model": out, "data": data, "target": target, "size_report": size_report}
        show_json("train", files | {"kind": kind} | _form(trained, how, sizes, described))
    else:
        show(_in_words(data, out, coding, trained, sizes, described))
        if size_report is not None and trained.search is not None:
            show(f"\nThe sizes as a picture: {printable(size_report)}")


def _model_form(model: Any) -> dict[str, Any]:
    """Return what "cattleya tree" says of a model."""
    from cattleya.adapters.registry import adapt_any
    from cattleya.explain.explainer import Explainer

    adapted = adapt_any(model, None)
    if isinstance(adapted, AdaptedEnsemble):
        return ensemble_form(adapted)
    return tree_form(Explainer(model))


def _form(trained: Trained, how: str, sizes: list[Sized], tree: dict[str, Any]) -> dict[str, Any]:
    baseline, table = Fraction(trained.always_right, len(trained.tried)), trained.table
    return {
        "numbers": table.numbers,
        "categories": table.categories,
        "missing": table.missing,
        "identifiers": table.identifiers,
        "dates": table.dates,
        "rows_without_target": table.rows_without_target,
        "trained_on": len(trained.learned),
        "held_out": len(trained.tried),
        "class_sizes": [
            {"label": label_form(label), "rows": rows} for label, rows in table.class_sizes.items()
        ],
        "size": how,
        "sizes": sizes_form(sizes, trained),
        "cross_validation": _validation(trained),
        "accuracy": share_form(trained.accuracy),
        "baseline": share_form(baseline),
        "tree": tree,
        "explain_row": trained.held_out[0],
    }


def _validation(trained: Trained) -> list[dict[str, Any]] | None:
    search = trained.search
    if search is None:
        return None
    return [
        {
            "leaves": int(search.leaves[place]),
            "accuracy": float(search.accuracy[place]),
            "standard_error": float(search.error[place]),
        }
        for place in search.sizes
    ]


def _in_words(
    data: str,
    out: str,
    coding: str,
    trained: Trained,
    sizes: list[Sized],
    tree: dict[str, Any],
) -> str:
    table, learned, tried = trained.table, len(trained.learned), len(trained.tried)
    missing, left_out = table.missing, table.rows_without_target
    ordinal = coding == "ordinal"
    how = "as numbers, in alphabetical order" if ordinal else "one-hot (one column per category)"
    fate = (
        "left missing; the tree learned to which side they go"
        if ordinal or not set(missing) & set(table.categories)
        else "missing numbers left missing, and the tree learned to which side they go; a missing "
        "category is a category of its own"
    )
    lines = [
        f"Data: {printable(data)}, {learned + tried:,} rows"
        + (f"; {left_out:,} more without a target were left out" if left_out else ""),
        f"Target: {printable(table.target)}, with the classes {_counts(table.class_sizes)}",
        f"Numbers: {_names(table.numbers)}",
        f"Categories: {_names(table.categories)}" + (f"; coded {how}" if table.categories else ""),
        f"Missing cells: {_counts(missing)}; {fate}" if missing else "Missing cells: none",
        *_doubtful(
            table.identifiers, "a different value in every row, like an identifier", "has", "have"
        ),
        *_doubtful(
            [name for name in table.dates if name not in table.identifiers],
            "like dates, each of which is a category by itself",
            "looks",
            "look",
        ),
        f"{_what(tree)}, depth {tree['depth']}, {tree['conditions']:,} binary conditions; trained "
        f"on {learned:,} rows",
        f"Accuracy: {trained.chosen.right / tried:.1%} of {tried:,} rows that it had not seen "
        f"(baseline, the most frequent class: {trained.always_right / tried:.1%})",
        *([_about_size(trained, sizes), *sizes_table(sizes, trained)] if sizes else []),
        *_no_better(trained),
        f"Written: {printable(out)}",
        "",
        "Next:",
        f"  cattleya tree {_shell(out)}",
        f"  cattleya explain {_shell(out)} {_shell(data)} --row {trained.held_out[0]}",
    ]
    return "\n".join(lines)


def _what(tree: dict[str, Any]) -> str:
    """Say what was trained, and how large it is."""
    if "trees" not in tree:
        return f"Tree: {tree['nodes']:,} nodes"
    return f"Ensemble: {tree['trees']:,} trees, {tree['leaves']:,} leaves"


def _about_size(trained: Trained, sizes: list[Sized]) -> str:
    if trained.search is not None:
        return (
            "Size: chosen by cross-validation, the smallest tree about as accurate as any (one "
            "standard error)"
        )
    if [one.name for one in sizes] == ["full"]:
        return "Size: the whole tree; it was not pruned"
    return "Size: as it was given"


def _no_better(trained: Trained) -> list[str]:
    if trained.chosen.right > trained.always_right:
        return []
    return [
        "Caution: on the rows held out, the model is no better than always predicting the most "
        "frequent class; the columns may not tell the target"
    ]


def _doubtful(names: list[str], why: str, one: str, many: str) -> list[str]:
    """Point out columns that one would rather not learn from."""
    if not names:
        return []
    drop = " ".join(f"--drop {_shell(name)}" for name in names)
    verb = one if len(names) == 1 else many
    return [f"Note: {_names(names)} {verb} {why}; if so, train again with {printable(drop)}"]


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
