"""Short reasons that are weighed and not counted: what by, in words, and how it is proved."""

from __future__ import annotations

from cattleya.explain.context import ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.row import ExplainedRow
from cattleya.proof import reweigh
from cattleya.proof.judge import Judge
from cattleya.proof.recount import has_fact
from cattleya.proof.reweigh import Reweighing
from cattleya.reasons.short.short_reason import ShortReason
from cattleya.reasons.short.weights import Weighing, by_training, coins, on_their_own
from cattleya.reasons.short.worlds import Independent, TrainingWeights, World
from cattleya.support.arrays import Floats, Places
from cattleya.support.limits import Deadline
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.over import Over

__all__ = ["reweighed", "weighed"]


def weighed(
    context: ModelContext, prepared: PreparedTree, world: World
) -> tuple[Weighing, str, str]:
    """Return the tree with its weights, how all else is drawn in words, and what was weighed."""
    if context.is_ensemble:
        raise TypeError(
            f"{world!r} is about the nodes of a single tree; for an ensemble give the rows of a "
            f"table as among"
        )
    if isinstance(world, Independent):
        return _independent(context, prepared, world)
    made: dict[type, tuple[Weighing, str, str]] = prepared.__dict__.setdefault("_weighed", {})
    if type(world) not in made:
        if isinstance(world, TrainingWeights):
            rows = _training(context)
            lead = (
                f"every other test passed by the share of the {int(rows[0]):,} training rows that "
                f"went each way there"
            )
            about = (
                "going down the tree, a test that the facts decide is passed as the row passes it, "
                "and every other by the share of the training rows there that went each way; each "
                "training row counts once, weights do not; covered are the training rows in the "
                "leaves that the facts leave open"
            )
            made[type(world)] = by_training(prepared.vocabulary, prepared.tree, rows), lead, about
        else:
            made[type(world)] = _uniform(prepared)
    return made[type(world)]


def _training(context: ModelContext) -> Places:
    training = context.model.training
    if training is None:
        raise TypeError(
            "TrainingWeights() needs the counts of training rows in the nodes, which this model "
            "does not have; give the rows of a table, Independent(table) or Uniform() as among"
        )
    return training.rows


def _uniform(prepared: PreparedTree) -> tuple[Weighing, str, str]:
    vocabulary = prepared.vocabulary
    if isinstance(vocabulary, ConditionVocabulary):
        lead = "every other test a fair coin of its own"
        about = "every test of the tree that is no fact is a fair coin of its own"
        return coins(vocabulary, prepared.tree), lead, about
    lead = "all that the tree tells apart of each feature equally likely"
    about = (
        "every feature is on its own, and all intervals between neighbouring thresholds, or all "
        "values of a category, are equally likely; none is missing"
    )
    return on_their_own(vocabulary, prepared.tree, None), lead, about


def _independent(
    context: ModelContext, prepared: PreparedTree, world: Independent
) -> tuple[Weighing, str, str]:
    key = id(prepared)
    if key not in world.made:
        matrix = _matrix(context, world)
        routed = context.model.tree_for_all.missing_left
        weighing = on_their_own(prepared.vocabulary, prepared.tree, matrix, routed)
        noun = "column of the tree" if context.over is Over.CONDITIONS else "feature"
        lead = f"each {noun} drawn on its own from the {len(matrix):,} rows of the table"
        about = (
            f"each {noun} has its values as often as the {len(matrix):,} rows of the table, "
            f"whatever the others are; equal rows count each time, the explained row if it is "
            f"among them, and no weights"
        )
        world.made[key] = prepared, (weighing, lead, about)  # kept beside its number
    found: tuple[Weighing, str, str] = world.made[key][1]
    return found


def _matrix(context: ModelContext, world: Independent) -> Floats:
    matrix: Floats = context.model.rows.matrix(world.data)
    context.check_rows(matrix, Deadline(None))
    if len(matrix) == 0:
        raise ValueError("Independent has no rows; give those that each feature is drawn from")
    return matrix


def reweighed(row: ExplainedRow, short: ShortReason, world: World) -> Reweighing:
    """Weigh a short reason again, by the proof's own means."""
    context, facts = row.context, short.conditions
    is_routed = isinstance(world, Independent) or row.tree.missing_left is not None
    decides = context.model.tree_for_all if is_routed else context.model.tree
    tree = Judge(decides, context.target, context.model_classes).tree_for(row.row)
    domain = context.domain
    if isinstance(world, TrainingWeights):
        rows = _training(context)
        found = reweigh.weigh_training(tree, row.row, facts, rows, domain, context.over.value)
    elif isinstance(world, Independent):
        matrix = _matrix(context, world)
        if context.over is Over.CONDITIONS:
            groups: list[tuple[int, ...]] = [(column,) for column in range(tree.n_features)]
        else:
            groups = [attribute.columns for attribute in domain.attributes]
        tested = set(tree.feature[tree.left >= 0].tolist())
        used = [columns for columns in groups if tested & set(columns)]
        features = [reweigh.table_points(columns, matrix) for columns in used]
        found = reweigh.weigh_features(tree, row.row, facts, features)
    elif context.over is Over.CONDITIONS:
        found = reweigh.weigh_coins(tree, row.row, facts)
    else:
        features = reweigh.every_cell(tree, domain, row.row)
        found = reweigh.weigh_features(tree, row.row, facts, features)
    foreign = frozenset(fact for fact in facts if not has_fact(row.row.tolist(), fact))
    return Reweighing(*found, (short.precision, short.coverage), foreign)
