"""``cattleya tree``: describe the tree in a model file."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES
from cattleya.cli.inputs import open_model
from cattleya.cli.screen import show, show_json
from cattleya.explain.explainer import Explainer, context_of
from cattleya.model.conditions.tests import Conditions
from cattleya.present.json_form import label_form
from cattleya.support.text import printable

__all__ = ["tree", "tree_form"]

FEATURES_SHOWN = 20

EXAMPLES = """\b
Examples:
  cattleya tree model.skops
  cattleya tree tree.json --json
"""
JSON_KEYS = """\b
Keys of the JSON:
  model, classes, nodes, leaves, depth
  conditions               the number of different binary conditions
  features                 {feature, conditions}, most conditions first; 0 if the tree does not
                           test it. Features are the columns of DATA, even if a Pipeline makes
                           several columns of one
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Describe a tree.")
@click.argument("model", type=click.Path())
@options.as_json
@options.trust
def tree(model: str, as_json: bool, trust: bool) -> None:
    """Describe the tree in MODEL: its size, and the features that it tests."""
    explainer, _ = open_model(model, trust)
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
        "classes": [label_form(label) for label in tree.class_names],
        "nodes": tree.n_nodes,
        "leaves": int((tree.left < 0).sum()),
        "depth": tree.depth,
        "conditions": len(conditions),
        "features": [
            {"feature": domain.attributes[place].name, "conditions": tests[place]}
            for place in by_tests
        ],
    }


def _in_words(model: str, form: dict[str, Any]) -> str:
    tested = [entry for entry in form["features"] if entry["conditions"]]
    unused = len(form["features"]) - len(tested)
    shown = tested[:FEATURES_SHOWN]
    width = max((len(f"{entry['conditions']:,}") for entry in shown), default=0)
    lines = [
        f"Model: {printable(model)}",
        f"Classes: {', '.join(printable(str(label)) for label in form['classes'])}",
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
