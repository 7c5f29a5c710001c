"""Exact explanations of what a tree model decided.

The layers; each folder imports only from those above it, and a linter holds that::

    support        text, limits, files and processes: knows no tree
    model          a tree, the values its rows can have, and what can be said of them
    proof          proves or refutes; sees only the model and its own part of the core
    vocabularies   which facts about a row are atoms: conditions, features, intervals
    reasons        the complete reason of a row, and the answers that follow from it
    changes        other rows and regions: counterfactuals, fairness, general reasons
    adapters       learned models in
    explain        what users import: a model, its rows, and the answers about each
    batch          many rows: in memory, on disk, on several cores
    present        words, pages, pictures, JSON: computes nothing
    experiments    the paper again, through public names and support
    cli            the command line: one file per command

    foreign model --adapters--> tree --(row, vocabulary)--> complete reason --> answers
                                                                 |
                                                                 +--compile--> circuit --> counts

Below all of them is the native core ``_core``: arrays in, arrays out.
"""

from typing import TYPE_CHECKING, Any

from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.explain.explainer import Explainer
from cattleya.explain.explanation import Explanation
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.tree.tree import Tree
from cattleya.proof.verification import Verification
from cattleya.reasons.circuit import Circuit
from cattleya.reasons.diverse import DiverseReasons, Representation
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.support.cancellation import Cancellation
from cattleya.support.errors import Cancelled, MemoryLimitExceeded, TimeoutExpired
from cattleya.support.version import VERSION

if TYPE_CHECKING:
    from cattleya.present import plots as plots

__version__ = VERSION

__all__ = [
    "Cancellation",
    "Cancelled",
    "Circuit",
    "Comparison",
    "Condition",
    "DiverseReasons",
    "Explainer",
    "Explanation",
    "Fact",
    "MemoryLimitExceeded",
    "NoSuchCounterfactual",
    "NoSuchReason",
    "Reason",
    "Representation",
    "TimeoutExpired",
    "Tree",
    "Verification",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Load the pictures when they are first asked for: most users of the library draw none."""
    if name == "plots":
        from importlib import import_module

        return import_module("cattleya.present.plots")
    raise AttributeError(f"module 'cattleya' has no attribute {name!r}")
