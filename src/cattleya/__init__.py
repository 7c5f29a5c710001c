"""Exact explanations of what a tree model decided.

The layers; each folder imports only from those above it, and a linter holds that::

    support        text, limits, files and processes: knows no tree
    model          a tree, the values its rows can have, and what can be said of them
    proof          proves or refutes; sees only the model and its own part of the core
    vocabularies   which facts about a row are atoms: conditions, features, intervals
    reasons        the complete reason of a row, and the answers that follow from it
    changes        other rows and regions: counterfactuals, fairness, general reasons
    ensembles      the same questions about many trees whose leaves add up
    adapters       learned models in
    explain        what users import: a model, its rows, and the answers about each
    batch          many rows: in memory, on disk, on several cores
    present        words, pages, pictures, JSON: computes nothing
    explore        a local web page to look around in, made of what present has
    experiments    the paper again, through public names and support
    cli            the command line: one file per command

    foreign model --adapters--> tree --(row, vocabulary)--> complete reason --> answers
                                                                 |
                                                                 +--compile--> circuit --> counts

Below all of them is the native core ``_core``: arrays in, arrays out.
"""

from cattleya.support.version import VERSION

TYPE_CHECKING = False  # as type checkers know it; typing takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from cattleya.adapters.registry import read_ensemble
    from cattleya.adapters.training.train import train
    from cattleya.changes.errors import NoSuchCounterfactual
    from cattleya.changes.general.general_reason import General
    from cattleya.changes.minimal.change import Change
    from cattleya.explain.compare import compare
    from cattleya.explain.explainer import Explainer
    from cattleya.explain.explanation import Explanation
    from cattleya.explain.short import Among
    from cattleya.model.conditions.condition import Comparison, Condition
    from cattleya.model.conditions.fact import Fact
    from cattleya.model.ensemble.ensemble import Ensemble
    from cattleya.model.tree.target import Probability, Value
    from cattleya.model.tree.tree import Tree
    from cattleya.present import plots as plots
    from cattleya.proof.verification import Verification
    from cattleya.reasons.circuit import Circuit
    from cattleya.reasons.diverse import DiverseReasons, Representation
    from cattleya.reasons.errors import NoSuchReason
    from cattleya.reasons.reach import Reach
    from cattleya.reasons.reason import Reason
    from cattleya.reasons.short.short_reason import ShortReason, TradeOff
    from cattleya.reasons.short.worlds import Independent, TrainingWeights, Uniform
    from cattleya.support.cancellation import Cancellation
    from cattleya.support.errors import Cancelled, MemoryLimitExceeded, TimeoutExpired

__version__ = VERSION

__all__ = [
    "Among",
    "Cancellation",
    "Cancelled",
    "Change",
    "Circuit",
    "Comparison",
    "Condition",
    "DiverseReasons",
    "Ensemble",
    "Explainer",
    "Explanation",
    "Fact",
    "General",
    "Independent",
    "MemoryLimitExceeded",
    "NoSuchCounterfactual",
    "NoSuchReason",
    "Probability",
    "Reach",
    "Reason",
    "Representation",
    "ShortReason",
    "TimeoutExpired",
    "TradeOff",
    "TrainingWeights",
    "Tree",
    "Uniform",
    "Value",
    "Verification",
    "__version__",
    "compare",
    "read_ensemble",
    "train",
]


#: Where each name is: it is imported when it is first asked for, so that ``import cattleya`` and
#: the start of a command take no time. A new name is a line here, and one above for type checkers.
_PLACES = {
    "Among": "explain.short",
    "Cancellation": "support.cancellation",
    "Cancelled": "support.errors",
    "Change": "changes.minimal.change",
    "Circuit": "reasons.circuit",
    "Comparison": "model.conditions.condition",
    "compare": "explain.compare",
    "Condition": "model.conditions.condition",
    "DiverseReasons": "reasons.diverse",
    "Ensemble": "model.ensemble.ensemble",
    "Explainer": "explain.explainer",
    "Explanation": "explain.explanation",
    "Fact": "model.conditions.fact",
    "General": "changes.general.general_reason",
    "Independent": "reasons.short.worlds",
    "MemoryLimitExceeded": "support.errors",
    "NoSuchCounterfactual": "changes.errors",
    "NoSuchReason": "reasons.errors",
    "Probability": "model.tree.target",
    "Reach": "reasons.reach",
    "read_ensemble": "adapters.registry",
    "Reason": "reasons.reason",
    "Representation": "reasons.diverse",
    "ShortReason": "reasons.short.short_reason",
    "TimeoutExpired": "support.errors",
    "TradeOff": "reasons.short.short_reason",
    "train": "adapters.training.train",
    "TrainingWeights": "reasons.short.worlds",
    "Tree": "model.tree.tree",
    "Uniform": "reasons.short.worlds",
    "Value": "model.tree.target",
    "Verification": "proof.verification",
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name == "plots":
        return import_module("cattleya.present.plots")
    if name not in _PLACES:
        raise AttributeError(f"module 'cattleya' has no attribute {name!r}")
    found = getattr(import_module(f"cattleya.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "plots"})
