"""``cattleya tree``: describe the tree, or the ensemble of trees, in a model file."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click
import numpy as np

from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, input_errors
from cattleya.cli.inputs import load_explained
from cattleya.cli.screen import show, show_json
from cattleya.explain.context import ModelContext
from cattleya.explain.explainer import Explainer, context_of
from cattleya.model.conditions.tests import Conditions
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.ensemble.links import LINKS
from cattleya.model.tree.threshold import number_text
from cattleya.model.tree.tree import Tree
from cattleya.present.json_form import classes_form, label_form
from cattleya.support.arrays import Int32s
from cattleya.support.text import printable

__all__ = ["tree", "tree_form"]

FEATURES_SHOWN = 20

EXAMPLES = """\b
Examples:
  cattleya tree model.skops
  cattleya tree tree.json --json
  cattleya tree model.skops --probability yes --at-least 0.3
  cattleya tree forest.skops
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
An ensemble has no numbers and outcomes, unless it is one tree, but also:
  trees                    how many
  decides, probabilities, sums   how it decides, in words
"""


@click.command(
    epilog=f"{EXAMPLES}\n{EXIT_CODES}\n{JSON_KEYS}", short_help="Describe a tree or an ensemble."
)
@click.argument("model", type=click.Path())
@options.target
@options.as_json
@options.trust
@options.no_cache
def tree(model: str, as_json: bool, trust: bool, no_cache: bool, **target: Any) -> None:
    """Describe the tree or ensemble in MODEL: its size, and the features that it tests.

    Of an ensemble, also how its trees add up and how the sum decides.
    """
    from cattleya.adapters.registry import adapt_any

    loaded, asked = load_explained(model, trust, no_cache), options.asked(target)
    with input_errors(repr(model)):
        adapted = adapt_any(loaded, None, output=asked["output"])
    if isinstance(adapted, AdaptedEnsemble) and "target" in asked:
        raise BadInput(
            f"{model!r} is an ensemble of trees, of which only the prediction can be described so "
            f"far; leave --probability and --value out"
        )
    if isinstance(adapted, AdaptedEnsemble):
        form = ensemble_form(adapted)
    else:
        with input_errors(repr(model)):
            form = tree_form(Explainer(loaded, **asked))
        if adapted.ensemble is not None:  # boosted once: its leaves are no probabilities yet
            form = {"trees": 1} | form | _decides(adapted.ensemble)
    if as_json:
        show_json("tree", {"model": model} | form)
    else:
        show(_in_words(model, form))


def ensemble_form(adapted: AdaptedEnsemble) -> dict[str, Any]:
    """Return the figures of an ensemble as JSON values, with the user's features."""
    ensemble, names = adapted.ensemble, list(adapted.ensemble.feature_names)
    inner = ensemble.left >= 0
    tests = np.unique(
        np.column_stack(
            (ensemble.feature[inner], ensemble.category_set[inner], ensemble.threshold[inner])
        ),
        axis=0,
    )
    feature: Int32s = tests[:, 0].astype(np.int32)
    if adapted.trace is not None:
        domain = adapted.trace()
        names, feature = [one.name for one in domain.attributes], domain.of_column[feature]
    counts = Counter(feature.tolist())
    classes = ensemble.class_names
    return {
        "classes": None if classes is None else [label_form(label) for label in classes],
        "trees": ensemble.n_trees,
        "nodes": ensemble.n_nodes,
        "leaves": ensemble.n_leaves,
        "depth": ensemble.depth,
        **_decides(ensemble),
        "conditions": len(tests),
        "features": [
            {"feature": names[place], "conditions": counts[place]}
            for place in sorted(range(len(names)), key=lambda place: (-counts[place], place))
        ],
    }


def _decides(ensemble: Ensemble) -> dict[str, Any]:
    """Say how the sums decide, what probabilities are made of, and how exact the sums are."""
    total = "mean" if ensemble.divide_by == ensemble.n_trees > 1 else "sum"
    words = LINKS[ensemble.link].words.replace("the sum", f"the {total}")
    if ensemble.link == "identity":
        words = f"the {total}s of the classes" if ensemble.class_names else f"the {total}"
    sums = f"in {ensemble.sum_dtype} numbers, tree by tree in their order"
    if ensemble.rounding_bound.any():
        bound = ensemble.rounding_bound.max()
        sums = f"in {ensemble.sum_dtype} numbers, in no fixed order: they may differ by {bound:.1e}"
    if ensemble.class_names is None:
        return {"decides": f"the number is {words}", "probabilities": None, "sums": sums}
    if ensemble.decision == "largest":
        what = "probability" if ensemble.by_probability else total
        decides = f"the class with the largest {what}, of equals the first"
    else:
        tiny = np.nextafter(np.dtype(ensemble.sum_dtype).type(0), 1)
        bound = "above 0" if ensemble.cut == tiny else f"at least {ensemble.cut:g}"
        first, second = (str(label_form(label)) for label in ensemble.class_names)
        decides = f"{second} if the {total} is {bound}, or else {first}"
    return {"decides": decides, "probabilities": words, "sums": sums}


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
    if form["classes"] is None and "numbers" not in form:
        return "Predicts: numbers"
    if form["classes"] is not None:
        return f"Classes: {', '.join(printable(str(label)) for label in form['classes'])}"
    least, greatest = (number_text(form["numbers"][end]) for end in ("least", "greatest"))
    return f"Numbers: {form['numbers']['different']:,} different ones, from {least} to {greatest}"


def _ensemble_lines(form: dict[str, Any]) -> list[str]:
    if "trees" not in form:
        return []
    lines = [f"Trees: {form['trees']:,}", f"Decides: {printable(form['decides'])}"]
    if form["probabilities"] is not None:
        lines.append(f"Probabilities: {form['probabilities']}")
    return [*lines, f"Sums: {form['sums']}"]


def _in_words(model: str, form: dict[str, Any]) -> str:
    tested = [entry for entry in form["features"] if entry["conditions"]]
    unused = len(form["features"]) - len(tested)
    shown = tested[:FEATURES_SHOWN]
    width = max((len(f"{entry['conditions']:,}") for entry in shown), default=0)
    lines = [
        f"Model: {printable(model)}",
        _predicts(form),
        *(f"Leaves: {e['leaves']:,} {printable(e['outcome'])}" for e in form.get("outcomes") or ()),
        *_ensemble_lines(form),
        f"Size: {form['nodes']:,} nodes, {form['leaves']:,} of them leaves; depth {form['depth']}",
        f"Binary conditions: {form['conditions']:,} different ones, over {len(tested):,} of "
        f"{len(form['features']):,} features:",
        *(f"  - {e['conditions']:>{width},}  {printable(e['feature'])}" for e in shown),
    ]
    if len(tested) > len(shown):
        lines.append(f"  - and {len(tested) - len(shown):,} more features")
    if unused:
        lines.append(f"Never tested: {unused:,} feature{'s' if unused != 1 else ''}")
    return "\n".join(lines)
