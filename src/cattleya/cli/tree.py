"""``cattleya tree``: describe the tree in a model file."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click
import numpy as np

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES
from cattleya.cli.inputs import open_model
from cattleya.cli.screen import show, show_json
from cattleya.explain.context import ModelContext
from cattleya.explain.explainer import Explainer, context_of
from cattleya.model.conditions.tests import Conditions
from cattleya.model.tree.threshold import number_text
from cattleya.model.tree.tree import Tree
from cattleya.present.json_form import classes_form, label_form
from cattleya.support.text import printable

__all__ = ["tree", "tree_form"]

FEATURES_SHOWN = 20

EXAMPLES = """\b
Examples:
  cattleya tree model.skops
  cattleya tree tree.json --json
  cattleya tree model.skops --probability yes --at-least 0.3
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, nodes, leaves, depth
  classes                  null if the tree predicts numbers
  numbers                  {different, least, greatest}, if it does
  outcomes                 {outcome, leaves}, if --probability or --value says what is explained
  conditions               the number of different binary conditions
  features                 {feature, conditions}, most conditions first; 0 if the tree does not
                           test it. Features are the columns of DATA, even if a Pipeline makes
                           several columns of one
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Describe a tree.")
@click.argument("model", type=click.Path())
@options.target
@options.as_json
@options.trust
def tree(model: str, as_json: bool, trust: bool, **target: Any) -> None:
    """Describe the tree in MODEL: its size, and the features that it tests."""
    explainer, _ = open_model(model, trust, **options.asked(target))
    form = tree_form(explainer)
    if as_json:
        show_json("tree", {"model": model} | form)
    else:
        show(_in_words(model, form))


def tree_form(explainer: Explainer) -> dict[str, Any]:
    """Return the figures of a tree as JSON values, with the user's features."""
    tree, domain = explainer.tree, context_of(explainer).domain
    conditions = Conditions(tree)
    tests = Counter(domain.of_column[conditions.feature].tolist())
    by_tests = sorted(range(len(domain.attributes)), key=lambda place: (-tests[place], place))
    return {
        "classes": classes_form(tree),
        "numbers": _numbers(tree),
        "outcomes": _outcomes(context_of(explainer)),
        "nodes": tree.n_nodes,
        "leaves": int((tree.left < 0).sum()),
        "depth": tree.depth,
        "conditions": len(conditions),
        "features": [
            {"feature": domain.attributes[place].name, "conditions": tests[place]}
            for place in by_tests
        ],
    }


def _numbers(tree: Tree) -> dict[str, Any] | None:
    """Return the numbers that a tree predicts: how many, the least and the greatest."""
    if not tree.predicts_numbers:
        return None
    low, high = map(label_form, (tree.class_names[0], tree.class_names[-1]))
    return {"different": len(tree.class_names), "least": low, "greatest": high}


def _outcomes(context: ModelContext) -> list[dict[str, Any]] | None:
    """Return the outcomes that are told apart, if they are no classes, and the leaves of each."""
    if context.target.bound is None or not context.outcome_names:
        return None
    tree = context.target.outcomes(context.tree, context.model_classes)
    leaves = np.bincount(tree.leaf_class[tree.left < 0], minlength=len(tree.class_names)).tolist()
    return [
        {"outcome": name, "leaves": leaves[place]}
        for place, name in reversed(list(enumerate(context.outcome_names.values())))
    ]


def _predicts(form: dict[str, Any]) -> str:
    if form["classes"] is not None:
        return f"Classes: {', '.join(printable(str(label)) for label in form['classes'])}"
    least, greatest = (number_text(form["numbers"][end]) for end in ("least", "greatest"))
    return f"Numbers: {form['numbers']['different']:,} different ones, from {least} to {greatest}"


def _in_words(model: str, form: dict[str, Any]) -> str:
    tested = [entry for entry in form["features"] if entry["conditions"]]
    unused = len(form["features"]) - len(tested)
    shown = tested[:FEATURES_SHOWN]
    width = max((len(f"{entry['conditions']:,}") for entry in shown), default=0)
    lines = [
        f"Model: {printable(model)}",
        _predicts(form),
        *(f"Leaves: {e['leaves']:,} {printable(e['outcome'])}" for e in form["outcomes"] or ()),
        f"Size: {form['nodes']:,} nodes, {form['leaves']:,} of them leaves; depth {form['depth']}",
        f"Binary conditions: {form['conditions']:,} different ones, over {len(tested):,} of "
        f"{len(form['features']):,} features:",
        *(f"  - {e['conditions']:>{width},}  {printable(e['feature'])}" for e in shown),
    ]
    if len(tested) > len(shown):
        lines.append(f"  - and {len(tested) - len(shown):,} more features")
    if unused:
        lines.append(f"Never tested: {unused:,} features")
    return "\n".join(lines)
